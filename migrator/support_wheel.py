"""The support package as a distribution: tf1-support, written as a wheel without a build tool or network.

What migrator puts into a repository is cut to what that uses; the wheel has all of it, complete and under
the same name (`tf1_support`), so that the migrated code is the same with either. A wheel is a zip with
three files of metadata (packaging.python.org, "Binary distribution format"); the same version of migrator
writes the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

from migrator import __version__
from migrator.resources import templates_dir

NAME = "tf1-support"
PACKAGE = "tf1_support"
README = "support_package.md"  # beside the folder of the modules
# No requirement of TensorFlow: tensorflow, tensorflow-cpu and tensorflow[and-cuda] exclude each other.
_METADATA = f"""\
Metadata-Version: 2.1
Name: {NAME}
Version: {__version__}
Summary: What TensorFlow 1 programs need of TensorFlow 1, as plain TensorFlow 2.21 and Keras 3 code
License: Apache-2.0
Requires-Python: >=3.10
Classifier: Typing :: Typed
Provides-Extra: tensorflow
Requires-Dist: tensorflow<2.22,>=2.21; extra == 'tensorflow'
Description-Content-Type: text/markdown
"""
_WHEEL = "Wheel-Version: 1.0\nGenerator: migrator\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
_WHEN = (2020, 1, 1, 0, 0, 0)  # of every file in it: the bytes do not depend on the day


def write(folder: Path) -> Path:
    """Write the wheel into `folder`, which is made where it is missing; its path. Raises OSError."""
    files = _files()
    info = f"{PACKAGE}-{__version__}.dist-info"
    files[f"{info}/METADATA"] = f"{_METADATA}\n{_text(README)}"
    files[f"{info}/WHEEL"] = _WHEEL
    files[f"{info}/RECORD"] = "".join(
        [*(f"{name},{_digest(text)}\n" for name, text in files.items()), f"{info}/RECORD,,\n"]
    )
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{PACKAGE}-{__version__}-py3-none-any.whl"
    partial = path.with_suffix(".part")
    with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, _WHEN)
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, text.encode(), zipfile.ZIP_DEFLATED)
    partial.replace(path)
    return path


def _files() -> dict[str, str]:
    """The modules of the package by their paths in the wheel, with its version and the mark of types."""
    found = {
        f"{PACKAGE}/{path.name}": path.read_text(encoding="utf-8")
        for path in sorted((templates_dir() / "support").glob("*.py"))
    }
    found[f"{PACKAGE}/__init__.py"] += f'\n__version__ = "{__version__}"\n'
    found[f"{PACKAGE}/py.typed"] = ""
    return found


def _text(name: str) -> str:
    return (templates_dir() / name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    data = text.encode()
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"sha256={digest},{len(data)}"
