"""Which modules build the graph of a session that several of them run."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from migrator.analysis.index import ProjectIndex
from migrator.analysis.module_summary import ModuleSummary
from migrator.analysis.shared_graphs import builds_shared_graph, session_homes
from migrator.engine.registry import load_facts

TF = "import tensorflow as tf\n"
MADE = TF + "def get_session():\n    return tf.Session()\n"
KEPT = TF + """\
_session = None


def get_session():
    global _session
    _session = _session or None
    if _session is None:
        _session = tf.Session(config=tf.ConfigProto())
    return _session
"""
RUNS = "from session import get_session\ndef use(x):\n    return get_session().run(x)\n"


def _index(files: Mapping[str, str]) -> ProjectIndex:
    facts = load_facts()
    return ProjectIndex.assemble(
        {path: ModuleSummary.of(path, text, facts) for path, text in files.items()}  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    "use",
    [
        "from session import get_session\ndef f(x):\n    return get_session().run(x)\n",
        "import session as s\ndef f(x):\n    return x.eval(session=s.get_session())\n",
        "import session\nclass A:\n    def __init__(self):\n"
        "        self.sess = session.get_session()\n"
        "    def f(self, x):\n        return self.sess.run(x)\n",
    ],
)
@pytest.mark.parametrize("made", [MADE, KEPT])
def test_ways_to_run_what_another_module_makes(made: str, use: str) -> None:
    index = _index({"session.py": made, "use.py": TF + use, "other.py": TF})
    assert session_homes(index) == {"session.py"}
    shared = [path for path in index.modules if builds_shared_graph(index, path)]
    assert shared == ["session.py", "use.py"]


@pytest.mark.parametrize(
    "made",
    [
        "G = tf.Graph()\ndef get_session():\n    return tf.Session(graph=G)\n",
        "def get_session():\n    with tf.Graph().as_default():\n        return tf.Session()\n",
        "def get_session():\n    s = tf.Session()\n    s.close()\n",
        "def get_session(graph):\n    return tf.Session(graph=graph)\n",
    ],
)
def test_sessions_with_a_graph_of_their_own_or_that_stay(made: str) -> None:
    assert not session_homes(_index({"session.py": TF + made, "use.py": TF + RUNS}))


def test_a_graph_that_may_be_given_counts_where_none_is() -> None:
    made = TF + "def get_session(graph=None):\n    return tf.Session(graph=graph)\n"
    given = RUNS.replace("get_session()", "get_session(graph=x.graph)")
    assert session_homes(_index({"session.py": made, "use.py": RUNS + TF}))
    assert not session_homes(_index({"session.py": made, "use.py": given + TF}))


def test_what_is_only_handed_to_keras_is_not_shared() -> None:
    use = TF + "from session import get_session\ntf.keras.backend.set_session(get_session())\n"
    assert not session_homes(_index({"session.py": MADE, "use.py": use}))


def test_packages_run_first_and_helpers_follow_who_imports_them() -> None:
    index = _index({
        "lib/__init__.py": "from lib.session import get_session\n",
        "lib/session.py": MADE,
        "lib/names.py": TF,
        "tools.py": TF,
        "apart.py": TF,
        "test_lib.py": TF + "import lib\nimport tools\ndef test(x):\n    lib.get_session().run(x)\n",
        "test_names.py": TF + "from lib import names\n",
        "main.py": TF + "import apart\n",
    })
    assert session_homes(index) == {"lib/session.py"}
    assert {path for path in index.modules if not builds_shared_graph(index, path)} == {
        "apart.py", "main.py"
    }


def test_a_subclass_of_session_and_a_star_import() -> None:
    index = _index({
        "lib/__init__.py": "from .session import *\n",
        "lib/session.py": TF + "class Session(tf.Session):\n    pass\n",
        "use.py": TF + "import lib\ndef f(x):\n    with lib.Session() as s:\n        s.run(x)\n",
    })
    assert session_homes(index) == {"lib/session.py"}


TRAINER = TF + """\
class Base(object):
    def __init__(self, model):
        self.model = model
        self.sess = tf.Session()
"""


@pytest.mark.parametrize(
    ("run", "shared"),
    [
        ("self.sess.run([self.model.step, self.model.loss], {self.model.x: x})", True),
        ("self.sess.run(self.loss, {self.x: x})", False),
        ("self.sess.run(self.loss.initializer)", False),
        ("self.run(self.model.step)", False),
    ],
)
def test_an_object_with_a_session_that_runs_what_it_was_given(run: str, shared: bool) -> None:
    step = f"class Trainer(Base):\n    def step(self, x):\n        return {run}\n"
    index = _index({
        "base.py": TRAINER, "trainer.py": TF + "from base import Base\n" + step,
        "model.py": TF, "main.py": TF + "import model, trainer\n", "other.py": TF,
    })
    assert session_homes(index) == ({"base.py"} if shared else set())
    assert builds_shared_graph(index, "model.py") is shared
    assert not builds_shared_graph(index, "other.py")
    assert session_homes(_index({"all.py": TRAINER + step})) == ({"all.py"} if shared else set())


def test_an_object_that_enters_a_graph_of_its_own() -> None:
    own = TRAINER.replace("self.sess = tf.Session()", "with tf.Graph().as_default():\n"
                          "            self.sess = tf.Session()")
    step = "    def step(self):\n        return self.sess.run(self.model.loss)\n"
    assert not session_homes(_index({"base.py": own + step}))


def test_a_new_session_for_a_local_is_the_business_of_that_function() -> None:
    local = TF + "import session\ndef f(x):\n    s = session.get_session()\n    return s.run(x)\n"
    assert not session_homes(_index({"session.py": MADE, "use.py": local}))
    assert session_homes(_index({"session.py": KEPT, "use.py": local}))
