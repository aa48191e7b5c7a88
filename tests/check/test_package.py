"""The support package as the check reads it, beside the package itself."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from migrator import support
from migrator.analysis.parsed import Parsed
from migrator.check.package import package
from migrator.check.places import UNKNOWN
from migrator.check.units import Reader
from tests.check.helpers import Tree

SYMBOLS = sorted(support.available())


def read(name: str, text: str) -> Reader:
    """A module read as a whole."""
    stem = name[:-3]
    module = "tf1_support" if stem == "__init__" else f"tf1_support.{stem}"
    return Reader(name, Parsed(text), module, stem == "__init__", bool)


def test_what_is_read_in_parts_is_what_is_there() -> None:
    files = support.render(SYMBOLS)
    parts = package(files)
    for name, text in files.items():
        whole, found = read(name, text).unit(), parts[name[:-3]]
        assert set(whole.binds) == set(found.binds), name
        for bound, what in whole.binds.items():
            other = found.binds[bound]
            assert (other.kind, other.target, other.params) == (what.kind, what.target, what.params)
        for made, cls in whole.classes.items():
            if "." not in made:
                other_class = found.classes[made]
                assert (other_class.bases, other_class.sets) == (cls.bases, cls.sets)
                assert set(other_class.members) == set(cls.members)


@settings(max_examples=12, deadline=None)
@given(st.sets(st.sampled_from(SYMBOLS), min_size=1, max_size=6))
def test_a_rendered_package_has_all_that_it_needs(chosen: set[str]) -> None:
    """No name is left out, within a module or between two."""
    files = support.render(chosen)
    tree = Tree({"a.py": "import tf1_support\n"}, rendered=frozenset(chosen))
    for name, text in files.items():
        reader = read(name, text)
        assert not reader.free, name
        for use in reader.unit().uses:
            if use.path.startswith("tf1_support."):
                assert tree.after.place(use.path, "a.py").found is not False, use
    for symbol in chosen:
        assert tree.after.place(f"tf1_support.{symbol}", "a.py").found is not False, symbol


def test_a_module_without_any_of_its_names() -> None:
    files = support.render(["experiment."])
    assert set(files) == {"__init__.py", "experiment.py"}
    tree = Tree({"a.py": "from tf1_support import experiment\n"}, rendered=frozenset({"experiment."}))
    assert tree.after.place("tf1_support.experiment", "a.py").found is True
    assert tree.after.place("tf1_support.experiment.Experiment", "a.py").found is False
    assert UNKNOWN.found is None


def test_objects_that_get_attributes_by_name() -> None:
    """What a class may set by any name is not looked for in its text."""
    uses = (
        "from tf1_support import hparams, tpu\np = hparams.HParams()\np.add_hparam('size', 1)\n"
        "print(p.size)\ntpu.CrossShardOptimizer(p).minimize(1)\n"
    )
    chosen = frozenset({"hparams.HParams", "tpu.CrossShardOptimizer"})
    assert Tree({"a.py": "p = 1\n"}, {"a.py": uses}, rendered=chosen).faults() == []
