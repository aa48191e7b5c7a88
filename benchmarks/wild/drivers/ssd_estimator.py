"""HiKapok/SSD.TensorFlow: an SSD in an Estimator: records of Pascal VOC, training from VGG, detection."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings, under, write

REPOSITORY = "https://github.com/HiKapok/SSD.TensorFlow"
COMMIT = "b47ff6164c8925a8bbccc593719d5bbbab996058"

_LAST = "--data_format=channels_last"
# What SciPy had.
_READ = """
import numpy as np
from PIL import Image
import scipy
try:
    import scipy.misc
except ImportError:
    import sys, types
    scipy.misc = sys.modules['scipy.misc'] = types.ModuleType('scipy.misc')
scipy.misc.imread = lambda path: np.asarray(Image.open(path))
scipy.misc.imsave = lambda path, image: Image.fromarray(image).save(path)
scipy.misc.imshow = scipy.misc.imresize = None
"""
# TensorFlow 1.15 takes no list for the default name of a scope any more.
_SCOPES = """
import tensorflow as tf
if tf.__version__.startswith('1.'):
    class Scope(tf.name_scope):
        def __init__(self, name, default_name=None, values=None):
            super().__init__(name, default_name if isinstance(default_name, str) else None, values)
    tf.name_scope = Scope
"""
_QUEUES = "the summaries of how full the provider's queues were"
_ONE = ("--num_readers=1", "--num_preprocessing_threads=1")


@carried
def pictures(w):
    random = np.random.RandomState(0)
    for folder, names in (("VOC2007", ["000001"]), ("VOC2007TEST", ["000002", "000003"])):
        for i, name in enumerate(names):
            picture(f"VOC/{folder}/JPEGImages/{name}.jpg", 120, 160, seed=i)
            boxes = ""
            for kind, hard in (("dog", 0), ("car", 0), ("cat", 1)):
                x, y = random.randint(2, 70), random.randint(2, 50)
                ends = f"<xmin>{x}</xmin><ymin>{y}</ymin><xmax>{x + 80}</xmax><ymax>{y + 60}</ymax>"
                boxes += (f"<object><name>{kind}</name><difficult>{hard}</difficult>"
                          f"<truncated>0</truncated><bndbox>{ends}</bndbox></object>")
            size = "<size><width>160</width><height>120</height><depth>3</depth></size>"
            write(f"VOC/{folder}/Annotations/{name}.xml", f"<annotation>{size}{boxes}</annotation>")
    picture("demo/test.jpg", 120, 160, seed=7)


def records(w):
    w.script("dataset/convert_tfrecords.py", "--dataset_directory=VOC", "--train_splits=VOC2007",
             "--validation_splits=VOC2007TEST", "--output_directory=records", "--train_shards=1",
             "--validation_shards=1", "--num_threads=1",
             ahead="import os; os.makedirs('records')", instead=[("datetime.now()", "0")])  # fmt: skip


@carried
def vgg(w):
    """A checkpoint of VGG to begin with, under the names of slim's."""
    import tensorflow as tf
    from net import ssd_net

    with tf.variable_scope("vgg_16"):
        ssd_net.VGG16Backbone("channels_last").forward(tf.zeros([1, 300, 300, 3]))
    named = {
        v.op.name.replace("/kernel", "/weights").replace("/bias", "/biases"): v
        for v in tf.trainable_variables() if "additional" not in v.op.name and "scale" not in v.op.name
    }
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        tf.train.Saver(named).save(sess, "vgg/vgg_16.ckpt")


def _trained(w, folder):
    w.script("train_ssd.py", "--data_dir=records", f"--model_dir={folder}", "--checkpoint_path=vgg", *_ONE,
             _LAST, "--multi_gpu=False", "--batch_size=1", "--max_number_of_steps=3", "--log_every_n_steps=1",
             "--save_summary_steps=2", ahead=_SCOPES)  # fmt: skip


@under("TF503", "dataset/dataset_common.py", _QUEUES)
@settings(timeout=1800)
def train(w):
    _trained(w, "logs")


@carried
def weights(w):
    _trained(w, "weights")


@under("TF503", "dataset/dataset_common.py", _QUEUES)
@settings(timeout=1800)
def evaluate(w):
    w.script("eval_ssd.py", "--data_dir=records", "--model_dir=found", "--checkpoint_path=weights", *_ONE,
             _LAST, "--log_every_n_steps=1", "--save_summary_steps=1", "--select_threshold=0.05",
             ahead=_SCOPES + "import os; os.makedirs('found/predict')")  # fmt: skip


@settings(timeout=1800)
def demo(w):
    w.script("simple_ssd_demo.py", "--checkpoint_path=weights", "--select_threshold=0.05", _LAST,
             ahead=_SCOPES + _READ)  # fmt: skip
