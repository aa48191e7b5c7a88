"""`tf.app.run` of a program that reads its command line in another way, too: unknown flags are no errors."""

from __future__ import annotations

import ast

from migrator.analysis.tree_walk import walk
from migrator.engine.context import FileContext
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform

CODE = "TF120"
_RUN = "tensorflow.app.run"
_READERS = frozenset({"argparse.ArgumentParser", "optparse.OptionParser", "getopt.getopt", "sys.argv"})


@transform
class AppRun:
    """TF120: absl's `run` ends a program that is given flags which it did not define, TensorFlow 1's left
    them to argparse and others."""

    name = "app_run"
    triggers = frozenset({_RUN})
    order = 90  # behind what asks whether the program parses its flags

    def run(self, ctx: FileContext) -> str | None:
        if not any(name.partition("(")[0] in _READERS for name in ctx.names.referenced()):
            return None
        lines, edits = Lines(ctx.text), list[Edit]()
        for call in walk(ctx.tree):
            if not (isinstance(call, ast.Call) and not ctx.suppressed(CODE, call)
                    and ctx.names.resolve_node(call.func, values=False) == _RUN):
                continue
            given = dict(zip(("main", "argv"), call.args, strict=False))
            given |= {word.arg: word.value for word in call.keywords if word.arg}
            main: str | tuple[int, int] = lines.span(given["main"]) if "main" in given else "main"
            argv = (", argv=", lines.span(given["argv"])) if "argv" in given else ()
            # TensorFlow 1's name of the flags, which becomes absl's like all others of the file.
            flags = f"{ast.unparse(call.func.value)}.flags" if isinstance(call.func, ast.Attribute) else (
                ctx.require_import("absl", "flags"))
            parse = f"lambda argv: {flags}.FLAGS(argv, known_only=True)"
            edits.append(Edit(*lines.span(call), (
                f"{ctx.require_import('absl', 'app')}.run(", main, *argv, f", flags_parser={parse})")))
            ctx.change(CODE, call, "absl refuses flags that it does not know, which others may read")
        return apply(ctx.text, edits)[0] if edits else None
