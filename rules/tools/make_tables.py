"""Writes renames.toml, keywords.toml and support.toml from the snapshots, TF's tables and templates/.

    python rules/tools/make_tables.py          (needs TensorFlow 2.21: its upgrade tables are read)

TF's own tables (`tensorflow/tools/compatibility`) stop at ``tf.compat.v1`` where TF 1.15 itself
has the object under a name that TF 2 kept: aliases of the snapshot are looked at first.  What is
corrected by hand stands in `corrections.toml`, and wins.
"""

from __future__ import annotations

import ast
import json
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from migrator.analysis.private_paths import public_path  # noqa: E402

RULES = ROOT / "rules"
SUPPORT = ROOT / "templates" / "support"
FLOAT32 = ("tf.float32", "'float32'", "tf.dtypes.float32")
HEADER = "# Written by rules/tools/make_tables.py; corrections belong into rules/tools/corrections.toml.\n"


def short(name: str) -> str:
    return "tf" + name[len("tensorflow") :]


def long(name: str) -> str:
    return "tensorflow" + name[2:] if name.split(".")[0] == "tf" else name


class Tables:
    """Everything that the tables are computed from."""

    def __init__(self) -> None:
        from tensorflow.tools.compatibility import tf_upgrade_v2

        old = json.loads((RULES / "api" / "tf1.15.json").read_text())
        new = json.loads((RULES / "api" / "tf2.21.json").read_text())
        self.old: dict[str, object] = old["symbols"]
        self.aliases: dict[str, str] = old["aliases"]
        self.new: dict[str, object] = new["symbols"]
        spec = tf_upgrade_v2.TFAPIChangeSpec()
        self.upgrades: dict[str, str] = spec.symbol_renames
        self.tf_keywords: dict[str, dict[str, str | None]] = spec.function_keyword_renames
        self.hand = tomllib.loads((RULES / "tools" / "corrections.toml").read_text())

    def native(self, name: str) -> bool:
        """Whether TF 2 has a name outside compat.v1."""
        return name in self.new and not name.startswith(("tensorflow.compat.", "tensorflow.python."))

    # -- renames

    def renames(self) -> dict[str, str]:
        """TF 1 name -> TF 2 name, for what TF 2 has under another name."""
        groups: dict[str, set[str]] = {}
        for name, listed in self.aliases.items():
            groups.setdefault(listed, {listed}).add(name)
        found: dict[str, str] = {}
        for name in self.old:
            if self.native(name) or ".python." in name or ".keras.api." in name:
                continue
            group = groups.get(self.aliases.get(name, name), {name})
            kept = sorted((n for n in group if self.native(n)), key=self.preference)
            upgrade = long(self.upgrades.get(short(name), ""))
            if upgrade.startswith("tensorflow.compat.v2."):
                upgrade = "tensorflow." + upgrade[len("tensorflow.compat.v2.") :]
            if self.native(upgrade):
                found[short(name)] = short(upgrade)
            elif kept:
                found[short(name)] = short(kept[0])
        found.update(self.documented())
        for name, target in self.hand.get("renames", {}).items():
            found[name] = target
        for name in self.hand.get("not_renames", {}).get("names", []):
            found.pop(name, None)
        return {
            n: t for n, t in found.items()
            if public_path(long(n)) == long(n) and not self.implied(n, t, found)
        }

    def documented(self) -> dict[str, str]:
        """Private name -> the documented name of TF 1.15 under which the same module went public.

        The engine follows such a rename to what becomes of the documented name.
        """
        found: dict[str, str] = {}
        for name in self.old:
            head, _, last = name.rpartition(".")
            homes = self.hand["documented"].get(short(head), ())
            if name in self.aliases or not homes or last.startswith("_"):
                continue
            for home in homes:
                public = f"{long(home)}.{last}"
                if public in self.old and self.kind(public) == self.kind(name) != "module":
                    found[short(name)] = short(public)
                    break
        return found

    def kind(self, name: str) -> str:
        entry = self.old[name]
        return str(entry.get("kind", "function")) if isinstance(entry, dict) else "function"

    @staticmethod
    def implied(name: str, target: str, found: dict[str, str]) -> bool:
        """Whether the rename of what holds it says the same."""
        head, _, last = name.rpartition(".")
        return head in found and f"{found[head]}.{last}" == target

    @staticmethod
    def preference(name: str) -> tuple[int, int, str]:
        return (int(".keras." in name or ".experimental." in name), name.count("."), name)

    # -- keywords

    def keywords(self) -> dict[str, dict[str, object]]:
        """Renamed and dropped parameters by function."""
        found: dict[str, dict[str, object]] = {}
        for name, table in self.tf_keywords.items():
            if not name.startswith("tf.") or long(name) not in self.old:
                continue
            if name == "tf.contrib.summary.generic":
                continue  # tf.summary.write calls it tensor, whatever TF's table says
            for parameter, target in table.items():
                if target is None:
                    continue  # whether dropping is harmless is said by hand
                found.setdefault(name, {})[parameter] = target
        for name in self.old:
            if name.startswith(("tensorflow.assert_", "tensorflow.debugging.assert_")):
                found.setdefault(short(name), {})["data"] = {"drop": []}  # only in the message
                if "rank" in name:
                    found[short(name)]["summarize"] = {"drop": []}
        for name, entry in self.old.items():
            a_class = name.count(".") == 3 and self.kind(name) == "class"
            if name.startswith("tensorflow.keras.optimizers.") and a_class:
                found[short(name)] = {"lr": "learning_rate"}
            if name.startswith("tensorflow.keras.initializers.") and "dtype=tf.float32" in str(entry):
                found[short(name)] = {"dtype": {"drop": list(FLOAT32)}}  # a layer asks for its own
        for kind in ("string", "boolean", "bool", "float", "integer"):  # TF took other names as well
            for module in ("tf.app.flags", "tf.flags"):
                found[f"{module}.DEFINE_{kind}"] = {
                    "flag_name": "name", "default_value": "default", "docstring": "help",
                }
        for name, table in self.hand.get("keywords", {}).items():
            found.setdefault(name, {}).update(table)
        return found

    # -- support

    def support(self, renames: dict[str, str]) -> dict[str, str]:
        """TF 1 name -> ``module.symbol`` of the support package, for what has been written."""
        offered = {path.stem: exported(path) for path in sorted(SUPPORT.glob("*.py"))}
        found: dict[str, str] = {}
        for prefix, modules in self.hand["support_modules"].items():
            base = long(prefix)
            for name in self.old:
                head, _, last = name.rpartition(".")
                if head != base:
                    continue
                for module in modules:
                    if last in offered.get(module, ()):
                        found.setdefault(short(name), f"{module}.{last}")
                        break
        for name, target in self.hand["support"].items():
            module, _, symbol = target.partition(".")
            if module in offered and (not symbol or symbol.split(".")[0] in offered[module]):
                found[name] = target
            else:
                print(f"pending: {name} -> {target}")
        for prefix, module in self.hand["support_whole"].items():
            if module.split(".")[0] in offered:
                found[prefix] = module
        for name in self.hand.get("not_support", {}).get("names", []):
            found.pop(name, None)
        return found


def exported(path: Path) -> set[str]:
    """Public names that a support module defines or re-exports."""
    names: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(t.id for t in node.targets if isinstance(t, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
        elif isinstance(node, ast.ImportFrom) and node.level:
            names.update(a.asname or a.name for a in node.names)
    return {name for name in names if not name.startswith("_")}


def toml_value(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k} = {toml_value(v)}" for k, v in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def write(name: str, table: str, rows: Iterable[tuple[str, object]]) -> None:
    lines = [f'"{key}" = {toml_value(value)}' for key, value in sorted(rows)]
    text = HEADER + f"\n[{table}]\n" + "\n".join(lines) + "\n"
    (RULES / name).write_text(text)
    print(f"{name}: {len(lines)}")


def main() -> None:
    """Write the three packs, and the index of the support package that they lead to."""
    tables = Tables()
    renames = tables.renames()
    support = tables.support(renames)
    for name in support:
        renames.pop(name, None)
    write("renames.toml", "renames", renames.items())
    write("keywords.toml", "keywords", tables.keywords().items())
    write("support.toml", "support", support.items())
    import make_support_index

    make_support_index.main()


if __name__ == "__main__":
    main()
