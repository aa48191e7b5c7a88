"""Makes the saved results of samples/memory_lab and the pages from them.

    python samples/make_memory_lab.py measure [NAME ...]    measures and predicts (minutes, no GPU needed)
    python samples/make_memory_lab.py report [NAME ...]     build/reports/NAME.html from saved results

Results lie in samples/reports/NAME; without names, all are made.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SAMPLES = Path(__file__).resolve().parent
LAB = SAMPLES / "memory_lab"
PAGES = SAMPLES.parent / "build" / "reports"
ONE = ["--sides", "after", "--repeats", "1", "--executions", "function", "--timeout", "30m"]
# name: (title, options of measure or None, options of predict or None)
CASES: dict[str, tuple[str, list[str] | None, list[str] | None]] = {
    "tiny_and_deep_yolo": (
        "Tiny YOLOv4 against a deeper one, batch 16 and 32",
        ["yolo.toml", *ONE, "--batches", "16,32", "--precisions", "float32", "--steps", "2"],
        ["yolo.toml", "--batches", "1,16,32", "--precisions", "float32"],
    ),
    "small_image": (
        "A model of 15 MB and an image of 3 kB: why gigabytes?",
        ["small_image.toml", *ONE, "--batches", "8,32", "--precisions", "float32", "--steps", "2",
         "--strategies", "accumulate:4,recompute"],
        ["small_image.toml", "--batches", "1,32,256", "--target", "256"],
    ),
    "detectors_across_gpus": (
        "The same detectors across GPUs, predicted",
        None,
        ["detectors.toml", "--batches", "1,16"],
    ),
    "initialisation": (
        "What a model needs just to be there",
        ["initialisation.toml", *ONE, "--batches", "1,8", "--precisions", "float32", "--steps", "3"],
        None,
    ),
}  # fmt: skip


def migrator(*arguments: str) -> None:
    """Runs one command of migrator, and stops where it fails."""
    subprocess.run([sys.executable, "-m", "migrator", *arguments], check=True, cwd=SAMPLES.parent)


def measure(name: str) -> None:
    _, measured, predicted = CASES[name]
    out = SAMPLES / "reports" / name
    for command, options in (("predict", predicted), ("measure", measured)):
        if options is not None:
            file, *rest = options
            migrator(command, str(LAB), "--workloads", str(LAB / file), *rest, "--out", str(out))


def report(name: str) -> None:
    title, _, predicted = CASES[name]
    target = ["--target", "256"] if predicted and "256" in predicted else []
    migrator(
        "report", str(LAB), "--results", str(SAMPLES / "reports" / name), "--title", title,
        "--out", str(PAGES / f"{name}.html"), *target,
    )  # fmt: skip


def main() -> None:
    if sys.argv[1:2] not in (["measure"], ["report"]) or set(sys.argv[2:]) - set(CASES):
        sys.exit(f"{__doc__}\nNames: {', '.join(CASES)}")
    for name in sys.argv[2:] or CASES:
        (measure if sys.argv[1] == "measure" else report)(name)


if __name__ == "__main__":
    main()
