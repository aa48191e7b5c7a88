"""The four answers that a report opens with: equal? memory? speed? left for you?

An answer is "yes" only where something ran, or was counted, that shows it; where nothing did, it is
"not known", and says what would tell.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from migrator.measure.records import Measurement
from migrator.report import compared, text
from migrator.report.compared import Pair, Verdict
from migrator.report.model import NO, UNKNOWN, YES, Answer
from migrator.report.orders import Order

LEFT = ("manual", "compat")
LEFT_OUT = "not compared"  # the workload of what `verify` found and does not know how to run
_KIND = {"equal": YES, "not run": UNKNOWN}


def _number(value: Any) -> str:
    return "–" if value is None else "0" if value == 0 else f"{value:.1e}"


def equal(verify: dict[str, Any] | None, stale: str = "") -> Answer:
    """Whether the migrated program computes the same.

    stale: what changed in the repository after the comparison, "" for nothing.
    """
    fixed = {"id": "equal", "label": "Equal?", "question": "Does it compute the same?"}
    if verify is None:
        return Answer(
            **fixed, verdict=UNKNOWN, link="", more="",
            line="Nothing was compared. `migrator verify .` runs both on the same weights and inputs.",
        )  # fmt: skip
    checks, reference = verify["checks"], verify["reference"]
    good = [c for c in checks if c["status"] == "equal"]
    skipped = [c for c in checks if c["status"] == "not run"]
    bad = [c for c in checks if c["status"] not in _KIND]
    shown = {"before": text.plural(len(checks), "check"), "after": f"{len(good)} equal",
             "link": "checks", "more": "every check"}  # fmt: skip
    if bad:
        first = bad[0]
        how = f"differs by {_number(first['difference'])}" if first.get("difference") else first["status"]
        return Answer(
            **fixed, **shown, verdict=NO, change=f"{len(bad)} not",
            line=f"{first['workload']}, {first['name']}: {how}. Compared with {reference}.",
        )  # fmt: skip
    if not good:
        ran = f"No comparison ran with {reference}."
        line = "There was nothing to compare with." if reference == "nothing" else ran
        return Answer(**fixed, **shown, verdict=UNKNOWN, line=line)
    if stale:
        return Answer(
            **fixed, **shown, verdict=UNKNOWN,
            line=f"It was, but {stale} after that: run `migrator verify .` again.",
        )  # fmt: skip
    if skipped:
        names = ", ".join(dict.fromkeys(
            str(c["name" if c["workload"] == LEFT_OUT else "workload"]) for c in skipped
        ))  # fmt: skip
        return Answer(
            **fixed, **shown, verdict=UNKNOWN, change=f"{len(skipped)} not run",
            line=f"What ran is equal to {reference}; not run: {names}.",
        )  # fmt: skip
    told = [c for c in good if c.get("difference") is not None and c.get("tolerance")]
    line = f"Compared with {reference}."
    if told:
        most = max(told, key=lambda c: c["difference"] / c["tolerance"])
        line = (
            f"Largest difference {_number(most['difference'])}, allowed {_number(most['tolerance'])}. "
            + line
        )
    return Answer(**fixed, **shown, verdict=YES, line=line)


def _over_all(
    pairs: Sequence[Pair], judge: Callable[[Pair], Verdict], fixed: dict[str, str], fine: str
) -> Answer:
    """One answer for all workloads: the worst of them decides, and is named."""
    judged = [(pair, judge(pair)) for pair in pairs]
    pair, verdict = compared.worst(judged)
    same = sum(v.verdict == verdict.verdict for _, v in judged)
    shown = {"before": verdict.before, "after": verdict.after, "change": verdict.change,
             "verdict": verdict.verdict}  # fmt: skip
    # a command with all its arguments stands in full below
    name = textwrap.shorten(pair.title, 48, placeholder=" …", break_on_hyphens=False)
    line = f"{name}: {verdict.line}."
    if verdict.verdict == YES:
        line = f"{fine} in {'all ' if same > 1 else ''}{text.plural(same, 'workload')}. {line}"
    elif len(judged) > 1:
        others = sum(v.verdict == YES for _, v in judged)
        line += f" {others} of {len(judged)} workloads: {fine.lower()}." if others else ""
    return Answer(**fixed, **shown, line=line, link="compared", more="every workload")


def memory(measured: Measurement | None, pairs: Sequence[Pair]) -> Answer:
    """Whether the migrated program needs no more memory than the original: peaks of both."""
    fixed = {"id": "memory", "label": "Memory?", "question": "Does it need no more memory?"}
    return _unmeasured(measured, pairs, fixed) or _over_all(
        pairs, Pair.memory, fixed, "No more than before"
    )


def speed(measured: Measurement | None, pairs: Sequence[Pair]) -> Answer:
    """Whether the migrated program is as fast as the original: step times of both."""
    fixed = {"id": "speed", "label": "Speed?", "question": "Is it as fast?"}
    return _unmeasured(measured, pairs, fixed) or _over_all(
        pairs, Pair.speed, fixed, "No slower than before"
    )


def _unmeasured(
    measured: Measurement | None, pairs: Sequence[Pair], fixed: dict[str, str]
) -> Answer | None:
    if pairs:
        return None
    if measured is None:
        line = "Nothing was measured. `migrator measure .` runs both, before and after."
        return Answer(**fixed, verdict=UNKNOWN, line=line)
    sides = {r.cell.side for r in measured.cells if r.ok}
    line = "Nothing that was measured ran."
    if sides:
        line = f"Only “{' and '.join(sorted(sides))}” was measured, so that nothing is compared."
    return Answer(**fixed, verdict=UNKNOWN, line=line, link="cells", more="what was measured")


def left(
    orders: Sequence[Order] | None, edits: int, checked: Answer
) -> Answer:
    """Whether nothing is left for a person.

    orders: what is left, None where no plan tells; edits: places that were rewritten; checked: the
    answer about equality, without which nothing is finished.
    """
    fixed = {"id": "left", "label": "Left for you?", "question": "What must a person still do?",
             "yes": "Nothing", "no": "Something"}  # fmt: skip
    if orders is None:
        return Answer(
            **fixed, verdict=UNKNOWN, line="These are results alone; `migrator todo REPO` lists what is left."
        )
    unread = sum(o.code == "TF001" for o in orders)
    person = sum(len(o.places) for o in orders if o.rung == "manual") - unread
    compat = sum(len(o.places) for o in orders if o.rung == "compat")
    total = person + compat
    shown = {
        "before": f"{edits + total:,} places", "after": f"{total:,} left",
        "change": text.plural(len({o.id for o in orders if o.rung in LEFT}), "cause") if total else "",
        "link": "left" if total or unread else "", "more": "the list",
    }  # fmt: skip
    parts = []
    if person:
        parts.append(f"{text.plural(person, 'place')} for a person")
    if compat:
        parts.append(f"{text.plural(compat, 'reference')} left on tf.compat.v1, where TensorFlow 1 goes on")
    if unread:
        parts.append(f"{text.plural(unread, 'file')} could not be read")
    if parts:
        return Answer(**fixed, **shown, verdict=NO, line="; ".join(parts) + ".")
    if checked.verdict == NO:
        line = "Every place is rewritten, but it does not compute the same."
        return Answer(**fixed, **shown, verdict=NO, line=line)
    if checked.verdict == UNKNOWN:
        return Answer(
            **fixed, **shown, verdict=UNKNOWN,
            line="Every place that migrator knows is rewritten; that it works is still to be shown.",
        )  # fmt: skip
    line = "Every place is rewritten to native TensorFlow 2, and the result was compared."
    return Answer(**fixed, **shown, verdict=YES, line=line)
