"""Graphs built by helpers and sessions handed around: which variants have to stay TF1."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator.engine.context import FileContext
from migrator.model import Rung
from migrator.transforms.session import SessionPrograms
from migrator.transforms.session_scan import summarise

CASES = Path(__file__).parent / "cases"

#: case -> {what is different: (text, its replacement)}; each keeps the program from going native
VARIANTS = {
    "graph_helper": {
        "built twice": ("    rng =", "    more = build_graph(3)\n    rng ="),
        "built in a loop": (
            "    inputs, targets, prediction, loss, train_op = build_graph(3, rate=0.2)\n",
            "    for _ in range(2):\n"
            "        inputs, targets, prediction, loss, train_op = build_graph(3, rate=0.2)\n",
        ),
        "name means something else": ("    rng =", "    w = 3\n    rng ="),
        "parameter means something else": ("def main(output", "def main(output, num_features=2"),
        "two ways out": (
            "    # Half the", "    if rate is None:\n        return x, y, w, w, w\n    # Half the"),
        "arguments not known": ("build_graph(3, rate=0.2)", "build_graph(*sys.argv)"),
        "decorated": ("def build_graph", "@tf.contrib.framework.add_arg_scope\ndef build_graph"),
        "initialised in a loop": (
            "        for _ in range(3):\n",
            "        for _ in range(3):\n            sess.run(tf.global_variables_initializer())\n",
        ),
    },
    "graph_dict": {
        "passed on": ("  errors = []", "  print(net)\n  errors = []"),
        "unknown key": ("net['outputs']", "net['logits']"),
    },
    "given_parts": {
        "parts differ": (
            "    np.savez(", "    check_error(sess, model.loss, model.x, model.y, data, targets)\n"
            "    np.savez("),
        "used as a value": ("    totals, errors = [], []", "    totals, errors = [run_epoch], []"),
        "name means something else": ("    totals, errors", "    max = 3\n    totals, errors"),
        "part is assigned": ("    total = 0.0", "    model = model or None\n    total = 0.0"),
        "object passed on": ("    model = Regression(3)\n", "    model = Regression(3)\n    print(model)\n"),
        "two objects in a loop": (
            "    model = Regression(3)\n", "    for _ in range(1):\n        model = Regression(3)\n"),
        "inherited": ("def check_error", "class Better(Regression):\n    pass\n\n\ndef check_error"),
        "set again": ("        w = tf", "        self.x = self.x + 1.0\n        w = tf"),
        "not kept": ("        w = tf", "        z = tf.placeholder(tf.float64, [])\n        w = z * tf"),
        "shape not known": ("[None, size]", "[None, np.random.randint(3, 4)]"),
        "random numbers": (
            "self.loss = ", "noise = np.random.normal()\n        self.loss = noise * "),
        "lasting part": (
            "self.loss = ", "self.saver = tf.train.Saver()\n        self.loss = "),
        "computed size": ("Regression(3)", "Regression(*[3])"),
    },
    "given_inputs_loop": {
        "read outside of steps": ("    np.savez(", "    print(model.num_classes)\n    np.savez("),
        "fetches grow": (
            "                values = sess",
            "                fetches['logits'] = model.logits\n                values = sess"),
        "method called from outside": (
            "        model = Attention(settings)\n",
            "        model = Attention(settings)\n        model.add_classifier()\n"),
    },
    "handed_session": {
        "second session": (
            "        predicted = evaluate(batches[0][0], session=sess)",
            "    with tf.Session() as sess:\n"
            "        predicted = evaluate(batches[0][0], session=sess)",
        ),
        "other session": ("session=sess)", "session=tf.get_default_session())"),
        "function passed on": (
            "means = [train_epoch(sess, batches)", "means = [run_it(train_epoch, sess, batches)"),
        "another graph": ("    with tf.Session() as", "    with tf.Session(graph=tf.Graph()) as"),
        "assigned": ("    total = 0.0", "    sess = sess or tf.get_default_session()\n    total = 0"),
    },
    "method_sessions": {
        "trained in a loop": (
            "    losses = tagger", "    for _ in range(2):\n        tagger.train(data, 1)\n"
            "    losses = tagger"),
        "feed used otherwise": ("            _, loss", "            print(feed)\n            _, loss"),
        "feed used outside": (
            "    tagger.build_graph()", "    tagger.build_graph()\n    tagger.get_feed([])"),
        "feed by a value": ("if tags is not None", "if tags is not None and rate"),
        "some variables restored": (
            "    def predict(self, sentences):\n        \"\"\"The tags of sentences, by the newest "
            "checkpoint.\"\"\"\n        saver = tf.train.Saver()",
            "    def predict(self, sentences):\n        saver = tf.train.Saver([self.scores])"),
        "another saver": (
            "        return history\n", "        self.run_epoch(sess, data, epochs, None)\n"
            "        return history\n"),
    },
    "scoped_objects": {
        "in a loop": ("Network('second', 3)", "[Network('second', 3) for _ in range(1)][0]"),
        "scopes not known": ("Network('second', 3)", "Network(sys.argv[1], 3)"),
        "same scope": ("Network('second', 3)", "Network('first', 3)"),
        "scope of the class": ("tf.variable_scope(scope)", "tf.variable_scope('network')"),
    },
    "value_networks": {
        "scopes not known": ("ValueNetwork('target')", "ValueNetwork(sys.argv[0])"),
        "weights in a loop": (
            "    sess.run(updates)\n", "    for _ in range(2):\n        sess.run(updates)\n"),
        "updates used again": ("    sess.run(updates)\n", "    sess.run(updates)\n    print(updates)\n"),
        "not a listed variable": ("op = old.assign(new)", "op = source.values.assign(new)"),
        "writer of another method": (
            "    def predict(self", "    def stop(self):\n        self.writer = None\n\n"
            "    def predict(self"),
        "summaries made in a list": (
            "tf.summary.merge([\n",
            "tf.summary.merge([\n            *[tf.summary.scalar('mean', tf.reduce_mean(self.values))],\n"),
    },
    "data_helper": {
        "another iterator": (
            "test_init = iterator.make_initializer(test_data)",
            "other = tf.data.Iterator.from_structure(train_data.output_types, "
            "train_data.output_shapes)\n        test_init = other.make_initializer(test_data)"),
        "initialised twice": (
            "    num_correct, num_examples", "    sess.run(init_op)\n    num_correct, num_examples"),
        "another part": ("check_accuracy(sess, correct, is_training, test_init)",
                         "check_accuracy(sess, logits, is_training, test_init)"),
    },
    "given_session": {
        "two objects": ("Regressor(sess, 3)", "[Regressor(sess, 3), Regressor(sess, 4)][0]"),
        "saver outside": ("        losses = []", "        saver = tf.train.Saver()\n        losses = []"),
        "inherited": ("def main(", "class Better(Regressor):\n    pass\n\n\ndef main("),
        "variable outside": ("def main(output):\n", "def main(output):\n    a = tf.Variable(1.0)\n"),
        "fetched outside": (
            "predicted = model.predict(x)",
            "predicted = sess.run(model.prediction, {model.x: x})",
        ),
    },
}


@pytest.mark.parametrize(
    "case, variant", [(case, name) for case, own in VARIANTS.items() for name in own]
)
def test_variant_is_left_alone(case: str, variant: str) -> None:
    text = (CASES / case / "before.py").read_text()
    old, new = VARIANTS[case][variant]
    assert text.count(old) == 1
    text = text.replace(old, new)
    ctx = FileContext.of("program.py", text)
    SessionPrograms().run(ctx)
    assert ctx.text == text
    assert ctx.findings and {f.code for f in ctx.findings} == {"TF390"}
    assert {f.rung for f in ctx.findings} == {Rung.COMPAT}
    assert Rung.COMPAT in {r.rung for r in summarise(FileContext.of("program.py", text))}


@pytest.mark.parametrize("case", VARIANTS)
def test_scan_and_changes_give_lines_of_the_file(case: str) -> None:
    text = (CASES / case / "before.py").read_text()
    lines = text.splitlines()
    ctx = FileContext.of("program.py", text)
    SessionPrograms().run(ctx)
    assert not ctx.findings and ctx.changes
    assert all(1 <= change.line <= len(lines) for change in ctx.changes)
    records = summarise(FileContext.of("program.py", text))
    assert len(records) == text.count(".run(")
    assert {record.rung for record in records} == {Rung.NATIVE}
    assert all(".run(" in lines[record.line - 1] for record in records)
