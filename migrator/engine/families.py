"""Splits a plan into steps, one for each family of rules, whose sum is exactly the plan.

Each step leaves every file such that it parses and binds the names that it uses, so that the history
can be bisected; where a file cannot be split like that, all of it goes into one step.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from migrator.engine import partial
from migrator.model import Change, FileResult, Plan
from migrator.project.diff import lines_of
from migrator.project.linediff import matcher

# Beginning of the codes -> what the step does, in the order in which the steps are made: what other
# steps build on first.
FAMILIES = {
    "PY1": "Translate Python 2 to Python 3",
    "DEP": "Pin what the migrated program needs",
    "PB": "Renew generated protobuf modules",
    "PY2": "Replace what numpy, scipy and the standard library have dropped",
    "TF1": "Call TensorFlow symbols by their TensorFlow 2 names and arguments",
    "TF2": "Replace contrib, slim and layers by the support package",
    "TF4": "Set GPUs and precision up in TensorFlow 2's way",
    "TF5": "Read input with TensorFlow 2's data sets",
    "TF6": "Write checkpoints and summaries with TensorFlow 2",
    "TF3": "Turn sessions into functions",
    "TF7": "Run tests eagerly",
    "TF0": "Leave on tf.compat.v1 what has no native rewrite yet",
}
SUPPORT = "support"
OTHER = "Apply the other rules"


@dataclass
class Step:
    """One step: `texts` by path as they are after it, and the changes that it makes."""

    family: str
    title: str
    texts: dict[str, str] = field(default_factory=dict)
    changes: dict[str, list[Change]] = field(default_factory=dict)


def family_of(code: str) -> str:
    """The key in FAMILIES that a code belongs to; its letters for a rule pack's own codes."""
    for family in FAMILIES:
        if code.startswith(family):
            return family
    return code.rstrip("0123456789") or code


def split(plan: Plan) -> list[Step]:
    """The steps of a plan, the support package first where there is one; empty ones left out."""
    per_file = {result.path: _file(result) for result in plan.changed}
    used = {family for steps in per_file.values() for family, _, _ in steps}
    order = [family for family in FAMILIES if family in used]
    order += sorted(used - set(order))
    steps = []
    if plan.support_files:
        title = "Add the support package that the migrated code uses"
        if not any(text for _, text in plan.support_files):
            title = "Take the support package out: the code uses tf1-support"
        steps.append(Step(SUPPORT, title, dict(plan.support_files)))
    for family in order:
        step = Step(family, FAMILIES.get(family, OTHER))
        for path, parts in per_file.items():
            for name, text, changes in parts:
                if name == family:
                    step.texts[path] = text
                    step.changes[path] = changes
        steps.append(step)
    return steps


@dataclass
class _Block:
    """Lines `old` (half-open, from 0) that become `new`, and the changes that touch them."""

    old: tuple[int, int]
    new: tuple[int, int]
    changes: list[Change]
    family: str


def _file(result: FileResult) -> list[tuple[str, str, list[Change]]]:
    """(family, text after its step, changes of the step), in the order of the families."""
    old, new = lines_of(result.old_text), lines_of(result.new_text or "")
    for fine in (True, False):
        found = _steps(result, old, new, _blocks(result, old, new, fine))
        if found is not None:
            return found
    return [(_main(result), result.new_text or "", list(result.changes))]


def _blocks(result: FileResult, old: list[str], new: list[str], fine: bool) -> list[_Block]:
    """What differs; with `fine`, lines that were replaced one by one are blocks of their own."""
    blocks = []
    for tag, low, high, new_low, new_high in matcher(old, new).get_opcodes():
        if tag == "equal":
            continue
        pairs = [((low, high), (new_low, new_high))]
        if fine and high - low == new_high - new_low:
            shift = new_low - low
            pairs = [((n, n + 1), (n + shift, n + shift + 1)) for n in range(low, high)]
        for (a, b), after in pairs:
            first, last = (a + 1, b) if b > a else (a, a + 1)
            changes = [c for c in result.changes if c.line <= last and c.end_line >= first]
            exact = [c for c in changes if first <= c.line and c.end_line <= last] or changes
            # what several families touch can only be as it is in the end
            family = max((family_of(c.code) for c in exact), key=_rank, default="")
            blocks.append(_Block((a, b), after, exact, family))
    return blocks


