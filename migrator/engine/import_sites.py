"""Imports and aliases of a file, rewritten or dropped after all references are decided."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from migrator.analysis.names import Binding, canonical
from migrator.engine import bindings as binding_plan
from migrator.engine.bindings import split_import
from migrator.engine.edits import Edit
from migrator.engine.imports import Required
from migrator.engine.unused_imports import looked_up
from migrator.engine.work import FileWork, Site, default_code, rung_of, shown, stand_in
from migrator.model import Change, Rung


class ImportSites:
    """Rewrites what binds the names; `written` are the imports that came of it."""

    def __init__(self, work: FileWork, decide: Callable[[Site], None]) -> None:
        self.work = work
        self.decide = decide
        self.written: set[Required] = set()

    def alias(self, site: Site, alias: Binding) -> None:
        """``slim = tf.contrib.slim``: becomes an import, goes, or has its value rewritten."""
        statement = alias.node
        assert isinstance(statement, ast.Assign)
        if alias in self.work.plan.converted:
            target = str(self.work.plan.target(alias))
            module, name, _, _ = split_import(target)
            if not self.work.off(self._code_of(site), statement):
                self.work.required[module, name] = alias.name
                self.work.deletions.add(
                    statement,
                    Change(
                        self._code_of(site),
                        statement.lineno,
                        statement.end_lineno or statement.lineno,
                        f"{shown(site.resolved.name)} is imported as {target}",
                        shown(site.resolved.name),
                        rung_of(site.disposition),
                    ),
                )
                return
        uses = self.work.plan.sites.get(id(alias), [])
        gone = (
            bool(uses)
            and id(alias) not in self.work.used
            and len(statement.targets) == 1
            and not site.disposition.exists
            and len(alias.scope.bindings[alias.name]) == 1
        )
        if gone:
            self.work.deletions.add(
                statement,
                Change(
                    self._code_of(site),
                    statement.lineno,
                    statement.end_lineno or statement.lineno,
                    f"nothing uses {alias.name} any more",
                    shown(site.resolved.name),
                ),
            )
            return
        self.decide(site)

    def _code_of(self, site: Site) -> str:
        entry = site.disposition.entry
        if entry is not None and entry.code:
            return entry.code
        kind = site.disposition.kind
        if kind == "module":
            kind = "support"
        return default_code(kind, site.resolved.name)

    def star_imports(self) -> None:
        for star in self.work.names.module_scope.stars:
            top = star.target.split(".")[0]
            if top not in ("tensorflow", "tf_slim", "tensorflow_core"):
                continue
            message = (
                f"names come from `from {star.target} import *`; only those that the TF 1 "
                "documentation lists are followed"
            )
            if not self.work.rules.module_exists(canonical(star.target)[0]):
                message += "; the import was taken out, as TensorFlow 2 has no such module"
                reason = f"{star.target} is not in TensorFlow 2"
                node = star.node
                assert isinstance(node, ast.stmt)
                last = node.end_lineno or node.lineno
                self.work.deletions.add(node, Change("TF004", node.lineno, last, reason))
            self.work.report(
                "TF004", star.node, message, "Import the module and write its name before each use."
            )

    def statements(self) -> frozenset[int]:
        """Rewrite or drop imports whose target changed; ids of statements that went."""
        dropped: set[int] = set()
        seen: set[str] = set()
        for group in binding_plan.statements(self.work.names).values():
            node = group[0].node
            assert isinstance(node, (ast.Import, ast.ImportFrom))
            kept: list[ast.alias] = []
            new: list[str] = []
            changes: list[Change] = []
            for binding in group:
                alias = node.names[binding.alias_index]
                outcome = self._import_outcome(binding, node, alias)
                if outcome is None:
                    kept.append(alias)
                    continue
                statement, change = outcome
                changes.append(change)
                if statement and not (statement in seen and binding.scope.kind == "module"
                                      and node in self.work.tree.body):  # fmt: skip
                    new.append(statement)
                    if node in self.work.tree.body:
                        seen.add(statement)
            if not changes:
                continue
            if not kept and not new:
                dropped.add(id(node))
                for change in changes[:1]:
                    self.work.deletions.add(node, change)
                continue
            self._write_import(node, kept, new, changes)
        return frozenset(dropped)

    def _write_import(
        self,
        node: ast.Import | ast.ImportFrom,
        kept: list[ast.alias],
        new: list[str],
        changes: list[Change],
    ) -> None:
        start, end = self.work.lines.span(node)
        line_start = self.work.lines.starts[node.lineno - 1]
        indent = self.work.text[line_start:start]
        if indent.strip():  # a semicolon or colon before it
            joint, indent = "; ", ""
        else:
            joint = self.work.lines.newline + indent
        lines = [binding_plan.rebuilt(node, kept, indent)] if kept else []
        lines += new
        text = joint.join(dict.fromkeys(lines))
        self.work.edits.append(Edit(start, end, (text,), changes[0]))
        self.work.edits += [Edit(end, end, (), change) for change in changes[1:]]

    def _import_outcome(
        self, binding: Binding, node: ast.Import | ast.ImportFrom, alias: ast.alias
    ) -> tuple[str, Change] | None:
        """None to keep the name; else (its new statement or ``""``, what to report)."""
        old = self.work.plan.old(binding)
        if old is None or not self.work.rules.concerns(old[0].split(".")[0]):
            return None
        name, _ = old
        whole = isinstance(node, ast.Import) and alias.asname is None and "." in alias.name
        target = self.work.plan.target(binding)
        uses = self.work.plan.sites.get(id(binding), [])
        used = id(binding) in self.work.used
        written = binding.target
        found = self.work.rules.disposition(name)
        code = default_code(found.kind if found.kind != "module" else "support", name)
        if found.entry is not None and found.entry.code:
            code = found.entry.code
        if found.kind in ("same",) or name == "tensorflow":
            code = "TF101"
        if self.work.off(code, node):
            return None

        def change(reason: str) -> Change:
            return Change(
                code,
                node.lineno,
                node.end_lineno or node.lineno,
                reason,
                shown(name),
                Rung.SUPPORT if (target or "").startswith("tf1_support") else Rung.NATIVE,
            )

        if whole:
            return self._submodule(alias, uses, used, change(f"{alias.name} is not in TensorFlow 2"))
        if target is None:
            if used:
                return self._stand_in(binding, node, change)
            if not uses and len(binding.scope.bindings[binding.name]) > 1:
                return None  # the way out of a ``try``, or of a test of versions
            lacking = found.kind == "rule" and not found.exists
            if uses or lacking or found.kind in ("module", "unknown", "manual"):
                if not uses and looked_up(self.work.path, self.work.text):  # else nobody of the project asks
                    self.work.report(
                        "TF003",
                        node,
                        f"{written} is imported but "
                        + ("TensorFlow 2 does not have it" if name.startswith("tensorflow") else "gone"),
                        "The import was taken out, as nothing in this file uses the name; look "
                        "for files that import it from here.",
                        shown(name),
                    )
                return "", change(f"nothing uses {alias.asname or alias.name} any more")
            return None
        if not used and target.startswith("tf1_support") and self._goes_unread(binding, node):
            return "", change(f"nothing uses {binding.name}")
        if uses and not used and (target != written or not self.work.rules.module_exists(written)):
            return "", change(f"nothing uses {binding.name} any more")
        private = ".python." in f"{name}."
        if uses and not used and name != "tensorflow" and (private or not found.exists):
            return "", change(f"nothing uses {binding.name} any more")
        if target == written or target == name != canonical(written)[0]:
            return None  # the second: another module of the project has it, and keeps it
        if target.startswith("builtins."):
            return None if used else ("", change(f"{shown(name)} is built in"))
        statement = binding_plan.statement_of(target, binding.name, node)
        module, part, _, rest = split_import(target)
        if not rest:
            self.written.add((module, part, binding.name))
        return statement, change(f"{written} is now {target}")

    def _goes_unread(self, binding: Binding, node: ast.stmt) -> bool:
        """Whether a name that nothing uses may go with its import, which would bring a whole module of
        the support package: in a module of its own, that looks no names up."""
        sites = self.work.plan.sites.get(id(binding), [])
        alone = len(binding.scope.bindings[binding.name]) == 1 and node in self.work.tree.body
        return not sites and alone and not looked_up(self.work.path, self.work.text)

    def _stand_in(
        self,
        binding: Binding,
        node: ast.Import | ast.ImportFrom,
        change: Callable[[str], Change],
    ) -> tuple[str, Change] | None:
        """What is gone is imported as something that fails where it is used, not here: the rest of
        the module still works. An import in a ``try`` stays, as its failure is expected."""
        name = canonical(binding.target)[0]
        if node not in self.work.tree.body or not self.work.is_gone(name):
            return None
        statement = binding_plan.statement_of(stand_in(name), binding.name, node)
        reason = f"{shown(name)} fails where it is used, not where it is imported"
        made = change(reason)
        if made.code == default_code("support", name):  # a module, most of which has successors
            made = replace(made, code=default_code("manual", name))
        return statement, replace(made, rung=Rung.MANUAL)

    def _submodule(
        self, alias: ast.alias, uses: list[Site], used: bool, change: Change
    ) -> tuple[str, Change] | None:
        """``import tensorflow.contrib.slim`` binds `tensorflow` and loads a submodule."""
        name, compat = canonical(alias.name)
        if not compat and self.work.rules.module_exists(name):
            return None
        if compat and not used:
            return "", change
        if used:
            return "import tensorflow", change
        return "", change
