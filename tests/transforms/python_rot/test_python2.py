"""Modules of Python 2 that Python 3 can read as well, and divisions that rounded down."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from migrator.analysis.facts import load_facts
from migrator.analysis.index import ProjectIndex
from migrator.analysis.parsed import Parsed
from migrator.analysis.python2 import runs_on_python2
from migrator.engine.division import divisions
from migrator.engine.edits import apply
from migrator.engine.file_jobs import summary_of
from migrator.engine.list_results import list_results
from migrator.engine.options import Options
from migrator.engine.pipeline import migrate_text
from migrator.engine.plan import build_plan
from migrator.model import FileResult
from tests.transforms.texts import RULES

TF = "import tensorflow as tf\n"


def index_of(files: dict[str, str]) -> ProjectIndex:
    facts = load_facts()
    return ProjectIndex.assemble({path: summary_of(path, text, facts) for path, text in files.items()})


def results(files: dict[str, str]) -> dict[str, FileResult]:
    index = index_of(files)
    return {path: migrate_text(path, text, index, Options(), RULES) for path, text in files.items()}


def settled(files: dict[str, str]) -> dict[str, str]:
    """What the modules become, which a second run leaves as they are."""
    once = {path: r.new_text or files[path] for path, r in results(files).items()}
    assert [path for path, r in results(once).items() if r.new_text is not None] == []
    return once


def alone(text: str) -> str:
    return settled({"m.py": text})["m.py"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("for i in xrange(3): f(i)\n", "for i in range(3): f(i)\n"),
        ("for k, v in d.iteritems(): f(k)\n", "for k, v in d.items(): f(k)\n"),
        ("if d.has_key('a'): x = unicode(d)\n", "if 'a' in d: x = str(d)\n"),
        ("isinstance(x, basestring)\n", "isinstance(x, str)\n"),
        ("keys = d.keys()\nkeys.sort()\nxrange(1)\n",
         "keys = list(d.keys())\nkeys.sort()\nrange(1)\n"),
        ("y = map(int, xrange(3))\nz = zip(y, y)\n", "y = list(map(int, range(3)))\nz = list(zip(y, y))\n"),
        ("n = sys.maxint\n", "n = sys.maxsize\n"),
        ("sys.setdefaultencoding('utf8')\nx = 1\n", "x = 1\n"),
        ("x = file(p).read()\n", "x = open(p).read()\n"),
        ("x = string.join(words, '')\n", "x = ''.join(words)\n"),
    ],
)
def test_names_and_lists_of_python_2(before: str, after: str) -> None:
    head = TF + "import sys, string\n"
    assert alone(head + before).endswith(after)


WHEEL = "class Wheel(object):\n    def has_key(self, key):\n        return key in self.keys\n"


def test_a_method_of_the_projects_is_no_method_of_dicts() -> None:
    files = {"wheel.py": WHEEL, "old.py": TF + "import wheel\nw = wheel.Wheel()\nprint w.has_key('a')\n",
             "new.py": TF + "import wheel\nassert wheel.Wheel().has_key('a')\nkeys = {}.keys()\n"}
    found = results(files)
    assert (found["old.py"].new_text or "").endswith("print(w.has_key('a'))\n")
    assert [(f.code, f.line) for f in found["old.py"].findings if f.code == "PY107"] == [("PY107", 4)]
    assert settled({"new.py": files["new.py"], "wheel.py": WHEEL})["new.py"] == files["new.py"]


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    xrange\nexcept NameError:\n    xrange = range\nx = map(int, xrange(3))\n",
        "if sys.version_info[0] < 3:\n    text = unicode\nelse:\n    text = str\nx = map(int, y)\n",
        "import six\nfor k, v in six.iteritems(d): f(k)\nx = map(int, y)\n",
        "from six.moves import xrange\nx = map(int, xrange(2))\n",
        "import pandas as pd\nfor k, v in pd.DataFrame().iteritems(): x = map(int, k)\n",
        "def f(unicode): return map(int, unicode)\n",
    ],
)
def test_what_runs_on_both_is_left(text: str) -> None:
    files = {"m.py": text}
    assert not runs_on_python2(index_of(files), "m.py")
    assert "list(map" not in settled({"m.py": TF + text})["m.py"]


def test_modules_that_run_with_one_of_python_2() -> None:
    once = settled({
        "a.py": TF + "import b\nprint 'x', b.f(3)\n",
        "b.py": TF + "import c\ndef f(n):\n    return map(int, range(n))\n",
        "c.py": TF + "def g(*, n):\n    return map(int, n)\n",  # which Python 2 cannot read
        "d.py": TF + "def h(n):\n    return map(int, n)\n",  # which nothing of the others knows
        # which was written for both
        "e.py": "from __future__ import division, print_function\nimport b\ndef i(n):\n    return n.next()\n",
    })  # fmt: skip
    assert "list(map(int, list(range(n))))" in once["b.py"] or "list(map(int, range(n)))" in once["b.py"]
    assert "list(" not in once["c.py"] and "list(" not in once["d.py"]
    assert "return n.next()" in once["e.py"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = map(f, b)\nn = len(a)\n", "a = list(map(f, b))\nn = len(a)\n"),
        ("k = d.keys()\nk.sort()\n", "k = list(d.keys())\nk.sort()\n"),
        ("k = d.keys()[0]\n", "k = list(d.keys())[0]\n"),
        ("i = range(n)\nrandom.shuffle(i)\n", "i = list(range(n))\nrandom.shuffle(i)\n"),
        ("i = range(n)\ni[0] = 3\n", "i = list(range(n))\ni[0] = 3\n"),
        ("a = np.array(map(f, b))\n", "a = np.array(list(map(f, b)))\n"),
        ("a = range(3) + [4]\n", "a = list(range(3)) + [4]\n"),
        ("from six.moves import map\na = map(f, b)\na.sort()\n",
         "from six.moves import map\na = list(map(f, b))\na.sort()\n"),
        ("a = d.items() + e.items()\n", "a = list(d.items()) + list(e.items())\n"),
        ("a = []\nfor line in b: a.append(map(float, line.split()))\nc = np.array(a)\n",
         "a = []\nfor line in b: a.append(list(map(float, line.split())))\nc = np.array(a)\n"),
        ("a = [map(int, r) for r in b]\nc = a[0][1]\n", "a = [list(map(int, r)) for r in b]\nc = a[0][1]\n"),
        ("a = np.asarray([map(int, b), map(int, c)])\n",
         "a = np.asarray([list(map(int, b)), list(map(int, c))])\n"),
        ("class A:\n  def f(self):\n    self.a = zip(b, c)\n  def g(self): return self.a[0]\n",
         "class A:\n  def f(self):\n    self.a = list(zip(b, c))\n  def g(self): return self.a[0]\n"),
    ],
)  # fmt: skip
def test_lists_of_python_2_in_a_module_without_more_of_it(before: str, after: str) -> None:
    head = TF + "import random\nimport numpy as np\n"
    assert alone(head + before) == head + after


@pytest.mark.parametrize(
    "text",
    [
        "for a in map(f, b): pass\n", "a = range(n)\nb = a[0] + len(a)\n", "if k in d.keys(): pass\n",
        "a = {k: v for k, v in d.items()}\n", "a = map(f, b)\nfor c in a: pass\n",
        "n = len(d.keys())\n", "a = q.values() + 1\n", "a = q.values()[:, 0]\n",
        "a = list(map(f, b))\na.sort()\n", "a = sorted(d.keys())\na[0]\n",
        "def map(f, a): return a\nb = map(f, c)[0]\n", "a = []\na.append(map(f, b))\nfor c in a[0]: pass\n",
        "a = [map(f, b)]\nc = a[:2][0]\nfor d in c: pass\n", "o.values().append(3)\n",
    ],
)  # fmt: skip
def test_what_needs_no_list_is_left(text: str) -> None:
    assert alone(TF + text) == TF + text


def divided(text: str, python2: bool) -> str:
    parsed = Parsed(text)
    found = divisions("m.py", text, parsed.names, python2)
    return apply(text, found.edits)[0] if found.edits else text


@pytest.mark.parametrize(
    "text",
    [
        "for i in range(n / 2): pass\n",
        "from six.moves import range\nfor i in range(n / 2): pass\n",
        "from six.moves import xrange\nfor i in xrange(0, n, n / 2): pass\n",
        "x = np.zeros((n / 2, m))\n",
        "x = tf.reshape(y, [n / 2, -1])\n",
        "x = y[: n / 2]\n",
        "x = [0] * (n / 2)\n",
        "def f(n):\n    steps = n / 4\n    for i in range(steps): pass\n",
        "class A:\n    def f(self): self.n = self.m / 2\n    def g(self): return range(self.n)\n",
        "def f(n):\n    k = min(n / 4, 3)\n    return x.reshape(k, -1)\n",
        "n /= 2\nrange(n)\n",
        "h, w = h / 2, w / 2\ncv2.resize(x, (h, w))\n",
    ],
)
def test_what_must_be_whole_is(text: str) -> None:
    head = "import numpy as np\nimport tensorflow as tf\nimport cv2\n"
    for python2 in (False, True):
        assert divided(head + text, python2) == head + text.replace("/", "//")


@pytest.mark.parametrize(
    "text",
    [
        "k = 7 / 2\n", "k = len(x) / 2\n", "n = 3\nk = n / 2\n", "for i in range(3): k = i / 2\n",
        "k = x.shape[0] / 2\n", "n = int(a)\nn += 1\nk = n / 2\n", "n = 3\nn /= 2\n",
        "for i, y in enumerate(z): k = i / 2\n", "flags.DEFINE_integer('n', 3, '')\nk = FLAGS.n / 2\n",
        "import tensorflow as tf\nk = len(x) / min(len(y), 3)\n",
    ],
)  # fmt: skip
def test_integers_divided_by_integers_in_python_2(text: str) -> None:
    assert divided(text, True) == text.replace("/", "//")
    assert divided(text, False) == text
    assert divided("from __future__ import division\n" + text, True).endswith(text)


@pytest.mark.parametrize(
    "text",
    [
        "k = n / 2.0\n", "k = float(n) / 2\n", "x = y[: int(n / 2)]\n", "range(int(n / 2.0))\n",
        "k = 7 / 2.0\nrange(3)\n", "n = total / 4\nn = int(n)\nrange(n)\n", "d = 'a/b'\n",
        "k = math.sqrt(n) / 3\n",
    ],
)  # fmt: skip
def test_what_is_a_float_or_made_an_integer_stays(text: str) -> None:
    assert divided("import math\n" + text, False) == "import math\n" + text
    if "int(" not in text:
        assert divided("import math\n" + text, True) == "import math\n" + text


def test_what_nobody_can_tell_is_said_at_its_line_and_is_one_cause() -> None:
    text = TF + "print 'a'\ndef f(a, b):\n    c = a / b / b\n    d = a / 2.0\n    return a / c\n"
    found = [f for f in results({"m.py": text})["m.py"].findings if f.code == "PY103"]
    assert [f.line for f in found] == [4, 6] and len({f.message for f in found}) == 1


@pytest.mark.parametrize(
    ("averaged", "future", "said"),
    [
        ("[loss, c]", "", "line 5"), ("losses + [c]", "", "line 5"), ("tf.trainable_variables()", "", ""),
        ("[loss, c]", "from __future__ import division\n", ""),
    ],
)  # fmt: skip
def test_averages_of_divided_tensors_have_other_names(averaged: str, future: str, said: str) -> None:
    """TensorFlow 1.15's averages of a / b are div/ExponentialMovingAverage by Python 2's __div__."""
    text = future + (TF + "print 'a'\ndef f(a, loss, losses):\n    n = 4.0 / 2\n    c = (n - a) / float(n)\n"
                     "    ema = tf.train.ExponentialMovingAverage(0.9)\n"
                     f"    return ema.apply({averaged}), ema.average(c)\n")  # fmt: skip
    found = [f for f in results({"m.py": text})["m.py"].findings if f.code == "PY105"]
    assert [f.line for f in found] == [7] * bool(said)
    assert all(said in f.message for f in found)


def test_what_is_divided_by_name_is_called_so() -> None:
    """What the finding's advice comes to."""
    tf = pytest.importorskip("tensorflow")
    with tf.Graph().as_default():
        assert tf.divide(tf.ones([2]), 2.0, name="div").op.name == "div"


