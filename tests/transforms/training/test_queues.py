"""Input queues as data sets: the forms that are understood, and those that keep their threads."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from migrator.analysis.index import ProjectIndex, summaries_from_texts
from migrator.analysis.names import NameTable
from migrator.analysis.queue_pipelines import pipelines
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.plan import build_plan
from migrator.engine.ruleset import load_ruleset
from migrator.model import Rung

UNDERSTOOD = {
    "shuffled": (
        "queue = tf.train.string_input_producer(files)\nreader = tf.TFRecordReader()\n"
        "_, record = reader.read(queue)\nimage, label = parse(record)\n"
        "images, labels = tf.train.shuffle_batch([image, label], batch_size=8, capacity=100,\n"
        "                                        min_after_dequeue=50)\n",
        [
            "from_tensor_slices(files).shuffle(len(files)).flat_map(tf.data.TFRecordDataset)",
            "dataset = dataset.repeat()", "return image, label", ".map(prepare)",
            "dataset = dataset.shuffle(100)", ".batch(8, drop_remainder=True).prefetch(1)",
            "images, labels = dataset.make_one_shot_iterator().get_next()",
        ],
    ),
    "a choice between the steps": (
        "queue = tf.train.string_input_producer(files, shuffle=False)\n"
        "_, record = tf.TFRecordReader().read(queue)\nvalues = decode(record)\n"
        "# how large\nif net == 'small':\n    size = 12\nelse:\n    size = 24\n"
        "image = tf.reshape(values, [size, size])\nbatch = tf.train.batch(image, 4)\n",
        [
            "# how large\nif net == 'small':\n    size = 12\nelse:\n    size = 24\ndataset = ",
            "def prepare(record):\n    values = decode(record)\n"
            "    image = tf.reshape(values, [size, size])\n",
        ],
    ),
    "slices": (
        "image, label = tf.train.slice_input_producer([images, labels], num_epochs=2, seed=1)\n"
        "batch = tf.train.batch([image, label], 4, allow_smaller_final_batch=True)\n",
        [
            "from_tensor_slices((images, labels)).shuffle(len(images), seed=1)", ".repeat(2)",
            "dataset = dataset.batch(4).prefetch(1)", "batch = dataset.make_one_shot_iterator()",
        ],
    ),
    "slices of a name that is used again": (
        "images = tf.convert_to_tensor(files)\nlabels = tf.convert_to_tensor(classes)\n"
        "queue = tf.train.slice_input_producer([images, labels])\nimage = tf.read_file(queue[0])\n"
        "label = load(queue[1])\nimages, labels = tf.train.batch([image, label], 4)\n",
        ["from_tensor_slices((images, labels)).shuffle(images.shape[0])"],
    ),
    "whole files": (
        "queue = tf.train.string_input_producer(tf.gfile.Glob('*.png'), shuffle=False)\n"
        "key, contents = tf.WholeFileReader().read(queue)\nimage = tf.image.decode_png(contents)\n"
        "images = tf.train.batch(image, 4, dynamic_pad=True)\n",
        [".map(tf.read_file)", "return image", ".padded_batch(4, drop_remainder=True)"],
    ),
    "records of a size": (
        "queue = tf.train.string_input_producer(files, shuffle=False)\n"
        "reader = tf.FixedLengthRecordReader(record_bytes=10)\n_, value = reader.read(queue)\n"
        "batch = tf.train.batch(value, 4, enqueue_many=True)\n",
        ["flat_map(lambda path: tf.data.FixedLengthRecordDataset(path, 10))", ".unbatch()"],
    ),
    "joined readers": (
        "def read(queue):\n    _, record = tf.TFRecordReader().read(queue)\n"
        "    image, label = parse(record)\n    return image, label\n"
        "queue = tf.train.string_input_producer(files, shuffle=False)\n"
        "examples = [read(queue) for _ in range(4)]\n"
        "images, labels = tf.train.batch_join(examples, 8, dynamic_pad=True)\n",
        ["dataset = dataset.map(read)", "padded_batch(8, drop_remainder=True)", "def read(record):"],
    ),
    "joined list of one": (
        "image, label = tf.train.slice_input_producer([images, labels], shuffle=False)\n"
        "image = decode(image)\n"
        "batch, targets = tf.train.shuffle_batch_join([[image, label]], 4, 100, 50, seed=3)\n",
        ["dataset = dataset.shuffle(100, seed=3)", "return image, label", "batch(4, drop_remainder"],
    ),
    "queue made by hand": (
        "image, label = tf.train.slice_input_producer([images, labels], shuffle=False)\n"
        "queue = tf.RandomShuffleQueue(50, 10, [tf.float32, tf.int32], [[3], []])\n"
        "fill = queue.enqueue([image, label])\n"
        "tf.train.add_queue_runner(tf.train.QueueRunner(queue, [fill] * 2))\n"
        "batch, targets = queue.dequeue_many(4)\n",
        ["dataset = dataset.shuffle(50)", "batch(4, drop_remainder=True)"],
    ),
    "slim provider": (
        "provider = tf.contrib.slim.dataset_data_provider.DatasetDataProvider(data)\n"
        "[image] = provider.get(['image'])\nbatch = tf.train.batch(image, 4)\n",
        ["examples = provider.examples.map(lambda example: example['image'])", "examples.batch(4"],
    ),
    "dictionary": (
        "queue = tf.train.string_input_producer(files, shuffle=False)\n"
        "_, record = tf.TFRecordReader().read(queue)\nimage = decode(record)\n"
        "batch = tf.train.batch({'image': image, 'raw': record}, 4)\n",
        ["return {'image': image, 'raw': record}", "batch = dataset.make_one_shot_iterator()"],
    ),
}

LEFT = {
    "keys are used": (
        "queue = tf.train.string_input_producer(files)\nkey, value = reader.read(queue)\n"
        "reader = tf.TFRecordReader()\nbatch = tf.train.batch([key, value], 4)\n"),
    "different readers joined": (
        "queue = tf.train.string_input_producer(files)\n"
        "examples = [read(queue, i) for i in range(4)]\n"
        "images, labels = tf.train.batch_join(examples, 8)\n"),
    "queue that is filled elsewhere": (
        "image, label = tf.train.slice_input_producer([images, labels])\n"
        "queue = tf.FIFOQueue(50, [tf.float32, tf.int32], [[3], []])\n"
        "fill = queue.enqueue([image, label])\n"
        "tf.train.add_queue_runner(tf.train.QueueRunner(queue, [fill]))\n"
        "batch, targets = queue.dequeue_many(4)\nrun(fill)\n"),
    "queue without a runner": (
        "image, label = tf.train.slice_input_producer([images, labels])\n"
        "queue = tf.FIFOQueue(50, [tf.float32, tf.int32], [[3], []])\n"
        "fill = queue.enqueue([image, label])\nbatch, targets = queue.dequeue_many(4)\n"),
    "provider that gives twice": (
        "provider = tf.contrib.slim.dataset_data_provider.DatasetDataProvider(data)\n"
        "[image] = provider.get(['image'])\n[label] = provider.get(['label'])\n"
        "batch = tf.train.batch([image, label], 4)\n"),
    "two readers": (
        "queue = tf.train.string_input_producer(files)\n_, a = tf.TFRecordReader().read(queue)\n"
        "_, b = tf.TFRecordReader().read(queue)\nbatch = tf.train.batch([a, b], 4)\n"),
    "compressed": (
        "queue = tf.train.string_input_producer(files)\n"
        "_, a = tf.TFRecordReader(options=gzip).read(queue)\nbatch = tf.train.batch(a, 4)\n"),
    "shapes": (
        "queue = tf.train.string_input_producer(files)\n_, a = tf.TFRecordReader().read(queue)\n"
        "batch = tf.train.batch([a, b], 4, shapes=[[], []])\n"),
    "summarized": (
        "queue = tf.train.string_input_producer(files)\n_, a = tf.TFRecordReader().read(queue)\n"
        "tf.summary.text('a', a)\nbatch = tf.train.batch([a, b], 4)\n"),
    "value that changes between the steps": (
        "queue = tf.train.string_input_producer(files, shuffle=False)\n"
        "_, record = tf.TFRecordReader().read(queue)\nimage = crop(record, size)\n"
        "if size > 2:\n    size = 2\nimage = scale(image, size)\nbatch = tf.train.batch(image, 4)\n"),
    "unknown shuffling": (
        "queue = tf.train.string_input_producer(files, shuffle=is_training)\n"
        "_, a = tf.TFRecordReader().read(queue)\nbatch = tf.train.batch(a, 4)\n"),
}


def converted(body: str) -> str | None:
    """`body` after an import of TensorFlow, with its queues as data sets."""
    text = f"import tensorflow as tf\n\n{body}"
    tree = ast.parse(text)
    found = pipelines(text, tree, NameTable.of(tree))
    return None if found is None else found.text


@pytest.mark.parametrize("name", UNDERSTOOD)
def test_queue_becomes_a_data_set(name: str) -> None:
    body, parts = UNDERSTOOD[name]
    text = converted(body)
    assert text is not None
    ast.parse(text)
    for part in parts:
        assert part in text, text
    assert "tf.train" not in text and "reader" not in text
    assert converted(text.partition("\n\n")[2]) is None


@pytest.mark.parametrize("name", LEFT)
def test_queue_is_left_alone(name: str) -> None:
    assert converted(LEFT[name]) is None


@pytest.mark.parametrize(
    ("merged", "told"),
    [("tf.summary.merge_all()", 1), ("tf.train.Supervisor(logdir='logs')", 1), ("tf.reduce_sum(batch)", 0)],
)
def test_summaries_that_queues_wrote_are_told(merged: str, told: int) -> None:
    text = f"import tensorflow as tf\n{UNDERSTOOD['slices'][0]}shown = {merged}\n"
    index = ProjectIndex.assemble(summaries_from_texts({"m.py": text}))
    found = migrate_text("m.py", text, index, Options(), load_ruleset(Options())).findings
    gone = [f for f in found if f.code == "TF503" and "fraction_of" in f.message]
    assert [(f.line, f.rung) for f in gone] == [(3, Rung.MANUAL)] * told


def test_a_batch_that_is_a_part_of_a_graph_elsewhere_comes_from_its_iterator(tmp_path: Path) -> None:
    """`next(iter(...))` would be an iterator that nothing in the graph begins."""
    (tmp_path / "reading.py").write_text(
        "import tensorflow as tf\n\n\ndef read(path):\n"
        "    queue = tf.train.string_input_producer([path], shuffle=False)\n"
        "    _, record = tf.TFRecordReader().read(queue)\n    label = parse(record)\n"
        "    labels = tf.train.batch(label, 2)\n    return labels\n\n\n"
        "def read_both(first, second):\n    a = read(first)\n    b = read(second)\n"
        "    return tf.concat([a, b], 0)\n")
    inside = "import tensorflow as tf\nfrom reading import read_both\n\n\ndef train(loss):\n"
    (tmp_path / "training.py").write_text(
        f"{inside}    labels = read_both('a', 'b')\n    x = tf.placeholder(tf.float32, [4])\n"
        "    with tf.Session() as sess:\n        for _ in range(3):\n"
        "            print(sess.run(loss(x), {x: sess.run(labels)}))\n")
    plan = build_plan(tmp_path, Options())
    text = {file.path: file.new_text or "" for file in plan.files}["reading.py"]
    assert "a = iterators.make_one_shot_iterator(read(first)).get_next()" in text
    assert "next(iter(" not in text


JOINED = Path(__file__).parent / "cases" / "batch_join" / "before.py"


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ("not coord.should_stop() and rounds < 9", "rounds < 9"),
        ("rounds < 9 and not coord.should_stop()", "rounds < 9"),
        ("rounds < 9 and not coord.should_stop() and rounds < 8", "rounds < 9 and rounds < 8"),
        ("(not coord.should_stop()) and rounds < 9", "(True) and rounds < 9"),
        ("not (coord.should_stop() or rounds > 9)", "not (False or rounds > 9)"),
    ],
)
def test_who_asks_a_coordinator_that_is_gone(asked: str, left: str) -> None:
    text = JOINED.read_text().replace("not coord.should_stop()", asked)
    made = migrate_text("a.py", text, ProjectIndex.assemble(summaries_from_texts({"a.py": text})), Options(),
                        load_ruleset(Options())).new_text  # fmt: skip
    assert f"while {left}:" in (made or ""), made
