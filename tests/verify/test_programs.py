"""The parts of the child programs that need no TensorFlow."""

from __future__ import annotations

import ast
import collections
import pickle
import random
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from migrator.verify import written
from migrator.verify.children import PROGRAMS
from migrator.verify.workspace import Ran

sys.path.insert(0, str(PROGRAMS))
import verify_checkpoint  # type: ignore[import-not-found]
import verify_common as common  # type: ignore[import-not-found]
import verify_draws  # type: ignore[import-not-found]
import verify_files  # type: ignore[import-not-found]
import verify_tests  # type: ignore[import-not-found]

sys.path.remove(str(PROGRAMS))


def spec(**values: Any) -> dict[str, Any]:
    return {"name": "x", "shape": [], "dtype": "float32", "low": 0.0, "high": 1.0, "seed": 0,
            "array": "", **values}  # fmt: skip


def inputs(*specs: dict[str, Any], root: str = "", float64: bool = False) -> dict[str, Any]:
    made: dict[str, Any] = common.make_inputs(list(specs), 2, root, float64)
    return made


def test_drawn_inputs() -> None:
    made = inputs(spec(shape=["batch", 3], low=-1.0), spec(name="n", shape=[50], dtype="int32", high=4))
    assert made["x"].shape == (2, 3) and made["x"].dtype == np.float32
    assert set(made["n"]) == {0, 1, 2, 3} and made["n"].dtype == np.int32
    again = inputs(spec(shape=["batch", 3], low=-1.0))
    assert np.array_equal(made["x"], again["x"])


def test_float64_widens_what_float32_would_have_been() -> None:
    narrow = inputs(spec(shape=[4]))["x"]
    wide = inputs(spec(shape=[4]), float64=True)["x"]
    assert wide.dtype == np.float64 and np.array_equal(wide, narrow)


def test_stored_inputs(tmp_path: Path) -> None:
    np.savez(tmp_path / "data.npz", a=np.arange(6.0).reshape(2, 3))
    made = inputs(spec(shape=["batch", 3], array="data.npz:a"), root=str(tmp_path))
    assert made["x"].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"array": "none.npz:a"}, "there is no file none.npz"),
        ({"array": "data.npz:b"}, "data.npz has no array 'b'"),
        ({"array": "data.npz:a", "shape": ["batch", 4]}, r"has shape \[2, 3\], the workload says"),
        ({"array": "data.npz:a", "shape": [2]}, r"has shape \[2, 3\]"),
    ],
)
def test_unusable_inputs(tmp_path: Path, values: dict[str, Any], message: str) -> None:
    np.savez(tmp_path / "data.npz", a=np.zeros([2, 3]))
    with pytest.raises(common.Unusable, match=message):
        inputs(spec(**values), root=str(tmp_path))


def test_flatten() -> None:
    point = collections.namedtuple("point", "x y")
    nest = {"b": [1, {"c": 2}], "a": point(3, None), "skipped": "text"}
    flat = common.flatten(nest, lambda v: isinstance(v, int))
    assert flat == {"b/0": 1, "b/1/c": 2, "a/x": 3}
    assert common.flatten(5, lambda v: isinstance(v, int)) == {"result": 5}


def test_loss_entry() -> None:
    assert common.scalar_loss({"loss": 1, "total": 2}, "") == 1
    assert common.scalar_loss({"loss": 1, "total": 2}, "total") == 2
    assert common.scalar_loss(7, "") == 7
    assert common.scalar_loss((3, 4), "") == 3
    with pytest.raises(common.Unusable, match="no entry 'total'"):
        common.scalar_loss({"loss": 1}, "total")


def test_target() -> None:
    assert common.target("os.path:join")("a", "b") == "a/b"
    with pytest.raises(common.Unusable, match="has no missing"):
        common.target("os.path:missing")
    with pytest.raises(common.Unusable, match="package.module:function"):
        common.target("os.path.join")


class Reader:
    """A checkpoint of two variables."""

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        return {"w": [2, 2], "b": [2]}

    def get_tensor(self, name: str) -> Any:
        return np.ones(self.get_variable_to_shape_map()[name], np.float32)


def test_checkpoint_values() -> None:
    values, missing = common.checkpoint_values(
        Reader(), {"w": ([2, 2], np.float64), "c": ([1], np.float64)}
    )
    assert values["w"].dtype == np.float64 and missing == ["c"]
    with pytest.raises(common.Unusable, match=r"b has shape \[3\], in the checkpoint \[2\]"):
        common.checkpoint_values(Reader(), {"b": ([3], np.float32)})


def test_missing_checkpoint(tmp_path: Path) -> None:
    with pytest.raises(common.Unusable, match=r"no checkpoint gone\.ckpt"):
        common.existing_checkpoint(str(tmp_path), "gone.ckpt")


