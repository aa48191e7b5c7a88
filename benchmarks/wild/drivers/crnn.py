"""MaybeShewill-CV/CRNN_Tensorflow: trains to read words, goes on, trains on two devices, reads, exports."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings

REPOSITORY = "https://github.com/MaybeShewill-CV/CRNN_Tensorflow"
COMMIT = "44072509021f7f1ef48e35cc50d6bf50cb5793d8"

# Small; logs are printed; it is always the same time.
_SMALL = """
import itertools, random, sys, time, types
random.seed(0)
time.time = itertools.count(1.0).__next__
time.strftime = lambda *args: 'then'
log, words = types.ModuleType('glog'), types.ModuleType('wordninja')
log.info = log.error = log.debug = print
words.split = lambda text: [text]
sys.modules.update(glog=log, wordninja=words)
sys.path.insert(0, '.')
import crnn_model  # the layers were put aside under another name
from crnn_model import cnn_basenet_bak
crnn_model.cnn_basenet = sys.modules['crnn_model.cnn_basenet'] = cnn_basenet_bak
from config.global_config import cfg
cfg.TRAIN.BATCH_SIZE = cfg.TEST.BATCH_SIZE = 2
cfg.TRAIN.EPOCHS = 3
cfg.TRAIN.CPU_MULTI_PROCESS_NUMS = 1
cfg.TRAIN.VAL_DISPLAY_STEP = 1
"""
_WORDS = ("-c", "data/char_dict/char_dict_en.json", "-o", "data/char_dict/ord_map_en.json")
_OFTEN = [("epoch % 2000 == 0", "epoch % 3 == 0"), ("epoch % 5000 == 0", "epoch % 3 == 0"),
          ("epoch % 500 == 0", "epoch % 2 == 0")]  # fmt: skip


@carried
def data(w):
    """Words in records. Those for training are all one batch: batches are read in any order."""
    import os

    import tensorflow as tf

    os.makedirs("words/tfrecords")
    for kind, count in (("train", 4), ("val", 2), ("test", 2)):
        with tf.python_io.TFRecordWriter(f"words/tfrecords/{kind}_0.tfrecords") as writer:
            for i in range(count):
                random = np.random.RandomState(i % 2)
                pixels = random.randint(0, 256, (32, 100, 3)).astype(np.uint8)
                labels = random.randint(0, 36, 3 + i % 2)
                writer.write(tf.train.Example(features=tf.train.Features(feature={
                    "images": tf.train.Feature(bytes_list=tf.train.BytesList(value=[pixels.tobytes()])),
                    "imagepaths": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"%d.jpg" % i])),
                    "labels": tf.train.Feature(int64_list=tf.train.Int64List(value=labels)),
                })).SerializeToString())  # fmt: skip
    picture("word.png", 32, 100)


@settings(timeout=900)
def train(w):
    w.script("tools/train_shadownet.py", "-d", "words", *_WORDS, ahead=_SMALL, instead=_OFTEN)


@settings(timeout=900)
def train_decoding(w):
    w.script("tools/train_shadownet.py", "-d", "words", *_WORDS, "-e", "true", "-w",
             "model/crnn_syn90k/shadownet_then.ckpt-3", ahead=_SMALL + "cfg.TRAIN.EPOCHS = 6\n",
             instead=_OFTEN)  # fmt: skip


@settings(timeout=900)
def train_on_two(w):
    w.script("tools/train_shadownet.py", "-d", "words", *_WORDS, "-m", "1", ahead=_SMALL, instead=_OFTEN)


def read(w):
    w.script("tools/test_shadownet.py", "--image_path=word.png",
             "--weights_path=model/crnn_syn90k/shadownet_then.ckpt-3",
             *_WORDS, ahead=_SMALL)  # fmt: skip


def export(w):
    w.script("tfserve/export_saved_model.py", "--export_dir=served",
             "--ckpt_path=model/crnn_syn90k/shadownet_then.ckpt-3",
             ahead=_SMALL)  # fmt: skip
