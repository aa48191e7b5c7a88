"""Fuzzes the loaders of every file format with atheris (coverage-guided); prints JSON.

    pip install 'migrator[fuzz]'
    python benchmarks/fuzz_loaders.py [--runs 20000] [--only notebook]

Each loader runs in a process of its own, from its good files on. Exit code 1 if one of them raised
anything but what it may say about bad input; the input that did is printed.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

_CHILD = "--child"


def child(name: str) -> None:
    """Fuzz one loader; the rest of the command line is libFuzzer's."""
    import atheris

    with atheris.instrument_imports(include=["migrator", "pygls"]):
        from tests.project.loaders import LOADERS

    atheris.Setup([sys.argv[0], *sys.argv[3:]], LOADERS[name])
    atheris.Fuzz()


def fuzz(name: str, seeds: list[bytes], runs: int) -> dict[str, object]:
    """What came of `runs` inputs for one loader."""
    with tempfile.TemporaryDirectory(prefix="migrator-fuzz-") as scratch:
        corpus = Path(scratch) / "corpus"
        corpus.mkdir()
        for number, data in enumerate(seeds):
            (corpus / f"seed-{number}").write_bytes(data)
        done = subprocess.run(
            [sys.executable, __file__, _CHILD, name, f"-runs={runs}", "-max_len=4096", "-seed=1",
             "-rss_limit_mb=3000", f"-artifact_prefix={scratch}/", str(corpus)],
            capture_output=True, text=True, errors="replace", timeout=3600,
        )  # fmt: skip
        found = re.findall(r"^#(\d+)", done.stderr, re.MULTILINE)
        coverage = re.findall(r"cov: (\d+)", done.stderr)
        result: dict[str, object] = {
            "loader": name, "runs": int(found[-1]) if found else 0,
            "coverage": int(coverage[-1]) if coverage else 0, "exit": done.returncode,
        }  # fmt: skip
        if done.returncode:
            result["said"] = done.stderr[-3000:]
            result["input"] = [
                repr(p.read_bytes()) for p in Path(scratch).iterdir() if p.is_file()
            ]
        return result


def main() -> int:
    """Fuzz all loaders, or some."""
    if sys.argv[1:2] == [_CHILD]:
        child(sys.argv[2])
        return 0
    from tests.project.loaders import LOADERS, SEEDS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--only", choices=sorted(LOADERS), action="append")
    arguments = parser.parse_args()
    try:
        import atheris  # noqa: F401
    except ImportError:
        print("atheris is not installed: pip install 'migrator[fuzz]'", file=sys.stderr)
        return 2
    results = [fuzz(n, SEEDS[n], arguments.runs) for n in arguments.only or sorted(LOADERS)]
    print(json.dumps(results, indent=1))
    return int(any(result["exit"] for result in results))


if __name__ == "__main__":
    sys.exit(main())
