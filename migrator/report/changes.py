"""The section on what changed since the migration began: files and rules; the diff has its own page."""

from __future__ import annotations

import collections

from migrator.model import Plan, Rung, Status
from migrator.report import text
from migrator.report.model import Section, Table


def section(plan: Plan) -> Section:
    """What the migrations of a tree did, from their base to now."""
    rules: collections.Counter[str] = collections.Counter()
    files_of: dict[str, set[str]] = collections.defaultdict(set)
    why: dict[str, str] = {}
    rungs: collections.Counter[Rung] = collections.Counter()
    for result in plan.changed:
        for c in result.changes:
            rules[c.code] += 1
            files_of[c.code].add(result.path)
            why.setdefault(c.code, c.reason)
            rungs[c.rung] += 1
    states = collections.Counter(f.status for f in plan.files)
    summary = Table(
        "Files", ("", "files"),
        (
            ("changed", f"{states[Status.CHANGED]:,}"),
            ("unchanged", f"{states[Status.UNCHANGED] + states[Status.SKIPPED]:,}"),
            ("could not be read", f"{states[Status.FAILED]:,}"),
            ("of the support package, added", f"{sum(1 for _, text in plan.support_files if text):,}"),
        ),
        frozenset({1}),
    )  # fmt: skip
    by_rule = Table(
        "Rules", ("rule", "edits", "files", "for example"),
        tuple((c, f"{n:,}", f"{len(files_of[c]):,}", why[c]) for c, n in rules.most_common()),
        frozenset({1, 2}),
    )  # fmt: skip
    runs = Table(
        "Migrations", ("when", "version", "edits", "files"),
        tuple((w.when, w.tool_version, f"{w.edits:,}", f"{w.files:,}") for w in plan.written),
        frozenset({2, 3}),
    )  # fmt: skip
    edits, native = sum(rules.values()), rungs[Rung.NATIVE] + rungs[Rung.SUPPORT]
    gist = f"{text.plural(edits, 'edit')} in {text.plural(len(plan.changed), 'file')}"
    if len(plan.written) > 1:
        gist += f", {len(plan.written)} migrations"
    if plan.base:
        gist += f", since commit {plan.base}"
    lead = (
        f"{text.percent(native, edits)} of the edits are native TensorFlow 2 code or use the support "
        "package; the page beside this one has every hunk with its reason."
        if edits else ""
    )  # fmt: skip
    tables = (summary, by_rule, *([runs] if len(plan.written) > 1 else []))
    return Section("changes", "What changed", gist, lead, tables=tables)