def test_a_translated_program_computes_what_it_did(tmp_path: Path) -> None:
    text = alone(
        "import tensorflow as tf\nsizes = {'a': 7, 'b': 4}\nkeys = sizes.keys()\nkeys.sort()\n"
        "half = sizes.values()[0] / 2\nn = 7\nprint n / 2, [n / 2] * 2, keys[0], sizes.has_key('a')\n"
        "print map(lambda v: v + 1, xrange(n / 3)), '%d' % len(zip(keys, keys)), cmp(2, 1)\n"
    )
    script = tmp_path / "m.py"
    script.write_text(text.replace("import tensorflow as tf\n", ""))
    found = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert found.stdout.splitlines() == ["3 [3, 3] a True", "[1, 2] 2 1"], found.stderr


def test_values_that_are_read_by_name_are_no_list() -> None:
    """HParams.values() is a dict."""
    text = "values = hparams.values()\nprint([values[name] for name in sorted(values)], values['rate'])\n"
    assert list_results(text, Parsed(text).names)[0] == []


SCRIPT = "from lib import turn\nfor i in xrange(3): print >>f, turn(i)\n"
LIB = TF + "def turn(i):\n    return 360 / len([i, 2])\n"


def test_what_python_3_imports_as_well_divides_as_it_does(tmp_path: Path) -> None:
    """A library is not of Python 2 because one script that imports it is."""
    one = {"lib.py": LIB, "old.py": SCRIPT}
    assert "360 // len" in settled(one)["lib.py"]
    both = {**one, "new.py": "import lib\ndef f(x: int): return lib.turn(x)\n"}
    assert settled(both)["lib.py"] == LIB
    assert "range(3): print(turn(i), file=f)" in settled(both)["old.py"]
    middle = "import lib\ng = lib.turn\n"
    below = {**both, "new.py": "import mid\ndef f(x: int): return mid.g(x)\n", "mid.py": middle}
    assert settled(below)["lib.py"] == LIB


