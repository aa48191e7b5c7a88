"""ikostrikov/TensorFlow-VAE-GAN-DRAW: digits by a variational autoencoder, and by a GAN."""

from __future__ import annotations

from kit import carried, settings, write_digits

REPOSITORY = "https://github.com/ikostrikov/TensorFlow-VAE-GAN-DRAW"
COMMIT = "380b30c2f8577ea29681d3734b311e6562835019"

# What shows progress, and what SciPy had for pictures before 1.3.
_AHEAD = """
import sys, types, scipy.misc
bar = sys.modules['progressbar'] = types.ModuleType('progressbar')
bar.ETA = bar.Bar = bar.Percentage = lambda *given: ''
class Shown:
    def __init__(self, *given, **more):
        pass
    def __call__(self, steps):
        return steps
    def start(self):
        return self
    def update(self, *given):
        pass
bar.ProgressBar = Shown
if sys.version_info < (3, 8):
    import numpy
    from PIL import Image
    def saved(path, data):
        data = numpy.asarray(data)
        low, high = data.min(), data.max()
        data = (((data - low) * (255.0 / ((high - low) or 1))).clip(0, 255) + 0.5).astype(numpy.uint8)
        Image.fromarray(data).save(path)
    scipy.misc.imsave = saved
"""
_SMALL = ("--batch_size=4", "--updates_per_epoch=2", "--max_epoch=2")


@carried
def digits(w):
    for folder in ("vae", "gan"):
        write_digits(f"{folder}/MNIST")


@settings(timeout=900)
def vae(w):
    w.script("main.py", *_SMALL, "--working_directory=vae", "--model=vae", "--hidden_size=8", ahead=_AHEAD)


@settings(timeout=900)
def gan(w):
    w.script("main.py", *_SMALL, "--working_directory=gan", "--model=gan", "--hidden_size=8",
             ahead=_AHEAD + "import gan, tensorflow; gan.concat_elu = tensorflow.nn.elu")  # fmt: skip
