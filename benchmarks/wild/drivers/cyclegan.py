"""vanhuyz/CycleGAN-TensorFlow: packs pictures, trains, exports both generators and translates."""

from __future__ import annotations

from kit import SAME_DAY, carried, picture, settings

REPOSITORY = "https://github.com/vanhuyz/CycleGAN-TensorFlow"
COMMIT = "befe2f57032ee6c25d0dbd1f497f5b5432375da5"

_DATA = ("--X=data/x.tfrecords", "--Y=data/y.tfrecords", "--image_size=32", "--ngf=4")
# Training goes on until it is interrupted.
_STOP = """
import functools, model, reader, utils
model.Reader = functools.partial(reader.Reader, min_queue_examples=8, num_threads=1)
inner, seen = utils.ImagePool.query, []
def query(self, image):
    seen.append(1)
    if len(seen) > 4:
        raise KeyboardInterrupt
    return inner(self, image)
utils.ImagePool.query = query
"""


@carried
def pictures(w):
    picture("pictures/x/0.jpg", 40, 40, seed=0)
    picture("pictures/y/0.jpg", 40, 40, seed=1)


def pack(w):
    w.script("build_data.py", "--X_input_dir=pictures/x", "--Y_input_dir=pictures/y",
             "--X_output_file=data/x.tfrecords", "--Y_output_file=data/y.tfrecords")  # fmt: skip


@settings(timeout=900)
def train(w):
    w.script("train.py", *_DATA, ahead=_STOP + SAME_DAY)


def export(w):
    w.script("export_graph.py", "--checkpoint_dir=checkpoints/20200101-0000", "--XtoY_model=xy.pb",
             "--YtoX_model=yx.pb", "--image_size=32", "--ngf=4")  # fmt: skip


def translate(w):
    w.script("inference.py", "--model=pretrained/xy.pb", "--input=pictures/x/0.jpg",
             "--output=translated.jpg", "--image_size=32")  # fmt: skip
