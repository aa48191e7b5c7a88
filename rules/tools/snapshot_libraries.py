"""Writes what companion libraries had when TensorFlow 1 was current and have no longer: names,
methods and arguments, by comparing releases that are installed side by side.

    OLD_PYTHON rules/tools/snapshot_libraries.py list old.json         (Python 3.7, one environment or more)
    NEW_PYTHON rules/tools/snapshot_libraries.py list new.json         (Python 3.11, what pip installs today)
    NEW_PYTHON rules/tools/snapshot_libraries.py compare new.json rules/api/libraries.json old.json ...
    PYTHON     rules/tools/snapshot_libraries.py stdlib rules/api/libraries.json   (3.6 to 3.13, in order)

The environments are made of ``rules/tools/libraries-*.txt``.  A name counts as gone if importing it fails
in the new environment, or leads to a function that only raises.  An argument counts as gone if the signature
lacks it *and* a call that gives it is refused for it, since wrappers take more than they show.  It runs on
both, so it keeps to what 3.7 knows.
"""

import contextlib
import dis
import importlib
import inspect
import io
import json
import os
import pkgutil
import re
import signal
import sys
import types
import warnings

LIBRARIES = (
    "numpy", "scipy", "sklearn", "skimage", "matplotlib", "mpl_toolkits", "pandas", "PIL", "networkx", "h5py",
    "imageio", "cv2", "nltk", "gensim", "librosa", "moviepy", "seaborn", "nibabel", "SimpleITK",
    "pydicom", "jieba", "joblib", "yaml", "tqdm", "requests", "bs4", "flask", "shapely", "tensorflow_hub",
    "tensorlayer",
)  # fmt: skip
_PASSED_OVER = re.compile(
    r"(^|\.)(_.*|tests?|testing|conftest|setup|benchmarks?|examples?|doc|f2py|distutils|vendor|packages|"
    r"externals|backends|compat|compatibility|ma\.bench|core\.(?!umath|numeric|multiarray|defchararray|records|fromnumeric)|sandbox|idlelib|lib2to3|turtledemo|antigravity|this|__main__)(\.|$)"
)
_DISTRIBUTIONS = {"sklearn": "scikit-learn", "skimage": "scikit-image", "PIL": "Pillow", "cv2": "OpenCV",
                  "mpl_toolkits": "matplotlib", "yaml": "PyYAML", "bs4": "Beautiful Soup",
                  "tensorflow_hub": "tensorflow-hub", "tensorlayer": "TensorLayer"}
#: What modules of both Pythons brought in for themselves.
_LEFT_OVER = frozenset((
    "absolute_import", "division", "print_function", "unicode_literals", "with_statement", "generators",
    "py3", "long", "unicode", "basestring", "xrange", "range", "zip", "map", "izip", "reduce", "string_types",
    "integer_types", "iteritems", "test", "Tester", "bench",
))


class Late(Exception):
    """A call that does not come back."""


def _late(number, frame):
    raise Late


def modules_of(root):
    """The importable public modules of a library, the library itself first."""
    found = {}
    for name in _module_names(root):
        with contextlib.suppress(BaseException):
            module = importlib.import_module(name)
            if isinstance(module, types.ModuleType) and getattr(module, "__name__", None) is not None:
                found[name] = module
    return found


def _module_names(root):
    yield root
    try:
        package = importlib.import_module(root)
    except BaseException:
        return
    pending = [(root, getattr(package, "__path__", None))]
    while pending:
        prefix, path = pending.pop()
        for info in pkgutil.iter_modules(path or []):
            name = prefix + "." + info.name
            if _PASSED_OVER.search(name[len(root):]):
                continue
            yield name
            if info.ispkg:
                try:
                    pending.append((name, importlib.import_module(name).__path__))
                except BaseException:
                    continue


