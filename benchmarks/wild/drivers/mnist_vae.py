"""hwalsuklee/tensorflow-mnist-VAE: trains variational auto-encoders on digits, and shows what they make."""

from __future__ import annotations

from kit import carried, settings, write_digits

REPOSITORY = "https://github.com/hwalsuklee/tensorflow-mnist-VAE"
COMMIT = "e7903ac398aa5fc3eec8470177abf6ef78d9cac1"

# A small set of digits, and SciPy has no pictures any more. What points matplotlib scatters is kept
# instead of the picture, which each version of it draws in its own way.
_AHEAD = """
import numpy
numpy.random.seed(1)
import matplotlib
matplotlib.use('Agg')
import matplotlib.pyplot as plt
shown, drawn = [], plt.scatter
plt.scatter = lambda x, y, c, **k: shown.append(numpy.stack([x, y, c])) or drawn(x, y, c=c, **k)
plt.savefig = lambda path: numpy.save(path + '.npy', shown[-1])
import scipy.misc
from PIL import Image
scipy.misc.imsave = lambda path, image: numpy.save(path + '.npy', image)
scipy.misc.imresize = lambda image, size=1.0, *a, **k: image
import plot_utils
plot_utils.imsave, plot_utils.imresize = scipy.misc.imsave, scipy.misc.imresize
import mnist_data
whole = mnist_data.extract_data, mnist_data.extract_labels
mnist_data.extract_data = lambda name, count, *a: whole[0](name, 300 if count == 10000 else 5600, *a)
mnist_data.extract_labels = lambda name, count: whole[1](name, 300 if count == 10000 else 5600)
"""


@carried
def digits(w):
    write_digits("data")


@settings(timeout=900)
def train(w):
    w.script("run_main.py", "--dim_z=4", "--n_hidden=16", "--num_epochs=2", "--batch_size=50",
             "--PRR_n_img_x=3", "--PRR_n_img_y=3", ahead=_AHEAD)  # fmt: skip


@settings(timeout=900)
def manifold(w):
    w.script("run_main.py", "--dim_z=2", "--n_hidden=16", "--num_epochs=1", "--batch_size=50",
             "--PMLR=True", "--PMLR_n_img_x=3", "--PMLR_n_img_y=3", "--PMLR_n_samples=200",
             "--results_path=shown", ahead=_AHEAD)  # fmt: skip
