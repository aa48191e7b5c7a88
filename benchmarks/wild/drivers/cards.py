"""EdjeElectronics' tutorial of the Object Detection API: records, and what a frozen network finds."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings, write, write_detector

REPOSITORY = (
    "https://github.com/EdjeElectronics/"
    "TensorFlow-Object-Detection-API-Tutorial-Train-Multiple-Objects-Windows-10"
)
COMMIT = "c1645825822622fc75919b6be253779d49678f55"

# The parts of the Object Detection API that it imports, as far as it goes.
_API = {
    "utils/label_map_util.py": """
import re
def load_labelmap(path):
    with open(path) as file:
        return [(int(n), name) for n, name in re.findall(r"id: (\\d+)\\s+name: '(\\w+)'", file.read())]
def convert_label_map_to_categories(label_map, max_num_classes, use_display_name=True):
    return [{'id': n, 'name': name} for n, name in label_map if n <= max_num_classes]
def create_category_index(categories):
    return {category['id']: category for category in categories}
""",
    "utils/visualization_utils.py": """
import cv2
def visualize_boxes_and_labels_on_image_array(
        image, boxes, classes, scores, category_index, use_normalized_coordinates, line_thickness,
        min_score_thresh):
    height, width = image.shape[:2]
    for (top, left, bottom, right), kind, score in zip(boxes, classes, scores):
        print(category_index.get(kind), '%.4f' % score)
        if score > 0.8 * min_score_thresh:
            cv2.rectangle(image, (int(left * width), int(top * height)),
                          (int(right * width), int(bottom * height)), (0, 255, 0), 1)
""",
    "object_detection/utils/dataset_util.py": """
import tensorflow as tf
def int64_list_feature(value):
    return tf.train.Feature(int64_list=tf.train.Int64List(value=value))
def bytes_list_feature(value):
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=value))
def float_list_feature(value):
    return tf.train.Feature(float_list=tf.train.FloatList(value=value))
def int64_feature(value):
    return int64_list_feature([value])
def bytes_feature(value):
    return bytes_list_feature([value])
""",
}
_NO_WINDOW = """
import cv2
shown = []
cv2.destroyAllWindows = lambda: None
cv2.imshow = lambda name, image: shown.append(cv2.imwrite(NAME % len(shown), image))
cv2.waitKey = lambda wait: ord('q') if len(shown) == 3 else 0
"""


@carried
def data(w):
    import cv2

    for path, said in _API.items():
        write(path, said)
    write_detector("inference_graph/frozen_inference_graph.pb", kinds=6)
    film = cv2.VideoWriter("film.avi", cv2.VideoWriter_fourcc(*"MJPG"), 5.0, (96, 64))
    for seed in range(4):
        frame = np.random.RandomState(seed).randint(0, 255, [8, 12, 3]).astype(np.uint8)
        film.write(cv2.resize(frame, (96, 64)))
    film.release()
    rows = ["filename,width,height,class,xmin,ymin,xmax,ymax"]
    for i, kind in enumerate(("nine", "ace", "king")):
        picture(f"cards/{i // 2}.png", 40, 60, i // 2)
        rows.append(f"{i // 2}.png,60,40,{kind},{3 + i},{4 + i},{30 + i},{25 + 2 * i}")
    write("cards/labels.csv", "\n".join(rows) + "\n")


def records(w):
    w.script("generate_tfrecord.py", "--csv_input=cards/labels.csv", "--image_dir=cards",
             "--output_path=train.record", instead=[("os.getcwd(), FLAGS.output_path", "FLAGS.output_path")])


@settings(timeout=600)
def image(w):
    w.script("Object_detection_image.py", ahead="NAME = 'image_%d.png'" + _NO_WINDOW,
             instead=[("'test1.jpg'", "'cards/1.png'")])  # fmt: skip


@settings(timeout=600)
def video(w):
    w.script("Object_detection_video.py", ahead="NAME = 'video_%d.png'" + _NO_WINDOW,
             instead=[("'test.mov'", "'film.avi'")])  # fmt: skip


@settings(timeout=600)
def webcam(w):
    w.script("Object_detection_webcam.py", ahead="NAME = 'webcam_%d.png'" + _NO_WINDOW,
             instead=[("VideoCapture(0)", "VideoCapture('film.avi')")])  # fmt: skip
