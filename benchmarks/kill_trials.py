"""Kills writers and undoers at random instants; prints what was found as JSON.

    python benchmarks/kill_trials.py [--trials 200] [--files 60] [--seed 1]

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

from tests.project.kills import kill_trials


def main() -> int:
    """Run the trials."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=200)
    parser.add_argument("--files", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="migrator-kills-") as folder:
        tally = kill_trials(Path(folder), arguments.trials, arguments.seed, arguments.files)
    print(json.dumps({**vars(arguments), **dataclasses.asdict(tally)}, indent=1))
    return int(bool(tally.neither or tally.undo_wrong))


if __name__ == "__main__":
    sys.exit(main())
