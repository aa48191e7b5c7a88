"""carpedm20/BEGAN-tensorflow: trains on one picture, and goes on."""

from __future__ import annotations

from kit import carried, picture, settings

REPOSITORY = "https://github.com/carpedm20/BEGAN-tensorflow"
COMMIT = "722b3f1a2ff9fd79b8508d3fd29b2a15e4e8ae36"

# It turns pictures around for a GPU also where there is none.
_AROUND = """
import numpy as np, trainer
class Kept(np.ndarray):
    def transpose(self, *axes):
        return self
autoencode = trainer.Trainer.autoencode
def keep(self, inputs, path, idx=None, x_fake=None):
    autoencode(self, inputs.view(Kept), path, idx, None if x_fake is None else x_fake.view(Kept))
trainer.Trainer.autoencode = keep
"""
_SMALL = ("--dataset=faces", "--input_scale_size=16", "--conv_hidden_num=64", "--batch_size=4",
          "--use_gpu=false", "--lr_lower_boundary=0.00007")  # fmt: skip


@carried
def pictures(w):
    picture("data/faces/a.png", 32, 32)


@settings(timeout=1500)
def train(w):
    w.script("main.py", *_SMALL, "--load_path=first", "--max_step=3", "--log_step=2", ahead=_AROUND)


@settings(timeout=1500)
def go_on(w):
    w.script("main.py", *_SMALL, "--load_path=first", "--max_step=2", "--log_step=1", ahead=_AROUND)
