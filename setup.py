"""Lists the packages of the distribution; everything else is declared in setup.cfg.

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


setup(
    packages=[
        *find_packages(include=["migrator", "migrator.*"]),
        *(f"migrator.{folder}" for folder in SHIPPED if (HERE / folder).is_dir()),
    ],
    package_dir={f"migrator.{folder}": folder for folder in SHIPPED},
    package_data={
        "migrator": ["py.typed"],
        **{f"migrator.{folder}": data_files(folder) for folder in SHIPPED},
    },
)
