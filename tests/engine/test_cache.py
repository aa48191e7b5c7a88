"""The cache: what it believes, what a run that finds everything in it loads, what it forgets."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.engine import cache, remembered
from migrator.engine.cache import Cache, key
from migrator.engine.migrated import Migrated
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Change, FileResult, Finding, Status

RESULT = FileResult(
    "a.py", Status.CHANGED, "00", new_text="é\ud800\r\n", changes=(Change("TF101", 1, 2, "why"),),
    findings=(Finding("TF003", "a.py", 1, 0, "m", "a"),), support=frozenset({"slim.conv2d"}),
)  # fmt: skip


class Evil:
    """Pickles as a call of a function that leaves a trace."""

    def __init__(self, call: tuple[object, ...]) -> None:
        self.call = call

    def __reduce__(self) -> tuple[object, ...]:
        return self.call


def test_what_is_stored_comes_back(tmp_path: Path) -> None:
    store = Cache(tmp_path)
    name = key("result", "a.py")
    assert store.get(FileResult, name) is None
    store.put(name, RESULT)
    assert store.get(FileResult, name) == RESULT
    assert store.get(Finding, name) is None  # something else under this key


def test_a_pickle_from_somebody_else_runs_nothing(tmp_path: Path) -> None:
    store, trace = Cache(tmp_path / "store"), tmp_path / "trace"
    calls = [
        (os.mkdir, (str(trace),)),
        (eval, (f"__import__('os').mkdir({str(trace)!r})",)),
        (subprocess.run, (["touch", str(trace)],)),
        (getattr, (FileResult, "__init__")),
        (cache.default_cache_dir, ()),
    ]
    for call in calls:
        name = key("evil", repr(call))
        store.put(name, Evil(call))
        assert store.get(object, name) is None and not trace.exists()
        assert pickle.loads(store._file(name).read_bytes()[32:]) is not RESULT  # it does load
        if trace.is_dir():
            trace.rmdir()
        trace.unlink(missing_ok=True)


@pytest.mark.parametrize("damage", [b"", b"\x80", b"garbage", pickle.dumps(RESULT)[:-20]])
def test_damaged_entries_count_as_absent(tmp_path: Path, damage: bytes) -> None:
    store = Cache(tmp_path)
    store.put("ab12", RESULT)
    store._file("ab12").write_bytes(damage)
    assert store.get(FileResult, "ab12") is None
    store.put("ab12", RESULT)
    whole = store._file("ab12").read_bytes()
    for at in range(0, len(whole), 7):
        store._file("ab12").write_bytes(whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :])
        assert store.get(FileResult, "ab12") is None


def test_old_entries_are_forgotten_once_a_day(tmp_path: Path) -> None:
    store = Cache(tmp_path)
    month = time.time() - 31 * 86400
    for name in ("ab12", "cd34"):
        store.put(name, RESULT)
    os.utime(store._file("ab12"), (month, month))
    store.prune()
    assert store.get(FileResult, "ab12") is None and store.get(FileResult, "cd34") == RESULT
    os.utime(store._file("cd34"), (month, month))
    store.prune()  # the same day
    assert store.get(FileResult, "cd34") == RESULT
    os.utime(tmp_path / "pruned", (month, month))
    store.prune()
    assert store.get(FileResult, "cd34") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Cache(tmp_path / "file" / "below")
    store.prune()
    store.put("ab12", RESULT)
    assert store.get(FileResult, "ab12") is None


def test_one_changed_file_is_the_only_one_that_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    for number in range(12):
        (tree / f"m{number}.py").write_text(f"import tensorflow as tf\nx{number} = tf.to_float(1)\n")
    options = Options(jobs=1, cache_dir=tmp_path / "cache")
    build_plan(tree, options)
    (tree / "m3.py").write_text("import tensorflow as tf\nx = tf.log(1.0)\n")
    asked: list[str] = []
    kept = remembered.Remembered.keep_result

    def keep(self: remembered.Remembered, item: Migrated, index: ProjectIndex) -> None:
        asked.append(item.result.path)
        kept(self, item, index)

    monkeypatch.setattr(remembered.Remembered, "keep_result", keep)
    plan = build_plan(tree, options)
    assert asked == ["m3.py"]
    new = {item.path: item.new_text or "" for item in plan.changed}
    assert len(new) == 12 and "tf.math.log(1.0)" in new["m3.py"]


def test_what_programs_of_keras_read_decides_about_all_of_their_files(tmp_path: Path) -> None:
    """The names of metrics and layers, in whichever module that is."""
    tree, options = tmp_path / "tree", Options(jobs=1, cache_dir=tmp_path / "cache")
    tree.mkdir()
    fits = "from tensorflow import keras\nmodel = keras.Model()\nmodel.compile('sgd', 'mse', ['accuracy'])\n"
    (tree / "fits.py").write_text(fits)
    (tree / "shows.py").write_text("print(history['loss'])\n")
    assert all(result.new_text is None for result in build_plan(tree, options).files)
    (tree / "shows.py").write_text("print(history['val_acc'])\n")
    texts = {result.path: result.new_text for result in build_plan(tree, options).files}
    assert texts["fits.py"] == fits.replace("accuracy", "acc")


def test_a_run_that_finds_everything_loads_no_parser(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "a.py").write_text("import tensorflow as tf\nx = tf.to_float(1)\n")
    code = (
        "import sys; from pathlib import Path\n"
        "from migrator.engine.options import Options\n"
        "from migrator.engine.plan import build_plan\n"
        f"plan = build_plan(Path({str(tree)!r}), Options(cache_dir=Path({str(tmp_path / 'c')!r})))\n"
        "print(len(plan.changed), *sorted(m for m in ('libcst', 'fissix', 'rich') if m in sys.modules))\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", code], check=True, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        ).stdout.split()
        for _ in range(2)
    ]  # fmt: skip
    assert said[0][0] == "1" and "libcst" in said[0]
    assert said[1] == ["1"]
