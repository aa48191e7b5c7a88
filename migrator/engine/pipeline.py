"""One file's way through the engine: text in, `FileResult` out, nothing raised."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import re
import time
from collections.abc import Callable
from dataclasses import replace

from migrator.analysis.graph_code import hands_on
from migrator.analysis.index import ProjectIndex
from migrator.analysis.names import NameTable
from migrator.analysis.parsed import Parsed
from migrator.analysis.py2_syntax import NotPython2, looks_like_python2, translate
from migrator.analysis.python2 import PRINTS, runs_on_python2
from migrator.analysis.reexports import followed, reached, taken, unseen
from migrator.engine import clock, division, standalone_keras, walk
from migrator.engine.alignment import aligned
from migrator.engine.blank_lines import closed
from migrator.engine.comments import restored
from migrator.engine.context import FileContext, Mark
from migrator.engine.division import Divided
from migrator.engine.docstrings import moved_along
from migrator.engine.edits import apply
from migrator.engine.linemap import LineMap, line_map
from migrator.engine.list_results import CODE as LISTS
from migrator.engine.list_results import list_results
from migrator.engine.migrated import Attempt, Edited
from migrator.engine.nameless import CODE as NAMELESS
from migrator.engine.nameless import VARIABLES, may_be_nameless, needs_no_store
from migrator.engine.options import Options
from migrator.engine.otherwise import Changed, otherwise
from migrator.engine.registry import Transform
from migrator.engine.ruleset import RuleSet
from migrator.engine.sibling_imports import CODE as SIBLINGS
from migrator.engine.sibling_imports import sibling_imports
from migrator.engine.support_use import used_support
from migrator.engine.suppress import Suppressions, find_suppressions
from migrator.engine.unused_imports import CODE as UNUSED
from migrator.engine.unused_imports import without_left_over
from migrator.engine.work import (
    HELD_BACK,
    HELD_BACK_ADVICE,
    held_back_changes,
    held_back_message,
)
from migrator.model import Change, Confidence, FileResult, Finding, Rung, Status
from migrator.project.marker import is_generated

_ROUNDS = 3
# What the clock calls the time that is no rule's or transform's own.
_TABLES = "tables, names and imports"
_REST = "parsing and the rest"


def migrate_text(
    path: str,
    text: str,
    index: ProjectIndex,
    options: Options,
    registry: RuleSet,
    sha256: str = "",
    parsed: Parsed | None = None,
    attempt: Attempt | None = None,
) -> FileResult:
    """What the file `path` (relative to the root) with contents `text` becomes.

    Never raises for bad input: a file that cannot be handled comes back FAILED with `error`
    saying where and why, a rewrite that went wrong is withdrawn with a TF000 finding.
    `sha256` is that of the file's bytes, computed from the text where it is not given; `parsed` is
    the text as parsed where somebody has it, `attempt` says what is not to be done.
    """
    started = time.perf_counter()
    sha256 = sha256 or hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    try:
        with clock.collected(options.timings) as spent, clock.timed(_REST):
            attempt = attempt or Attempt()
            result = _migrate(path, text, parsed, index, options, registry, attempt)
            if options.allows(NAMELESS) and may_be_nameless(result, attempt.after, index):
                result = _nameless(result, path, text, index, options, registry, attempt)
        result = replace(result, timings=tuple(sorted(spent.items())))
    except (RecursionError, MemoryError):  # how the parser says that its own stack is full
        result = FileResult(
            path,
            Status.FAILED,
            error=f"{path}:1: expressions are nested too deeply for the parser; split them up",
        )
    except Exception as error:  # per-file isolation: a bug must not stop the other files
        result = FileResult(
            path, Status.FAILED, error=f"{path}:1: internal error, {type(error).__name__}: {error}"
        )
    return replace(
        result, old_sha256=sha256, old_text=text, seconds=time.perf_counter() - started
    )


def _nameless(
    result: FileResult, path: str, text: str, index: ProjectIndex, options: Options, registry: RuleSet,
    attempt: Attempt,
) -> FileResult:
    """The file with variables and optimizers of TensorFlow's own; `result` where there is more to them."""
    second = Attempt(attempt.held, nameless=True)
    made = _migrate(path, text, None, index, options, registry, second)
    if made.status is Status.FAILED or made.support & VARIABLES or not needs_no_store(made):
        return result
    attempt.before, attempt.after, attempt.edits = second.before, second.after, second.edits
    return made


