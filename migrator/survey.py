"""What a repository holds: TF1 symbols by what becomes of them, sessions and feeds, model files."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from migrator.analysis.names import NameTable, canonical
from migrator.analysis.py2_syntax import NotPython2, looks_like_python2, translate
from migrator.engine import workers
from migrator.engine.cache import Cache, engine_digest, key, rules_digest
from migrator.engine.options import Options
from migrator.engine.ruleset import RuleSet, load_ruleset
from migrator.model import Plan, Rung, Status
from migrator.project.discover import NEVER, printable
from migrator.project.notebook import decode_module
from migrator.project.paths import DEEPEST, UnsafePath
from migrator.project.source import SourceError
from migrator.project.tree import Folder, read
from migrator.transforms.run_outcomes import RunRecord, run_outcomes

# What a session program is made of, by what it is called in a summary.
_SITES = {
    "tensorflow.Session": "sessions",
    "tensorflow.InteractiveSession": "sessions",
    "tensorflow.train.MonitoredTrainingSession": "sessions",
    "tensorflow.train.MonitoredSession": "sessions",
    "tensorflow.train.SingularMonitoredSession": "sessions",
    "tensorflow.train.Supervisor": "sessions",
    "tensorflow.placeholder": "placeholders",
    "tensorflow.placeholder_with_default": "placeholders",
    "tensorflow.sparse_placeholder": "placeholders",
    "tensorflow.import_graph_def": "frozen graphs imported",
    "tensorflow.train.Saver": "savers",
    "tensorflow.variable_scope": "variable scopes",
    "tensorflow.get_variable": "variables by name",
    "tensorflow.estimator.Estimator": "estimators",
}
SITE_KINDS = (*dict.fromkeys(_SITES.values()), "run sites")
_RUN = re.compile(r"\.(run|eval|partial_run)$")
_PARTS = re.compile(r"\.data-\d{5}-of-\d{5}$")


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file that holds a trained model; `bytes` counts all of its parts."""

    path: str
    kind: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Usage:
    """One symbol of TensorFlow 1: what becomes of it, and where it stands."""

    symbol: str
    disposition: str
    count: int
    files: int


@dataclass
class Survey:
    """The answer of `scan`. `files` counts by status of the plan; `python2` are paths."""

    root: str
    files: dict[str, int] = field(default_factory=dict)
    lines: int = 0
    tensorflow_files: int = 0
    python2: list[str] = field(default_factory=list)
    symbols: list[Usage] = field(default_factory=list)
    sites: dict[str, int] = field(default_factory=dict)
    runs: list[RunRecord] = field(default_factory=list)
    models: list[ModelFile] = field(default_factory=list)
    automatic: int = 0
    by_rung: dict[str, int] = field(default_factory=dict)

    @property
    def dispositions(self) -> dict[str, int]:
        """How many uses of symbols end in which way."""
        found: Counter[str] = Counter()
        for usage in self.symbols:
            found[usage.disposition] += usage.count
        return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class FileUses:
    """What `scan` counts in one file: (symbol, disposition) and kinds of sites."""

    path: str
    uses: dict[tuple[str, str], int] = field(default_factory=dict)
    sites: dict[str, int] = field(default_factory=dict)
    python2: bool = False


class _Job:
    rules: RuleSet
    root: Path
    hashes: dict[str, str]


def _set_up(options: Options, root: Path, hashes: dict[str, str]) -> None:
    _Job.rules = load_ruleset(options)
    _Job.root = root
    _Job.hashes = hashes


def _uses(path: str) -> FileUses:
    nothing = FileUses(path)
    try:
        data, mode = read(_Job.root, path)
        source = decode_module(data, path, mode)
    except SourceError:
        return nothing
    if source.sha256 != _Job.hashes[path]:
        return nothing  # no longer what the plan is about
    return uses_of(source.text, path, _Job.rules)


def uses_of(text: str, path: str, rules: RuleSet) -> FileUses:
    """What is in the text of a module; nothing where it cannot be read as Python."""
    nothing = FileUses(path)
    if not rules.mentions(text):
        return nothing
    python2 = False
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        if not looks_like_python2(text):
            return nothing
        try:
            tree = ast.parse(translate(text)[0])
        except (NotPython2, SyntaxError, ValueError, RecursionError, MemoryError):
            return nothing
        python2 = True
    names = NameTable.of(tree)
    uses: Counter[tuple[str, str]] = Counter()
    sites: Counter[str] = Counter()
    for reference in names.references:
        root = names.root(reference.root, reference.scope, values=True)
        if root is None or not root.name.startswith("tensorflow"):
            continue
        name = canonical(".".join((root.name, *reference.attrs)))[0]
        if "(" in name:
            if reference.call is not None and _RUN.search(name):
                sites["run sites"] += 1
            continue
        found = rules.disposition(name)
        if found.kind in ("none", "module"):
            continue
        uses[found.key.replace("tensorflow.", "tf.", 1), found.kind] += 1
        if reference.call is not None and name in _SITES:
            sites[_SITES[name]] += 1
    return FileUses(path, dict(uses), dict(sites), python2)


