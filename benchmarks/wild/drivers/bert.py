"""google-research/bert: pretraining and its data, classifiers, SQuAD, features of text."""

from __future__ import annotations

import json

from kit import carried, settings, text, under, write

REPOSITORY = "https://github.com/google-research/bert"
COMMIT = "eedf5716ce1268e56f0a50264a88cafad334ac61"

_WORDS = "the quick brown fox jumps over a lazy dog it is ##s ##ing red big not new"
_CONFIG = {
    "vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 32, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
    "attention_probs_dropout_prob": 0.1, "max_position_embeddings": 64, "type_vocab_size": 2,
    "initializer_range": 0.02,
}  # fmt: skip
_MODEL = (
    "--vocab_file=tiny/vocab.txt", "--bert_config_file=tiny/config.json", "--init_checkpoint=tiny/bert.ckpt",
)  # fmt: skip
_STEPS = ("--train_batch_size=4", "--save_checkpoints_steps=2", "--iterations_per_loop=2")


@carried
def data(w):
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", "?", "'"]
    words = [*special, *_WORDS.split(), *"abcdefghijklmn"]
    write("tiny/vocab.txt", "\n".join(words) + "\n")
    write("tiny/config.json", json.dumps(_CONFIG))
    plain = " ".join(x for x in _WORDS.split() if "#" not in x)
    documents = "\n\n".join(text(6, seed, plain) for seed in range(4))
    write("tiny/text.txt", documents + "\n")
    lines = text(14, 9, plain).split("\n")
    rows = [f"x\t{i % 2}\t\t{line}" for i, line in enumerate(lines)]
    write("tiny/cola/train.tsv", "\n".join(rows[:8]) + "\n")
    write("tiny/cola/dev.tsv", "\n".join(rows[8:]) + "\n")
    test = [f"{i}\t{line}" for i, line in enumerate(lines[:5])]
    write("tiny/cola/test.tsv", "\n".join(["id\tsentence", *test]) + "\n")
    pairs = [f"{i % 2}\t{i}\t{i}\t{lines[i]}\t{lines[i + 1]}" for i in range(len(lines) - 1)]
    for name in ("train", "dev", "test"):
        write(f"tiny/mrpc/{name}.tsv", "\n".join(["q\t1\t2\ta\tb", *pairs]) + "\n")
    paragraphs = [
        {"context": line, "qas": [{"id": f"q{i}", "question": "what is the fox ?",
         "answers": [{"text": line.split()[1], "answer_start": len(line.split()[0]) + 1}]}]}
        for i, line in enumerate(lines)
    ]  # fmt: skip
    write("tiny/squad.json", json.dumps({"version": "x", "data": [{"title": "t", "paragraphs": paragraphs}]}))
    write("tiny/features.txt", "\n".join(lines[:3]) + "\n" + " ||| ".join(lines[3:5]) + "\n")


@carried
def weights(w):
    import modeling
    import tensorflow as tf

    config = modeling.BertConfig.from_json_file("tiny/config.json")
    modeling.BertModel(config, False, tf.zeros([1, 8], tf.int32))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        tf.train.Saver().save(sess, "tiny/bert.ckpt")


def pretraining_data(w):
    w.script("create_pretraining_data.py", "--input_file=tiny/text.txt", "--output_file=tiny/text.tfrecord",
             "--vocab_file=tiny/vocab.txt", "--max_seq_length=24", "--max_predictions_per_seq=4",
             "--masked_lm_prob=0.15", "--random_seed=12345", "--dupe_factor=2")  # fmt: skip


@settings(timeout=900)
def pretrain(w):
    w.script("run_pretraining.py", *_MODEL[1:], *_STEPS, "--input_file=tiny/text.tfrecord",
             "--output_dir=pretrained", "--do_train=True", "--do_eval=True", "--max_seq_length=24",
             "--max_predictions_per_seq=4", "--num_train_steps=4", "--num_warmup_steps=2",
             "--max_eval_steps=2", "--learning_rate=2e-3")  # fmt: skip


_RACE = under("TF310", "optimization.py", "the rate is read before or after the step is counted, as it comes")


@_RACE
@settings(timeout=900)
def classify(w):
    w.script("run_classifier.py", *_MODEL, *_STEPS, "--task_name=CoLA", "--do_train=true", "--do_eval=true",
             "--do_predict=true", "--data_dir=tiny/cola", "--max_seq_length=16", "--learning_rate=1e-3",
             "--num_train_epochs=2", "--output_dir=cola")  # fmt: skip


@_RACE
@settings(timeout=900)
def classify_pairs(w):
    w.script("run_classifier.py", *_MODEL, *_STEPS, "--task_name=MRPC", "--do_train=true", "--do_eval=true",
             "--data_dir=tiny/mrpc", "--max_seq_length=24", "--num_train_epochs=1",
             "--output_dir=mrpc")  # fmt: skip


@settings(timeout=900)
def squad(w):
    w.script("run_squad.py", *_MODEL, *_STEPS, "--do_train=True", "--do_predict=True",
             "--train_file=tiny/squad.json", "--predict_file=tiny/squad.json", "--max_seq_length=32",
             "--doc_stride=8", "--max_query_length=8", "--num_train_epochs=1", "--output_dir=squad",
             "--learning_rate=1e-3", "--n_best_size=5")  # fmt: skip


def features(w):
    w.script("extract_features.py", *_MODEL, "--input_file=tiny/features.txt",
             "--output_file=features.jsonl", "--layers=-1,-2", "--max_seq_length=16",
             "--batch_size=2")  # fmt: skip


def unit_tests(w):
    """The outcomes are compared by `migrator verify`'s own workload; here, that they run at all."""
    w.script("-m", "pytest", "-q", "-W", "ignore", "-p", "no:cacheprovider",
             "modeling_test.py", "optimization_test.py", "tokenization_test.py")
