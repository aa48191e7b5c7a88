"""Makes the pictures of the docs from what the commands really print, and from saved results.

    python docs/images/make.py                 all of them
    python docs/images/make.py reports         those of pages made from samples/reports
    python docs/images/make.py gpu             those of samples/reports/h100, measured on an H100

Works on a copy of samples/ssd_mobilenet_v1; needs git, Chromium, ChromeDriver, selenium and, for the printed
page, pdftoppm.
"""

from __future__ import annotations

import base64
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

from tests.report.browser import chromium

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COLUMNS = 118
_PROGRAM = "from migrator.cli.main import main; main()"
_PAGE = """<!doctype html><meta charset="utf-8"><style>
body{{margin:0;background:#272822;padding:14px 18px;width:max-content}}
pre{{margin:0;font:13px/1.35 "DejaVu Sans Mono",Menlo,monospace;color:{foreground}}}
{stylesheet}</style><body><pre>{code}</pre>"""


def shell(repo: Path, *command: str) -> str:
    """What a command prints on a terminal, errors included."""
    environment = {
        **os.environ, "PYTHONPATH": str(ROOT), "FORCE_COLOR": "1", "COLUMNS": str(COLUMNS),
        "GIT_AUTHOR_NAME": "You", "GIT_AUTHOR_EMAIL": "you@example.org", "GIT_PAGER": "cat",
        "GIT_COMMITTER_NAME": "You", "GIT_COMMITTER_EMAIL": "you@example.org", "TTY_COMPATIBLE": "1",
    }  # fmt: skip
    program = (sys.executable, "-c", _PROGRAM) if command[0] == "migrator" else (command[0],)
    done = subprocess.run(
        [*program, *command[1:]], cwd=repo, env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    return done.stdout


def terminal(driver: object, name: str, parts: list[tuple[str, str]], lines: int = 44) -> None:
    """A picture of commands and what they print, cut after `lines` lines."""
    shown: list[str] = []
    for command, output in parts:
        kept = [line for line in output.splitlines() if "\u2501" not in line]  # no progress bars
        text = "\n".join(kept).replace("\x1b[?25l", "").replace("\x1b[?25h", "").strip("\r\n")
        shown += [f"\x1b[1;32m$\x1b[0m {command}", *text.splitlines()]
    if len(shown) > lines:
        shown = [*shown[:lines], f"\x1b[2m... {len(shown) - lines} more lines\x1b[0m"]
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)
    console.print(Text.from_ansi("\n".join(shown)), soft_wrap=True)
    page = console.export_html(theme=MONOKAI, code_format=_PAGE)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "terminal.html"
        file.write_text(page, encoding="utf-8")
        driver.get(file.as_uri())  # type: ignore[attr-defined]
        body = driver.find_element("tag name", "body")  # type: ignore[attr-defined]
        body.screenshot(str(HERE / f"{name}.png"))


def page(
    driver: object, name: str, file: Path, size: tuple[int, int], place: str = "", scheme: str = "light"
) -> None:
    """A picture of a page from its top, or from the part `place` ("#cards") of it.

    Raises FileNotFoundError: a browser would show its own page for that.
    """
    file = file.resolve(strict=True)
    preferred = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", preferred)  # type: ignore[attr-defined]
    driver.set_window_size(*size)  # type: ignore[attr-defined]
    driver.get("about:blank")  # type: ignore[attr-defined]
    driver.get(file.as_uri() + place)  # type: ignore[attr-defined]
    time.sleep(1)
    driver.save_screenshot(str(HERE / f"{name}.png"))  # type: ignore[attr-defined]


def phone(driver: object, name: str, file: Path) -> None:
    """A picture of a page as a phone shows it."""
    screen = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)  # type: ignore[attr-defined]
    driver.get(file.as_uri())  # type: ignore[attr-defined]
    time.sleep(1)
    driver.save_screenshot(str(HERE / f"{name}.png"))  # type: ignore[attr-defined]
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})  # type: ignore[attr-defined]