@pytest.mark.parametrize(
    ("name", "said", "rounds"),
    [
        ("setup.py", "setup(classifiers=['Programming Language :: Python :: 3.7'])\n", False),
        ("setup.py", "setup(python_requires='>=3.5')\n", False),
        ("pyproject.toml", '[project]\nrequires-python = ">= 3.6"\n', False),
        ("setup.py", "setup(python_requires='>=2.7')\n", True),
        ("setup.py", "setup(classifiers=['Programming Language :: Python :: 2.7'])\n", True),
    ],
)
def test_a_library_that_says_so_is_of_python_3(name: str, said: str, rounds: bool, tmp_path: Path) -> None:
    for path, text in {"lib.py": LIB, "old.py": SCRIPT, name: said}.items():
        (tmp_path / path).write_text(text)
    plan = build_plan(tmp_path, Options(jobs=1))
    texts = {str(file.path): file.new_text for file in plan.changed}
    assert "print(turn(i), file=f)" in (texts["old.py"] or "")
    assert ("360 // len" in (texts.get("lib.py") or "")) is rounds


OWN = {
    "nets/__init__.py": "import small\nimport parts, os\n",
    "nets/small.py": "import os\nfrom parts import width\nimport tables.sizes\n\ndef make():\n"
                     "    import parts as p\n    return [width] * xrange(p.width)[-1], os.sep\n",
    "nets/parts.py": "width = 3\n",
    "nets/tables/__init__.py": "",
    "nets/tables/sizes.py": "sizes = [1]\n",
    "train.py": "import nets\nprint nets.small.make()\n",
}  # fmt: skip


