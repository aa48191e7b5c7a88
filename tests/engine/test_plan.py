"""A whole tree: isolation, determinism, support package, cache, index."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator import support
from migrator.analysis.index import ProjectIndex, summaries_from_texts
from migrator.analysis.support_places import SupportPlaces, support_places
from migrator.engine import plan as plans
from migrator.engine.options import Options
from migrator.engine.packs import PackError, load_packs
from migrator.model import Plan, Status
from tests.engine.helpers import write_rules

USES = "from tensorflow.contrib import slim\n\n\ndef f(x):\n  return slim.conv2d(x, 3)\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    files: dict[str, str | bytes] = {
        "pkg/__init__.py": "",
        "pkg/net.py": USES,
        "pkg/bad.py": "def f(:\n",
        "pkg/latin.py": b"x = '\xe9'\n",
        "pkg/py2.py": "print 'x'\n",
        "run.py": "from pkg import net\nimport tensorflow as tf\ntf.log(net.f(1))\n",
        "plain.py": "x = 1\n",
        **{f"pkg/more{n}.py": f"import tensorflow as tf\ny = tf.log({n})\n" for n in range(30)},
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return root


def apply(root: Path, plan: Plan) -> None:
    for item in plan.changed:
        (root / item.path).write_text(str(item.new_text), encoding="utf-8", newline="")
    for name, text in plan.support_files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")


def without_times(plan: Plan) -> list[tuple[object, ...]]:
    return [(f.path, f.status, f.new_text, f.changes, f.findings, f.support) for f in plan.files]


def test_failures_stay_with_their_files(tree: Path) -> None:
    plan = plans.build_plan(tree, Options(jobs=1))
    status = {f.path: f.status for f in plan.files}
    assert status["pkg/bad.py"] is Status.FAILED and status["pkg/latin.py"] is Status.FAILED
    assert status["pkg/py2.py"] is Status.CHANGED and status["plain.py"] is Status.UNCHANGED
    assert {f.path: f.code for f in plan.findings if f.code in ("TF001", "TF002")} == {
        "pkg/bad.py": "TF002",
        "pkg/latin.py": "TF001",
    }


def test_any_number_of_processes_gives_the_same_plan(tree: Path) -> None:
    one = plans.build_plan(tree, Options(jobs=1))
    seen: list[tuple[int, int, str]] = []
    two = plans.build_plan(tree, Options(jobs=2), lambda *args: seen.append(args))
    assert without_times(one) == without_times(two)
    assert one.support_files == two.support_files
    assert [f.path for f in one.files] == sorted(f.path for f in one.files)
    assert len(seen) >= 30 and seen[-1][0] <= seen[-1][1]


def test_a_second_run_changes_nothing(tree: Path) -> None:
    plan = plans.build_plan(tree, Options(jobs=1))
    assert "slim.conv2d" in next(f for f in plan.files if f.path == "pkg/net.py").support
    assert {name.split("/")[0] for name, _ in plan.support_files} == {"tf1_support"}
    assert set(dict(plan.support_files)) >= {"tf1_support/__init__.py", "tf1_support/slim.py"}
    apply(tree, plan)
    again = plans.build_plan(tree, Options(jobs=1))
    assert not again.changed and not again.support_files
    only = plans.build_plan(tree, Options(jobs=1, only_files=(Path("run.py"),)))
    assert [f.path for f in only.files] == ["run.py"] and not only.support_files


def test_a_second_run_changes_nothing_where_only_keras_is_imported(tmp_path: Path) -> None:
    layer = "from keras import backend as K\n\n\ndef f(x):\n    return K.tf.log(x)\n"
    (tmp_path / "layer.py").write_text(layer)
    (tmp_path / "rows.py").write_text("import numpy as np\n\nmask = np.ones(3, dtype=np.bool)\n")
    plan = plans.build_plan(tmp_path, Options(jobs=1))
    assert "dtype=bool" in str({f.path: f.new_text for f in plan.files}["rows.py"])
    apply(tmp_path, plan)
    assert not plans.build_plan(tmp_path, Options(jobs=1)).changed


def test_what_the_support_package_lacks_is_said(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(support, "has", lambda symbol: False)
    plan = plans.build_plan(tree, Options(jobs=1))
    said = [f for f in plan.findings if f.path == "pkg/net.py" and f.code == "TF007"]
    assert {f.line for f in said} == {1, 5} and not plan.support_files
    assert all("tf1_support.slim" in f.message for f in said)


def test_the_cache_gives_the_same_plan(tree: Path, tmp_path: Path) -> None:
    options = Options(jobs=1, cache_dir=tmp_path / "cache")
    first = plans.build_plan(tree, options)
    entries = sorted((tmp_path / "cache").rglob("*.pickle"))
    assert len(entries) >= 30
    second = plans.build_plan(tree, options)
    assert without_times(first) == without_times(second)
    for entry in entries:
        entry.write_bytes(b"broken")
    assert without_times(plans.build_plan(tree, options)) == without_times(first)
    other = Options(jobs=1, cache_dir=tmp_path / "cache", ignore=frozenset({"TF", "PY"}))
    assert not [f for f in plans.build_plan(tree, other).changed if f.path == "pkg/more1.py"]


def test_bad_roots(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="does not exist"):
        plans.build_plan(tmp_path / "none", Options())
    (tmp_path / "file").write_text("")
    with pytest.raises(NotADirectoryError):
        plans.build_plan(tmp_path / "file", Options())


@pytest.mark.parametrize(
    ("pack", "said"),
    [
        ("x = [", "is not TOML"),
        ('[[rule]]\ncode="A"\ntitle="t"\nwhy="w"\n', "'match' is missing"),
        ('[[rule]]\ncode="A"\ntitle="t"\nwhy="w"\nmatch="tf.x(a)"\n', "exactly one of"),
        ('[renames]\n"tf.a" = 3\n', "a string or a table is wanted"),
    ],
)
def test_bad_packs_name_file_and_rule(tmp_path: Path, pack: str, said: str) -> None:
    write_rules(tmp_path, pack)
    with pytest.raises(PackError, match=said) as caught:
        load_packs(tmp_path)
    assert "pack.toml" in str(caught.value)


def test_bad_patterns_are_pack_errors(tmp_path: Path) -> None:
    pack = '[[rule]]\ncode="A"\ntitle="t"\nwhy="w"\nmatch="tf.x(a) + 1"\nrewrite="a"\n'
    with pytest.raises(PackError, match="neither a call nor a dotted name"):
        from migrator.engine.ruleset import build_ruleset

        build_ruleset(write_rules(tmp_path, pack))


def test_options_are_checked() -> None:
    for bad in ({"precision": "half"}, {"gpu_memory": "x"}, {"jobs": -1}, {"target": "3"}):
        with pytest.raises(ValueError):
            Options(**bad)  # type: ignore[arg-type]


def test_import_roots() -> None:
    index = ProjectIndex.assemble(
        summaries_from_texts(
            {
                "src/pkg/__init__.py": "",
                "src/pkg/a.py": "from pkg import b\nfrom . import c",
                "src/pkg/b.py": "",
                "src/pkg/c.py": "",
                "research/slim/nets/__init__.py": "",
                "research/slim/nets/v1.py": "",
                "research/slim/train.py": "from nets import v1\nimport util",
                "research/slim/util.py": "",
                "tools/export.py": "from pkg import a",
                "alone.py": "",
            }
        )
    )
    names = {path: (info.root, info.name) for path, info in index.modules.items()}
    assert names["src/pkg/a.py"] == ("src", "pkg.a")
    assert names["research/slim/nets/v1.py"] == ("research/slim", "nets.v1")
    assert names["research/slim/train.py"] == ("research/slim", "train")
    assert names["alone.py"] == ("", "alone")
    assert support_places(index, ["tools/export.py"]) == SupportPlaces("src")
    assert support_places(index, ["research/slim/train.py"]) == SupportPlaces("research/slim")
    assert index.importers("src/pkg/c.py") == ("src/pkg/a.py",)
    found = index.resolve("nets.v1.f")
    assert found is not None and (found[0].path, found[1]) == ("research/slim/nets/v1.py", "f")
    assert index.digest("alone.py") != index.digest("tools/export.py")


def test_modules_of_python_2_are_seen_by_others(tmp_path: Path) -> None:
    (tmp_path / "layers.py").write_text("import tensorflow as tf\nprint 'x'\n")
    (tmp_path / "user.py").write_text("from layers import *\nprint tf.log(1.)\n")
    plan = plans.build_plan(tmp_path, Options(jobs=1))
    user = next(f for f in plan.files if f.path == "user.py")
    assert user.new_text == "from layers import *\nprint(tf.math.log(1.))\n" and not plan.findings
    apply(tmp_path, plan)
    assert not plans.build_plan(tmp_path, Options(jobs=1)).changed