def _migrate(
    path: str,
    text: str,
    parsed: Parsed | None,
    index: ProjectIndex,
    options: Options,
    registry: RuleSet,
    attempt: Attempt,
) -> FileResult:
    if is_generated(text):
        return FileResult(path, Status.SKIPPED)
    changes: list[Change] = []
    findings: list[Finding] = []
    python2 = False
    try:
        parsed = parsed or Parsed(text)
    except (SyntaxError, ValueError) as error:
        failure = _syntax_failure(path, error)
        if not looks_like_python2(text) or not options.allows("PY101"):
            return failure
        if not options.sure(Confidence.LIKELY):
            return _untranslated(path)
        try:
            source, translated = translate(text, True, not index.has_own_has_key)
        except NotPython2 as reason:
            # CPython's message is about Python 3; fissix knows where the file stops being 2 too.
            return replace(failure, error=f"{path}:{reason.line}: {reason}")
        parsed, python2 = Parsed(source), True
        changes += translated
    else:
        reason2 = runs_on_python2(index, path) if options.allows("PY101") else ""
        if reason2 and options.sure(Confidence.LIKELY):
            python2 = True
            with contextlib.suppress(NotPython2):
                source, translated = translate(text, reason2 == PRINTS, not index.has_own_has_key)
                parsed = Parsed(source) if source != text else parsed
                changes += translated
    attempt.before = parsed
    source = parsed.text
    suppressions = attempt.held.on(find_suppressions(source))
    if suppressions.whole_file == frozenset():
        return FileResult(path, Status.SKIPPED)
    concerned = (registry.mentions(source) or any(map(registry.concerns, reached(index, path)))
                 or hands_on(index, path))
    divided = Divided()
    if python2 or concerned:
        parsed, divided = _of_python2(path, text, parsed, index, options, suppressions, python2)
        source = parsed.text
        changes += divided.changes
    for _ in range(_ROUNDS if concerned else 0):
        parsed, stuck = _round(
            path, text, parsed, index, options, registry, suppressions, changes, findings, attempt
        )
        source = parsed.text
        if not stuck:
            break
        suppressions = find_suppressions(source)
        if not _go_on(stuck, path, parsed, index, options, suppressions):
            break
    assert attempt.before is not None
    if parsed is not attempt.before and not path.endswith("_pb2.py"):
        whole = restored(attempt.before.text, attempt.before.tree, parsed.text, parsed.tree)
        parsed = Parsed(whole) if whole != parsed.text else parsed
        if not path.endswith(".ipynb") and options.allows(UNUSED):
            whole, gone = without_left_over(path, attempt.before, parsed, lambda: taken(index, path))
            entry = line_map(text, attempt.before.text) if attempt.before.text != text else None
            changes += [_map_change(change, entry) for change in gone]
            parsed = Parsed(whole) if gone else parsed
        for tidied in (aligned, closed, moved_along):
            whole = tidied(attempt.before, parsed)
            parsed = Parsed(whole) if whole != parsed.text else parsed
        source = parsed.text
    attempt.after = parsed
    source = _with_line_ends_of(text, source)
    findings += divided.findings
    if unseen(index, path):
        findings.append(_unseen(path))
    support = used_support(source, parsed)
    original = line_map(text, attempt.before.text).original if attempt.before.text != text else int
    stays = any(item.rung is Rung.COMPAT for item in findings)
    of_after = line_map(text, parsed.text).original if parsed.text != text else int
    said = frozenset(item.line for item in findings if item.rung is Rung.MANUAL)
    changed = Changed(
        path, attempt.before, parsed, source, support, index, original, of_after, stays, said)
    findings += otherwise(changed, source == text)
    findings = _unsuppressed(findings, suppressions, options)
    order = sorted(set(findings), key=lambda f: (f.line, f.column, f.code, f.message))
    if source == text:
        return FileResult(
            path,
            Status.UNCHANGED,
            findings=tuple(order),
            support=support,
        )
    return FileResult(
        path,
        Status.CHANGED,
        new_text=source,
        changes=tuple(sorted(changes, key=lambda c: (c.line, c.end_line, c.code, c.reason))),
        findings=tuple(order),
        support=support,
    )


def _of_python2(
    path: str, text: str, parsed: Parsed, index: ProjectIndex, options: Options, suppressions: Suppressions,
    python2: bool,
) -> tuple[Parsed, Divided]:
    """The module with divisions that round down, lists that are lists and, of Python 2, imports out of its
    own folder; and what is to be said of them."""
    original = line_map(text, parsed.text).original if parsed.text != text else int

    def wanted(code: str) -> Callable[[int], bool]:
        sure = options.allows(code) and options.sure(Confidence.LIKELY)
        return lambda line: sure and not suppressions.covers(code, line)

    found = division.divisions(
        path, parsed.text, parsed.names, python2, wanted(division.CODE), original)
    edits, changes = list_results(parsed.text, parsed.names, wanted(LISTS), original)
    found.edits += edits
    found.changes += changes
    if python2:
        edits, changes, findings = sibling_imports(
            path, parsed.text, parsed.names, index, wanted(SIBLINGS), original)
        found.edits += edits
        found.changes += changes
        found.findings += findings
    if not found.edits:
        return parsed, found
    return Parsed(apply(parsed.text, found.edits)[0]), found