def _steps(
    result: FileResult, old: list[str], new: list[str], blocks: list[_Block]
) -> list[tuple[str, str, list[Change]]] | None:
    """See `_file`; None where some step would leave a file that does not run."""
    present = sorted({block.family for block in blocks if block.family}, key=_rank)
    if len(present) < 2:
        return None
    # What no rule claims (imports) comes with the first step: a name too many breaks nothing.
    for block in blocks:
        block.family = block.family or present[0]
    found: list[tuple[str, str, list[Change]]] = []
    told: set[Change] = set()
    for number, family in enumerate(present):
        last = number == len(present) - 1
        text = _text(old, new, blocks, _rank(family))
        if not last and partial.problem(result, text):
            # an import goes only with the last use of its name
            for block in blocks:
                if block.family == family and _imports(old[slice(*block.old)]):
                    block.family = present[number + 1]
            text = _text(old, new, blocks, _rank(family))
            if partial.problem(result, text):
                return None
        changes = [c for block in blocks if block.family == family for c in block.changes]
        fresh = [change for change in dict.fromkeys(changes) if change not in told]
        told.update(fresh)
        if fresh or last:
            found.append((family, text, fresh))
    rest = [change for change in result.changes if change not in told]
    family, text, changes = found[-1]
    found[-1] = (family, text, [*changes, *rest])
    return found


def _text(old: list[str], new: list[str], blocks: list[_Block], limit: tuple[int, str]) -> str:
    """The text with the blocks of all families up to `limit`."""
    parts: list[str] = []
    at = 0
    for block in blocks:
        parts += old[at : block.old[0]]
        take = _rank(block.family) <= limit
        parts += new[slice(*block.new)] if take else old[slice(*block.old)]
        at = block.old[1]
    return "".join([*parts, *old[at:]])


def _imports(lines: list[str]) -> bool:
    return bool(lines) and all(
        line.strip().startswith(("import ", "from ")) or not line.strip() for line in lines
    )


def _main(result: FileResult) -> str:
    """The family that most of a file's changes belong to."""
    counted = Counter(family_of(change.code) for change in result.changes)
    return min(counted, key=lambda f: (-counted[f], _rank(f)), default="TF1")


def _rank(family: str) -> tuple[int, str]:
    names = list(FAMILIES)
    return (names.index(family) if family in FAMILIES else len(names), family)


def message(step: Step, tool_version: str) -> str:
    """The step's commit message: what it does, then each rule with its reason and places."""
    edits = sum(map(len, step.changes.values()))
    files = len(step.texts)
    if step.family == SUPPORT:
        head = f"{step.title}\n\n{files} generated files; they depend on TensorFlow 2 only.\n"
        return f"{head}\nMade by migrator {tool_version}.\n"
    lines = [step.title, ""]
    lines.append(f"{edits} edit{'s' * (edits != 1)} in {files} file{'s' * (files != 1)}:")
    by_code: dict[str, list[tuple[str, Change]]] = {}
    for path, changes in step.changes.items():
        for change in changes:
            by_code.setdefault(change.code, []).append((path, change))
    for code, places in sorted(by_code.items()):
        reasons = Counter(change.reason for _, change in places)
        inside = len({path for path, _ in places})
        lines += ["", f"{code}: {len(places)} in {inside} file{'s' * (inside != 1)}"]
        for reason, number in reasons.most_common(_REASONS):
            lines.append(f"  {number:>4} x {_line(reason)}")
        if len(reasons) > _REASONS:
            lines.append(f"       and {len(reasons) - _REASONS} other reasons")
        unsure: dict[tuple[str, str], list[int]] = {}
        for path, change in places:
            if change.confidence.value != "proven":
                unsure.setdefault((change.confidence.value, path), []).append(change.line)
        for (confidence, path), numbers in unsure.items():
            shown = ", ".join(map(str, sorted(set(numbers))))
            lines.append(f"  {confidence}, please look: {path}:{shown}")
    return "\n".join([*lines, "", f"Made by migrator {tool_version}."]) + "\n"


_REASONS = 8


def _line(text: str) -> str:
    """One line of a message, whatever the text holds (a reason can quote source code)."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:160]
