"""ljanyst/ssd-tensorflow: trains on a SavedModel, goes on from a meta graph, infers, exports, detects."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/ljanyst/ssd-tensorflow"
COMMIT = "e9c1ee5ccb90130c34cbc64bed62b6bc8b3880d2"

_XML = """<annotation><filename>{file}</filename><object><name>{name}</name><bndbox><xmin>{0}</xmin>
<ymin>{1}</ymin><xmax>{2}</xmax><ymax>{3}</ymax></bndbox></object></annotation>"""
_KINDS = """
import source_pascal_voc as voc
voc.label_defs[:] = [kind for kind in voc.label_defs if kind.name in ('cat', 'dog')]
"""
_TRAIN = ("--batch-size=2", "--num-workers=0", "--checkpoint-interval=1", "--lr-values=1e-7;1e-8",
          "--lr-boundaries=1")  # fmt: skip
# OpenCV's letters change with its version. Which of many boxes with a score of 1, or of 1 less a last digit,
# are the best 200 is not defined: here the first ones are.
_NO_TEXT = """
import cv2, numpy as np
cv2.putText = lambda image, words, *a, **k: print(words)
sort = np.argsort
np.argsort = lambda values, *a, **k: sort(np.round(values, 3), kind='stable')
"""


@carried
@settings(timeout=900)
def data(w):
    random = np.random.RandomState(0)
    count = 0
    for top, listed, others in (("trainval/VOCdevkit/VOC2007", "trainval", 0),
                                ("trainval/VOCdevkit/VOC2012", "trainval", 2),
                                ("test/VOCdevkit/VOC2007", "test", 0)):  # fmt: skip
        names = []
        for i in range(1 + others):
            count += 1
            name = f"{count:06}"
            picture(f"pascal-voc/{top}/JPEGImages/{name}.jpg", 120, 140, seed=count)
            x, y = (int(v) for v in random.randint(5, 50, 2))
            kind = ("dog", "cat")[count % 2]
            note = _XML.format(x, y, x + 60, y + 50, name=kind, file=f"{name}.jpg")
            write(f"pascal-voc/{top}/Annotations/{name}.xml", note)
            names += [name] * (i == 0)
        write(f"pascal-voc/{top}/ImageSets/Main/{listed}.txt", "\n".join(names) + "\n")
    # Pickles of the repository's own classes. Two kinds of things are in the pictures, which are not changed
    # at random before training.
    w.script("process_dataset.py", ahead=_KINDS, instead=[
        ("        tf_rnd_brightness,\n        tf_distort,\n        tf_rnd_reorder_channels,\n"
         "        tf_rnd_expand,\n        tf_sample_picker,\n        tf_rnd_flip,\n", "")])  # fmt: skip


@carried
def vgg(w):
    """A narrow network with the tensors that training asks its SavedModel for."""
    import tensorflow as tf

    random = np.random.RandomState(0)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, None, None, 3], name="image_input")
        tf.placeholder_with_default(1.0, [], name="keep_prob")
        before = 3
        for block, layers in enumerate((2, 2, 3, 3, 3), 1):
            for layer in range(1, layers + 1):
                after = 512 if block > 3 and layer == 3 else 8
                with tf.variable_scope(f"conv{block}_{layer}"):
                    kernel = random.normal(0, (2 / (9 * before)) ** 0.5, (3, 3, before, after))
                    kernel = tf.get_variable("filter", initializer=kernel.astype("f"))
                    bias = tf.get_variable("biases", initializer=np.zeros(after, "f"))
                    x = tf.nn.bias_add(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME"), bias)
                    x = tf.nn.relu(x, name="Relu")
                    tf.nn.l2_loss(kernel, name="L2Loss")
                before = after
            x = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        for name, shape in (("fc6", [7, 7, 512, 4096]), ("fc7", [1, 1, 4096, 4096])):
            piece = random.normal(0, 0.02, [*shape[:2], 8, 64]).astype("f")
            piece = tf.get_variable(name + "_piece", initializer=piece)
            tf.tile(piece, [1, 1, shape[2] // 8, shape[3] // 64], name=name + "/weights")
            tf.zeros([shape[3]], name=name + "/biases")
        sess.run(tf.global_variables_initializer())
        builder = tf.saved_model.builder.SavedModelBuilder("vgg_graph/vgg")
        builder.add_meta_graph_and_variables(sess, ["vgg16"])
        builder.save()
    for name in ("variables/variables.data-00000-of-00001", "variables/variables.index", "saved_model.pb"):
        write("vgg_graph/" + name, "")  # the archive counts as there


@settings(timeout=900)
def train(w):
    w.script("train.py", "--name=run", "--epochs=2", *_TRAIN, ahead=_NO_TEXT)


@carried
@settings(timeout=900)
def trained_by_original(w):
    w.script("train.py", "--name=given", "--epochs=1", "--tensorboard-dir=tb_given", *_TRAIN, ahead=_NO_TEXT)


@settings(timeout=900)
def go_on(w):
    w.script("train.py", "--name=run", "--epochs=3", "--continue-training=yes", *_TRAIN, ahead=_NO_TEXT)


@settings(timeout=900)
def go_on_from_original(w):
    w.script("train.py", "--name=given", "--epochs=2", "--continue-training=yes", *_TRAIN, ahead=_NO_TEXT)


_PICTURE = "pascal-voc/test/VOCdevkit/VOC2007/JPEGImages/000005.jpg"


def infer_of_original(w):
    w.script("infer.py", _PICTURE, "--name=given", "--checkpoint=0", "--annotate=yes", "--threshold=0.06",
             "--dump-predictions=yes", "--pascal-summary=yes", ahead=_NO_TEXT)  # fmt: skip


def export_of_original(w):
    w.script("export_model.py", "--metagraph-file=given/e1.ckpt.meta", "--checkpoint-file=given/e1.ckpt",
             "--output-file=model.pb", "--output-tensors", "result/result")  # fmt: skip


def detect(w):
    w.script("detect.py", _PICTURE, ahead=_NO_TEXT, instead=[
        ("files = sys.argv[1:]", "files = args.files"), ("'model300.pb'", "'model.pb'"),
        ("'training-data-300.pkl'", "'pascal-voc/training-data.pkl'"), ("anchors, 0.5,", "anchors, 0.06,"),
    ])  # fmt: skip
