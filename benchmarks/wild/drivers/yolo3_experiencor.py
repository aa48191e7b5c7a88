"""experiencor/keras-yolo3 (Keras 2.3 before, 2.2.4 here): the layer that computes the loss of YOLOv3, in a
model that trains, what its generator makes of pictures, and the boxes of its outputs."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/experiencor/keras-yolo3"
COMMIT = "768c524f277adbfd26c2f44d73cb1826bbaf2d10"

_ANCHORS = [4, 5, 7, 9, 12, 13, 20, 22, 30, 40, 50, 48, 60, 70, 80, 60, 90, 90]
_VOC = """<annotation><filename>{0}.jpg</filename>
<size><width>96</width>
<height>96</height></size>
{1}</annotation>"""
_OBJECT = """<object><name>{}</name>
<bndbox><xmin>{}</xmin><ymin>{}</ymin><xmax>{}</xmax><ymax>{}</ymax></bndbox>
</object>"""


@carried
def data(w):
    random = np.random.RandomState(0)
    for i in range(4):
        picture(f"pictures/{i}.jpg", 96, 96, seed=i)
        found = ""
        for _ in range(2):
            x, y = random.randint(0, 40, 2)
            found += _OBJECT.format("ab"[random.randint(2)], x, y, x + random.randint(20, 50),
                                    y + random.randint(20, 50))  # fmt: skip
        write(f"boxes/{i}.xml", _VOC.format(i, found))


def _batches():
    import generator
    import voc

    found, _ = voc.parse_voc_annotation("boxes/", "pictures/", "cache.pkl", ["a", "b"])
    found.sort(key=lambda one: one["filename"])
    made = generator.BatchGenerator(
        instances=found, anchors=_ANCHORS, labels=["a", "b"], downsample=32, max_box_per_image=4,
        batch_size=2, min_net_size=64, max_net_size=64, shuffle=False, jitter=0.0,
        norm=lambda image: image / 255.0,
    )  # fmt: skip
    return made


def generate(w):
    made = _batches()
    for number in range(2):
        np.random.seed(number)
        inputs, targets = made[number]
        w.dump(**{f"inputs_{number}": inputs, f"targets_{number}": targets})


@settings(timeout=1800)
def train(w):
    """The layer behind small networks: batches warm up, then count."""
    from keras.layers import Conv2D, Input
    from keras.models import Model
    from keras.optimizers import SGD
    from yolo import YoloLayer, dummy_loss

    random = np.random.RandomState(0)
    image, boxes = Input((None, None, 3)), Input((1, 1, 1, 4, 4))
    true, losses = [], []
    for number in range(3):
        grid = 2 ** (1 + number)
        stride = 64 // grid
        net = Conv2D(21, stride, strides=stride, name=f"conv_{number}")(image)
        true.append(Input((None, None, 3, 7)))
        losses.append(YoloLayer(
            _ANCHORS[12 - 6 * number:18 - 6 * number], [grid, grid], 2, 2, 0.5, 1, 5, 1, 1, 1,
        )([image, net, true[-1], boxes]))
    model = Model([image, boxes, *true], losses)
    model.set_weights([random.normal(size=v.shape) * 0.02 for v in model.get_weights()])
    model.compile(SGD(0.0005), dummy_loss)
    made = _batches()
    found = []
    for number in range(4):
        np.random.seed(number)
        inputs, targets = made[number % 2]
        found.append(model.train_on_batch(inputs, targets))
    w.dump(losses=found, weights=model.get_weights())


def boxes(w):
    from utils import utils

    random = np.random.RandomState(0)
    found = utils.decode_netout(random.normal(size=(3, 3, 24)), [4, 5, 7, 9, 12, 13], 0.5, 96, 96)
    utils.correct_yolo_boxes(found, 80, 60, 96, 96)
    utils.do_nms(found, 0.4)
    w.dump(found=[[b.xmin, b.ymin, b.xmax, b.ymax, *b.classes] for b in found])