def _with_line_ends_of(original: str, text: str) -> str:
    """`text`, in which all lines end as in a file of which they all do: transforms write "\\n"."""
    ends = original.count("\r\n")
    if not ends or ends != original.count("\n"):
        return text
    return re.sub(r"(?<!\r)\n", "\r\n", text)


def _round(
    path: str,
    text: str,
    parsed: Parsed,
    index: ProjectIndex,
    options: Options,
    registry: RuleSet,
    suppressions: Suppressions,
    changes: list[Change],
    findings: list[Finding],
    attempt: Attempt,
) -> tuple[Parsed, list[Transform]]:
    """Transforms, then rules; (the new text, transforms that may be worth another round).

    These are the ones that met an obstacle, if the rules then changed the file: they may have
    taken the obstacle away, and a later run would find out.
    """
    entry = line_map(text, parsed.text) if parsed.text != text else None
    own_changes: list[Change] = []
    own_findings: list[Finding] = []
    stuck: list[Transform] = []
    parsed, names = _transform(
        path, parsed, index, options, registry, suppressions, own_changes, own_findings, stuck,
        attempt,
    )  # fmt: skip
    source = parsed.text
    changes += [_map_change(item, entry) for item in own_changes]
    mapped = line_map(text, source) if source != text else None
    with clock.timed(_TABLES):
        found = walk.rewrite(
            path, source, names, registry, options, suppressions, taken(index, path),
            attempt.held.symbols, attempt.plain,
            frozenset(top for top in registry.gone if index.resolve(top, path) is not None),
            standalone_keras.is_version_2(index, source),
        )
    made = parsed
    problem = ""
    if found.text != source:
        try:
            made = Parsed(found.text)
        except (SyntaxError, ValueError) as error:
            problem = _trouble(error)
    told = [_map_finding(item, entry) for item in own_findings]
    told += [_map_finding(item, mapped) for item in found.findings]
    # An obstacle of an earlier round may be gone; what that round took out for good is not found again.
    places = {(item.code, item.line) for item in told}
    findings[:] = told + [
        item for item in findings
        if item.rung is not Rung.COMPAT and (item.code, item.line) not in places
    ]  # fmt: skip
    if problem:
        findings.append(_withdrawn(path, "the work of the rules", problem))
        return parsed, []
    changes += [_map_change(item, mapped) for item in found.changes]
    return made, stuck if found.text != source else []


def _go_on(
    stuck: list[Transform],
    path: str,
    parsed: Parsed,
    index: ProjectIndex,
    options: Options,
    suppressions: Suppressions,
) -> bool:
    """Whether one of the transforms that met an obstacle has something to do by now, or meets none any
    more: all of them for all of the file would be a dear way to ask."""
    ctx = FileContext.of(path, parsed.text, index, options)
    ctx.suppressions, ctx._tree = suppressions, parsed.tree
    mark = ctx.mark()
    for item in stuck:
        try:
            if item.run(ctx) is not None or ctx.text != parsed.text:
                return True
        except Exception:  # the round that follows reports it
            return True
        if not any(found.rung is Rung.COMPAT for found in ctx.findings[mark[3] :]):
            return True
        ctx.rollback(mark)
    return False


def _transform(
    path: str,
    parsed: Parsed,
    index: ProjectIndex,
    options: Options,
    registry: RuleSet,
    suppressions: Suppressions,
    changes: list[Change],
    findings: list[Finding],
    stuck: list[Transform],
    attempt: Attempt,
) -> tuple[Parsed, NameTable]:
    """Run the structural transforms whose triggers occur; (text, names) afterwards."""
    info = index.module_at(path)
    name, is_package = (info.name, info.is_package) if info else ("", False)
    names = followed(parsed.names_in(name, is_package), index, path)
    due = registry.triggers.due(names, parsed.text)
    due = [item for item in due if item.name not in attempt.held.transforms]
    if not due:
        return parsed, names
    for careful in (False, True):
        ctx = FileContext.of(path, parsed.text, index, options, names)
        ctx.suppressions, ctx.nameless, ctx.plain = suppressions, attempt.nameless, attempt.plain
        withdrawn: list[Finding] = []
        stuck.clear()
        edited: list[Edited] = []
        text, new_tree = _run_transforms(ctx, due, careful, withdrawn, stuck, edited)
        if new_tree is not None:
            break
    else:  # cannot be: a careful run ends with a text that was checked
        return parsed, names
    changes += ctx.changes
    findings += ctx.findings + withdrawn
    attempt.edits += edited
    if text == parsed.text:
        return parsed, names
    names = ctx.names if new_tree is ctx._tree else NameTable.of(new_tree, name, is_package)
    names = followed(names, index, path)
    return Parsed(text, new_tree), names


