"""What the check knows of a tree lies on disk where it is much, and is the same there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from migrator.check.records import Unit
from migrator.engine import looked
from migrator.engine.looked import Looked
from migrator.engine.migrated import Migrated
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import FileResult, Plan, Status
from migrator.project import results
from tests.hostile.attacks import write

TREE = {
    "net/__init__.py": "",
    "net/model.py": """\
        import tensorflow as tf


        class Model(object):
            def __init__(self, size):
                self.size = size
                self.images = tf.placeholder(tf.float32, [None, size])

            def build(self):
                return tf.layers.dense(self.images, 3)


        def loss(logits, labels):
            return tf.losses.sparse_softmax_cross_entropy(labels, logits)
        """,
    "net/tools.py": "import tensorflow as tf\n\n\ndef norm(x):\n    return tf.log(tf.to_float(x))\n",
    "train.py": """\
        import tensorflow as tf
        from net import model, tools


        def main(steps=3):
            made = model.Model(4)
            logits = made.build()
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                print(sess.run(tools.norm(logits), {made.images: [[1.0, 2.0, 3.0, 4.0]]}))


        if __name__ == "__main__":
            main()
        """,
    "held.py": "import tensorflow as tf\nfrom net.tools import norm\n\n\ndef held(reader):\n"
    "    tf.train.start_queue_runners()\n    return norm(reader.read(tf.contrib.unknown(1)))\n",
    "plain.py": "import json\nVALUES = json.dumps({'a': 1})\n",
}


def planned(root: Path, jobs: int) -> Plan:
    found = build_plan(root, Options(jobs=jobs))
    files = tuple(replace(f, seconds=0.0) for f in found.files)
    return replace(found, files=files, options={})


@pytest.fixture
def nothing_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looked, "IN_MEMORY", 0)
    monkeypatch.setattr(looked, "_AT_ONCE", 1)
    monkeypatch.setattr(results.Results.__init__, "__defaults__", (0,))


def texts() -> dict[str, str]:
    import textwrap

    return {
        f"p{number}/{path}": textwrap.dedent(text).replace("net", f"net{number}")
        for number in range(4) for path, text in TREE.items()
    }  # fmt: skip


def test_a_plan_is_the_same_with_nothing_in_memory(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    write(tmp_path, texts())
    one, two = planned(tmp_path, 1), planned(tmp_path, 2)
    request.getfixturevalue("nothing_in_memory")
    assert any(result.findings for result in one.files) and one.changed
    assert planned(tmp_path, 1) == one == two == planned(tmp_path, 2)


def test_no_more_units_are_in_memory_than_there_may_be(nothing_in_memory: None) -> None:
    files = Looked(results.Results())
    for number in range(50):
        path = f"m{number}.py"
        unit = Unit(path, f"m{number}", stored=frozenset(("weights", f"own_{number}")))
        files[path] = Migrated(FileResult(path, Status.UNCHANGED), unit, unit)
    old, new = files.sides({})
    assert list(new) == sorted(files) and len(old) == 50
    for path in files:
        assert old.brief(path) is new.brief(path) and new[path].path == path
        assert len(files._last) <= 1
    assert new.stored() == {"weights", *(f"own_{number}" for number in range(50))}
    other = Unit("m7.py", "m7")
    tried = {"m7.py": Migrated(FileResult("m7.py", Status.CHANGED), old["m7.py"], other)}
    before, after = files.sides(tried)
    assert after["m7.py"] is other and "own_7" in before.stored() and "own_7" not in after.stored()
    assert "own_7" in new.stored() and files["m7.py"].new != other
