"""wizyoung/YOLOv3_TensorFlow: converts Darknet weights, trains, evaluates and detects."""

from __future__ import annotations

import numpy as np
from kit import carried, edit, picture, settings, write

REPOSITORY = "https://github.com/wizyoung/YOLOv3_TensorFlow"
COMMIT = "8776cf7b2531cae83f5fc730f3c70ae97919bfd6"

# There is no window, and OpenCV's letters change with its version.
_NO_TEXT = (
    "import cv2; cv2.imshow = cv2.waitKey = cv2.putText = lambda *a, **k: None\n"
    "cv2.getTextSize = lambda *a, **k: ((40, 8), 0)"
)
_WEIGHTS = "data/darknet_weights/yolov3"


@carried
def data(w):
    random = np.random.RandomState(0)
    for name, count in (("train", 4), ("val", 2)):
        lines = []
        for i in range(count):
            path = f"data/my_data/{name}{i}.jpg"
            picture(path, 96, 96, seed=i)
            boxes = []
            for _ in range(2):
                x, y = random.randint(4, 40, 2)
                boxes += [random.randint(3), x, y, x + 36, y + 30]
            lines.append(" ".join(map(str, [i, path, 96, 96, *boxes])))
        write(f"data/my_data/{name}.txt", "\n".join(lines) + "\n")


@carried
def darknet_weights(w):
    """Weights in Darknet's format, as its network has them before training."""
    import tensorflow as tf
    from model import yolov3

    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.variable_scope("yolov3"):
            yolov3(80, np.ones((9, 2), "f")).forward(tf.zeros([1, 64, 64, 3]))
        variables = tf.global_variables()
        sess.run(tf.global_variables_initializer())
        values = {v.op.name: sess.run(v) for v in variables}
    with open(_WEIGHTS + ".weights", "wb") as stream:
        np.zeros(5, np.int32).tofile(stream)
        for kernel in [n for n in values if n.endswith("/weights")]:
            layer = kernel.rpartition("/")[0]
            norm = [f"{layer}/BatchNorm/{n}" for n in ("beta", "gamma", "moving_mean", "moving_variance")]
            for name in norm if norm[0] in values else [layer + "/biases"]:
                values[name].astype("f").tofile(stream)
            values[kernel].transpose(3, 2, 0, 1).astype("f").tofile(stream)


@settings(timeout=900)
def convert(w):
    w.script("convert_weight.py")


def _configure():
    """What the repository's readme says to edit before training."""
    for old, new in (
        ("batch_size = 6", "batch_size = 2"), ("img_size = [416, 416]", "img_size = [96, 96]"),
        ("total_epoches = 100", "total_epoches = 3"),
        ("train_evaluation_step = 100", "train_evaluation_step = 2"),
        ("num_threads = 10", "num_threads = 1"), ("multi_scale_train = True", "multi_scale_train = False"),
        ("use_mix_up = True", "use_mix_up = False"), ("warm_up_epoch = 3", "warm_up_epoch = 1"),
        ("val_evaluation_epoch = 2", "val_evaluation_epoch = 1"),
    ):  # fmt: skip
        edit("args.py", old, new)


@settings(timeout=900)
def train(w):
    _configure()
    w.script("train.py")


@settings(timeout=900)
def train_otherwise(w):
    """Everything, by adam, with a decaying rate, and no optimizer in the checkpoint."""
    edit("args.py", "update_part = ['yolov3/yolov3_head']", "update_part = None")
    edit("args.py", "optimizer_name = 'momentum'", "optimizer_name = 'adam'")
    edit("args.py", "lr_type = 'piecewise'", "lr_type = 'exponential'")
    edit("args.py", "save_optimizer = True", "save_optimizer = False")
    edit("args.py", "total_epoches = 3", "total_epoches = 2")
    w.script("train.py")


def evaluate(w):
    w.script("eval.py", "--eval_file=data/my_data/val.txt", f"--restore_path={_WEIGHTS}.ckpt",
             "--img_size", 96, 96, "--num_threads=1")  # fmt: skip


def detect(w):
    w.script("test_single_image.py", "data/my_data/val0.jpg", "--new_size", 96, 96,
             f"--restore_path={_WEIGHTS}.ckpt",
             ahead=_NO_TEXT)  # fmt: skip


def suppress(w):
    """Both ways to suppress boxes, and the classes' average precision."""
    from utils import eval_utils, nms_utils

    random = np.random.RandomState(0)
    corners = random.uniform(0, 60, (1, 40, 2)).astype("f")
    boxes = np.concatenate([corners, corners + random.uniform(5, 30, (1, 40, 2)).astype("f")], -1)
    scores = random.uniform(0, 1, (1, 40, 3)).astype("f")
    w.dump(cpu=nms_utils.cpu_nms(boxes, scores, 3, max_boxes=10, score_thresh=0.3, iou_thresh=0.45))
    w.dump(gpu=w.call(lambda b, s: nms_utils.gpu_nms(b, s, 3, 10, 0.3, 0.45), boxes, scores))
    recall, precision = np.linspace(0.1, 1, 10), np.linspace(1, 0.2, 10)
    w.dump(ap=[eval_utils.voc_ap(recall, precision, old) for old in (True, False)])