def listed(root):
    """What a library has: `names` by module, `methods` by class, `signatures` by function."""
    modules = modules_of(root)
    if root not in modules:
        return None
    classes, seen, signatures, names = {}, set(), {}, {}
    for module_name in sorted(modules, key=lambda name: (name.count("."), name)):
        module, here = modules[module_name], []
        for name in sorted(dir(module)):
            if not name or name.startswith("_") or name.endswith("_swigregister") or name in _LEFT_OVER:
                continue
            try:  # a module that is imported when it is asked for anything may fail there
                value = getattr(module, name)
                if not _belongs(name, value, root, module, module_name) or _only_raises(value):
                    continue
            except BaseException:
                continue
            here.append(name)
            path = module_name + "." + name
            if inspect.isclass(value) and id(value) not in seen:
                seen.add(id(value))
                classes[path] = sorted(a for a in dir(value) if not a.startswith("_") and _own(value, a))
            if (inspect.isclass(value) or isinstance(value, types.FunctionType)) and (
                    getattr(value, "__module__", "") or "").split(".")[0] == root:
                signature = _signature(value)
                if signature is not None:
                    signatures[path] = signature
        names[module_name] = here
    version = getattr(modules[root], "__version__", "") or ""
    if root == "mpl_toolkits":
        version = importlib.import_module("matplotlib").__version__
    return {"version": version if isinstance(version, str) else "", "names": names, "classes": classes,
            "signatures": signatures}


def _belongs(name, value, root, module, called):
    """Whether a public name is a module's own: a leaf has what it defines, a package what it hands on."""
    if isinstance(value, types.ModuleType):
        top = value.__name__.split(".")[0]
        return top == root and hasattr(module, "__path__") or called == root and top in LIBRARIES
    home = getattr(value, "__module__", None)
    if not isinstance(home, str) or name in (getattr(module, "__all__", None) or ()):
        return True
    if called.count(".") == 0 or called in ("matplotlib.pyplot", "matplotlib.pylab"):
        return True
    if not isinstance(value, (type, types.FunctionType)):
        return home.split(".")[0] in (root, "builtins")
    return home == called or hasattr(module, "__path__") and home.split(".")[0].lstrip("_") == root


def _own(kind, attribute):
    """Whether a class has an attribute from a library and not from Python."""
    for base in kind.__mro__:
        if attribute in vars(base):
            return base.__module__ not in sys.builtin_module_names and base.__module__ not in (
                "builtins", "enum", "abc", "collections", "threading", "ctypes", "tuple")
    return False


def _signature(value):
    """[names of positional parameters, names of keyword-only ones, takes *args, takes **kwargs]."""
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except BaseException:
        return None
    by = {}
    for parameter in parameters:
        by.setdefault(parameter.kind, []).append(parameter.name)
    kind = inspect.Parameter
    positional = by.get(kind.POSITIONAL_ONLY, []) + by.get(kind.POSITIONAL_OR_KEYWORD, [])
    return [positional, by.get(kind.KEYWORD_ONLY, []), kind.VAR_POSITIONAL in by, kind.VAR_KEYWORD in by]


def there(path):
    """What a dotted path leads to here, in a tuple, or None. One that cannot be imported for want of some
    other distribution leads to (), for nobody can tell."""
    parts = path.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        try:
            found = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if not (error.name or "").startswith(parts[0]):
                return ()
            continue
        except BaseException:
            return ()
        for attribute in parts[length:]:
            try:
                found = getattr(found, attribute)
            except AttributeError:
                return None
            except BaseException:
                return ()
        return None if _only_raises(found) else (found,)
    return None


def _only_raises(value):
    """Whether a function stands there to say that what had its name is gone: it takes anything and raises."""
    return (isinstance(value, types.FunctionType) and _signature(value) == [[], [], True, True]
            and not any(step.opname.startswith(("RETURN", "YIELD")) for step in dis.get_instructions(value)))


