"""Lists the packages of the distribution and their data; the rest is declared in setup.cfg.

`rules/` and `templates/` stand at the root of the repository, where people look for them, and
are installed inside the package (`migrator/rules`, `migrator/templates`), where
`migrator.resources` finds them. They are data: every file in them is shipped as it is.
"""

from __future__ import annotations

from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).parent
SHIPPED = ("rules", "templates")
LEFT_OUT = (".pyc", ".pyo", "~")


def data_files(folder: str) -> list[str]:
    """Paths of all files below `folder`, relative to it, in a fixed order."""
    base = HERE / folder
    found = (path for path in base.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return sorted(str(p.relative_to(base)) for p in found if not p.name.endswith(LEFT_OUT))


CODE = find_packages(include=["migrator", "migrator.*"])


def inner_data(package: str) -> list[str]:
    """The files beside a package's modules, and in folders of it that are no packages."""
    folder = package.replace(".", "/")
    inner = [name.replace(".", "/") + "/" for name in CODE if name.startswith(f"{package}.")]
    # A module in a folder without __init__.py is put on the path of child processes: data here.
    found = [name for name in data_files(folder) if "/" in name or not name.endswith(".py")]
    return [name for name in found if not f"{folder}/{name}".startswith(tuple(inner))]


setup(
    packages=[*CODE, *(f"migrator.{folder}" for folder in SHIPPED if (HERE / folder).is_dir())],
    package_dir={f"migrator.{folder}": folder for folder in SHIPPED},
    package_data={
        **{package: inner_data(package) for package in CODE},
        **{f"migrator.{folder}": data_files(folder) for folder in SHIPPED},
    },
)
