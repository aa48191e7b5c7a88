"""Records on TF 1.15.5 what the `before` of every case gives, into rules/recorded/cases.json.

    MIGRATOR_TF1_PYTHON=/path/to/python3.7 python rules/tools/record_cases.py

Cases are those of the rules (`rules/*.toml`) and of `rules/recorded/*.toml`, which are about tables:
what only moved, had its parameters renamed, or is in the support package.  A case that TF 1.15.5
cannot run is left out and named; the exit status is 1 then.  With names as arguments (`tf.log#1`,
or `tf.log` for all of its cases) only those are run again, and those that changed; what is gone is
taken out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

RULES = Path(__file__).resolve().parents[1]
RECORDED = RULES / "recorded" / "cases.json"


@dataclass(frozen=True)
class Proof:
    """One executable case; `after` is empty where only the engine's own output is compared.

    `weights`: trainable variables get values drawn from their names (see run_cases.py).
    `compat`: something of the case stays on tf.compat.v1, with a finding.
    `program`: a whole script, which runs in a process of its own.
    `proves`: symbols that the case runs without naming them, as the methods of what a function
    returns; each one's last name stands in `before`.
    """

    name: str
    before: str
    after: str
    tolerance: float
    weights: bool = False
    compat: bool = False
    proves: tuple[str, ...] = ()
    program: bool = False

    @property
    def recorded(self) -> dict[str, object]:
        """What run_cases.py gets to record it."""
        return self.runnable(self.before)

    def runnable(self, source: str) -> dict[str, object]:
        """The same for another text of the case."""
        found: dict[str, object] = {"source": source, "weights": self.weights}
        return {**found, "program": True} if self.program else found


def proofs() -> Iterator[Proof]:
    """All cases, each with a name that is unique and does not depend on the others."""
    seen: dict[str, int] = {}
    for path in (*sorted(RULES.glob("*.toml")), *sorted((RULES / "recorded").glob("*.toml"))):
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        cases = [(rule["code"], case) for rule in document.get("rule", [])
                 for case in rule.get("case", [])]  # fmt: skip
        cases += [(case.get("symbol", "table"), case) for case in document.get("case", [])]
        for code, case in cases:
            if not code.startswith(("TF", "tf", "sonnet")):
                continue  # Python rot: it runs under Python 3.7 and is tested with the rule
            count = seen[code] = seen.get(code, 0) + 1
            yield Proof(
                f"{code}#{count}", case["before"], case.get("after", ""),
                float(case.get("tolerance", 0.0)), bool(case.get("weights", False)),
                bool(case.get("compat", False)), tuple(case.get("proves", ())),
                bool(case.get("program", False)),
            )  # fmt: skip


def run(
    python: str, cases: dict[str, dict[str, object]], environment: dict[str, str] | None = None
) -> dict:
    """Results of cases in a child process of that Python.

    Raises subprocess.CalledProcessError.
    """
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder, "cases.json"), Path(folder, "out.json")
        source.write_text(json.dumps(cases))
        subprocess.run(
            [python, str(RULES / "tools" / "run_cases.py"), str(source), str(out)],
            check=True, env={**os.environ, **(environment or {})}, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        return json.loads(out.read_text())


def asked(name: str, case: dict[str, object], old: dict) -> bool:
    """Whether a case is to be run again: it was named, or has changed since it was recorded."""
    named = name in sys.argv[1:] or name.partition("#")[0] in sys.argv[1:]
    return named or old["sources"].get(name) != case


def lines(document: dict) -> str:
    """JSON with one line for each case."""
    parts = []
    for key, value in sorted(document.items()):
        text = json.dumps(value)
        if isinstance(value, dict):
            rows = [f"{json.dumps(k)}: {json.dumps(v, sort_keys=True)}" for k, v in sorted(value.items())]
            text = "{\n" + ",\n".join(rows) + "\n}"
        parts.append(f"{json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main() -> int:
    """Record all cases."""
    python = os.environ.get("MIGRATOR_TF1_PYTHON")
    if not python:
        print("MIGRATOR_TF1_PYTHON names no Python with TensorFlow 1.15.5", file=sys.stderr)
        return 2
    cases = {proof.name: proof.recorded for proof in proofs()}
    old = json.loads(RECORDED.read_text()) if RECORDED.exists() and sys.argv[1:] else {}
    chosen = {n: c for n, c in cases.items() if not old or asked(n, c, old)}
    document = run(python, chosen)
    failed = {k: v["error"] for k, v in document["results"].items() if "error" in v}
    for name, error in failed.items():
        print(f"{name}: {error}", file=sys.stderr)
    for name in failed:
        del document["results"][name], cases[name]
    for table in ("results", "gradients", "variables"):
        kept = {n: v for n, v in old.get(table, {}).items() if n in cases and n not in chosen}
        document[table] = {**kept, **document[table]}
    document["sources"] = cases
    RECORDED.write_text(lines(document))
    print(f"{len(document['results'])} cases recorded on TensorFlow {document['tensorflow']}")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
