"""Judges the dotted names that a module uses by where they lead: nowhere, or to another call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from migrator.check.meaning import shift
from migrator.check.places import Place
from migrator.check.records import Flaw, Kind, Params, Role, Shape, Use

_STAND_IN = "tf1_support.missing."


def judged(
    uses: Iterable[Use],
    place: Callable[[Use], Place],
    before: Callable[[str], Params | None],
    so_it_was: Callable[[Use, Shape], bool],
) -> Iterator[Flaw]:
    """What is wrong with `uses`: `place` says where one leads now, `before` what the function of a
    path took in TF 1, `so_it_was` whether the old text made such a call, and was refused as well."""
    said: set[tuple[str, int]] = set()
    failing: set[int] = set()
    later: list[tuple[Use, Place]] = []
    for use in uses:
        found = place(use)
        if use.guard > 0 and use.path.startswith(_STAND_IN):
            name = use.path.rpartition(".")[2]
            why = f"{name} is a stand-in, so that this try cannot fail"
            yield Flaw(Kind.GUARD, use.line, why, use.path)
        if found.found is None:
            continue
        if found.found:
            if found.params is not None:
                yield from _call(use, found, found.params, before, so_it_was)
        elif use.guard > 0:
            failing.add(use.guard)
        elif use.guard < 0:
            later.append((use, found))
        elif "(" in use.path and found.missing.count(".") <= use.path.partition("(")[0].count("."):
            continue  # what is called there is a use of its own
        elif (found.missing, use.line) not in said:
            said.add((found.missing, use.line))
            yield _missing(use, found)
    for use, found in later:
        if -use.guard in failing:
            yield _missing(use, found)


def _missing(use: Use, place: Place) -> Flaw:
    path, missing = shown(use.path.removeprefix("*.")), shown(place.missing)
    where = " in the rendered support package" if missing.startswith("tf1_support") else ""
    message = f"{missing} does not exist{where}"
    if path != missing and path.startswith(f"{missing}."):
        message = f"{path} does not exist: there is no {missing}{where}"
    return Flaw(Kind.REFERENCE, use.line, message, use.path)


def _call(
    use: Use,
    place: Place,
    params: Params,
    before: Callable[[str], Params | None],
    so_it_was: Callable[[Use, Shape], bool],
) -> Iterator[Flaw]:
    if use.role in (Role.PASSED, Role.PARTIAL) and use.path.startswith("tensorflow."):
        old = before(use.path)
        if old is not None and (why := shift(old, params, use.shape)):
            yield Flaw(Kind.MEANING, use.line, f"{shown(place.name)}() {why}", use.path)
            return
    if use.shape is not None and (why := params.refuses(use.shape)):
        if not so_it_was(use, use.shape):
            yield Flaw(Kind.CALL, use.line, f"{shown(place.name)}() {why}", use.path)


def shown(name: str) -> str:
    """A path as people write it."""
    return f"tf.{name[11:]}" if name.startswith("tensorflow.") else name
