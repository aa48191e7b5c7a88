"""MingtaoGuo/DCGAN_WGAN_...: trains seven kinds of GANs from one file, and six from folders of their own."""

from __future__ import annotations

import os

import numpy as np
from kit import carried, picture, settings, under

REPOSITORY = (
    "https://github.com/MingtaoGuo/"
    "DCGAN_WGAN_WGAN-GP_LSGAN_SNGAN_RSGAN_BEGAN_ACGAN_PGGAN_TensorFlow"
)
COMMIT = "af6a012a9e9ddff29195b12988f3e66091696ff0"

# JPEG of one Pillow is not that of another: what it is given is kept as it is.
_SEED = """
import numpy, PIL.Image
numpy.random.seed(3)
write = PIL.Image.Image.save
PIL.Image.Image.save = lambda image, path: write(image, path.replace('.jpg', '.png'))
"""
# It draws from 50,000 pictures, of which there are 100.
_FEW = _SEED + """
draw = numpy.random.randint
numpy.random.randint = lambda low, high, size: draw(low, min(high, 100), size)
"""
_RESIZE = _SEED + """
import sys, types
from PIL import Image
misc = sys.modules['scipy.misc'] = types.ModuleType('scipy.misc')
misc.imresize = lambda image, size: numpy.array(Image.fromarray(image).resize((size[1], size[0]), 2))
"""


@carried
def data(w):
    import scipy.io

    draw = np.random.RandomState(0)
    for folder in ("TrainingSet", "ACGAN/dataset", "PGGAN/dataset", "SNGAN_cifar10/dataset"):
        os.makedirs(folder, exist_ok=True)
    faces = draw.randint(0, 256, (60, 64, 64, 3)).astype(np.uint8)
    scipy.io.savemat("TrainingSet/facedata.mat", {"data": faces})
    scipy.io.savemat("PGGAN/dataset/facedata.mat", {"data": faces})
    scipy.io.savemat("ACGAN/dataset/face_woman_man.mat",
                     {"data": faces, "label": draw.randint(0, 2, (1, 60))})
    for n in range(1, 6):
        scipy.io.savemat(f"SNGAN_cifar10/dataset/data_batch_{n}.mat", {
            "data": draw.randint(0, 256, (20, 3072)).astype(np.uint8),
            "labels": draw.randint(0, 10, (20, 1))})  # fmt: skip
    for n in range(3):
        picture(f"pix2pix/dataset/maps/train/{n}.jpg", 64, 128, n)


def _gan(w, kind):
    for folder in ("result", "para"):
        os.makedirs(folder, exist_ok=True)
    w.script("GANs.py", ahead=_SEED, instead=[
        ('GAN_type = "SNGAN"', f'GAN_type = "{kind}"'), ("batchsize = 128", "batchsize = 4"),
        ("epoch_nums = 200", "epoch_nums = 1"), ("//batchsize-1", "//20"), ("i % 10 == 0", "True")])


def dcgan(w):
    _gan(w, "DCGAN")


def wgan(w):
    _gan(w, "WGAN")


def wgan_gp(w):
    _gan(w, "WGAN-GP")


def sngan(w):
    _gan(w, "SNGAN")


def lsgan(w):
    _gan(w, "LSGAN")


@under("TF154", "GANs.py", "after a step the logits are below -20, of which TensorFlow 1's sigmoid is 0")
def rsgan(w):
    _gan(w, "RSGAN")


def rasgan(w):
    _gan(w, "RaSGAN")


def _made(*folders):
    for folder in folders:
        os.makedirs(folder, exist_ok=True)


def acgan(w):
    _made("ACGAN/results", "ACGAN/save_para")
    w.script("train.py", cwd="ACGAN", ahead=_SEED, instead=[
        ("BATCHSIZE = 64", "BATCHSIZE = 4"), ("range(50000)", "range(3)"), ("i % 100 ", "i % 1 "),
        ("i % 500", "i % 2"), ("update_time: %f", "%.0f"), (", e-s)", ", 0)")])


def acgan_generate(w):
    w.script("generate.py", cwd="ACGAN", ahead=_SEED)
    w.script("generate.py", cwd="ACGAN", ahead=_SEED, instead=[
        ("    generate_fixed_z()", "    generate_fixed_label()")])


def began(w):
    _made("BEGAN/Results", "BEGAN/save_para")
    w.script("BEGAN.py", cwd="BEGAN", ahead=_SEED, instead=[
        ("BATCH_SIZE = 16", "BATCH_SIZE = 2"), ("n = 64#", "n = 32#"), ("range(200)", "range(1)"),
        ("//BATCH_SIZE - 1", "//20"), ("i % 100 ", "i % 1 ")])


@settings(timeout=900)
def pggan(w):
    _made("PGGAN/results")
    w.script("train.py", cwd="PGGAN", ahead=_SEED, instead=[
        ("BATCH_SIZE = 32", "BATCH_SIZE = 4"), ("MAX_ITR = 10000", "MAX_ITR = 2"),
        ("512, 256, 128, 64, 32, 16]", "16, 16, 8, 8, 8, 4]"),
        ("[16, 32, 64, 128, 256, 512]", "[4, 8, 8, 8, 16, 16]"),
        ("i % 100 ", "i % 1 ")])


def sngan_cifar(w):
    _made("SNGAN_cifar10/save_img", "SNGAN_cifar10/save_para")
    w.script("Train.py", cwd="SNGAN_cifar10", ahead=_FEW, instead=[
        ("[50000, 3", "[100, 3"), ("train_itr = 100000", "train_itr = 2"),
        ("batch_size = 64", "batch_size = 4"),
        ("itr % 100 ", "itr % 1 "), ("itr % 500", "itr % 1"), ("range(5)", "range(2)"),
        (", readtime, updatetime, one_itr_time)", ", 0, 0, 0)")])


def sngan_generate(w):
    w.script("generate.py", cwd="SNGAN_cifar10", ahead=_SEED, instead=[
        (", read_face", ""), (r'"./save_para/.\\model.ckpt"', '"./save_para/model.ckpt"'),
        ("NUMS_GEN = 128", "NUMS_GEN = 3")])


@settings(timeout=900)
def pix2pix(w):
    _made("pix2pix/save_para")
    w.script("pix2pix.py", cwd="pix2pix", ahead=_RESIZE, instead=[
        ("batchsize=4", "batchsize=1"), ("range(10000)", "range(2)"), ("i % 10 ", "i % 1 "),
        ("i % 100 ", "i % 1 "), ("list = os.listdir(self.path)", "list = sorted(os.listdir(self.path))")])
