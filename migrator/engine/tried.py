"""Names that a program tries: read where it catches that they are missing."""

from __future__ import annotations

import ast

from migrator.engine.work import FileWork, Site

_CATCH = {"AttributeError", "Exception", "BaseException"}


def is_tried(work: FileWork, site: Site) -> bool:
    """Whether neither TensorFlow has the name, and the program catches that.

    What TF 1.15 did there (`try: f = tf.old / except AttributeError: f = tf.new`) is what TF 2 does, as
    long as the name is left to fail where it is read.
    """
    name = site.resolved.name
    holder = name.rpartition(".")[0]
    if name in work.rules.tf1 or holder not in work.rules.tf1 or not work.rules.module_exists(holder):
        return False
    node: ast.AST = site.reference.node
    while (above := work.parent(node)) is not None:
        if isinstance(above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            return False  # it is read when that is called
        if isinstance(above, ast.Try) and node in above.body and any(map(_catches, above.handlers)):
            return True
        node = above
    return False


def _catches(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(k is None or isinstance(k, ast.Name) and k.id in _CATCH for k in kinds)
