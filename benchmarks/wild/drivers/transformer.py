"""Kyubyong/transformer: trains a small transformer on made-up text, goes on, and translates."""

from __future__ import annotations

from kit import carried, settings, text, write

REPOSITORY = "https://github.com/Kyubyong/transformer"
COMMIT = "fb023bb097e08d53baf25b46a9da490beba51a21"

_SMALL = (
    "--train1=tiny/a", "--train2=tiny/b", "--eval1=tiny/few.a", "--eval2=tiny/few.b",
    "--eval3=tiny/few.b", "--vocab=tiny/vocab", "--vocab_size=16", "--batch_size=8",
    "--eval_batch_size=4", "--d_model=16", "--d_ff=32", "--num_blocks=1", "--num_heads=2",
    "--maxlen1=14", "--maxlen2=14", "--dropout_rate=0", "--logdir=log/1", "--warmup_steps=4",
)  # fmt: skip


@carried
def corpus(w):
    for name, lines, seed in (("a", 16, 0), ("b", 16, 1), ("few.a", 4, 2), ("few.b", 4, 3)):
        write(f"tiny/{name}", text(lines, seed) + "\n")
    tokens = ["<pad>", "<unk>", "<s>", "</s>", *"the quick brown fox jumps over a lazy dog".split()]
    tokens += ["p", "q", "r"]
    write("tiny/vocab", "\n".join(f"{token}\t-{i}" for i, token in enumerate(tokens)) + "\n")


@settings(timeout=900)
def train(w):
    w.script("train.py", *_SMALL, "--num_epochs=2")


@settings(timeout=900)
def translate(w):
    w.script("test.py", *_SMALL, "--ckpt=log/1", "--test1=tiny/few.a", "--test2=tiny/few.b",
             "--test_batch_size=2")  # fmt: skip
