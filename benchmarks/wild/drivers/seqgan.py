"""LantaoYu/SeqGAN: a generator of sequences, rewarded for what it would come to."""

from __future__ import annotations

from kit import settings

REPOSITORY = "https://github.com/LantaoYu/SeqGAN"
COMMIT = "e2b52fb6309851b14765290e8a972ccac09f1bec"
PYTHON2 = True

_FEW = [("PRE_EPOCH_NUM = 120", "PRE_EPOCH_NUM = 1"), ("generated_num = 10000", "generated_num = 128"),
        ("range(50)", "range(1)"), ("TOTAL_BATCH = 200", "TOTAL_BATCH = 1"),
        ("save/target_params.pkl", "save/target_params_py3.pkl")]
# The translated original opens a pickle as a text.
_AS_BYTES = [("open('save/target_params_py3.pkl')", "open('save/target_params_py3.pkl', 'rb')")]


@settings(timeout=1200)
def train(w):
    w.script("sequence_gan.py", instead=_FEW if w.after else _FEW + _AS_BYTES)