def compared(new, olds, others):
    """By library: what it is called, its release, and what is gone of `names`, `methods`, `arguments`.

    others: the names of TensorFlow and Keras, whose methods are not taken for a library's.
    """
    attributes = {a for library in new.values() for own in library["classes"].values() for a in own}
    attributes.update(name.rpartition(".")[2] for name in others)
    for kind in (str, bytes, list, dict, set, tuple, int, float, complex, type, object, Exception,
                 io.StringIO, io.BytesIO, io.TextIOWrapper, io.FileIO, types.FunctionType, types.ModuleType):
        attributes.update(dir(kind))
    found = {}
    for root, library in new.items():
        before = [old[root] for old in olds if root in old]
        if not before:
            continue
        gone = sorted({path for old in before for path in _gone_names(old)})
        gone = [path for path in gone if not any(path.startswith(other + ".") for other in gone)]
        public = {}
        for module, names in library["names"].items():
            for name in names:
                if name not in public or module.count(".") < public[name].count("."):
                    public[name] = module
        found[root] = {
            "name": _DISTRIBUTIONS.get(root, root),
            "version": ".".join(library["version"].split(".")[:2]),
            "names": _grouped({path: _moved(path, public) for path in gone}),
            "methods": _gone_methods(before, attributes),
            "arguments": _gone_arguments(before),
        }
        print(root, found[root]["version"], len(found[root]["names"]), len(found[root]["methods"]),
              len(found[root]["arguments"]), file=sys.stderr)
    return found


def _gone_names(old):
    for module, names in old["names"].items():
        if there(module) is None:
            yield module
            continue
        for name in names:
            if there(module + "." + name) is None:
                yield module + "." + name


def _moved(path, public):
    """Where the library has a thing of that name now, or nothing."""
    name = path.rpartition(".")[2]
    home = public.get(name)
    return home + "." + name if home is not None and home + "." + name != path else ""


def _grouped(names):
    """Module -> its names with spaces between them, ``name=now`` where there is one of that name now."""
    found = {}
    for path, now in names.items():
        module, _, name = path.rpartition(".")
        found.setdefault(module, []).append(name + "=" + now if now else name)
    return {module: " ".join(own) for module, own in sorted(found.items())}


def _gone_methods(before, attributes):
    """Attribute -> the classes that had it, where no class has one of that name any more."""
    gone = {}
    for old in before:
        for path, own in old["classes"].items():
            lead = there(path)
            if not lead or not inspect.isclass(lead[0]):
                continue
            try:
                source = inspect.getsource(sys.modules[lead[0].__module__])
            except BaseException:
                source = ""
            for attribute in own:
                if attribute in attributes or hasattr(lead[0], attribute):
                    continue
                if re.search(r"\b%s\b" % re.escape(attribute), source):
                    continue  # told in some other way, by __getattr__ say
                gone.setdefault(attribute, set()).add(path)
    paths = {name: sorted(own, key=lambda p: (p.count("."), p)) for name, own in sorted(gone.items())}
    return {name: own[:2] for name, own in paths.items() if own[0].count(".") <= 2}


def _gone_arguments(before):
    """Function -> `gone`, the keywords that it takes no more, with what stands at their place; `limit`, how
    many arguments it takes by position where it took more, and `names`, what those behind are called ("" for
    one that is gone)."""
    found = {}
    for old in before:
        for path, (positional, keywords, star, _) in old["signatures"].items():
            lead = there(path)
            if not lead or not callable(lead[0]):
                continue
            now = _signature(lead[0])
            if now is None:
                continue
            known = found.setdefault(path, {})
            if not now[3]:
                gone = {name for name in positional + keywords
                        if name not in now[0] + now[1] and _refuses_keyword(lead[0], name, now)}
                for name in gone:
                    known.setdefault("gone", {}).setdefault(name, _at_its_place(name, positional, now[0]))
            limit = len(now[0])
            if not now[2] and not star and len(positional) > limit and _refuses_count(lead[0], limit):
                names = [name if name in now[1] else "" for name in positional[limit:]]
                if "names" in known:  # what stood elsewhere in another release may be meant by position
                    pairs = zip(known["names"], names)
                    longer = max(known["names"], names, key=len)[min(len(known["names"]), len(names)):]
                    names = [a if a == b else "" for a, b in pairs] + longer
                known["limit"], known["names"] = limit, names
    return {path: known for path, known in sorted(found.items()) if known}


