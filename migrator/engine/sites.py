"""Puts one file's rewrite together: references first, then aliases, imports and deletions."""

from __future__ import annotations

import ast

from migrator.analysis.names import Binding
from migrator.engine.bindings import BindingPlan
from migrator.engine.import_sites import ImportSites
from migrator.engine.imports import import_edits, missing
from migrator.engine.rule_sites import RuleSites
from migrator.engine.string_sites import strings
from migrator.engine.table_sites import TableSites
from migrator.engine.work import FileWork, Site


def decide(work: FileWork, sites: list[Site]) -> None:
    """Fill `work.edits` and `work.findings` for the references `sites`."""
    frozen = frozenset(line for line, codes in work.suppressions.lines.items() if not codes)
    work.plan = BindingPlan(work.names, work.rules, sites, frozen, work.left)
    tables = TableSites(work)
    rules = RuleSites(work, tables)

    def one(site: Site) -> None:
        if site.disposition.kind == "rule" and site.reference.role == "load":
            rules.site(site)
        else:
            tables.site(site)

    imports = ImportSites(work, one)
    aliases = {
        id(binding.node): binding
        for binding in work.names.bindings()
        if binding.kind == "alias" and isinstance(binding.node, ast.Assign)
    }
    later: list[tuple[Site, Binding]] = []
    for site in sites:
        alias = aliases.get(id(site.reference.parent))
        if alias is not None and site.reference.node is alias.value:
            later.append((site, alias))  # whether it is still needed depends on the others
        else:
            one(site)
    for site, alias in reversed(later):
        imports.alias(site, alias)
    strings(work, tables)
    imports.star_imports()
    dropped = imports.statements()
    wanted = [(module, name, local) for (module, name), local in work.required.items()]
    needed = [item for item in missing(work.names, wanted) if item not in imports.written]
    work.edits += import_edits(work.text, work.names.tree, work.lines, needed, dropped)
    work.edits += work.deletions.edits()
