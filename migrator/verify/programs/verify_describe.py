"""Says how model files are run: inputs and fetches of frozen graphs and SavedModels, by TF 2.

`verify_describe.py CONFIG`: the configuration's `models` are {"kind", "path"}, its `batch` the first size of
an input where the file leaves it open, its `size` any other. The facts `models`
have for each the `inputs` (as in a workload) and `fetches`, with `guessed` if sizes had to be, or
`error`, why it cannot be run.
"""

from __future__ import annotations

import os
from typing import Any

import verify_common as common  # type: ignore[import-not-found]  # beside this script

_ENDS = ("Const", "NoOp", "Placeholder", "Assert", "SaveV2", "RestoreV2", "Assign")
_MOST = 16


def _input(
    tf: Any, name: str, kind: int, sizes: list[int], opened: tuple[Any, int]
) -> tuple[dict[str, Any], bool]:
    dtype = tf.as_dtype(kind).name
    shape = [opened[0] if i == 0 and d < 1 else opened[1] if d < 1 else d for i, d in enumerate(sizes)]
    high = 255.0 if dtype == "uint8" else 2.0 if dtype.startswith("int") else 1.0
    described = {"name": name, "shape": shape, "dtype": dtype, "high": high}
    return described, any(d < 1 for d in sizes[1:])


def _readable(dtype: str) -> bool:
    return dtype in ("float16", "float32", "float64", "uint8", "int8", "int32", "int64", "bool")


def frozen_graph(tf: Any, path: str, opened: tuple[Any, int]) -> dict[str, Any]:
    graph = tf.compat.v1.GraphDef()
    with open(path, "rb") as stream:
        graph.ParseFromString(stream.read())
    read = {i.lstrip("^").split(":")[0] for n in graph.node for i in n.input}
    given, guessed = [], False
    for node in graph.node:
        if node.op == "Placeholder":
            shape = node.attr["shape"].shape
            if shape.unknown_rank:
                return {"error": f"its input {node.name} has no shape"}
            described, guess = _input(
                tf, node.name + ":0", node.attr["dtype"].type, [d.size for d in shape.dim],
                opened,
            )
            given.append(described)
            guessed = guessed or guess
    ends = [n.name + ":0" for n in graph.node if n.name not in read and n.op not in _ENDS]
    return _described(given, ends[:_MOST], guessed)


def saved_model(tf: Any, path: str, opened: tuple[Any, int]) -> dict[str, Any]:
    from tensorflow.core.protobuf import saved_model_pb2

    model = saved_model_pb2.SavedModel()
    with open(os.path.join(path, "saved_model.pb"), "rb") as stream:
        model.ParseFromString(stream.read())
    for meta in model.meta_graphs:
        if "serve" not in meta.meta_info_def.tags:
            continue
        names = sorted(n for n in meta.signature_def if not n.startswith("__"))
        if not names:
            return {"error": "it has no signature"}
        signature = meta.signature_def["serving_default" if "serving_default" in names else names[0]]
        given, guessed = [], False
        for info in signature.inputs.values():
            described, guess = _input(
                tf, info.name, info.dtype, [d.size for d in info.tensor_shape.dim], opened
            )
            given.append(described)
            guessed = guessed or guess
        return _described(given, sorted(o.name for o in signature.outputs.values()), guessed)
    return {"error": "it is not tagged for serving"}


def _described(given: list[dict[str, Any]], fetches: list[str], guessed: bool) -> dict[str, Any]:
    strange = [i for i in given if not _readable(i["dtype"])]
    if strange:
        return {"error": f"its input {strange[0]['name']} is {strange[0]['dtype']}"}
    if not fetches:
        return {"error": "it computes nothing"}
    return {"inputs": given, "fetches": fetches, "guessed": guessed}


def run(config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    tf = common.start_side("after", "")
    kinds = {"frozen_graph": frozen_graph, "saved_model": saved_model}
    found = []
    for model in config["models"]:
        try:
            path = os.path.join(config["root"], model["path"])
            found.append(kinds[model["kind"]](tf, path, (config["batch"], config["size"])))
        except Exception as error:  # whatever a damaged file makes a parser raise
            found.append({"error": f"{type(error).__name__}: {error}".splitlines()[0][:300]})
    return {}, {"models": found}


if __name__ == "__main__":
    common.main(run)
