"""Kills writers and undoers at random instants; prints what was found as JSON.

    python benchmarks/kill_trials.py [--trials 200] [--files 60] [--seed 1] [--kinds graphs package]

The plans are those of tests/project/kills.py: renames of many files, programs that share graphs, a support
package that becomes the distribution, decisions about hunks; `--trials` of all kinds together.

Exit code 1 if any file was neither old nor new, or any undo was not exact.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.project.kills import KINDS, kill_trials


def main() -> int:
    """Run the trials."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    arguments = parser.parse_args()
    each = -(-arguments.trials // len(arguments.kinds))
    tallies = {}
    for kind in arguments.kinds:
        with tempfile.TemporaryDirectory(prefix="migrator-kills-") as folder:
            tallies[kind] = kill_trials(Path(folder), each, arguments.seed, arguments.files, kind)
    found = {kind: dataclasses.asdict(tally) for kind, tally in tallies.items()}
    print(json.dumps({**vars(arguments), "found": found}, indent=1))
    return int(any(tally.neither or tally.undo_wrong for tally in tallies.values()))


if __name__ == "__main__":
    sys.exit(main())