def test_names_in_object_based_checkpoints() -> None:
    assert verify_checkpoint.unescaped("a.Sb..c") == "a/b.c"

    class Attribute:
        def __init__(self, key: str, full_name: str) -> None:
            self.checkpoint_key, self.full_name = key, full_name

    class Node:
        def __init__(self, *attributes: Attribute) -> None:
            self.attributes = attributes

    class Graph:
        nodes = (
            Node(Attribute("store/net.Sw/.ATTRIBUTES/VARIABLE_VALUE", "Variable")),
            Node(Attribute("step/.ATTRIBUTES/VARIABLE_VALUE", "global_step:0")),
        )

    keys = {a.checkpoint_key for node in Graph.nodes for a in node.attributes}
    assert set(verify_checkpoint.object_names(Graph(), keys).values()) == {"net/w", "global_step"}


def test_the_message_of_a_failed_test() -> None:
    text = "def test():\n>   assert 1 == 2\nE   assert 1 == 2\nE    +  where\n\nfile.py:3: Error"
    assert verify_tests._last_line(text) == "assert 1 == 2"
    assert verify_tests._last_line("Traceback:\nImportError: no x\n") == "ImportError: no x"


def test_unittest_without_pytest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "some_test.py").write_text(
        "import unittest\nclass A(unittest.TestCase):\n"
        "  def test_good(self): pass\n  def test_bad(self): self.fail('why')\n"
        "  def test_skipped(self): self.skipTest('x')\n"
    )
    (tmp_path / "broken_test.py").write_text("import no_such_module_anywhere\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    tests, errors = verify_tests.run_unittest(["some_test.py", "broken_test.py"])
    assert {k.rpartition("::")[2]: v[0] for k, v in tests.items()} == {
        "test_good": "passed", "test_bad": "failed", "test_skipped": "skipped",
    }  # fmt: skip
    assert "some_test.py::A::test_good" in tests
    assert "no_such_module_anywhere" in errors["broken_test.py"]


def test_pytest_settings_of_folders_above_are_left_alone(tmp_path: Path) -> None:
    assert verify_tests._own_config(str(tmp_path)) == "/dev/null"
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = x\n")
    assert verify_tests._own_config(str(tmp_path)) == "/dev/null"
    (tmp_path / "setup.cfg").write_text("[tool:pytest]\n")
    assert verify_tests._own_config(str(tmp_path)) == str(tmp_path / "setup.cfg")


def test_pickles_of_classes_that_are_not_here(tmp_path: Path) -> None:
    """By what the objects hold, whatever module their classes were in."""

    def kept(words: dict[str, int], module: str) -> dict[str, Any]:
        gone = types.ModuleType(module)
        exec("class Words:\n    pass\ndef split(text):\n    return text.split()", gone.__dict__)
        sys.modules[module] = gone
        try:
            value = gone.Words()
            value.words, value.split = words, gone.split
            (tmp_path / "vocab").write_bytes(pickle.dumps([value, 0.5]))
        finally:
            del sys.modules[module]
        assert written._is_pickle(tmp_path / "vocab")
        return {
            k: v.tolist() for k, v in verify_files.pickled(None, str(tmp_path / "vocab")).items()
        }

    found = kept({"a": 1, "b": 2}, "gone_one")
    assert found == {"0/words/a": 1, "0/words/b": 2, "0/split": "split", "1": 0.5}
    assert found == kept({"a": 1, "b": 2}, "gone_two") != kept({"a": 1, "b": 3}, "gone_two")
    (tmp_path / "text").write_bytes(b"\x80 no pickle.")
    assert not written._is_pickle(tmp_path / "text")


def test_estimators_are_fed_from_the_first_row() -> None:
    class FeedFn:
        def __init__(self, rows: int, random_start: bool = False, seed: Any = None) -> None:
            random.seed(seed)
            self.at = random.randrange(rows) if random_start else 0

    feeding = types.ModuleType("feeding")
    feeding._ArrayFeedFn = FeedFn  # type: ignore[attr-defined]
    verify_draws.begin_at_the_first(feeding)
    state = random.getstate()
    assert {FeedFn(1000, random_start=True).at for _ in range(3)} == {0}
    assert random.getstate() == state


@pytest.mark.parametrize(
    "name", ["verify_common", "verify_before", "verify_tests", "verify_side", "verify_draws",
             "every_python/sitecustomize"]
)
def test_programs_for_tf1_are_python_3_7(name: str) -> None:
    source = (PROGRAMS / f"{name}.py").read_text(encoding="utf-8")
    ast.parse(source, feature_version=(3, 7))


def test_data_sets_of_hdf5(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    for name, order in (("a.h5", ("x", "names")), ("b.h5", ("names", "x"))):
        with h5py.File(tmp_path / name, "w") as file:  # other bytes, the same values
            for key in order:
                file["group/" + key] = np.arange(3.0) if key == "x" else "text"
    assert (tmp_path / "a.h5").read_bytes() != (tmp_path / "b.h5").read_bytes()
    first, second = (verify_files.hdf5(None, str(tmp_path / name)) for name in ("a.h5", "b.h5"))
    assert first.keys() == second.keys() == {"group/x", "group/names"}
    assert all(np.array_equal(first[key], second[key]) for key in first)
    assert written.items(Ran(written=("out/a.h5",))) == {"out/a.h5": "hdf5"}
