"""What the check of the output costs: CPU time of a dry run with it, next to one without.

    python benchmarks/check_cost.py TREE [TREE ...] [--repeat 5]

Both run in fresh processes, one worker, no cache, in turns, and their whole time counts, the start of Python
too; the least of each. What is taken back is migrated again: that time is part of the check's. Exits with 1
where it is 15 % or more of the rest, for all trees together.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
AIM = 0.15


def plan(tree: Path, checked: bool) -> None:
    """One plan in this process."""
    from migrator.analysis.index import ProjectIndex
    from migrator.engine.options import Options
    from migrator.engine.plan import build_plan

    if not checked:
        ProjectIndex.uses_tensorflow = False  # type: ignore[assignment]
    build_plan(tree, Options(jobs=1))


def measured(tree: Path, checked: bool) -> float:
    """CPU seconds of `plan` in a fresh process."""
    command = [sys.executable, __file__, str(tree), "--one", str(int(checked))]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=ROOT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Print a line for each tree."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tree", nargs="+", type=Path)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one is not None:
        sys.path.insert(0, str(ROOT))
        plan(arguments.tree[0].resolve(), bool(arguments.one))
        return 0
    sums = [0.0, 0.0]
    for tree in arguments.tree:
        pairs = [(measured(tree, True), measured(tree, False)) for _ in range(arguments.repeat)]
        whole, bare = map(min, zip(*pairs, strict=True))
        sums = [sums[0] + whole, sums[1] + bare]
        more = f"with the check {whole:7.2f} s: {whole / bare - 1:+.1%}"
        print(f"{tree.name:<45} {bare:7.2f} s, {more}", flush=True)
    share = sums[0] / sums[1] - 1
    print(f"{share:.1%} (aim: under {AIM:.0%})")
    return int(share >= AIM)


if __name__ == "__main__":
    sys.exit(main())
