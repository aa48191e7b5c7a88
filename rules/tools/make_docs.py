"""Writes docs/coverage.md and docs/rules/*.md from the packs, the snapshots and the recordings.

    python rules/tools/make_docs.py [--check]

With --check nothing is written; the exit status says whether the pages are up to date.
"""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter, defaultdict
from pathlib import Path
from types import ModuleType

from migrator.engine.dispositions import KINDS, Record, every
from migrator.engine.options import Options
from migrator.engine.packs import Rule
from migrator.engine.ruleset import RuleSet, load_ruleset

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GENERATED = "<!-- Written by rules/tools/make_docs.py; do not edit. -->\n"
FAMILIES = {
    "TF1": ("tf1.md", "Renamed and changed calls"),
    "PY": ("python.md", "What rotted around TensorFlow"),
}
MEANING = {
    "same": "TF 2.21 takes every call as it is",
    "renamed": "another name, called alike",
    "rewritten": "arguments or form change (the codes say by which rule)",
    "support": "the support package has it",
    "compat": "stays on `tf.compat.v1`, with a finding",
    "manual": "a person, with advice",
}


def tool(name: str) -> ModuleType:
    """Another script of this folder."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def proven(rules: RuleSet) -> dict[str, list[str]]:
    """Symbol as written -> the recorded cases that prove it, with their tolerance."""
    found: dict[str, list[str]] = defaultdict(list)
    codes: dict[str, set[str]] = defaultdict(set)
    for compiled in rules.rules.values():
        for item in compiled:
            codes[item.rule.code].add("tf" + item.pattern.name[len("tensorflow") :])
    for proof in tool("record_cases").proofs():
        name = proof.name.partition("#")[0]
        note = f"{proof.name} (≤ {proof.tolerance:g})"
        if name.startswith("tf."):
            found[name].append(note)
        else:
            for symbol in codes[name]:
                if symbol in proof.before:
                    found[symbol].append(note)
    return found


def coverage(rules: RuleSet) -> str:
    """The table of all TF 1.15.5 symbols outside private modules."""
    records = list(every(rules))
    public = [r for r in records if ".python." not in r.symbol]
    cases = proven(rules)
    lines = [GENERATED, "# What becomes of every TF 1.15.5 symbol\n"]
    lines.append(
        "Taken from the API snapshots of TensorFlow 1.15.5 and 2.21 and from the rule packs. "
        "*Proof* names the recorded cases: what TF 1.15.5 gave for the old code equals, within "
        "the tolerance, what TF 2.21 gives for the migrated code (`tests/rules/test_cases.py`). "
        "Symbols of the support package are proven with it (`tests/support*`, `tests/contrib`). "
        "*Signature* means that both snapshots show the same parameters in the same order.\n"
    )
    lines.append("| disposition | public symbols | private symbols | meaning |\n| --- | ---: | ---: | --- |")
    counts = Counter(r.kind for r in public)
    private = Counter(r.kind for r in records if ".python." in r.symbol)
    for kind in KINDS:
        lines.append(f"| {kind} | {counts[kind]} | {private[kind]} | {MEANING[kind]} |")
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in public:
        if record.kind == "manual" and record.codes == ("TF003",):
            continue  # one sentence says it for all of them
        parts = record.symbol.split(".")
        groups[".".join(parts[: 3 if parts[1] == "contrib" else 2][: len(parts) - 1])].append(record)
    lines.append(
        f"\nNot listed: {sum(r.codes == ('TF003',) for r in public)} public symbols for which "
        "TensorFlow 2 has no successor; each use is a TF003 finding with advice.\n"
    )
    for group in sorted(groups):
        lines.append(f"## {group}\n\n| symbol | disposition | becomes | codes | proof |")
        lines.append("| --- | --- | --- | --- | --- |")
        for r in groups[group]:
            proof = ", ".join(cases.get(r.symbol, ()))
            if not proof and r.kind in ("same", "renamed"):
                proof = "signature"
            target = "" if r.kind == "same" else f"`{r.target}`" if r.target else ""
            if r.keywords:
                changes = "; ".join(f"`{k}` {v}" for k, v in r.keywords.items())
                target = f"{target}: {changes}" if target else changes
            if r.kind == "manual":
                target = r.advice
            lines.append(
                f"| `{r.symbol}` | {r.kind} | {cell(target)} | {' '.join(r.codes)} | {proof} |"
            )
        lines.append("")
    return "\n".join(lines) + "\n"


def rule_page(title: str, rules: list[Rule]) -> str:
    """One page of rules with their examples."""
    lines = [GENERATED, f"# {title}\n"]
    for rule in rules:
        lines.append(f"## {rule.code}: {rule.title}\n\n{rule.why}\n")
        if rule.link:
            lines.append(f"See <{rule.link}>.\n")
        matches = "\n".join(rule.match)
        becomes = rule.rewrite or ("(the statement is taken out)" if rule.delete else rule.finding)
        lines.append(f"```python\n# matches\n{matches}\n# becomes\n{becomes}\n```\n")
        lines.append(f"Confidence: {rule.confidence.value}; rung: {rule.rung.value}.\n")
        for case in rule.cases:
            tolerance = 0.0 if case.tolerance is None else case.tolerance
            lines.append(f"Example (tolerance {tolerance:g}):\n")
            lines.append(f"```python\n# before\n{case.before}\n# after\n{case.after}\n```\n")
    return "\n".join(lines)


def pages() -> dict[Path, str]:
    """Path -> text of every generated page."""
    rules = load_ruleset(Options())
    found = {DOCS / "coverage.md": coverage(rules)}
    for prefix, (name, title) in FAMILIES.items():
        chosen = [rule for rule in rules.packs.rules if rule.code.startswith(prefix)]
        found[DOCS / "rules" / name] = rule_page(title, chosen)
    return found


def main() -> int:
    """Write the pages, or say which are out of date."""
    stale = []
    for path, text in pages().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(str(path.relative_to(ROOT)))
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    print("\n".join(stale) or "up to date")
    return int(bool(stale) and "--check" in sys.argv)


if __name__ == "__main__":
    sys.exit(main())
