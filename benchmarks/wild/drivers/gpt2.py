"""openai/gpt-2: samples without and with a prompt, and encodes text."""

from __future__ import annotations

import json

from kit import carried, write

REPOSITORY = "https://github.com/openai/gpt-2"
COMMIT = "9b63575ef42771a015060c964af2c3da4cf7c8ab"

_SIZES = {"n_vocab": 260, "n_ctx": 24, "n_embd": 16, "n_head": 2, "n_layer": 2}


@carried
def model(w):
    import sys

    sys.path.insert(0, "src")
    import encoder
    import model as network
    import tensorflow as tf

    letters = list(encoder.bytes_to_unicode().values())
    tokens = [*letters, "th", "the", "\u0120a", "<|endoftext|>"]
    write("models/tiny/encoder.json", json.dumps({t: i for i, t in enumerate(tokens)}))
    write("models/tiny/vocab.bpe", "#version: 0.2\nt h\nth e\n\u0120 a\n")
    write("models/tiny/hparams.json", json.dumps(_SIZES))
    hparams = network.default_hparams()
    hparams.override_from_dict(_SIZES)
    network.model(hparams=hparams, X=tf.zeros([1, 4], tf.int32))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        tf.train.Saver().save(sess, "models/tiny/model.ckpt")


def unconditional(w):
    w.script("src/generate_unconditional_samples.py", "--model_name=tiny", "--nsamples=2", "--length=10")


def unconditional_top(w):
    w.script("src/generate_unconditional_samples.py", "--model_name=tiny", "--nsamples=2",
             "--length=8", "--top_k=3", "--temperature=0.7", "--seed=1")  # fmt: skip


def prompted(w):
    """Ends, as for people, when there are no more prompts."""
    w.script("src/interactive_conditional_samples.py", "--model_name=tiny", "--length=6", "--top_p=0.9",
             stdin="the cat\n\nand a dog\n", code=1)  # fmt: skip


def encoding(w):
    import sys

    sys.path.insert(0, "src")
    import encoder

    codes = encoder.get_encoder("tiny", "models")
    found = codes.encode("The cat isn't a 1st dog, then? \u00e9")
    w.dump(codes=found, text=codes.decode(found))


def logits(w):
    import sys

    import numpy as np

    sys.path.insert(0, "src")
    import model as network

    def run(tokens):
        hparams = network.default_hparams()
        hparams.override_from_dict(_SIZES)
        return network.model(hparams=hparams, X=tokens)

    w.dump(**w.call(run, np.arange(8, dtype=np.int32).reshape(2, 4)))
