"""The feeds of one run in a function that opens sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from migrator.transforms import _flow as flow
from migrator.transforms.eager.units import Run, Unit, Unsupported

Resolve = Callable[[cst.BaseExpression], "str | None"]


def read_feeds(
    run: Run, feed: cst.BaseExpression | None, units: Sequence[Unit], resolve: Resolve
) -> None:
    """Fill the feeds of a run: a dict literal, or a dict that the function makes and adds to.

    Raises Unsupported for what is made elsewhere or in a way that is not followed.
    """
    if feed is None or (isinstance(feed, cst.Name) and feed.value == "None"):
        return
    literal = _dict_pairs(feed, resolve)
    if literal is not None:
        run.feeds.extend(literal)
        return
    zipped = _zip_names(feed)
    if zipped is not None:
        run.zipped = zipped
        return
    key = flow.key_of(feed)
    if key is None:
        raise Unsupported(
            feed,
            "the feed is computed",
            "pass the fed values as arguments of a function",
        )
    found = False
    for unit in units:
        if unit.order >= run.unit.order or key not in unit.writes:
            continue
        pair = flow.assigned(unit.node)
        if pair is not None and flow.key_of(pair[0]) == key:
            literal = _dict_pairs(pair[1], resolve)
            zipped = _zip_names(pair[1])
            if zipped is not None and not found:
                run.zipped = zipped
                literal = []
            if literal is None or (found and literal):
                raise Unsupported(
                    unit.node,
                    f"the feed {key} is not a dict written in this function",
                    "pass the fed values as arguments of a function",
                )
            run.feeds[:] = literal
            found = True
        elif (
            pair is not None
            and isinstance(pair[0], cst.Subscript)
            and flow.key_of(pair[0].value) == key
            and len(pair[0].slice) == 1
            and isinstance(pair[0].slice[0].slice, cst.Index)
        ):
            run.feeds.append((pair[0].slice[0].slice.value, pair[1]))
        else:
            raise Unsupported(
                unit.node,
                f"the feed {key} is changed in a way that is not followed",
                "pass the fed values as arguments of a function",
            )
        run.feed_units.append(unit)
    if not found:
        raise Unsupported(
            feed,
            f"the feed {key} comes from outside this function",
            "pass the fed values as arguments of a function",
        )


def _dict_pairs(
    node: cst.BaseExpression, resolve: Resolve
) -> list[tuple[cst.BaseExpression, cst.BaseExpression]] | None:
    if isinstance(node, cst.Call) and resolve(node.func) == "builtins.dict":
        return [] if not node.args else None
    if not isinstance(node, cst.Dict):
        return None
    pairs = []
    for element in node.elements:
        if not isinstance(element, cst.DictElement):
            return None
        pairs.append((element.key, element.value))
    return pairs


def _zip_names(node: cst.BaseExpression) -> tuple[str, str] | None:
    """(placeholders, values) of ``dict(zip(placeholders, values))``, `list` around zip or not."""
    if not (isinstance(node, cst.Call) and flow.key_of(node.func) == "dict" and len(node.args) == 1):
        return None
    inner = node.args[0].value
    if isinstance(inner, cst.Call) and flow.key_of(inner.func) == "list" and len(inner.args) == 1:
        inner = inner.args[0].value
    if not (isinstance(inner, cst.Call) and flow.key_of(inner.func) == "zip"):
        return None
    if len(inner.args) != 2:
        return None
    names = [flow.key_of(arg.value) for arg in inner.args]
    if names[0] is None or names[1] is None:
        return None
    return names[0], names[1]
