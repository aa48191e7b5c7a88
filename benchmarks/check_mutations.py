"""How many broken programs the check of the output notices, and how many right ones it doubts.

    python benchmarks/check_mutations.py TREE ... [--most 3] [--seed 0] [--missed]

Each TREE (or each folder of a TREE with a `before.py`, for the test cases) is migrated in memory. What
the check says of that plan are its *doubts*. Then each changed file is broken in one place at a time, in
the ways in which edits break programs (tests/check/mutations.py), and the check must say more than
before. Exits with 1 when a right program is doubted.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from migrator.check.records import Kind
from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from migrator.model import Status
from migrator.project.marker import is_generated
from tests.check.helpers import Tree
from tests.check.mutations import mutants


def texts_of(root: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The Python files of a tree before and after, as they are planned."""
    plan = build_plan(root, Options(jobs=1))
    old, new = {}, {}
    for file in plan.files:
        if file.path.endswith(".py") and file.status is not Status.FAILED and file.old_text:
            if not is_generated(file.old_text) and not any(c.code == "PY101" for c in file.changes):
                old[file.path] = file.old_text
                new[file.path] = file.old_text if file.new_text is None else file.new_text
    return old, new


def keys(tree: Tree) -> Counter[tuple[Kind, str, str]]:
    """What the check says."""
    return Counter((f.kind, f.path, f.message) for f in tree.faults() if f.kind is not Kind.UNUSED)


def main() -> int:
    """Print a line for each kind of mutant."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tree", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--missed", action="store_true", help="say which were not noticed")
    arguments = parser.parse_args()
    sys.setrecursionlimit(20_000)
    seen: Counter[str] = Counter()
    noticed: Counter[str] = Counter()
    doubts = 0
    for tree in arguments.tree:
        roots = sorted(p.parent for p in tree.rglob("before.py")) or [tree]
        for root in roots:
            old, new = texts_of(root)
            known = keys(Tree(old, new))
            doubts += sum(known.values())
            if known:
                print(f"{root}: doubted: {', '.join(message for _, _, message in known)}")
            for mutant in mutants(old, new, arguments.seed, arguments.most):
                seen[mutant.kind] += 1
                if keys(Tree(old, mutant.texts)) - known:
                    noticed[mutant.kind] += 1
                elif arguments.missed:
                    print(f"missed: {mutant.kind} {root}/{mutant.path}:{mutant.line}")
    for kind in sorted(seen):
        print(f"{kind:<12}{noticed[kind]:>6} of {seen[kind]:>6} noticed")
    print(f"{sum(noticed.values())} of {sum(seen.values())} noticed; {doubts} right places doubted")
    return int(bool(doubts))


if __name__ == "__main__":
    sys.exit(main())