def _run_transforms(
    ctx: FileContext, due: list[Transform], careful: bool, withdrawn: list[Finding],
    stuck: list[Transform], edited: list[Edited],
) -> tuple[str, ast.Module | None]:
    """(text, its tree, None if it does not compile).

    The text is made and compiled once at the end; where that fails, the caller runs again with
    `careful`, which checks after each transform and withdraws the one that broke it.
    """
    good = ctx.original
    for item in due:
        mark = ctx.mark()
        problem = ""
        try:
            with clock.timed(f"transform {item.name}"):
                result = item.run(ctx)
            if isinstance(result, str):
                ctx.text = result
            elif result is not None:
                ctx.module = result
            if careful:
                text = ctx.finished_text()
                problem = "" if text == good else _why(text)
                good = good if problem else text
        except Exception as error:  # one transform's bug must not lose the others' work
            problem = f"{type(error).__name__}: {error}"
        unsure = [] if problem else _unsure(ctx, mark)
        if problem or unsure:
            ctx.rollback(mark)
        elif ctx.mark()[:2] != mark[:2]:
            edited.append(Edited(item.name, tuple(ctx.changes[mark[2] :])))
        if problem:
            withdrawn.append(_withdrawn(ctx.path, f"the transform {item.name}", problem))
        withdrawn += unsure
        if any(found.rung is Rung.COMPAT for found in ctx.findings[mark[3] :]):
            stuck.append(item)
    try:
        text = good if careful else ctx.finished_text()
        return text, ctx.tree if text == ctx.text else ast.parse(text)
    except (SyntaxError, ValueError):
        return ctx.original, None


def _unseen(path: str) -> Finding:
    return Finding(
        "TF004", path, 1, 0,
        "`tf` comes from a star import of a module that is not part of this tree; what is read from "
        "it was not followed",
        "Write `import tensorflow as tf` into this file and migrate again.",
    )  # fmt: skip


def _unsuppressed(
    findings: list[Finding], suppressions: Suppressions, options: Options
) -> list[Finding]:
    kept = []
    for item in findings:
        if not options.allows(item.code):
            continue
        if suppressions and suppressions.covers(item.code, item.line):
            continue
        kept.append(item)
    return kept


def _map_change(change: Change, mapped: LineMap | None) -> Change:
    if mapped is None:
        return change
    return replace(
        change, line=mapped.original(change.line), end_line=mapped.original(change.end_line)
    )


def _map_finding(finding: Finding, mapped: LineMap | None) -> Finding:
    return finding if mapped is None else replace(finding, line=mapped.original(finding.line))


def _why(text: str) -> str:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError) as error:
        return _trouble(error)
    return ""


def _trouble(error: Exception) -> str:
    line = getattr(error, "lineno", 0)
    return f"the result does not compile (line {line}: {getattr(error, 'msg', error)})"


def _withdrawn(path: str, what: str, why: str) -> Finding:
    return Finding(
        "TF000",
        path,
        1,
        0,
        f"{what} was withdrawn: {why}",
        "This is a defect of migrator; the file went on without it. Migrate what it covers by "
        "hand, and report the file if you can share it.",
    )


def _unsure(ctx: FileContext, mark: Mark) -> list[Finding]:
    """What a transform did since `mark` with less confidence than the options ask for.

    A transform's edits of one file depend on each other, so all of them are held back then.
    """
    done = ctx.changes[mark[2] :]
    if all(ctx.options.sure(change.confidence) for change in done):
        return []
    return held_back_changes(ctx.path, done)


def _untranslated(path: str) -> FileResult:
    message = held_back_message("PY101", "the file is Python 2", Confidence.LIKELY)
    finding = Finding(HELD_BACK, path, 1, 0, message, HELD_BACK_ADVICE)
    return FileResult(path, Status.SKIPPED, findings=(finding,))


def _syntax_failure(path: str, error: Exception) -> FileResult:
    line = getattr(error, "lineno", None) or 1
    column = max((getattr(error, "offset", None) or 1) - 1, 0)
    message = getattr(error, "msg", None) or str(error)
    finding = Finding(
        "TF002",
        path,
        line,
        column,
        f"not valid Python: {message}",
        "Correct the syntax and run again; the file was left as it is.",
    )
    return FileResult(
        path, Status.FAILED, findings=(finding,), error=f"{path}:{line}: {message}"
    )


__all__ = ["migrate_text", "used_support"]
