"""zihangdai/xlnet: the network, for both of its uses, and training on one device."""

from __future__ import annotations

import json

import numpy as np
from kit import carried, write

REPOSITORY = "https://github.com/zihangdai/xlnet"
COMMIT = "bbaa3a6fa0b3a2ee694e8cf66167434f9eca9660"


@carried
def config(w):
    write("tiny.json", json.dumps({
        "n_layer": 2, "d_model": 16, "n_head": 2, "d_head": 8, "d_inner": 24, "ff_activation": "gelu",
        "untie_r": True, "n_token": 40,
    }))  # fmt: skip


def _model(words, segments, mask, **more):
    import xlnet

    run = xlnet.RunConfig(is_training=more.pop("training", False), use_tpu=False, use_bfloat16=False,
                          dropout=0.0, dropatt=0.0, init="normal", mem_len=more.pop("mem_len", None),
                          reuse_len=more.pop("reuse_len", None))  # fmt: skip
    return xlnet.XLNetModel(
        xlnet_config=xlnet.XLNetConfig(json_path="tiny.json"), run_config=run, input_ids=words,
        seg_ids=segments, input_mask=mask, **more,
    )  # fmt: skip


def _inputs():
    random = np.random.RandomState(0)
    words = random.randint(0, 40, (6, 2)).astype(np.int32)
    segments = np.repeat([[0], [0], [0], [1], [1], [2]], 2, 1).astype(np.int32)
    mask = np.zeros((6, 2), "f")
    mask[:2, 1] = 1
    return random, words, segments, mask


def understand(w):
    """As for fine tuning: the sequence and its summary."""
    _, *inputs = _inputs()

    def built(words, segments, mask):
        model = _model(words, segments, mask)
        return {"sequence": model.get_sequence_output(), "summary": model.get_pooled_out("last")}

    w.dump(**w.call(built, *inputs))


def predict(w):
    """As for pretraining: two streams, an order of the words, and memory."""
    random, words, segments, mask = _inputs()
    order = (random.rand(6, 6, 2) < 0.5).astype("f")
    targets = np.zeros((2, 6, 2), "f")
    targets[0, 3] = targets[1, 4] = 1
    asked = np.zeros((6, 2), "f")
    asked[3:5] = 1
    memory = [random.randn(4, 2, 16).astype("f") for _ in range(2)]

    def built(words, segments, mask, order, targets, asked, *memory):
        model = _model(words, segments, mask, perm_mask=order, target_mapping=targets, inp_q=asked,
                       mems=list(memory), mem_len=4, reuse_len=3)  # fmt: skip
        return {"out": model.get_sequence_output(), "memory": model.get_new_memory()}

    w.dump(**w.call(built, words, segments, mask, order, targets, asked, *memory))


def losses(w):
    import modeling

    random = np.random.RandomState(1)
    hidden, labels = random.randn(3, 16).astype("f"), np.asarray([0, 1, 2], np.int32)
    w.dump(classes=w.call(lambda h, y: modeling.classification_loss(
        h, y, 3, initializer=None, scope="classes", return_logits=True), hidden, labels))  # fmt: skip
    w.dump(regression=w.call(lambda h, y: modeling.regression_loss(
        h, y, initializer=None, scope="value"), hidden, labels.astype("f")))  # fmt: skip
