"""tinghuiz/SfMLearner: depth and motion learnt from film: trains, goes on, and tells depths and poses."""

from __future__ import annotations

from kit import carried, picture, write

REPOSITORY = "https://github.com/tinghuiz/SfMLearner"
COMMIT = "65f71f10da7a0576961a869ec3b3c1a68e89f188"

# Clocks are printed, and flags, of which the later absl has others; the program sets flags that it does not
# define, which TensorFlow 1.15 refuses.
_AHEAD = """
import time, pprint
time.time = lambda: 0.0
pprint.PrettyPrinter.pprint = lambda self, what: None
from absl import flags
flags.DEFINE_integer("num_source", 0, "")
flags.DEFINE_integer("num_scales", 0, "")
"""
# What SciPy had until 1.2; the migrated tree has its own.
_SCIPY = """
import numpy as np, scipy.misc
from PIL import Image
scipy.misc.imread = lambda path: np.asarray(Image.open(path))
scipy.misc.imresize = lambda image, size: np.asarray(
    Image.fromarray(image).resize((size[1], size[0]), Image.BILINEAR))
"""
_SMALL = ("--dataset_dir=film", "--batch_size=2", "--img_height=64", "--img_width=96", "--summary_freq=1",
          "--save_latest_freq=2")


@carried
def data(w):
    """Strips of three frames with the camera of each; a drive and the files of the evaluation."""
    rows = []
    for i in range(4):
        picture(f"film/drive/{i:06}.jpg", 64, 3 * 96, seed=i)
        write(f"film/drive/{i:06}_cam.txt", "80.0,0.,48.0,0.,80.0,32.0,0.,0.,1.")
        rows.append(f"drive {i:06}\n")
    write("film/train.txt", "".join(rows))
    for i in range(5):
        picture(f"odometry/sequences/09/image_2/{i:06}.png", 70, 110, seed=i)
    write("odometry/sequences/09/times.txt", "".join(f"{i / 10}\n" for i in range(5)))
    names = [f"raw/{i}.png" for i in range(3)]
    for i, name in enumerate(names):
        picture(name, 70, 110, seed=i)
    write("data/kitti/test_files_eigen.txt", "".join(f"{name}\n" for name in names))


def train(w):
    w.script("train.py", *_SMALL, "--checkpoint_dir=kept", "--max_steps=4", ahead=_AHEAD)


def train_masked(w):
    w.script("train.py", *_SMALL, "--checkpoint_dir=masked", "--max_steps=3", "--explain_reg_weight=0.2",
             "--smooth_weight=0", ahead=_AHEAD)


def go_on(w):
    w.script("train.py", *_SMALL, "--checkpoint_dir=kept", "--max_steps=3", "--continue_train", ahead=_AHEAD)


def depths(w):
    w.script("test_kitti_depth.py", "--batch_size=2", "--img_height=64", "--img_width=96", "--dataset_dir=",
             "--output_dir=told", "--ckpt_file=kept/model.latest",
             instead=[] if w.after else [("open(test_files[idx], 'r')", "open(test_files[idx], 'rb')")])


def poses(w):
    w.script("test_kitti_pose.py", "--img_height=64", "--img_width=96", "--dataset_dir=odometry/",
             "--output_dir=moved/", "--seq_length=3", "--ckpt_file=kept/model.latest", ahead=_SCIPY)
