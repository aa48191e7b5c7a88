"""What runs of wild repositories came to, as the page docs/wild.md."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.wild.harness import Driver, PathResult, RepositoryResult, Verdict

_HEAD = """# Wild repositories

Repositories as people published them, run before their migration on TensorFlow 1.15.5 and after it on
TensorFlow 2.21. Each has a driver (benchmarks/wild, whose README says how to run them) that takes the paths
people take: trains, goes on from a checkpoint, evaluates, exports. *Equal* are exit code, printed numbers,
checkpoints, event files, pictures and all other files that a path left. A *finding* says at the place that a
person must act. *Silent* is a path that fails or differs where nothing says so: each is a defect of
migrator. This page is written by `python -m benchmarks.wild table`.
"""


def page(drivers: Sequence[Driver], results: Sequence[RepositoryResult]) -> str:
    """The whole page: a row for each repository, and one for each path that is not equal."""
    urls = {d.name: d for d in drivers}
    rows = [
        _HEAD, summary(results) + ".", "",
        "| repository | paths | run | equal | finding | silent |", "| --- | --- | --- | --- | --- | --- |",
    ]  # fmt: skip
    for result in results:
        driver = urls[result.name]
        counted = [p for p in result.paths if p.verdict is not Verdict.NO_REFERENCE]
        of = {v: sum(p.verdict is v for p in counted) for v in Verdict}
        name = driver.folder.replace("+", "/")
        cells = [f"[{name}]({driver.url})"]
        cells += [result.error] * 5 if result.error else [
            ", ".join(p.path for p in counted), str(sum(p.runs for p in counted)),
            str(of[Verdict.EQUAL]), str(of[Verdict.FINDING]), str(of[Verdict.SILENT]),
        ]  # fmt: skip
        rows.append(f"| {' | '.join(cells)} |")
    left = [d.name for d in drivers if d.name not in {r.name for r in results}]
    if left:
        rows += ["", f"Not run for this page: {', '.join(left)}."]
    rows += ["", "## What is not equal", "", "| repository | path | runs | finding | cause |",
             "| --- | --- | --- | --- | --- |"]  # fmt: skip
    rows += [_row(r.name, p) for r in results for p in r.paths
             if p.verdict in (Verdict.FINDING, Verdict.SILENT)]  # fmt: skip
    return "\n".join([*rows, ""])


def summary(results: Sequence[RepositoryResult]) -> str:
    """How many paths came out how."""
    paths = [p for r in results for p in r.paths]
    counts = [f"{sum(p.verdict is v for p in paths)} {v.value}" for v in Verdict]
    return f"{len(results)} repositories, {len(paths)} paths: " + ", ".join(counts)


def _row(name: str, path: PathResult) -> str:
    cause = " ".join(path.cause.replace("|", "\\|").split())[:200]
    runs = "yes" if path.runs else "no"
    return f"| {name} | {path.path} | {runs} | {path.finding or 'none: silent'} | {cause} |"
