"""Runs the engine over programs that nobody chose, and prints what must not be as JSON.

    python benchmarks/fuzz.py stdlib                      every .py of the running Python's library
    python benchmarks/fuzz.py packages [--keep FOLDER]    20 large packages from PyPI
    python benchmarks/fuzz.py programs [--cases 10000]    programs made by hypothesis and hypothesmith
                                                          (those with a problem go to stderr)
    python benchmarks/fuzz.py mutated TREE ... [--cases 3000]
                                                          real TensorFlow programs of these trees, each
                                                          changed in 1 to 4 places, planned and checked
                                                          as a project of its own

Exit code 1 for any problem: a crash, a rewrite that was withdrawn (TF000), output that does not parse,
a second run that changes something again, a statement without edits whose tree is another one, a
changed file without TensorFlow; of mutated programs, a comment that is lost.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from migrator.model import Status
from tests.engine import fuzzing, mutated

# Large, pure Python in good part, and none of them uses TensorFlow 1 itself.
PACKAGES = (
    "ansible-core", "astropy", "babel", "black", "botocore", "celery", "django", "docutils",
    "ipython", "matplotlib", "mypy", "networkx", "nltk", "pandas", "pygments", "scikit-learn",
    "sphinx", "sqlalchemy", "sympy", "twisted",
)  # fmt: skip


def over(files: list[Path], base: Path, tally: fuzzing.Tally) -> None:
    """Examine real files."""
    for number, path in enumerate(files):
        text = fuzzing.read(path)
        if text is not None:
            tally.add(path.relative_to(base).as_posix(), text)
        if number % 500 == 499:
            print(f"{number + 1} of {len(files)}", file=sys.stderr, flush=True)


def stdlib(tally: fuzzing.Tally) -> None:
    """The standard library, its tests included."""
    base = Path(sysconfig.get_path("stdlib"))
    files = sorted(p for p in base.rglob("*.py") if "site-packages" not in p.parts)
    over(files, base, tally)
    tally.tree("stdlib", base)


def packages(tally: fuzzing.Tally, keep: Path) -> None:
    """PyPI packages, downloaded without what they depend on, unpacked, never installed or run."""
    keep.mkdir(parents=True, exist_ok=True)
    for name in PACKAGES:
        target = keep / name
        if not target.is_dir():
            with tempfile.TemporaryDirectory() as scratch:
                subprocess.run(
                    [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                     "--only-binary", ":all:", "--dest", scratch, name], check=True,
                )  # fmt: skip
                (archive,) = Path(scratch).iterdir()
                _unpack(archive, target)
        over(sorted(target.rglob("*.py")), keep, tally)
        tally.tree(name, target)


def _unpack(archive: Path, target: Path) -> None:
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(target)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(target, filter="data")


def programs(tally: fuzzing.Tally, cases: int, start: int) -> None:
    """A third each: TensorFlow 1 programs, any syntax, and any syntax with TensorFlow 1 in it."""
    import hypothesmith

    kinds = {
        "tensorflow": fuzzing.tensorflow_programs(),
        "grammar": hypothesmith.from_grammar(),
        "seeded": st.builds(fuzzing.seeded, hypothesmith.from_grammar(), st.integers(0, 9999)),
    }
    for number, (kind, strategy) in enumerate(kinds.items()):
        wanted = cases // len(kinds) + (number == 0) * (cases % len(kinds))
        done = 0
        while done < wanted:  # many small runs: hypothesis slows down with the length of one
            done += _batch(tally, kind, strategy, done, min(200, wanted - done), start)
            print(f"{kind}: {done} of {wanted}", file=sys.stderr, flush=True)


def _batch(
    tally: fuzzing.Tally, kind: str, strategy: st.SearchStrategy[str], first: int, count: int,
    start: int,
) -> int:  # fmt: skip
    """Examine up to `count` programs; how many there were."""
    before = tally.programs

    @seed(start * 1_000_000 + first)
    @settings(
        max_examples=count, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def examine(text: str) -> None:
        known = len(tally.problems)
        tally.add(f"{kind}-{first + tally.programs - before}.py", text)
        for name, problem in tally.problems[known:]:
            print(json.dumps({"name": name, "problem": problem, "text": text}), file=sys.stderr)

    examine()
    return max(tally.programs - before, 1)


def mutants(tally: fuzzing.Tally, trees: list[Path], cases: int, start: int) -> None:
    """Mutated real programs, by turns of all files that speak of TensorFlow."""
    files = [path for tree in trees for path in sorted(tree.rglob("*.py")) if path.is_file()]
    texts = [(path, text) for path in files if (text := fuzzing.read(path)) and "tensorflow" in text]
    texts = [(path, text) for path, text in texts if mutated.compiles(text)]
    if not texts:
        sys.exit("no program in these trees imports TensorFlow")
    for number in range(cases):
        chosen = random.Random(start * 1_000_000 + number)
        path, text = chosen.choice(texts)
        text = mutated.mutated(text, chosen)
        result, problems = mutated.examine(text)
        tally.programs += 1
        if result is not None:
            tally.changed += result.status is Status.CHANGED
            tally.failed += result.status is Status.FAILED
        tally.problems += [(f"{number} {path.name}", problem) for problem in problems]
        for problem in problems:
            print(f"case {number} ({path}): {problem}", file=sys.stderr, flush=True)
        if number % 100 == 99:
            print(f"{number + 1} of {cases}", file=sys.stderr, flush=True)


def main() -> int:
    """Run one part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=("stdlib", "packages", "programs", "mutated"))
    parser.add_argument("tree", nargs="*", type=Path)
    parser.add_argument("--cases", type=int, help="default: 10000 programs, 3000 mutated ones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, default=Path(tempfile.gettempdir()) / "migrator-fuzz")
    arguments = parser.parse_args()
    sys.setrecursionlimit(20_000)
    started = time.process_time()
    tally = fuzzing.Tally()
    if arguments.part == "stdlib":
        stdlib(tally)
    elif arguments.part == "packages":
        packages(tally, arguments.keep)
    elif arguments.part == "mutated":
        mutants(tally, arguments.tree, arguments.cases or 3_000, arguments.seed)
    else:
        programs(tally, arguments.cases or 10_000, arguments.seed)
    found = dataclasses.asdict(tally) | {"cpu_seconds": round(time.process_time() - started, 1)}
    print(json.dumps({"part": arguments.part, **found}, indent=1))
    return int(bool(tally.problems))


if __name__ == "__main__":
    sys.exit(main())
