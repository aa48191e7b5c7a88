"""Writes docs/coverage.md and docs/rules/*.md from the packs, the snapshots and the recordings.

    python rules/tools/make_docs.py [--check]

With --check nothing is written; the exit status says whether the pages are up to date.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from migrator.engine.dispositions import KINDS, Record, every
from migrator.engine.gone import Family, family_of
from migrator.engine.options import Options
from migrator.engine.packs import Rule
from migrator.engine.ruleset import RuleSet, load_ruleset

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
GENERATED = "<!-- Written by rules/tools/make_docs.py; do not edit. -->\n"
GRADIENT_TOLERANCE = 1e-5  # that of tests/rules/test_cases.py
FAMILIES = {
    "TF1": ("tf1.md", "Renamed and changed calls"),
    "TF2": ("tf2.md", "contrib and small functions"),
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
    """Symbol as written -> the recorded cases that prove it, with their tolerances.

    A case proves every documented symbol that its old code names (`case_names.py`); what is proven
    under one name of a TF 1 object is proven under its other names.
    """
    recorder, reader = tool("record_cases"), tool("case_names")
    recorded = json.loads(recorder.RECORDED.read_text(encoding="utf-8"))
    found: dict[str, list[str]] = defaultdict(list)
    for proof in recorder.proofs():
        note = f"{proof.name} (≤ {proof.tolerance:g}"
        if proof.name in recorded["gradients"]:
            note += f", gradients ≤ {GRADIENT_TOLERANCE:g}"
        names = {*reader.named(proof.before), *proof.proves, proof.name.partition("#")[0]}
        for name in names:
            listed_as = rules.documented("tensorflow" + name[2:])  # tf.train.X is tf.estimator.X
            if listed_as in rules.tf1:
                found["tf" + listed_as[len("tensorflow") :]].append(note + ")")
    for symbol, entry in rules.packs.support.items():
        module, _, name = entry.target.partition(".")
        found[symbol] += [suite["proof"] for suite in suites()
                          if module in suite["modules"] and name in suite["names"]]  # fmt: skip
    targets = {symbol: entry.target for symbol, entry in rules.packs.support.items()}
    for symbols, text, note in _programs(reader):
        for symbol in symbols:
            owner = symbol if symbol in targets else symbol.rpartition(".")[0]
            if owner in targets and (not text or targets[owner] in text):
                found[symbol].append(note)
    listed = {name: rules.tf1.aliases.get(name, name) for name in rules.tf1.symbols}
    groups: dict[str, set[str]] = defaultdict(set)
    for name, canonical in listed.items():
        groups[canonical].add("tf" + name[len("tensorflow") :])
    for names in groups.values():
        notes = list(dict.fromkeys(note for name in sorted(names) for note in found.get(name, ())))
        for name in names:
            if notes:
                found[name] = notes
    return found


def _programs(reader: ModuleType) -> list[tuple[set[str], str, str]]:
    """(symbols that a recorded program names, what it became if that is kept, a note)."""
    found = []
    for folder, tolerance in (("graphs", 1e-5), ("transforms/training", 1e-6)):
        for case in sorted((ROOT / "tests" / folder / "cases").iterdir()):
            texts = {path.name: path.read_text(encoding="utf-8") for path in case.glob("*.py")}
            names = {name for file, text in texts.items() if not file.startswith("after")
                     for name in reader.named(text)}
            became = "".join(text for file, text in texts.items() if file.startswith("after"))
            found.append((names, became, f"program {case.name} (≤ {tolerance:g})"))
    return found


@cache
def reasons() -> dict[str, str]:
    """Prefix of symbols -> why no case is recorded (`rules/advice/unproven.toml`)."""
    path = ROOT / "rules" / "advice" / "unproven.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def unproven(symbol: str) -> str:
    """Why a symbol has no recorded case; empty where nobody has said it."""
    while symbol and symbol not in reasons():
        symbol = symbol.rpartition(".")[0]
    return reasons().get(symbol, "")


# Functions of tests/runtime/recorded that ask TensorFlow 1 about what is run; no part of it.
ASKING = ("tf1", "_recorded", "record")


@cache
def suites() -> list[dict[str, Any]]:
    """The test suites of `rules/recorded/suites.json`, each with the `names` that it runs."""
    listed: list[dict[str, Any]] = json.loads((ROOT / "rules/recorded/suites.json").read_text())
    for suite in listed:
        names: set[str] = set()
        for node in ast.parse((ROOT / suite["path"]).read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name in ASKING:
                continue
            for part in ast.walk(node):
                if isinstance(part, ast.Attribute):
                    names.add(part.attr)
                elif isinstance(part, ast.Constant) and isinstance(part.value, str):
                    names.add(part.value)
        suite["names"] = names
    return listed


def coverage(rules: RuleSet) -> str:
    """The table of all TF 1.15.5 symbols outside private modules."""
    records = list(every(rules))
    public = [r for r in records if ".python." not in r.symbol]
    cases = proven(rules)
    lines = [GENERATED, "# What becomes of every TF 1.15.5 symbol\n"]
    lines.append(
        "Taken from the API snapshots of TensorFlow 1.15.5 and 2.21 and from the rule packs. "
        "*Proof* names the recorded cases: what TF 1.15.5 gave for the old code equals, within "
        "the tolerance, what TF 2.21 gives for the migrated code (`tests/rules/test_cases.py`); "
        "with *gradients*, the derivatives of the results by every constant and weight of the case "
        "are equal, too, relative to the largest one. Suites of the support package "
        "(`rules/recorded/suites.json`) are named by their folder. "
        "*Signature* means that both snapshots show the same parameters in the same order.\n"
    )
    lines.append("| disposition | public symbols | private symbols | meaning |\n| --- | ---: | ---: | --- |")
    counts = Counter(r.kind for r in public)
    private = Counter(r.kind for r in records if ".python." in r.symbol)
    for kind in KINDS:
        lines.append(f"| {kind} | {counts[kind]} | {private[kind]} | {MEANING[kind]} |")
    groups: dict[str, list[Record]] = defaultdict(list)
    alone: dict[Family, list[str]] = defaultdict(list)
    for record in records:
        if record.kind == "manual" and record.advice == family_of(record.symbol).text:
            alone[family_of(record.symbol)].append(record.symbol)
            continue  # one line says it for all of them
        if ".python." in record.symbol:
            continue
        parts = record.symbol.split(".")
        groups[".".join(parts[: 3 if parts[1] == "contrib" else 2][: len(parts) - 1])].append(record)
    lines += ["\n" + line for line in summary(public, cases)]
    lines.append("\n## Without a successor\n")
    lines.append(
        "Each use is a finding with the advice of the family (`rules/advice/families.toml`); "
        "`migrator explain SYMBOL` prints it.\n"
    )
    lines.append("| family | symbols | code | advice |\n| --- | ---: | --- | --- |")
    for family in sorted(alone, key=lambda item: item.prefix):
        count = len(alone[family])
        lines.append(f"| `{family.prefix}` | {count} | {family.code} | {cell(family.text)} |")
    lines.append("")
    for group in sorted(groups):
        lines.append(f"## {group}\n\n| symbol | disposition | becomes | codes | proof |")
        lines.append("| --- | --- | --- | --- | --- |")
        for r in groups[group]:
            own = f"{r.symbol}#"
            proof = shortened(sorted(cases.get(r.symbol, ()), key=lambda n: not n.startswith(own)))
            if not proof and r.kind in ("same", "renamed"):
                proof = "signature"
            target = "" if r.kind == "same" else f"`{r.target}`" if r.target else ""
            if r.keywords:
                changes = "; ".join(f"`{k}` {v}" for k, v in r.keywords.items())
                target = f"{target}: {changes}" if target else changes
            if r.kind == "manual":
                target = r.advice
            if not proof and r.kind in ("rewritten", "support"):
                proof = f"none: {unproven(r.symbol)}"
            lines.append(
                f"| `{r.symbol}` | {r.kind} | {cell(target)} | {' '.join(r.codes)} | {proof} |"
            )
        lines.append("")
    return "\n".join(lines) + "\n"


def summary(public: list[Record], cases: dict[str, list[str]]) -> list[str]:
    """How many symbols of each kind are proven by running them."""
    rows = ["| disposition | run on both | with gradients |\n| --- | ---: | ---: |"]
    for kind in ("same", "renamed", "rewritten", "support"):
        chosen = [cases.get(r.symbol, []) for r in public if r.kind == kind]
        gradients = sum(any("gradients" in note for note in notes) for notes in chosen)
        rows[0] += f"\n| {kind} | {sum(map(bool, chosen))} of {len(chosen)} | {gradients} |"
    return rows


def shortened(notes: Sequence[str]) -> str:
    """The first proofs, and how many more there are."""
    more = f", and {len(notes) - 4} more" if len(notes) > 4 else ""
    return ", ".join(notes[:4]) + more


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
