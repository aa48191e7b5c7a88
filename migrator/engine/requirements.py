"""Pins of TensorFlow 1's world in requirements, environments, Dockerfiles and setup files (DEP1xx).

Works on text, not on Python code: `update(path, text)` is for files that the engine does not
parse.  A pin that no release for Python 3.11 meets is replaced by the range that the migrated code
runs with; everything else of the line, comments included, stays.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

from migrator import __version__, support_wheel
from migrator.engine.conda_pins import by_pip
from migrator.model import Change, Confidence, Finding

TARGET = "2.21.0"

# distribution -> (what replaces it, the version that must be allowed, why); the working set is
# that of TensorFlow 2.21 on Python 3.11
_WORKING = {
    "tensorflow": ("tensorflow>=2.21,<2.22", "2.21.0", "the code is migrated to TensorFlow 2.21"),
    "tensorflow-gpu": (
        "tensorflow[and-cuda]>=2.21,<2.22", "", "TensorFlow 2 has one package, CUDA is an extra",
    ),
    "tensorflow-cpu": ("tensorflow-cpu>=2.21,<2.22", "2.21.0", "migrated to TensorFlow 2.21"),
    "tf-nightly": ("tensorflow>=2.21,<2.22", "", "the code is migrated to TensorFlow 2.21"),
    "tensorboard": ("tensorboard>=2.20", "2.20.0", "must fit TensorFlow 2.21"),
    "keras": ("keras>=3.12", "3.12.0", "TensorFlow 2.21 comes with Keras 3"),
    "numpy": ("numpy>=1.26", "2.1.0", "older releases do not install on Python 3.11"),
    "protobuf": ("protobuf>=6.31.1", "6.31.1", "TensorFlow 2.21 needs protobuf 6 or later"),
    "h5py": ("h5py>=3.11", "3.11.0", "older releases do not install on Python 3.11"),
    "scipy": ("scipy>=1.11", "1.14.0", "older releases do not install with numpy 2"),
    "pillow": ("pillow>=10.4", "11.0.0", "older releases do not install on Python 3.11"),
    "matplotlib": ("matplotlib>=3.8", "3.10.0", "older releases do not install with numpy 2"),
    "gast": ("gast>=0.4", "0.6.0", "must fit TensorFlow 2.21"),
    "six": ("six>=1.12", "1.17.0", "must fit TensorFlow 2.21"),
}  # fmt: skip
BESIDE = "DEP107"
SUPPORT = support_wheel.NAME
# What may have to stand beside TensorFlow.
_BESIDE = {
    "tensorboard": "tensorboard>=2.20",
    "tensorflow-probability": "tensorflow-probability>=0.25",
    "tf-keras": "tf-keras>=2.21,<2.22",
    "packaging": "packaging>=23",
    SUPPORT: f"{SUPPORT}=={__version__}",
}
_GONE = {
    "tensorflow-estimator": "tf.estimator left TensorFlow with 2.16",
    "tf-slim": "the support package takes its place",
    "enum34": "in the standard library",
    "futures": "in the standard library",
    "backports-functools-lru-cache": "in the standard library",
}
_PINNED = re.compile(rf"(?<![\w-]){SUPPORT}\s*==\s*[\w.+!]+")
_QUOTED_PIN = rf"""(?:'{_PINNED.pattern}'|"{_PINNED.pattern}")"""
_PIN = re.compile(
    rf",\s*{_QUOTED_PIN}|\s*{_QUOTED_PIN}\s*,(?=\s*$)|{_QUOTED_PIN}\s*,\s*|\s*{_QUOTED_PIN}"
    rf"|^\s*(?:-\s*)?{_PINNED.pattern}\s*(?:#.*)?$"
)
_TENSORFLOW = re.compile(r"""(?m)(?:^|['"\s])(?:-\s*)?(?:tensorflow(?:-gpu|-cpu)?|tf-nightly)(?![\w/.-])""")
_LINE = re.compile(r"^(?P<lead>\s*)(?P<spec>[A-Za-z0-9][^#;]*?)(?P<rest>\s*(;.*|#.*)?)$")
_QUOTED = re.compile(
    r"""(?P<q>['"])(?P<spec>[A-Za-z][\w.-]*(\[[\w,-]+\])?\s*[=<>~!][^'"]*)(?P=q)"""
)
_CONDA = re.compile(
    r"^(?P<lead>\s*-\s*)(?P<spec>[A-Za-z][\w.-]*\s*[=<>!~][^#]*?)(?P<rest>\s*(#.*)?)$"
)
_BARE = re.compile(r"""(?P<q>['"])(?P<spec>tensorflow-gpu|tf-nightly(?:-gpu)?)(?P=q)""")
_PYTHON = re.compile(
    r"^(?P<lead>\s*-\s*)python\s*(?:=+|<=?|~=)\s*(?P<version>[23](?:\.\d+)?)[\w.*]*(?P<rest>\s*)$"
)
_REQUIRES = re.compile(
    r"""(?P<lead>python_requires\s*=\s*['"]?)(?P<spec>[^'"\n,#]*(?:,[^'"\n#]*)?)(?P<rest>['"]?.*)$"""
)
_PYTHON_IMAGE = re.compile(r"^(?P<lead>\s*FROM\s+python:)(?P<version>[23](?:\.\d+)*)(?P<rest>.*)$", re.I)
_CUDA = re.compile(r"^\s*(?:FROM\s+nvidia/cuda:(?P<image>\S+)|-\s*(?P<conda>cudatoolkit|cudnn)\b)", re.I)
_IMAGE = re.compile(r"^(?P<lead>\s*FROM\s+)tensorflow/tensorflow:(?P<tag>\S+)(?P<rest>.*)$", re.I)
_PIP = re.compile(r"\bpip3?\s+install\b")
_WORD = re.compile(
    r"""(?<![\w./-])(?P<q>['"]?)(?P<spec>[A-Za-z][\w.-]*\s?(==|~=|<=|>=|<|>)\s?[\w.*]+)"""
    r"""(?P=q)(?=\s|$|&|;)"""
)


_LONGEST = 4000  # characters of a line that is looked at; patterns take time by the square of it


@dataclass(frozen=True)
class Updated:
    """The new text of a file (the old one where nothing changed), and what to report."""

    text: str
    changes: tuple[Change, ...] = ()
    findings: tuple[Finding, ...] = ()


def concerns(path: str) -> bool:
    """Whether a file by its name lists requirements."""
    name = PurePosixPath(path).name.lower()
    return (
        (name.startswith(("requirements", "constraints")) and name.endswith((".txt", ".in", ".pip")))
        or (PurePosixPath(path).parent.name == "requirements" and name.endswith((".txt", ".in")))
        or name in ("setup.py", "setup.cfg", "pyproject.toml")
        or name.startswith("dockerfile")
        or name in ("environment.yml", "environment.yaml", "conda.yml", "conda.yaml")
    )


def replacement(spec: str) -> tuple[str, str, str] | None:
    """(new requirement, code, reason) of one requirement, None to keep it; ``""`` takes it out."""
    try:
        requirement = Requirement(re.sub(r"(?<![=<>!~])=(?!=)", "==", spec.strip()))
    except InvalidRequirement:
        return None
    name = canonicalize_name(requirement.name)
    if name in _GONE:
        return "", "DEP103", f"{requirement.name}: {_GONE[name]}"
    if name not in _WORKING:
        return None
    new, wanted, why = _WORKING[name]
    if wanted and (
        requirement.specifier.contains(Version(wanted), prereleases=True)
        if requirement.specifier
        else name != "tensorflow"
    ):
        return None
    code = "DEP101" if name.startswith(("tensorflow", "tf-")) else "DEP102"
    if requirement.marker is not None:
        new = f"{new}; {requirement.marker}"
    return new, code, f"{spec.strip()} becomes {new}: {why}"


def lists_tensorflow(text: str) -> bool:
    """Whether a file says that TensorFlow is to be installed."""
    return _TENSORFLOW.search(text) is not None


def pin_of_support() -> str:
    """The requirement that has what this version's output uses."""
    return _BESIDE[SUPPORT]


def pins_support(text: str) -> bool:
    """Whether a file says which version of tf1-support is to be installed."""
    return _PINNED.search(text) is not None


def _support_pinned(body: str, wanted: bool, reasons: list[tuple[str, str]]) -> str:
    """A line with the pin of tf1-support as this version has it, or without it."""
    if not pins_support(body):
        return body
    new = _PINNED.sub(_BESIDE[SUPPORT], body) if wanted else _PIN.sub("", body)
    if new == body:
        return body
    why = f"{_BESIDE[SUPPORT]} has what the migrated code uses" if wanted else (
        "nothing in the repository takes its support code from there"
    )  # fmt: skip
    reasons.append((BESIDE if wanted else "DEP103", why))
    return new if new.strip() else ""


def update(path: str, text: str, needed: frozenset[str] = frozenset()) -> Updated:
    """The file with its pins replaced by the working set, and TensorFlow accompanied by what is `needed`.

    Lines that are no plain requirement (URLs, options, variables) are left as they are.
    """
    name = PurePosixPath(path).name.lower()
    changes: list[Change] = []
    findings: list[Finding] = []
    lines = text.splitlines(keepends=True)
    new: list[str] = []
    for number, row in enumerate(lines, 1):
        if len(row) > _LONGEST:
            new.append(row)
            continue
        body = row.rstrip("\r\n")
        end = row[len(body) :]
        reasons: list[tuple[str, str]] = []
        body = _support_pinned(body, SUPPORT in needed, reasons)
        if name.startswith("dockerfile"):
            body = _docker(body, reasons)
        elif name.endswith((".yml", ".yaml")):
            body = _conda(body, reasons)
        elif name in ("setup.py", "setup.cfg", "pyproject.toml"):
            body = _python_requires(body, reasons)
            body = _matched(body, _LINE, reasons) if name == "setup.cfg" else _quoted(body, reasons)
        else:
            body = _matched(body, _LINE, reasons)
        changes += [
            Change(code, number, number, reason, confidence=Confidence.LIKELY)
            for code, reason in reasons
        ]
        cuda = _CUDA.match(body)
        if cuda is not None and (name.startswith("dockerfile") or name.endswith((".yml", ".yaml"))):
            findings.append(_cuda_finding(path, number, cuda["image"] or cuda["conda"]))
        if body or not reasons:
            new.append(body + end)
    updated = "".join(new)
    if name.endswith((".yml", ".yaml")) and changes:
        updated = by_pip(updated)
    missing = sorted(n for n in needed if not re.search(rf"(?<![\w-]){n}(?![\w-])", updated.lower()))
    if missing:
        listed = [_BESIDE[n] for n in missing]
        where = _TENSORFLOW.search(text)
        line = text.count("\n", 0, where.start()) + 1 if where is not None else 1
        with_them = _with_beside(name, updated, listed)
        if with_them != updated:
            updated = with_them
            why = f"TensorFlow does not install {' and '.join(missing)}, which the migrated code uses"
            changes.append(Change(BESIDE, line, line, why, confidence=Confidence.LIKELY))
    return Updated(updated, tuple(changes), tuple(findings))


def _with_beside(name: str, text: str, listed: list[str]) -> str:
    """The text with more requirements behind the one of TensorFlow, written as that is."""
    if name.startswith("dockerfile") or name in ("setup.py", "pyproject.toml"):
        quoted = re.search(
            r"""(?P<q>['"])(tensorflow(-cpu)?(\[[\w,-]+\])?\s*[=<>~!][^'"]*)(?P=q)""", text
        )
        if quoted is None:
            return text
        joint = " " if name.startswith("dockerfile") else ", "
        more = "".join(f"{joint}{quoted['q']}{item}{quoted['q']}" for item in listed)
        return text[: quoted.end()] + more + text[quoted.end() :]
    row = re.search(
        r"^(?P<lead>[ \t]*(?:-[ \t]*)?)tensorflow(-cpu)?(\[[\w,-]+\])?\s*([=<>~!;#][^\r\n]*)?"
        r"(?P<end>\r?\n|$)", text, re.MULTILINE,
    )  # fmt: skip
    if row is None:
        return text
    end = row["end"] or "\n"
    more = "".join(f"{row['lead']}{item}{end}" for item in listed)
    return text[: row.end()] + ("" if row["end"] else end) + more + text[row.end() :]


def updated_command(line: str) -> tuple[str, list[tuple[str, str]]]:
    """A command line with the pins of its ``pip install`` replaced, and the (code, reason)s."""
    reasons: list[tuple[str, str]] = []
    return _docker(line, reasons), reasons


def _cuda_finding(path: str, line: int, what: str) -> Finding:
    return Finding(
        code="DEP105", path=path, line=line, column=0,
        message=f"{what} was chosen for an older TensorFlow",
        advice="TensorFlow 2.21 brings CUDA 12 and cuDNN 9 with tensorflow[and-cuda]: use a plain "
        "image and take the pin out, or one with CUDA 12.",
    )  # fmt: skip


def _conda(body: str, reasons: list[tuple[str, str]]) -> str:
    python = _PYTHON.match(body)
    if python is None:
        return _matched(body, _CONDA, reasons)
    if not _too_old(python["version"]):
        return body
    reasons.append(("DEP106", f"Python {python['version']} becomes 3.11: TensorFlow 2.21 needs it"))
    return f"{python['lead']}python=3.11{python['rest']}"


def _too_old(version: str) -> bool:
    """Whether TensorFlow 2.21 does not run on that Python."""
    return Version(version) < Version("3.10") and version != "3"


def _python_requires(body: str, reasons: list[tuple[str, str]]) -> str:
    match = _REQUIRES.search(body)
    if match is None:
        return body
    try:
        allowed = SpecifierSet(match["spec"])
    except InvalidSpecifier:
        return body
    if allowed.contains("3.11.9"):
        return body
    reasons.append(("DEP106", f"python_requires {match['spec']} shuts Python 3.11 out"))
    return body[: match.start()] + f"{match['lead']}>=3.10{match['rest']}"


def _matched(body: str, pattern: re.Pattern[str], reasons: list[tuple[str, str]]) -> str:
    match = pattern.match(body)
    found = replacement(match["spec"]) if match else None
    if match is None or found is None:
        return body
    reasons.append(found[1:])
    return f"{match['lead']}{found[0]}{match['rest']}" if found[0] else ""


def _quoted(body: str, reasons: list[tuple[str, str]]) -> str:
    def one(match: re.Match[str]) -> str:
        found = replacement(match["spec"])
        if found is None or not found[0]:
            return match[0]
        reasons.append(found[1:])
        return f"{match['q']}{found[0]}{match['q']}"

    return _BARE.sub(one, _QUOTED.sub(one, body))


def _docker(body: str, reasons: list[tuple[str, str]]) -> str:
    image = _IMAGE.match(body)
    if image is not None:
        tag = image["tag"]
        if not re.match(r"(0|1)\.", tag):
            return body
        new = f"{TARGET}-gpu" if "gpu" in tag else TARGET
        reasons.append(("DEP104", f"the image tensorflow:{tag} becomes tensorflow:{new}"))
        return f"{image['lead']}tensorflow/tensorflow:{new}{image['rest']}"
    python = _PYTHON_IMAGE.match(body)
    if python is not None and _too_old(python["version"]):
        reasons.append(("DEP106", f"Python {python['version']} becomes 3.11: TensorFlow needs it"))
        return f"{python['lead']}3.11{python['rest']}"
    if not _PIP.search(body):
        return body

    def one(match: re.Match[str]) -> str:
        found = replacement(match["spec"])
        if found is None or not found[0]:
            return match[0]
        reasons.append(found[1:])
        return f"'{found[0]}'"

    return _WORD.sub(one, body)
