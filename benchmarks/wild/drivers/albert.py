"""google-research/albert: data for pretraining, pretraining, fine tuning, and the module's tests."""

from __future__ import annotations

import json

from kit import carried, settings, text, write

REPOSITORY = "https://github.com/google-research/albert"
COMMIT = "b772393d3dae115b493258ce8e37c17b2cc62100"

# The folder has another name than the package; TensorFlow Hub is not used on these paths.
_AHEAD = """
import sys, types
albert = sys.modules['albert'] = types.ModuleType('albert')
albert.__path__ = ['.']
sys.modules['tensorflow_hub'] = types.ModuleType('tensorflow_hub')
"""
_CONFIG = {
    "attention_probs_dropout_prob": 0, "hidden_act": "gelu", "hidden_dropout_prob": 0,
    "embedding_size": 8, "hidden_size": 16, "initializer_range": 0.02, "intermediate_size": 32,
    "max_position_embeddings": 32, "num_attention_heads": 2, "num_hidden_layers": 2,
    "num_hidden_groups": 1, "net_structure_type": 0, "gap_size": 0, "num_memory_blocks": 0,
    "inner_group_num": 1, "down_scale_factor": 1, "type_vocab_size": 2,
}  # fmt: skip


@carried
def corpus(w):
    words = "the quick brown fox jumps over a lazy dog"
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words.split(), "0", "1"]
    write("tiny/vocab.txt", "\n".join(vocabulary) + "\n")
    write("tiny/config.json", json.dumps(dict(_CONFIG, vocab_size=len(vocabulary))))
    lines = text(60).split("\n")
    write("tiny/text.txt", "\n\n".join("\n".join(lines[i : i + 6]) for i in range(0, 60, 6)) + "\n")
    rows = [f"{i}\t{i % 2}\t*\t{line}" for i, line in enumerate(text(16, seed=3).split("\n"))]
    for name in ("train", "dev"):
        write(f"tiny/CoLA/{name}.tsv", "\n".join(rows) + "\n")
    write("tiny/CoLA/test.tsv", "index\tsentence\n" + "\n".join(
        f"{i}\t{line}" for i, line in enumerate(text(4, seed=4).split("\n"))) + "\n")  # fmt: skip


def data(w):
    w.script("create_pretraining_data.py", "--input_file=tiny/text.txt", "--vocab_file=tiny/vocab.txt",
             "--output_file=tiny/pretraining.tfrecord", "--max_seq_length=24", "--dupe_factor=1",
             "--max_predictions_per_seq=4", ahead=_AHEAD)  # fmt: skip


@settings(timeout=900)
def pretrain(w):
    w.script("run_pretraining.py", "--input_file=tiny/pretraining.tfrecord", "--output_dir=pretrained",
             "--albert_config_file=tiny/config.json", "--do_train", "--do_eval", "--train_batch_size=4",
             "--eval_batch_size=4", "--max_seq_length=24", "--max_predictions_per_seq=4",
             "--num_train_steps=3", "--num_warmup_steps=1", "--max_eval_steps=2",
             "--save_checkpoints_steps=3", ahead=_AHEAD)  # fmt: skip


@settings(timeout=900)
def classify(w):
    w.script("run_classifier.py", "--data_dir=tiny", "--task_name=CoLA", "--output_dir=classified",
             "--albert_config_file=tiny/config.json", "--vocab_file=tiny/vocab.txt", "--do_train",
             "--spm_model_file=",
             "--do_eval", "--do_predict", "--max_seq_length=16", "--train_batch_size=4",
             "--eval_batch_size=4", "--predict_batch_size=4", "--train_step=3", "--warmup_step=1",
             "--save_checkpoints_steps=3", "--optimizer=adamw", ahead=_AHEAD)  # fmt: skip


def tests(w):
    for name in ("modeling_test", "optimization_test", "tokenization_test"):
        w.script(f"{name}.py", ahead=_AHEAD)
