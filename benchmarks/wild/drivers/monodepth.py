"""mrharicot/monodepth: trains on pairs of pictures, also in two towers."""

from __future__ import annotations

from kit import carried, picture, settings, write

REPOSITORY = "https://github.com/mrharicot/monodepth"
COMMIT = "b76bee4bd12610b482163871b7ff93e931cb5331"

_SMALL = (
    "--data_path=pictures/", "--filenames_file=pairs.txt", "--input_height=128", "--input_width=128",
    "--batch_size=2", "--num_threads=1",
)  # fmt: skip


@carried
def pictures(w):
    """All pairs are the same one: batches are shuffled."""
    for name, seed in (("left", 1), ("right", 2)):
        picture(f"pictures/{name}.jpg", 140, 150, seed)
    write("pairs.txt", "left.jpg right.jpg\n" * 4)


@settings(timeout=2400)
def train(w):
    w.script("monodepth_main.py", *_SMALL, "--mode=train", "--num_epochs=1", "--log_directory=logs",
             "--model_name=one")  # fmt: skip


@settings(timeout=2400)
def towers(w):
    w.script("monodepth_main.py", *_SMALL, "--mode=train", "--num_epochs=1", "--log_directory=logs",
             "--model_name=two", "--num_gpus=2", "--use_deconv")  # fmt: skip
