"""ericjang/draw: draws digits stroke by stroke, with and without attention."""

from __future__ import annotations

from kit import carried, settings, write_digits

REPOSITORY = "https://github.com/ericjang/draw"
COMMIT = "56bb9404bc3d01da1e1ed2930660221f8c39f7b0"

# TensorFlow 1.15 has it, but does not import it by itself any more.
_MNIST = """
try:
    import tensorflow.examples.tutorials.mnist.input_data
except ImportError:
    pass
"""
_SMALL = [("enc_size = 256", "enc_size = 8"), ("dec_size = 256", "dec_size = 8"), ("\nT=10", "\nT=3"),
          ("batch_size=100", "batch_size=4"), ("train_iters=10000", "train_iters=4"), ("i%100==0", "i%2==0")]


@carried
def digits(w):
    write_digits("drawn/mnist")
    write_digits("plain/mnist")


@settings(timeout=900)
def attending(w):
    w.script("draw.py", "--data_dir=drawn", ahead=_MNIST, instead=_SMALL)


@settings(timeout=900)
def plain(w):
    w.script("draw.py", "--data_dir=plain", "--read_attn=false", "--write_attn=false", ahead=_MNIST,
             instead=_SMALL)  # fmt: skip
