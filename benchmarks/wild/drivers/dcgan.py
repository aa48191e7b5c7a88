"""carpedm20/DCGAN-tensorflow: trains on digits with their labels, and goes on."""

from __future__ import annotations

from kit import settings

REPOSITORY = "https://github.com/carpedm20/DCGAN-tensorflow"
COMMIT = "62c9a2a7f74505cad30858bf40307c93e5bd9293"

_SMALL = (
    "main.py", "--dataset=mnist", "--input_height=28", "--output_height=28", "--batch_size=4",
    "--out_dir=results", "--out_name=run", "--z_dim=8", "--epoch=1", "--train", "--ckpt_freq=2",
)  # fmt: skip
# Made-up digits, small networks, and samples as numbers: SciPy has no pictures any more.
_AHEAD = """
import functools
import numpy as np
import model, utils
random = np.random.RandomState(0)
def load_mnist(self):
    return random.uniform(0, 1, (8, 28, 28, 1)), np.eye(10)[np.arange(8)]
model.DCGAN.load_mnist = load_mnist
model.DCGAN = functools.partial(model.DCGAN, gf_dim=4, df_dim=4, gfc_dim=16, dfc_dim=16)
getattr(utils, 'scipy_misc', utils.scipy.misc).imsave = lambda path, image: np.save(path, image)
"""
# Of the flags that it prints and keeps those of the program; TensorFlow's own are others in each version.
_OWN = "{k: FLAGS[k].value for k in FLAGS if '\"%s\"' % k in open('main.py').read()}"
_FLAGS = [("pp.pprint(flags.FLAGS.__flags)", f"pp.pprint({_OWN})"),
          ("{k:FLAGS[k].value for k in FLAGS}", _OWN)]


@settings(timeout=900, tolerance=1e-3, why="biases ahead of a batch norm have gradients of rounding alone, "
          "of which Adam makes whole steps; samples, with averages of statistics, show them")  # fmt: skip
def train(w):
    w.script(*_SMALL, "--sample_freq=2", "--G_img_sum", ahead=_AHEAD, instead=_FLAGS)


@settings(timeout=900)
def go_on(w):
    w.script(*_SMALL, "--sample_freq=100", "--z_dist=normal01", ahead=_AHEAD, instead=_FLAGS)
