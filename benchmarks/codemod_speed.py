"""How long the engine takes over a tree, next to bare parsers and tf_upgrade_v2, in one run.

    python benchmarks/codemod_speed.py TREE [--repeat 3] [--json FILE] [--only VARIANT ...]

Every variant runs in a fresh process, interleaved; imports are not counted, everything else is
(discovery, reading, rule loading, indexing). CPU seconds are user + system of the process and its
workers, of which the median counts; peak RSS is that of the largest single process.

`ours1` and `ours2` have one and two workers, `warm` a cache that an earlier run filled, `rules4`
and `rules16` that many times the rules and tables, `tree10` ten copies of the tree. Under the table
stands one line for each aim, with what was measured; aims whose variants did not run are left out.
Exits with 1 when one is missed.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
VARIANTS = (
    *("ast", "libcst", "ours1", "ours2", "warm", "rules4", "rules16", "tree10"),
    "tf_upgrade_v2",
)
# (what, figure, of which variant, of which other (empty: as it is), at most)
AIMS = (
    ("CPU time of a bare libcst parse", "cpu", "ours1", "libcst", 1.5),
    ("CPU time of tf_upgrade_v2", "cpu", "ours1", "tf_upgrade_v2", 1.0),
    ("wall time with two workers, of that with one", "wall", "ours2", "ours1", 1 / 1.6),
    ("CPU time with a warm cache, of a cold one", "cpu", "warm", "ours1", 0.05),
    ("CPU time with 4 times the rules", "cpu", "rules4", "ours1", 1.1),
    ("CPU time with 16 times the rules", "cpu", "rules16", "ours1", 1.25),
    ("CPU time of 10 times the tree", "cpu", "tree10", "ours1", 11.0),
    ("peak MB of a process", "peak_rss_mb", "ours1", "", 300.0),
    ("peak MB of a process, two workers", "peak_rss_mb", "ours2", "", 300.0),
)


def sources(tree: Path) -> list[str]:
    """The texts of the tree that Python 3 can parse, so that all variants have the same work."""
    import ast

    from migrator.project.discover import discover
    from migrator.project.source import SourceError, decode
    from migrator.project.tree import read_named

    texts = []
    for path in discover(tree):
        try:
            text = decode(read_named(path)[0], path).text
            ast.parse(text)
        except (SourceError, SyntaxError, ValueError):
            continue
        texts.append(text)
    return texts


def copies_of_rules(times: int, folder: Path) -> Path:
    """A pack that has every shipped rule and rename `times` - 1 more times, for other symbols."""
    from migrator import resources
    from migrator.engine.packs import load_packs

    packs = load_packs(resources.rules_dir())
    lines: list[str] = []
    for table in ("renames", "support"):
        lines.append(f"[{table}]")
        for symbol, entry in getattr(packs, table).items():
            for number in range(1, times):
                if not symbol.endswith(".*"):
                    lines.append(f"{json.dumps(f'{symbol}_v{number}')} = {json.dumps(entry.target)}")
    for rule in packs.rules:
        for number in range(1, times):
            patterns = []
            for pattern in rule.match:
                name, parenthesis, rest = pattern.partition("(")
                patterns.append(f"{name.strip()}_v{number}{parenthesis}{rest}")
            lines.append("[[rule]]")
            lines.append(f"code = {json.dumps(rule.code)}")
            lines.append(f"title = {json.dumps(rule.title)}\nwhy = 'a copy'")
            lines.append(f"match = {json.dumps(patterns)}")
            if rule.signature:
                lines.append(f"signature = {json.dumps(rule.signature)}")
            if rule.rewrite:
                lines.append(f"rewrite = {json.dumps(rule.rewrite)}")
            elif rule.delete:
                lines.append("delete = true")
            else:
                lines.append(f"finding = {json.dumps(rule.finding)}")
    path = folder / f"times{times}.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def prepared(variant: str, tree: Path, scratch: Path) -> Callable[[], dict[str, Any]]:
    """The work of a variant, everything imported."""
    if variant in ("ast", "libcst"):
        import ast

        import libcst

        texts = sources(tree)
        parse: Callable[[str], object] = ast.parse if variant == "ast" else libcst.parse_module

        def parse_all() -> dict[str, Any]:
            for text in texts:
                parse(text)
            return {"files": len(texts), "lines": sum(t.count("\n") for t in texts)}

        return parse_all
    if variant == "tf_upgrade_v2":
        from tensorflow.tools.compatibility import ast_edits, tf_upgrade_v2

        def upgrade() -> dict[str, Any]:
            upgrader = ast_edits.ASTCodeUpgrader(tf_upgrade_v2.TFAPIChangeSpec())
            counted = upgrader.process_tree(str(tree), str(scratch / "peer"), False)
            return {"files": counted[0]}

        return upgrade
    from migrator.engine.options import Options
    from migrator.engine.plan import build_plan
    from migrator.engine.registry import load_transforms

    load_transforms()
    importlib.import_module("migrator.engine.file_jobs")  # planning does so when there is work
    times = {"rules4": 4, "rules16": 16}.get(variant, 1)
    packs = (copies_of_rules(times, scratch),) if times > 1 else ()
    options = Options(jobs=2 if variant == "ours2" else 1, rules=packs)
    if variant == "warm":
        options = replace(options, cache_dir=scratch / "cache")
        build_plan(tree, options)
    if variant == "tree10":
        whole = scratch / "tree10"
        for number in range(10):
            shutil.copytree(tree, whole / f"copy{number}")
        tree = whole

    def ours() -> dict[str, Any]:
        plan = build_plan(tree, options)
        return {"files": len(plan.files), "changed": len(plan.changed)}

    return ours


def measure(variant: str, tree: Path) -> dict[str, Any]:
    """One run of a variant in this process."""
    with tempfile.TemporaryDirectory() as scratch:
        work = prepared(variant, tree, Path(scratch))
        before, started = cpu_seconds(), time.perf_counter()
        facts = work()
        return {
            "cpu": cpu_seconds() - before,
            "wall": time.perf_counter() - started,
            "peak_rss_mb": max(
                resource.getrusage(who).ru_maxrss
                for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
            )
            / 1024,
            **facts,
        }


def cpu_seconds() -> float:
    """User and system seconds of this process and of its finished children."""
    total = 0.0
    for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN):
        usage = resource.getrusage(who)
        total += usage.ru_utime + usage.ru_stime
    return total


def run_child(variant: str, tree: Path) -> dict[str, Any] | None:
    """One run of a variant in a fresh process; None when it cannot run here."""
    done = subprocess.run(
        [sys.executable, __file__, str(tree), "--variant", variant],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        print(f"{variant}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    result: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return result


def main() -> int:
    """Print the table; exit status as the module says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("tree", type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--only", nargs="+", choices=VARIANTS, default=VARIANTS)
    parser.add_argument("--variant", choices=VARIANTS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    tree = arguments.tree.resolve()
    if arguments.variant:
        sys.path.insert(0, str(ROOT))
        print(json.dumps(measure(arguments.variant, tree)))
        return 0
    names = [name for name in VARIANTS if name in arguments.only]
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for _ in range(arguments.repeat):
        for name in names:
            result = run_child(name, tree)
            if result is not None:
                runs[name].append(result)
    summary: dict[str, dict[str, Any]] = {}
    for name, results in runs.items():
        if results:
            summary[name] = {
                "cpu": statistics.median(r["cpu"] for r in results),
                "wall": statistics.median(r["wall"] for r in results),
                "peak_rss_mb": max(r["peak_rss_mb"] for r in results),
                "runs": results,
            }
    if set(names) - summary.keys() - {"tf_upgrade_v2"}:
        print("not every variant ran", file=sys.stderr)
        return 2
    base = summary["libcst"]["cpu"] if "libcst" in summary else None
    print(f"{'variant':<15}{'cpu s':>8}{'x libcst':>10}{'wall s':>8}{'peak MB':>9}")
    for name, row in summary.items():
        row["ratio"] = row["cpu"] / base if base else None
        ratio = f"{row['ratio']:>10.2f}" if base else f"{'':>10}"
        print(
            f"{name:<15}{row['cpu']:>8.2f}{ratio}{row['wall']:>8.2f}{row['peak_rss_mb']:>9.0f}"
        )
    missed = report_aims(summary)
    if arguments.json:
        arguments.json.write_text(json.dumps(summary, indent=1) + "\n", encoding="utf-8")
    return 1 if missed else 0


def report_aims(summary: dict[str, dict[str, Any]]) -> int:
    """Print what was measured for each aim whose variants ran; the number of aims missed."""
    missed = 0
    for what, figure, variant, other, limit in AIMS:
        if variant not in summary or (other and other not in summary):
            continue
        value = summary[variant][figure] / (summary[other][figure] if other else 1.0)
        met = value <= limit
        missed += not met
        times = " times the" if other else ""
        print(f"{'ok' if met else 'MISSED':<7}{value:.2f}{times} {what} (aim: {limit:.3g})")
    return missed


if __name__ == "__main__":
    sys.exit(main())