def survey(
    plan: Plan, options: Options, progress: Callable[[int, int, str], None] | None = None
) -> Survey:
    """What is in the repository that `plan` is about. Nothing of it is run.

    `progress(done, total, path)` is called after each file.
    """
    found = Survey(plan.root)
    statuses: Counter[str] = Counter()
    rungs: Counter[Rung] = Counter()
    hashes: dict[str, str] = {}
    for item in plan.files:
        statuses[item.status.value] += 1
        rungs.update(finding.rung for finding in item.findings)
        found.lines += item.old_text.count("\n")
        found.runs += run_outcomes(item)
        if item.status is Status.CHANGED:
            found.automatic += len(item.changes)
        if item.old_text and item.status is not Status.SKIPPED:
            hashes[item.path] = item.old_sha256
    found.files = dict(statuses)
    found.by_rung = {rung.value: rungs[rung] for rung in Rung if rungs[rung]}
    totals: Counter[tuple[str, str]] = Counter()
    files: Counter[tuple[str, str]] = Counter()
    sites: Counter[str] = Counter()
    for done, one in enumerate(_counted(Path(plan.root), hashes, options), 1):
        totals.update(one.uses)
        files.update(dict.fromkeys(one.uses, 1))
        sites.update(one.sites)
        found.tensorflow_files += bool(one.uses)
        if one.python2:
            found.python2.append(one.path)
        if progress is not None:
            progress(done, len(hashes), one.path)
    found.python2.sort()
    found.symbols = [
        Usage(symbol, kind, count, files[symbol, kind])
        for (symbol, kind), count in sorted(totals.items(), key=lambda i: (-i[1], i[0]))
    ]
    found.sites = {kind: sites[kind] for kind in SITE_KINDS if sites[kind]}
    found.models = model_files(Path(plan.root))
    return found


def _counted(
    root: Path, hashes: dict[str, str], options: Options
) -> Iterator[FileUses]:
    """What is in each file, from the cache where an earlier run counted the same bytes."""
    store = Cache(options.cache_dir) if options.cache_dir is not None else None
    base = key("uses", engine_digest(), rules_digest(options)) if store else ""
    new = []
    for path in sorted(hashes):
        found = store.get(FileUses, key(base, path, hashes[path])) if store else None
        if found is None:
            new.append(path)
        else:
            yield found
    if not new:
        return
    lost: set[str] = set()

    def died(path: str, why: str) -> FileUses:
        lost.add(path)
        return FileUses(path)

    arguments = (options, root, hashes)
    _set_up(*arguments)
    for one in workers.run(_uses, new, options.jobs, _set_up, arguments, died):
        if store and one.path not in lost:
            store.put(key(base, one.path, hashes[one.path]), one)
        yield one


def model_files(root: Path) -> list[ModelFile]:
    """Checkpoints, frozen graphs, SavedModels and Keras models below `root`, by name; links
    are not followed and nothing is opened but a few bytes of `.pb` files."""
    parts: Counter[str] = Counter()
    found: list[ModelFile] = []
    with Folder.named(root) as tree:
        stack = [""]
        while stack:
            above = stack.pop()
            try:
                with tree.folder(above) as folder:
                    entries = folder.entries()
                    parted = {e.name.rpartition(".data-")[0] for e in entries if ".data-" in e.name}
                    for entry in entries:
                        path = f"{above}/{entry.name}" if above else entry.name
                        if entry.is_dir(follow_symlinks=False):
                            if entry.name not in NEVER and path.count("/") < DEEPEST:
                                stack.append(path)
                        elif entry.is_file(follow_symlinks=False):
                            kind = _kind(folder, entry.name, parted)
                            size = entry.stat(follow_symlinks=False).st_size if kind else 0
                            if kind == "part":
                                parts[_PARTS.sub("", printable(path))] += size
                            elif kind:
                                shown = printable(path).removesuffix(".index")
                                found.append(ModelFile(shown, kind, size))
            except (OSError, UnsafePath):
                continue
    found.sort(key=lambda item: item.path)
    return [
        ModelFile(item.path, item.kind, item.bytes + parts[item.path])
        if item.kind.startswith("checkpoint") else item
        for item in found
    ]  # fmt: skip


def _kind(folder: Folder, name: str, parted: set[str]) -> str:
    """What a file is by its name, ``part`` for a shard of a checkpoint; empty for other files. `parted`
    are the names beside it that have shards."""
    if _PARTS.search(name):
        return "part"
    if name.endswith(".index") and name.removesuffix(".index") in parted:
        return "checkpoint"
    if name.endswith(".ckpt"):
        return "checkpoint (V1)"
    if name == "saved_model.pb":
        return "SavedModel"
    if name.endswith(".pb") and _is_graph(folder.head(name, 16)):
        return "frozen graph"
    if name.endswith((".h5", ".hdf5", ".keras")):
        return "Keras model or weights"
    if name.endswith(".tflite"):
        return "TensorFlow Lite model"
    return ""


def _is_graph(head: bytes) -> bool:
    """Whether a protobuf file starts as a GraphDef does: field 1, a message (its first node),
    whose first field is again a string (the node's name)."""
    if head[:1] != b"\x0a":
        return False
    position = 1
    while position < len(head) and head[position] & 0x80:
        position += 1
    return head[position + 1 : position + 2] == b"\x0a"
