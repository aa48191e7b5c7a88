"""Writes the API snapshot of the TensorFlow that runs it: symbol -> how it is called.

    python rules/tools/snapshot_api.py rules/api/tf1.15.json        (TensorFlow 1.15, Python 3.7)
    python rules/tools/snapshot_api.py rules/api/tf2.21.json        (TensorFlow 2.21, Python 3.11)

Of TensorFlow 1.15 it also writes ``tf1.15.paths.json``: where every other path leads by which
programs reach an object (see `Paths`).  The document has `symbols` (canonical name ->
``"(x, name=None)"`` for a function, a table with `kind` for anything else), `aliases` (name -> the name
under which the same object is listed), `modules` (every private module of TensorFlow 2, imported or
not) and `failed` (modules that do not import, with the reason).  It runs on both Pythons, so it keeps
to what 3.7 knows.
"""

from __future__ import annotations

import enum
import importlib
import inspect
import json
import os
import pkgutil
import re
import sys
import types
import warnings

SKIPPED_NAMES = {"absolute_import", "division", "print_function", "unicode_literals", "mro"}
# Their contents are other public names again, or nothing that programs call.
SKIPPED_MODULES = re.compile(
    r"tensorflow\.(compat\.v1\.compat|compat\.v2|_api|keras\.api\.|_.*|.*\._.*)"
)
PRIVATE_ROOTS = (
    "client", "data", "estimator", "framework", "keras", "layers", "lib", "ops", "platform",
    "profiler", "saved_model", "summary", "tools", "training", "util", "eager", "tpu", "debug",
    "distribute", "feature_column", "autograph", "module",
)  # fmt: skip
BROKEN = re.compile(r"_test$|_test_|\btests?\b|_gpu$|testing|benchmark|tensorrt|_ops_gen|nccl|main$")


def tensorflow_module(module):
    """Whether a module belongs to TensorFlow or what it re-exports (Keras, the estimator)."""
    name = getattr(module, "__name__", "") or ""
    root = name.split(".")[0]
    return root in ("tensorflow", "tensorflow_core", "tensorflow_estimator", "keras")


PLAIN = (bool, int, float, complex, str, bytes, tuple, type(None))  # alike ones may be one object


