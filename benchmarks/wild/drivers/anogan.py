"""LeeDoYup/AnoGAN-tf: a DCGAN, and how far pictures are from what it makes."""

from __future__ import annotations

from kit import carried, picture, settings

REPOSITORY = "https://github.com/LeeDoYup/AnoGAN-tf"
COMMIT = "4c650b3ab606a810c63cbb1f8289debbe25bb405"
PYTHON2 = True

_SMALL = ("--dataset=faces", "--input_fname_pattern=*.png", "--input_height=16", "--output_height=16",
          "--batch_size=2", "--generate_test_images=5", "--test_dir=looked")  # fmt: skip
# What SciPy had for pictures before 1.3.
_PICTURES = """
import sys, scipy.misc
if sys.version_info < (3, 8):
    import numpy
    from PIL import Image
    def bytescale(data):
        data = numpy.asarray(data)
        if data.dtype == numpy.uint8:
            return data
        low, high = data.min(), data.max()
        return (((data - low) * (255.0 / ((high - low) or 1))).clip(0, 255) + 0.5).astype(numpy.uint8)
    scipy.misc.imsave = lambda path, data: Image.fromarray(bytescale(data)).save(path)
    scipy.misc.imread = lambda path, flatten=False: numpy.array(Image.open(path))
    scipy.misc.imresize = lambda data, size: numpy.array(
        Image.fromarray(bytescale(data)).resize((size[1], size[0]), resample=2))
"""
# A number that absl refuses, and flags of TensorFlow's own.
_FLAGS = [("np.inf,", "1000000,"), ("pp.pprint(flags.FLAGS.__flags)", "")]


@carried
def pictures(w):
    for i in range(6):
        picture(f"data/faces/{i}.png", 16, 16, seed=i)
    picture("looked/x.png", 16, 16, seed=9)


@settings(timeout=1500)
def train(w):
    w.script("main.py", *_SMALL, "--train", "--epoch=2", "--crop", ahead=_PICTURES, instead=_FLAGS)


@settings(timeout=1500)
def find(w):
    w.script("main.py", *_SMALL, "--anomaly_test", "--test_epoch=4", "--crop", ahead=_PICTURES,
             instead=_FLAGS)  # fmt: skip