def printed(driver: object, name: str, file: Path) -> None:
    """A picture of the first sheet of a page that is printed."""
    driver.get(file.as_uri())  # type: ignore[attr-defined]
    data = driver.execute_cdp_cmd("Page.printToPDF", {})["data"]  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "page.pdf").write_bytes(base64.b64decode(data))
        subprocess.run(["pdftoppm", "-png", "-r", "100", "-singlefile", "page.pdf", str(HERE / name)],
                       cwd=scratch, check=True)  # fmt: skip


def committed(folder: Path) -> Path:
    """The sample in a git repository of its own."""
    repo = folder / "ssd_mobilenet_v1"
    shutil.copytree(ROOT / "samples" / "ssd_mobilenet_v1", repo)
    for command in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-qm", "As it was in 2018")):
        shell(repo, "git", *command)
    return repo


def reports() -> None:
    """Make the pictures of reports."""
    results = ROOT / "samples" / "reports"
    with tempfile.TemporaryDirectory() as scratch, chromium(1200, 1500) as driver:
        ssd, cards = Path(scratch) / "ssd.html", Path(scratch) / "cards.html"
        repo = committed(Path(scratch))
        shell(repo, "migrator", "migrate", ".")
        for file in (results / "ssd_mobilenet_v1").iterdir():
            shutil.copy(file, repo / ".migrator")
        shell(repo, "migrator", "report", ".", "--out", str(ssd))
        shell(ROOT, "migrator", "report", "samples/memory_lab", "--results",
              str(results / "detectors_across_gpus"), "--out", str(cards))  # fmt: skip
        page(driver, "report", ssd, (1200, 1500))
        page(driver, "report-memory", ssd, (1200, 1500), "#memory")
        page(driver, "report-cards", cards, (1040, 1250), "#cards")
        phone(driver, "report-phone", ssd)
        page(driver, "report-dark", ssd, (1200, 1000), scheme="dark")
        printed(driver, "report-print", ssd)  # a dark page is printed on white


def gpu() -> None:
    """Make the pictures of results of an H100."""
    folders = [f"samples/reports/h100/{name}" for name in ("lab", "ssd", "train")]
    with tempfile.TemporaryDirectory() as scratch, chromium(1200, 1700) as driver:
        out = Path(scratch) / "h100.html"
        shell(ROOT, "migrator", "report", *folders, "--title", "NVIDIA H100", "--out", str(out))
        page(driver, "report-h100", out, (1200, 1700))
        phone(driver, "report-h100-phone", out)
        page(driver, "report-h100-dark", out, (1200, 1000), scheme="dark")
        printed(driver, "report-h100-print", out)  # a dark page is printed on white


def tutorial() -> None:
    """Make the pictures of the tutorial."""
    with tempfile.TemporaryDirectory() as scratch, chromium(1280, 1500) as driver:
        repo = committed(Path(scratch))
        terminal(driver, "tutorial-scan", [
            ("migrator scan .", shell(repo, "migrator", "scan", ".").replace(f"{scratch}/", ""))
        ])
        diff = shell(repo, "migrator", "migrate", ".", "--diff", "--only-files", "evaluate.py")
        terminal(driver, "tutorial-diff", [("migrator migrate . --diff --only-files evaluate.py", diff)], 60)
        shell(repo, "migrator", "migrate", ".", "--review", "../review.html")
        driver.set_window_size(1280, 900)
        driver.get((repo.parent / "review.html").as_uri())
        time.sleep(1)
        driver.save_screenshot(str(HERE / "tutorial-review.png"))
        driver.find_element("name", "file").send_keys("train.py")
        driver.find_element("css selector", 'select[name=kind] option[value=""]').click()
        time.sleep(0.2)
        driver.save_screenshot(str(HERE / "tutorial-filter.png"))
        driver.set_window_size(1280, 1500)
        said = shell(repo, "migrator", "migrate", ".", "--commit")
        said = "\n".join(said.splitlines()[-12:])
        log = shell(repo, "git", "log", "--oneline", "--shortstat", "--no-color")
        terminal(driver, "tutorial-commit", [
            ("migrator migrate . --commit | tail -12", said), ("git log --oneline --shortstat", log),
        ])  # fmt: skip


def main() -> None:
    """Make all pictures, or those that are asked for."""
    makers = {"tutorial": tutorial, "reports": reports, "gpu": gpu}
    for name in sys.argv[1:] or makers:
        makers[name]()


if __name__ == "__main__":
    main()