class Paths:
    """Where the private paths of TensorFlow lead, by identity of the object.

    `table`: a module -> (where things really are -> what the module has of it): names with spaces
    between them, ``here=there`` where the two differ.  ``{"tensorflow.python.ops.nn_ops":
    {"tensorflow.nn": "conv2d max_pool", "tensorflow.python.framework": "dtypes"}}`` says that
    ``nn_ops.conv2d`` is ``tf.nn.conv2d``.  An object that has public names leads to the best of
    them, one without to the module that defines it, a module to its own path.
    """

    def __init__(self, snapshot):
        self.snapshot = snapshot
        self.table = {}
        self.modules = {}  # by the path that programs write
        for name, module in sorted(sys.modules.items()):
            if isinstance(module, types.ModuleType) and self.own(name).split(".")[0] == "tensorflow":
                self.modules.setdefault(self.own(name), module)
        for name, module in sorted(self.modules.items()):
            self.module(name, module)

    @staticmethod
    def own(name):
        """A module's path as programs write it."""
        return re.sub(r"^tensorflow_core\b", "tensorflow", name)

    def module(self, name, module):
        """All that one module has."""
        for attr, value in sorted(vars(module).items()):
            path = name + "." + attr
            if attr.startswith("__") or attr in SKIPPED_NAMES or path in self.snapshot.symbols:
                continue
            home = self.home(attr, value)
            if ".python." not in path + "." and home and ".python." not in home + ".":
                continue  # two public names: a public module's names are listed for themselves
            if home is not None and home != path:
                parent, _, last = home.rpartition(".")
                text = attr if attr == last else attr + "=" + last
                self.table.setdefault(name, {}).setdefault(parent, []).append(text)

    def home(self, attr, value):
        """The path that `value` is known by; None for what is no business of TensorFlow's."""
        if isinstance(value, types.ModuleType):
            name = self.own(value.__name__)
            return name if name.startswith("tensorflow.") else None
        if isinstance(value, PLAIN):
            return None
        public = [n for n in self.snapshot.names_of.get(id(value), ()) if self.documented(n)]
        if public:
            return min(public, key=lambda name: (
                ".contrib." in name, name.rpartition(".")[2] != attr, ".keras." in name,
                name.count("."), name,
            ))  # fmt: skip
        if inspect.isfunction(value) or inspect.isclass(value):
            name = value.__name__
            module = self.own(getattr(inspect.unwrap(value), "__module__", None) or "")
            inside = "._" not in module and ".pywrap_" not in module  # not what C++ made
            if module.startswith("tensorflow.") and inside and name.isidentifier():
                if vars(self.modules.get(module, types)).get(name) is value:
                    return module + "." + name
        return None

    def documented(self, name):
        """Whether a public name is one by which programs know an object: public modules hold private
        ones that they import, and these others again (but a package's own modules are its own)."""
        value, through = self.snapshot.tf, ""
        for part in name.split(".")[1:-1]:
            value = getattr(value, part, None)
            home = getattr(value, "__name__", "")
            if through and home != through + "." + part:
                return False
            private = isinstance(value, types.ModuleType) and ".python." in home
            through = home if private and "._v1" not in home else ""
        return True

    def write(self, path):
        """One module a line."""
        lines = []
        for name in sorted(self.table):
            row = {home: " ".join(names) for home, names in sorted(self.table[name].items())}
            lines.append("%s:%s" % (json.dumps(name), json.dumps(row, separators=(",", ":"))))
        with open(path, "w", encoding="utf-8") as file:
            file.write("{\n%s\n}\n" % ",\n".join(lines))