def _at_its_place(name, before, now):
    """The new name of a parameter, if one that was not there stands where it stood."""
    index = before.index(name) if name in before else len(now)
    return now[index] if index < len(now) and now[index] not in before else ""


def _called(function, args, kwargs):
    """What a call with meaningless arguments is refused for, as text."""
    signal.signal(signal.SIGALRM, _late)
    signal.alarm(2)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            function(*args, **kwargs)
    except TypeError as error:
        return str(error)
    except BaseException:
        return ""
    finally:
        signal.alarm(0)
    return ""


def _refuses_keyword(function, name, now):
    said = _called(function, [object()] * len(now[0]), {name: object()})
    return name in said and "unexpected keyword argument" in said


def _refuses_count(function, count):
    said = _called(function, [object()] * (count + 1), {})
    return "positional argument" in said and ("takes" in said or "too many" in said)


def stdlib(path):
    """Adds what the standard library of the Python that runs this lacks, of what an earlier one had.

    The file keeps what earlier runs saw (`"stdlib"`: name -> the first Python that lacks it, or "" while all
    have it), so that Pythons are asked in their order.
    """
    with open(path) as file:
        document = json.load(file)
    seen = document.setdefault("stdlib", {})
    version = "%d.%d" % sys.version_info[:2]
    for name, since in list(seen.items()):
        if not since and there(name) is None:
            seen[name] = version
        elif since and there(name) is not None:
            seen[name] = ""
    if sys.version_info < (3, 9):
        for module in sorted(_stdlib_modules()):
            seen.setdefault(module, "")
            lead = there(module)
            for name in dir(lead[0]) if lead else ():
                value = getattr(lead[0], name, None)
                if not name.startswith("_") and not isinstance(value, types.ModuleType):
                    seen.setdefault(module + "." + name, "")
    if sys.version_info >= (3, 13):
        document["stdlib"] = {name: since for name, since in sorted(seen.items()) if since and not any(
            seen.get(name.rsplit(".", up)[0]) for up in range(1, name.count(".") + 1))}
    _write(path, document)


def _stdlib_modules():
    home = os.path.dirname(os.__file__)
    for info in pkgutil.iter_modules([home, *[p for p in sys.path if p.endswith("lib-dynload")]]):
        if _PASSED_OVER.search(info.name):  # distutils comes with setuptools, which TensorFlow requires
            continue
        yield info.name
        if info.ispkg:
            for inner in pkgutil.iter_modules([os.path.join(home, info.name)]):
                if not _PASSED_OVER.search("." + inner.name):
                    yield info.name + "." + inner.name


def _write(path, document):
    with open(path, "w") as file:
        json.dump(document, file, indent=0, sort_keys=True)
        file.write("\n")


def main(argv):
    warnings.simplefilter("ignore")
    os.environ.setdefault("MPLBACKEND", "agg")
    command, path = argv[1], argv[2]
    if command == "list":
        found = {}
        for root in LIBRARIES:
            library = listed(root)
            if library is not None:
                found[root] = library
                print(root, library["version"], len(library["names"]), file=sys.stderr)
        _write(path, found)
    elif command == "compare":
        documents = []
        for name in (path, *argv[4:]):
            with open(name) as file:
                documents.append(json.load(file))
        kept, others = {}, []
        for name, key in (("tf1.15.json", "symbols"), ("tf2.21.json", "symbols"), ("keras3.json", "names")):
            with open(os.path.join(os.path.dirname(os.path.abspath(argv[3])), name)) as file:
                others += list(json.load(file)[key])
        if os.path.exists(argv[3]):
            with open(argv[3]) as file:
                kept = json.load(file).get("stdlib", {})
        _write(argv[3], {"libraries": compared(documents[0], documents[1:], others), "stdlib": kept})
    elif command == "stdlib":
        stdlib(path)


if __name__ == "__main__":
    main(sys.argv)
