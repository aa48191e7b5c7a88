"""A repository that runs on tf.compat.v1, migrated file by file: after each step it still runs, and
prints the same number. And: what decides a result is in the key of the cache."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from migrator.engine import ruleset

Call = Callable[..., Result]
V1 = "import tensorflow.compat.v1 as tf\n\n\n"
FILES = {
    "ops.py": V1 + "def squash(x):\n    return tf.log(tf.to_float(x) + 1.0)\n",
    "losses.py": V1 + "import ops\n\n\ndef loss(x):\n"
                      "    return tf.reduce_sum(ops.squash(x), reduction_indices=[0])\n",
    "old_style.py": "import tensorflow as tf\n\n\ndef double(x):\n    return tf.math.multiply(x, 2.0)\n",
    "main.py": V1 + "import losses\nimport old_style\n\n\nif __name__ == '__main__':\n"
                    "    value = old_style.double(losses.loss(tf.constant([[1, 2], [3, 4]])))\n"
                    "    print('result', [round(float(v), 5) for v in value])\n",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason="no TensorFlow 2")
def test_it_runs_after_every_file(tmp_path: Path, migrator: Call) -> None:
    """All states in one process, so that TensorFlow is imported once."""
    states = [tmp_path / "state0"]
    states[0].mkdir()
    for name, text in FILES.items():
        (states[0] / name).write_text(text)
    for number, name in enumerate(("ops.py", "main.py", "losses.py"), 1):
        states.append(tmp_path / f"state{number}")
        migrator("migrate", states[-2], "--only-files", name, "--out", states[-1], "--no-cache")
        assert (states[-1] / name).read_text() != FILES[name]
        untouched = set(FILES) - {"ops.py", "main.py", "losses.py"}
        for other in untouched:
            assert (states[-1] / other).read_text() == FILES[other]
    program = (
        "import runpy, sys\n"
        "for state in sys.argv[1:]:\n"
        "    for name in ('ops', 'losses', 'old_style'): sys.modules.pop(name, None)\n"
        "    sys.path.insert(0, state)\n"
        "    runpy.run_path(state + '/main.py', run_name='__main__')\n"
        "    sys.path.remove(state)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, states)], capture_output=True, text=True,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": "-1", "TF_CPP_MIN_LOG_LEVEL": "3"},
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith("result")]
    assert len(lines) == len(states), done.stderr[-2000:]
    assert set(lines) == {"result [4.15888, 5.41610]".replace("5.41610", "5.4161")}
    assert "compat" not in "".join((states[-1] / name).read_text() for name in FILES)


def test_what_decides_a_result_is_in_the_key_of_the_cache(
    migrator: Call, repo: Path, tmp_path: Path
) -> None:
    (repo / "io.py").write_text("import cStringIO\n\ny = cStringIO.StringIO()\n")

    def planned(*more: object) -> dict[str, tuple[str, str | None]]:
        said = migrator("migrate", repo, "--diff", "--json", *more, code=None).stdout
        return {f["path"]: (f["status"], f["new_text"]) for f in json.loads(said)["files"]}

    def both(*more: object) -> dict[str, tuple[str, str | None]]:
        """With the cache and without it: the same."""
        found = planned(*more)
        assert found == planned(*more, "--no-cache")
        return found

    pack = tmp_path / "p.toml"
    pack.write_text('[renames]\n"tf.nn.relu" = "tf.nn.relu6"\n')
    seen = [both(), both("--ignore", "PY2"), both("--confidence", "proven"), both("--rules", pack)]
    pack.write_text('[renames]\n"tf.nn.relu" = "tf.nn.elu"\n')
    ruleset._shipped.cache_clear()  # a process reads a pack once
    seen.append(both("--rules", pack))
    (repo / "setup.cfg").write_text("[migrator:/io.py]\nignore = PY2\n")
    seen.append(both())
    (repo / "setup.cfg").unlink()
    (repo / "pkg/train.py").write_text("import numpy as np\nimport tensorflow as tf\nx = np.int(1)\n")
    seen.append(both())
    texts = [json.dumps(item, sort_keys=True) for item in seen]
    assert len(set(texts)) == len(texts)


def test_an_address_needs_the_engine_and_settings_can_name_both(
    migrator: Call, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = migrator("migrate", repo, "--diff", "--address", "auto", code=2)
    assert "only of use with the engine ray" in said.stderr
    (repo / "setup.cfg").write_text("[migrator]\nengine = ray\naddress = auto\n")
    shown = migrator("migrate", repo, "--show-config").stdout
    assert "ray" in shown and "auto" in shown
    monkeypatch.setitem(sys.modules, "ray", None)
    said = migrator("scan", repo, code=2)
    assert "pip install 'migrator[ray]'" in said.stderr
