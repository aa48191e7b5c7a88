"""Follows names through the modules of a project: what ``tf`` is after ``from layers import *``."""

from __future__ import annotations

from migrator.analysis.index import ModuleInfo, ProjectIndex, absolute_name
from migrator.analysis.module_summary import ModuleSummary
from migrator.analysis.names import NameTable

#: Objects of which the module that has them decides what they become.
_KEPT = ("tensorflow.app.flags.FLAGS", "tensorflow.flags.FLAGS", "absl.flags.FLAGS")
_TENSORFLOW = ("tensorflow", "tensorflow_core", "tf_slim")


def followed(names: NameTable, index: ProjectIndex, path: str) -> NameTable:
    """`names`, the table of the file at `path`, which now sees through the project's modules."""
    if index.imported(path):
        names.follow(lambda dotted: brought(index, dotted, path))
    return names


def brought(index: ProjectIndex, dotted: str, importer: str) -> str | None:
    """What a dotted name stands for that leads through modules of the project to somewhere else:
    ``layers.tf.nn.relu`` -> ``tensorflow.nn.relu`` where `layers` imports TensorFlow as `tf`.

    None where it ends in the project, or leads nowhere. `importer` is the path of the file that
    has the name.
    """
    key = ("brought", dotted, importer.rpartition("/")[0])
    if key not in index.answers:
        index.answers[key] = None  # guards against modules that import each other
        index.answers[key] = _brought(index, dotted, importer)
    found: str | None = index.answers[key]
    return found


def _brought(index: ProjectIndex, dotted: str, importer: str) -> str | None:
    hit = index.resolve(dotted, importer)
    if hit is None or not hit[1]:
        return None
    module, rest = hit
    name, _, members = rest.partition(".")
    path = module.summary.exports.brings.get(name)
    if path is None:
        if name.startswith("_") or _defines(module.summary, name):
            return None
        found = (star_brings(index, star, rest, module) for star in reversed(module.summary.exports.stars))
        return next((led for led in found if led is not None), None)
    return _further(index, f"{path}.{members}" if members else path, module)


def _defines(summary: ModuleSummary, name: str) -> bool:
    return name in summary.functions or name in summary.classes or name in summary.assigned


def star_brings(index: ProjectIndex, star: str, rest: str, module: ModuleInfo) -> str | None:
    """What the star import of `star` in `module` makes of the dotted name `rest`; None where that
    is not known: any name could come from a module of others, but for TensorFlow's, which are listed."""
    absolute = absolute_name(star, module)
    if absolute is None:
        return None
    if absolute.partition(".")[0] in _TENSORFLOW:
        return f"{absolute}.{rest}" if rest.partition(".")[0] != "tf" else None
    return brought(index, f"{absolute}.{rest}", module.path)


def _further(index: ProjectIndex, path: str, module: ModuleInfo) -> str | None:
    """Where a path that `module` has leads: on through the project, or out of it."""
    absolute = absolute_name(path, module)
    if absolute is None:
        return None
    hit = index.resolve(absolute, module.path)
    if hit is not None and hit[0].path != module.path:
        return brought(index, absolute, module.path)
    return None if absolute.startswith(_KEPT) else absolute


def reached(index: ProjectIndex, path: str) -> frozenset[str]:
    """The top-level modules of others that the file at `path` has names of through the project."""
    info = index.module_at(path)
    if info is None or not index.imported(path):
        return frozenset()
    own = info.summary.exports
    asked = [*info.summary.imports, *own.through]
    asked += [f"{star}.{name}" for star in own.stars for name in own.loose]
    absolute = (absolute_name(dotted, info) for dotted in asked)
    found = (brought(index, dotted, path) for dotted in absolute if dotted)
    return frozenset(led.partition(".")[0] for led in found if led)


def unseen(index: ProjectIndex, path: str) -> bool:
    """Whether the file at `path` reads ``tf`` although neither it nor any module of the project that
    it star-imports has it: a module of others must bring it."""
    info = index.module_at(path)
    if info is None or "tf" not in info.summary.exports.loose:
        return False
    stars = [absolute_name(star, info) for star in info.summary.exports.stars]
    return not any(star and brought(index, f"{star}.tf", path) for star in stars)


def taken(index: ProjectIndex, path: str) -> frozenset[str]:
    """Names that other modules get from the module at `path` although they are not its own."""
    return _taken(index, path, frozenset())


def _taken(index: ProjectIndex, path: str, seen: frozenset[str]) -> frozenset[str]:
    if path not in index.modules or path in seen:
        return frozenset()
    own = index.modules[path].summary.exports
    found: set[str] = set()
    for importer in index.importers(path):
        info = index.modules[importer]
        theirs = info.summary.exports
        for target in (*info.summary.imports, *theirs.through):
            absolute = absolute_name(target, info)
            hit = index.resolve(absolute, importer) if absolute else None
            if hit is not None and hit[0].path == path and hit[1]:
                found.add(hit[1].partition(".")[0])
        for star in theirs.stars:
            absolute = absolute_name(star, info)
            hit = index.resolve(absolute, importer) if absolute else None
            if hit is not None and hit[0].path == path:
                found |= theirs.loose | _taken(index, importer, seen | {path})
    return frozenset(found & own.brings.keys())
