"""lslcode/SSD_for_Tensorflow: trains on Pascal VOC's pictures, goes on, detects."""

from __future__ import annotations

from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/lslcode/SSD_for_Tensorflow"
COMMIT = "82c51bcf5d738e9e33e2f2898729a39d601fbf7f"

# scikit-image need not be there: pictures are read and sized by Pillow and numpy.
_PICTURES = """
import random, sys, types
random.seed(0)
import numpy as np
from PIL import Image
skimage, io, transform = (types.ModuleType(n) for n in ('skimage', 'skimage.io', 'skimage.transform'))
skimage.io, skimage.transform = io, transform
sys.modules.update({'skimage': skimage, 'skimage.io': io, 'skimage.transform': transform})
io.imread = lambda path: np.asarray(Image.open(path))
def resize(image, size):
    rows, columns = (np.arange(n) * old // n for n, old in zip(size, image.shape))
    return image[rows][:, columns] / 255.0
transform.resize = resize
"""
_SHORT = [("batch_size = 15", "batch_size = 2"), ("running_count < 100000", "running_count < 2")]


@carried
def data(w):
    for i in range(3):
        picture(f"train_datasets/voc2007/JPEGImages/{i}.jpg", 120, 160, seed=i)
        write(f"train_datasets/voc2007/Annotations/{i}.xml", f"""<annotation>
<size><width>160</width><height>120</height><depth>3</depth></size>
<object><name>dog</name>
<bndbox><xmin>{20 + i}</xmin><ymin>30</ymin><xmax>110</xmax><ymax>100</ymax></bndbox></object>
<object><name>car</name>
<bndbox><xmin>60</xmin><ymin>{40 + i}</ymin><xmax>95</xmax><ymax>75</ymax></bndbox></object>
</annotation>""")


@settings(timeout=1200)
def train(w):
    w.script("main.py", instead=_SHORT, ahead=_PICTURES)


@settings(timeout=1200)
def go_on(w):
    w.script("main.py", instead=_SHORT, ahead=_PICTURES)


@settings(timeout=600)
def detect(w):
    w.script("main.py", instead=[("    #testing()", "    testing()"), ("    training()\n", "\n")],
             ahead=_PICTURES)
