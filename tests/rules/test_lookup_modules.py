"""The modules in which names are looked up are those that the tables say."""

from migrator import resources
from migrator.engine.ruleset import RuleSet
from tests.rules.conftest import tool


def test_the_modules_are_those_of_the_tables(rules: RuleSet) -> None:
    """Else: PYTHONPATH=. python rules/tools/make_lookup_modules.py"""
    made = tool("make_lookup_modules")
    for module in made.MODULES:
        path = resources.templates_dir() / "support" / f"named_{module[3:].replace('.', '_')}.py"
        assert path.read_text() == made.module_text(module, rules), module
