"""Writes docs/rules/codes.md: every code that a change or finding may have, in one table.

    python rules/tools/make_codes.py [--check]

With --check nothing is written; the exit status says whether the page is up to date.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from migrator.engine import codes
from migrator.engine.options import Options
from migrator.engine.ruleset import load_ruleset

PAGE = Path(__file__).resolve().parents[2] / "docs" / "rules" / "codes.md"
PAGES = {"TF1": "tf1.md", "TF2": "tf2.md", "PY": "python.md"}  # of rules/tools/make_docs.py
HEAD = """<!-- Written by rules/tools/make_codes.py; do not edit. -->
# Codes

Every change and finding has a code. `migrator explain CODE` says the same with the symbols and examples,
`--select` and `--ignore` take codes or their beginnings, `# migrator: ignore[CODE]` leaves a line alone.

`TF0` the engine itself, `TF1` renames and calls, `TF2` contrib, slim and layers, `TF3` sessions and graphs,
`TF4` GPUs and precision, `TF5` input, `TF6` checkpoints and summaries, `TF7` tests, `PY1` Python 2, `PY2`
other libraries, `DEP` requirements, `PB` generated protobuf code.

| code | what it is | why | rules |
| --- | --- | --- | --- |
"""


def page() -> str:
    """The page's text."""
    packs = load_ruleset(Options()).packs
    rules = Counter(rule.code for rule in packs.rules)
    lines = []
    for name, code in codes.every(packs).items():
        number = ""
        if rules[name]:
            place = next((page for prefix, page in PAGES.items() if name.startswith(prefix)), "")
            number = f"[{rules[name]}]({place})" if place else str(rules[name])
        cells = (name, code.title, code.why, number)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n")
    return HEAD + "".join(lines)


def main() -> int:
    """Write the page, or say whether it is out of date."""
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == page():
        print("up to date")
        return 0
    if "--check" in sys.argv:
        print(f"{PAGE.name} is out of date")
        return 1
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
