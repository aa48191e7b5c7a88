"""tensorflow/nmt: trains translators of four kinds, translates greedily and with a beam; its tests."""

from __future__ import annotations

from kit import carried, settings, write

REPOSITORY = "https://github.com/tensorflow/nmt"
COMMIT = "0be864257a76c151eef20ea689755f08bc1faf4e"

# What it says of times, devices and sentences that it draws is the same each time.
_AHEAD = """
import itertools, random, time, types
import numpy
random.seed(1)
numpy.random.seed(1)
import nmt.inference, nmt.train
from nmt.utils import misc_utils, nmt_utils
ticks = itertools.count(1)
clock = types.SimpleNamespace(time=lambda: next(ticks) / 2, ctime=lambda *a: '', sleep=time.sleep,
                              strftime=lambda *a: '')
for module in (nmt.inference, nmt.train, misc_utils, nmt_utils):
    module.time = clock
say = misc_utils.print_out
misc_utils.print_out = lambda s, *a, **k: None if '# Devices' in str(s) else say(s, *a, **k)
"""
_DATA = "nmt/testdata/iwslt15.tst2013.100"
_TRAIN = (
    "-m", "nmt.nmt", "--src=en", "--tgt=vi", "--vocab_prefix=nmt/testdata/iwslt15.vocab.100",
    f"--train_prefix={_DATA}", "--dev_prefix=few", "--test_prefix=few", "--num_train_steps=4",
    "--steps_per_stats=2", "--num_units=8", "--batch_size=8", "--src_max_len=10", "--tgt_max_len=10",
    "--metrics=bleu",
)  # fmt: skip


@carried
def few(w):
    for language in ("en", "vi"):
        with open(f"{_DATA}.{language}", encoding="utf-8") as stream:
            write(f"few.{language}", "".join(stream.readlines()[:4]))


@settings(timeout=900)
def train(w):
    w.script(*_TRAIN, "--out_dir=plain", "--num_layers=1", "--dropout=0",
             ahead=_AHEAD)


@settings(timeout=900)
def translate(w):
    w.script("-m", "nmt.nmt", "--out_dir=plain", "--inference_input_file=few.en",
             "--inference_output_file=plain/said.txt", "--inference_ref_file=few.vi",
             ahead=_AHEAD)  # fmt: skip


@settings(timeout=900)
def attention_beam(w):
    w.script(*_TRAIN, "--out_dir=attention", "--attention=scaled_luong", "--encoder_type=bi",
             "--num_layers=2", "--optimizer=adam", "--learning_rate=0.01", "--infer_mode=beam_search",
             "--beam_width=3", "--avg_ckpts=true", ahead=_AHEAD)  # fmt: skip


@settings(timeout=900)
def gnmt(w):
    w.script(*_TRAIN, "--out_dir=gnmt", "--attention=normed_bahdanau", "--encoder_type=gnmt",
             "--attention_architecture=gnmt_v2", "--num_layers=3", "--residual=true",
             "--unit_type=layer_norm_lstm", ahead=_AHEAD)  # fmt: skip


def tests(w):
    for name in ("iterator_utils_test", "vocab_utils_test", "evaluation_utils_test", "misc_utils_test"):
        w.script("-m", f"nmt.utils.{name}")


@settings(timeout=900)
def model_tests(w):
    w.script("-m", "nmt.model_test")
