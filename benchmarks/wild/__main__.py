"""Runs wild repositories before and after migration.

    python -m benchmarks.wild list
    python -m benchmarks.wild clone                         # prints the git commands for the sources
    python -m benchmarks.wild run --sources DIR [NAME ...] [--path PATH ...] [--work WORK]
    python -m benchmarks.wild asked --sources DIR [NAME ...] [--path PATH ...]   # what runs fetch and feed
    python -m benchmarks.wild table --work WORK > docs/wild.md         # what runs that end say, together

`run` needs a Python 3.7 with TensorFlow 1.15.5 (--tf1-python, or MIGRATOR_TF1_PYTHON) and a Python
3.11 with TensorFlow 2.21 (--tf2-python, by default this one), both with what the repositories import
(requirements-before.txt and -after.txt here). Exits with 1 if a path fails silently.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.wild import asked, harness, tables
from benchmarks.wild.harness import RepositoryResult, Verdict
from migrator import verify
from migrator.model import to_jsonable


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.wild", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("what", choices=("list", "clone", "run", "asked", "table"))
    parser.add_argument("names", nargs="*", metavar="NAME", help="drivers; by default all")
    parser.add_argument("--sources", type=Path, help="the folder of the cloned repositories")
    parser.add_argument("--work", type=Path, help="where trees and results are kept")
    parser.add_argument("--path", action="append", default=[], help="only this path; may be repeated")
    parser.add_argument("--tf1-python", default="", metavar="PYTHON")
    parser.add_argument("--tf2-python", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--json", type=Path, help="also write all results here")
    arguments = parser.parse_intermixed_args(argv)
    try:
        found = harness.drivers(arguments.names)
        if arguments.what == "list":
            for driver in found:
                print(f"{driver.name:32} {len(driver.paths)} paths  {driver.url}")
            return 0
        if arguments.what == "clone":
            print("\n".join(harness.clone_commands(found)))
            return 0
        if arguments.what == "table":
            if arguments.work is None:
                parser.error("table needs --work, the folder that runs kept their results in")
            sys.stdout.write(tables.page(found, harness.results(arguments.work, found)))
            return 0
        if arguments.sources is None:
            parser.error(f"{arguments.what} needs --sources, the folder of the cloned repositories")
        reference = verify.find_reference(arguments.tf1_python)
    except (harness.WildError, verify.ReferenceError) as error:
        print(error, file=sys.stderr)
        return 2
    if not reference.real_tf1:
        print(f"the originals need TensorFlow 1.15: {reference.why}", file=sys.stderr)
        return 2
    if arguments.what == "asked":
        return _asked(found, arguments.sources, reference, arguments.path)
    work = arguments.work or Path(tempfile.mkdtemp(prefix="migrator-wild-"))
    results = []
    for driver in found:
        def say(text: str, name: str = driver.name) -> None:
            print(f"{name}: {text}", file=sys.stderr, flush=True)

        try:
            result = harness.run(
                driver, arguments.sources, work, reference, arguments.tf2_python,
                arguments.path, say,
            )  # fmt: skip
        except Exception as error:  # one repository's trouble, migrator's crashes among them
            result = RepositoryResult(driver.name, driver.commit,
                                      error=f"{type(error).__name__}: {error}")  # fmt: skip
        results.append(result)
        _print(result)
    if arguments.json:
        arguments.json.write_text(json.dumps(to_jsonable(results), indent=1), encoding="utf-8")
    print(tables.summary(results))
    print(f"trees and results: {work}")
    silent = any(p.verdict is Verdict.SILENT for r in results for p in r.paths)
    return 1 if silent or any(r.error for r in results) else 0


def _asked(
    found: Sequence[harness.Driver], sources: Path, reference: verify.Reference, chosen: Sequence[str]
) -> int:
    silent = False
    for driver in found:
        try:
            answer = asked.run(driver, sources, reference, chosen)
        except harness.WildError as error:
            print(f"{driver.name}: {error}")
            continue
        print(asked.page(driver.name, answer), flush=True)
        silent = silent or any(entry.endswith(asked.SILENT) for entry in answer.unseen)
    return int(silent)


def _print(result: RepositoryResult) -> None:
    if result.error:
        print(f"{result.name:28} {result.error}")
    for path in result.paths:
        said = " ".join(filter(None, (path.finding, path.cause)))
        print(f"{result.name:28} {path.path:20} {'runs' if path.runs else 'fails':6} "
              f"{path.verdict.value:13} {said}", flush=True)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