class Snapshot:
    """Collects the symbols of one interpreter."""

    def __init__(self):
        import tensorflow as tf

        self.tf = tf
        self.major = int(tf.__version__.split(".")[0])
        self.symbols = {}
        self.objects = {}  # id -> (name, object)
        self.aliases = {}
        self.visited = {}  # id of a module -> the name it is listed under
        self.failed = {}
        self.modules = []
        self.named = []  # (name, object) of all functions and classes, signatures come last
        self.names_of = {}  # id -> every public name of an object

    # -- walking

    def run(self):
        """Visit the public modules, then the private ones."""
        self.public("tensorflow", self.tf)
        if self.major == 1:
            self.contrib()
        else:
            self.public("tensorflow.compat.v1", self.tf.compat.v1)
        for name in self.private_names():
            self.private(name)
        for name, value in self.named:
            self.symbols[name] = self.entry(name, value)
        if self.major > 1:
            self.modules = sorted(self.files())

    def files(self):
        """The modules below tensorflow.python, by the files that hold them."""
        import tensorflow.python as python

        base = os.path.dirname(python.__file__)
        for folder, _, files in os.walk(base):
            inner = [part for part in os.path.relpath(folder, base).split(os.sep) if part != "."]
            for file in files:
                stem, _, kind = file.partition(".")
                if kind == "py" or kind.endswith("so"):
                    own = [] if stem == "__init__" else [stem]
                    yield ".".join(["tensorflow", "python"] + inner + own)

    def load(self, name):
        """Import a module; None where that fails, which is noted."""
        try:
            if os.environ.get("SNAPSHOT_TRACE"):
                print("import", name, flush=True)
            return importlib.import_module(name)
        except BaseException as error:  # some call sys.exit, some abort on missing ops
            message = re.sub(r"/\S*site-packages/", "", " ".join(str(error).splitlines()[:1]))
            self.failed[name] = "%s: %s" % (type(error).__name__, message)
            return None

    def contrib(self):
        """Every public package below tf.contrib, the lazily loaded ones too."""
        import tensorflow.contrib as contrib

        for first in ("framework", "layers", "losses", "metrics", "training", "slim"):
            module = self.load("tensorflow.contrib." + first)  # names are listed where they are at home
            self.visited[id(module)] = "tensorflow.contrib." + first
            self.public("tensorflow.contrib." + first, module)
        self.public("tensorflow.contrib", contrib)
        base = contrib.__path__[0]
        for folder, folders, files in os.walk(base):
            folders[:] = sorted(
                f for f in folders if f not in ("python", "kernels", "ops", "__pycache__")
            )
            if "__init__.py" not in files:
                continue
            inner = os.path.relpath(folder, base)
            name = "tensorflow.contrib" + ("" if inner == "." else "." + inner.replace(os.sep, "."))
            for module in [name] + [name + "." + f[:-3] for f in sorted(files) if f.endswith(".py")]:
                if module.endswith("__init__") or BROKEN.search(module):
                    continue
                loaded = self.load(module)
                if loaded is not None:
                    self.public(module, loaded)

    def public(self, prefix, module, seen=()):
        """The public names of a module, recursively."""
        if SKIPPED_MODULES.match(prefix) or id(module) in seen:
            return
        self.symbols.setdefault(prefix, {"kind": "module"})
        for attr in sorted(set(dir(module))):
            if attr.startswith("_") or attr in SKIPPED_NAMES:
                continue
            name = prefix + "." + attr
            if name in ("tensorflow.python", "tensorflow.core", "tensorflow.compiler",
                        "tensorflow.tools", "tensorflow.include", "tensorflow.examples",
                        "tensorflow.contrib", "tensorflow.compat.v1", "tensorflow.lite.python",
                        "tensorflow.lite.experimental.microfrontend",
                        "tensorflow.pywrap_tensorflow", "tensorflow.lite.tools"):
                continue  # private, or visited for themselves
            if ".python." in name + ".":
                continue
            try:
                value = getattr(module, attr)
            except Exception as error:
                self.failed[name] = "%s: %s" % (type(error).__name__, error)
                continue
            if isinstance(value, types.ModuleType):
                if not tensorflow_module(value) or name in self.symbols:
                    continue
                if prefix.startswith("tensorflow.contrib"):
                    real = value.__name__.replace("tensorflow_core", "tensorflow")
                    if not real.startswith("tensorflow.contrib"):
                        continue  # an implementation's own import
                    if id(value) in self.visited:
                        self.aliases[name] = self.visited[id(value)]
                        continue
                self.visited.setdefault(id(value), name)
                self.public(name, value, seen + (id(module),))
                continue
            self.add(name, value)

    def belongs(self, name, parent, child):
        """Whether a module found in another one is part of its interface.

        Packages of contrib hold whatever they happened to import; of that only what lies below
        the package itself, or below the package that it re-exports, is meant.
        """
        if not tensorflow_module(child):
            return False
        if not name.startswith("tensorflow.contrib."):
            return True
        own = child.__name__.replace("tensorflow_core", "tensorflow")
        home = parent.__name__.replace("tensorflow_core", "tensorflow")
        if own == name or own.startswith(home + "."):
            return True
        return name.count(".") == 3 and ".contrib." in own and not self.is_contrib_root(own)

    @staticmethod
    def is_contrib_root(name):
        """Whether a name is that of a top-level package of contrib."""
        return name.count(".") == 2

    def private_names(self):
        """Modules behind the public ones that programs import all the same."""
        if self.major == 1:
            import tensorflow_core.python as python

            roots = [("tensorflow.python", python.__path__)]
        else:
            import tensorflow.python as python

            roots = [("tensorflow.python", python.__path__)]
        found = []
        for prefix, path in roots:
            found.append(prefix + ".tf2")
            for root in PRIVATE_ROOTS:
                folder = os.path.join(path[0], root)
                if os.path.isdir(folder):
                    found.append(prefix + "." + root)
                    for info in pkgutil.walk_packages([folder], prefix + "." + root + "."):
                        if not BROKEN.search(info.name.split("python.", 1)[1]):
                            found.append(info.name)
        if self.major == 1:
            import tensorflow.contrib as contrib

            base = contrib.__path__[0]
            for folder, _, files in sorted(os.walk(base)):
                inner = os.path.relpath(folder, base).split(os.sep)
                if "python" not in inner or "pylib" in inner or "__init__.py" not in files:
                    continue
                prefix = "tensorflow.contrib." + ".".join(inner)
                found.append(prefix)
                for file in sorted(files):
                    module = prefix + "." + file[:-3]
                    if file.endswith(".py") and file != "__init__.py":
                        if not BROKEN.search(".".join(inner[1:] + [file[:-3]])):
                            found.append(module)
        return found

    def private(self, name):
        """What a private module defines itself, and which of its names are public ones."""
        module = self.load(name)
        if module is None:
            return
        self.symbols.setdefault(name, {"kind": "module"})
        for attr, value in sorted(vars(module).items()):
            if attr.startswith("_") or attr in SKIPPED_NAMES:
                continue
            if not (inspect.isfunction(value) or inspect.isclass(value)):
                continue
            known = self.objects.get(id(value))
            if known is not None and known[1] is value:
                if self.at_home(name, value, known[0]):
                    self.aliases[name + "." + attr] = known[0]
            elif getattr(value, "__module__", "").replace("tensorflow_core", "tensorflow") == name:
                self.objects[id(value)] = (name + "." + attr, value)
                self.named.append((name + "." + attr, value))

    @staticmethod
    def at_home(module, value, listed):
        """Whether programs would import a public object from this private module: not from
        every module that happens to use it, but from those of the package that defines it."""
        if ".python." in listed:
            return False
        own = getattr(value, "__module__", "").replace("tensorflow_core", "tensorflow")
        return own.rpartition(".")[0] == module.rpartition(".")[0]

    def add(self, name, value):
        """One public object under one of its names."""
        if name in self.symbols:
            return
        if not isinstance(value, PLAIN):
            self.names_of.setdefault(id(value), []).append(name)
        if inspect.isclass(value) or callable(value) and not isinstance(value, enum.Enum):
            known = self.objects.get(id(value))
            if known is not None and known[1] is value:
                self.aliases[name] = known[0]
            else:
                self.objects[id(value)] = (name, value)
            self.symbols[name] = {}
            self.named.append((name, value))
            if inspect.isclass(value) and (known is None or known[1] is not value):
                self.members(name, value)
        else:
            self.symbols[name] = {"kind": "constant"}

    def members(self, prefix, cls):
        """Constants, class methods, nested classes and methods of a class of TensorFlow's."""
        if issubclass(cls, BaseException):
            return
        message = hasattr(cls, "DESCRIPTOR") and hasattr(cls, "SerializeToString")
        for attr in sorted(dir(cls)):
            if attr.startswith("_") or attr in SKIPPED_NAMES:
                continue
            try:
                value = inspect.getattr_static(cls, attr)
                bound = getattr(cls, attr)
            except Exception:
                continue
            name = prefix + "." + attr
            own = attr in vars(cls) and ".keras." not in prefix
            if message:
                if inspect.isclass(bound) or isinstance(bound, int) and attr.isupper():
                    self.symbols[name] = {"kind": "class" if inspect.isclass(bound) else "constant"}
            elif isinstance(value, (classmethod, staticmethod)) and own:
                self.named.append((name, bound))
            elif inspect.isclass(bound):
                self.symbols[name] = {"kind": "class"}
            elif inspect.isfunction(value):
                owner = getattr(value, "__module__", "") or ""
                if own and owner.startswith("tensorflow"):
                    self.named.append((name, value))
            elif isinstance(value, property) or inspect.isdatadescriptor(value):
                continue
            elif own or issubclass(cls, enum.Enum):
                self.symbols[name] = {"kind": "constant"}

    # -- signatures

    def entry(self, name, value):
        """The snapshot's entry of a function or class."""
        if inspect.isclass(value):
            signature = self.class_signature(value)
            entry = {"kind": "class"}
            if signature:
                entry["sig"] = signature
            return entry
        signature = self.signature(value)
        return signature or {"kind": "function"}

    def class_signature(self, cls):
        """How an instance is made; None for protobuf messages, exceptions and enums."""
        if hasattr(cls, "DESCRIPTOR") or issubclass(cls, (BaseException, enum.Enum)):
            return None
        own = cls.__init__
        if own is object.__init__ or not inspect.isfunction(own):
            own = cls.__new__
            if own is object.__new__:
                return None
        return self.signature(own)

    def signature(self, function):
        """``"(x, axis=None)"``, without annotations and without self; None if there is none."""
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            return None
        if parameters and parameters[0].name in ("self", "cls", "_cls", "mcs"):
            parameters = parameters[1:]
        parts, starred = [], False
        for p in parameters:
            text = p.name
            if p.kind is p.VAR_POSITIONAL:
                text, starred = "*" + text, True
            elif p.kind is p.VAR_KEYWORD:
                text = "**" + text
            elif p.kind is p.KEYWORD_ONLY and not starred:
                parts.append("*")
                starred = True
            if p.default is not p.empty:
                text += "=" + self.default(p.default)
            parts.append(text)
        return "(" + ", ".join(parts) + ")"

    def default(self, value):
        """A default as source text; ``...`` for what has no short one."""
        if value is None or isinstance(value, (bool, int, float, str, bytes)):
            text = repr(value)
            if isinstance(value, enum.Enum) or text in ("nan", "inf", "-inf"):
                return "..."
            return text if len(text) < 60 else "..."
        if isinstance(value, self.tf.DType):
            return "tf." + value.name if not value.name.endswith("_ref") else "..."
        if isinstance(value, (tuple, list)):
            inner = [self.default(v) for v in value]
            if isinstance(value, list):
                return "[" + ", ".join(inner) + "]"
            return "(" + ", ".join(inner) + ("," if len(inner) == 1 else "") + ")"
        known = self.objects.get(id(value))
        if known is not None and known[1] is value and known[0].count(".python") == 0:
            return known[0].replace("tensorflow", "tf", 1)
        return "..."


