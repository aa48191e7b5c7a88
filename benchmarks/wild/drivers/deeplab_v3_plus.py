"""rishizek/tensorflow-deeplab-v3-plus: packs pictures, trains by an estimator, evaluates and infers."""

from __future__ import annotations

import numpy as np
from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/rishizek/tensorflow-deeplab-v3-plus"
COMMIT = "f6b416be519bf481f20d2458614a4d33737da37e"

_NET = ("--model_dir=trained", "--base_architecture=resnet_v2_50")
_PLACES = ("--image_data_dir=voc/JPEGImages", "--label_data_dir=voc/Labels")


@carried
def data(w):
    from PIL import Image

    random = np.random.RandomState(0)
    for i in range(3):
        picture(f"voc/JPEGImages/{i}.jpg", 60, 56, seed=i)
        labels = np.kron(random.randint(0, 21, (6, 7)), np.ones((10, 8))).astype(np.uint8)
        write(f"voc/Labels/{i}.txt", "")
        Image.fromarray(labels).save(f"voc/Labels/{i}.png")
    write("voc/train.txt", "0\n1\n")
    write("voc/val.txt", "2\n")
    write("voc/infer.txt", "2.jpg\n")


@carried
def weights(w):
    """What training begins with, in the place of ImageNet's."""
    import tensorflow as tf
    from tensorflow.contrib.slim.nets import resnet_v2

    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.contrib.slim.arg_scope(resnet_v2.resnet_arg_scope()):
            resnet_v2.resnet_v2_50(tf.zeros([1, 65, 65, 3]), 11)
        sess.run(tf.global_variables_initializer())
        tf.train.Saver().save(sess, "begin/resnet_v2_50.ckpt")


def pack(w):
    w.script("create_pascal_tf_record.py", "--data_dir=voc", "--output_path=packed",
             "--train_data_list=voc/train.txt", "--valid_data_list=voc/val.txt",
             "--label_data_dir=Labels")  # fmt: skip


@settings(timeout=900)
def train(w):
    w.script("train.py", *_NET, "--data_dir=packed", "--batch_size=2", "--train_epochs=1",
             "--pre_trained_model=begin/resnet_v2_50.ckpt", "--tensorboard_images_max_outputs=2",
             instead=[("_HEIGHT = 513", "_HEIGHT = 65"), ("_WIDTH = 513", "_WIDTH = 65")])  # fmt: skip


@settings(timeout=900)
def evaluate(w):
    w.script("evaluate.py", *_NET, *_PLACES, "--evaluation_data_list=voc/val.txt")


@settings(timeout=900)
def infer(w):
    w.script("inference.py", *_NET, "--data_dir=voc/JPEGImages", "--infer_data_list=voc/infer.txt",
             "--output_dir=masks", ahead="import matplotlib; matplotlib.use('Agg')")  # fmt: skip


@settings(timeout=900)
def export(w):
    w.script("export_inference_graph.py", *_NET, "--export_dir=exported")