def test_python_2_imported_from_the_folder_of_the_package(tmp_path: Path) -> None:
    made = settled(OWN)
    assert made["nets/__init__.py"] == "from . import small\nimport os\nfrom . import parts\n"
    assert made["nets/small.py"].startswith("import os\nfrom .parts import width\nimport tables.sizes\n")
    assert "    from . import parts as p\n" in made["nets/small.py"]
    found = results(OWN)["nets/small.py"].findings
    assert [(f.code, f.line) for f in found] == [("PY106", 3)]
    for path, text in made.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text.replace("import tables.sizes\n", ""))
    assert printed("train.py", tmp_path) == "([3, 3], '/')\n"


def printed(script: str, folder: Path) -> str:
    ran = subprocess.run([sys.executable, script], cwd=folder, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


HANDED_ON = {
    "nets/__init__.py": "from small import make\n",
    "nets/small.py": "from parts import width\ndef make(x):\n    print width, x\n",
    "nets/parts.py": "width = 3\n",
    "train.py": "from nets import *\nprint 'go'\nmake(1)\n",
}  # fmt: skip


@pytest.mark.parametrize("ahead", ["", "src/"])
def test_a_package_hands_on_what_is_in_its_own_folder(tmp_path: Path, ahead: str) -> None:
    """What a package's modules take from each other is no sign that its folder is on sys.path: they are
    known by the package's name, and those who ask the package find them."""
    files = {ahead + path: text for path, text in HANDED_ON.items()}
    if ahead:
        files[f"{ahead}__init__.py"] = ""
    home = index_of(files).definition("nets.make", f"{ahead}train.py")
    assert home is not None and (home[0].path, home[1]) == (f"{ahead}nets/small.py", "make")
    made = settled(files)
    assert not [f for result in results(files).values() for f in result.findings]
    for path, text in made.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    assert printed(f"{ahead}train.py", tmp_path) == "go\n3 1\n"


SHOWN = "print parts.width\n"


@pytest.mark.parametrize("ended", [SHOWN, f"if __name__ == '__main__':\n    {SHOWN}"])
def test_a_folder_may_be_that_of_a_script_too(tmp_path: Path, ended: str) -> None:
    """`nets/shown.py` is run, and finds its neighbours in its folder: nets/small.py is found in both ways."""
    files = {
        "nets/__init__.py": "", "nets/parts.py": "width = 3\n",
        "nets/small.py": "import parts\nprint 'small'\n",
        "nets/shown.py": "import small\nimport parts\n" + ended,
        "train.py": "import nets.small\nprint nets.small.parts.width\n",
    }  # fmt: skip
    made = settled(files)
    asked = "if __package__:\n    from . import parts\nelse:\n    import parts\n"
    assert made["nets/small.py"].startswith(asked)
    for path, text in made.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    for script in ("train.py", "nets/shown.py"):
        assert printed(script, tmp_path) == "small\n3\n"


@pytest.mark.parametrize(
    "text",
    [
        "from __future__ import absolute_import\nimport parts\nxrange(1)\n",
        "try:\n    import parts\nexcept ImportError:\n    from . import parts\nxrange(1)\n",
        "import parts\nprint(f'{parts.width}')\n",  # Python 3's own
    ],
)
def test_imports_that_python_3_finds_stay(text: str) -> None:
    files = {"nets/__init__.py": "", "nets/parts.py": "width = 3\n", "a.py": "import nets.m\n"}
    made = results({**files, "nets/m.py": text})["nets/m.py"]
    assert "from . import parts" not in (made.new_text or text).replace("except ImportError:\n    from .", "")
    assert made.findings == ()