def write(path, snapshot):
    """One symbol a line, so that a new snapshot's difference can be read."""
    def lines(table):
        return ",\n".join(
            "%s:%s" % (json.dumps(k), json.dumps(table[k], separators=(",", ":")))
            for k in sorted(table)
        )

    symbols = {k: v for k, v in snapshot.symbols.items() if v != {}}
    private = snapshot.major > 1  # of TensorFlow 1 they stand with the paths; of 2, public names do
    snapshot.aliases = {  # are there or not, and which others they have does not matter
        k: v for k, v in snapshot.aliases.items() if (".python." in k) is private
    }
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"tensorflow":%s,\n"python":"%d.%d",\n' % (
            json.dumps(snapshot.tf.__version__), sys.version_info[0], sys.version_info[1]))
        if snapshot.modules:
            file.write('"modules":[\n%s\n],\n' % ",\n".join(map(json.dumps, snapshot.modules)))
        for title, table in (("symbols", symbols), ("aliases", snapshot.aliases),
                             ("failed", snapshot.failed)):
            end = "}}\n" if title == "failed" else "},\n"
            file.write('"%s":{\n%s\n%s' % (title, lines(table), end))


def main():
    """Take the snapshot."""
    warnings.simplefilter("ignore")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    snapshot = Snapshot()
    snapshot.run()
    write(sys.argv[1], snapshot)
    if snapshot.major == 1:
        Paths(snapshot).write(sys.argv[1].replace(".json", ".paths.json"))
    print("%d symbols, %d aliases, %d modules failed" % (
        len(snapshot.symbols), len(snapshot.aliases), len(snapshot.failed)))


if __name__ == "__main__":
    main()
