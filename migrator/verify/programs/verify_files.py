"""Reads files that programs wrote into arrays by name: `verify_files.py CONFIG.json`.

The configuration's `files` is a list of {"kind", "path", "name"}; what a file holds is found under
"name::key". Runs on TF 2, which reads what both TensorFlows write:

* checkpoint: variables by TF1 name;
* events: of all event files of a folder, for each tag the steps and, for scalars, the values;
* image: the pixels; records: the features of each tf.train.Example, else each record's bytes;
* graph: the constants of a frozen graph; saved_model: signatures, with types and shapes;
* pickle: what numbers and texts a Python object holds; hdf5: its data sets.

A file that cannot be read is one of the facts `unread`, by name, with the reason.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
import verify_checkpoint  # type: ignore[import-not-found]  # beside this script
import verify_common as common  # type: ignore[import-not-found]  # beside this script

_RECORDS = 1000


def checkpoint(tf: Any, path: str) -> dict[str, Any]:
    return dict(verify_checkpoint.read(tf, path.removesuffix(".index")))


def events(tf: Any, path: str) -> dict[str, Any]:
    """path: a folder."""
    steps: dict[str, list[int]] = defaultdict(list)
    values: dict[str, list[float]] = defaultdict(list)
    for name in sorted(os.listdir(path)):
        if ".tfevents." not in name:
            continue
        try:
            for event in tf.compat.v1.train.summary_iterator(os.path.join(path, name)):
                for value in event.summary.value:
                    number = _scalar(tf, value)
                    if value.tag.endswith("/sec"):
                        continue  # a speed
                    if number is None and value.tag.startswith("_"):
                        continue  # the graph of a tf.function, the run's metadata
                    steps[value.tag].append(event.step)
                    if number is not None:
                        values[value.tag].append(number)
        except tf.errors.DataLossError:
            continue  # cut off: the program is still writing, or was ended
    found = {f"{tag} (steps)": np.asarray(at, np.int64) for tag, at in steps.items()}
    found.update({tag: np.asarray(at, np.float64) for tag, at in values.items()})
    return found


def _scalar(tf: Any, value: Any) -> float | None:
    if value.HasField("simple_value"):
        return float(value.simple_value)
    if value.HasField("tensor") and value.tensor.dtype in (tf.float32, tf.float64, tf.int64, tf.int32):
        array = tf.make_ndarray(value.tensor)
        return float(array) if array.shape == () else None
    return None


def image(tf: Any, path: str) -> dict[str, Any]:
    data = tf.io.read_file(path)
    pixels = tf.io.decode_image(data, expand_animations=False)
    # As signed numbers, so that pixels may differ by one
    return {"pixels": pixels.numpy().astype(np.int32)}


def records(tf: Any, path: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for number, raw in enumerate(tf.data.TFRecordDataset(path).take(_RECORDS)):
        data = raw.numpy()
        example = tf.train.Example()
        try:
            example.ParseFromString(data)
            features = dict(example.features.feature)
        except Exception:  # protobuf's DecodeError moved between versions
            features = {}
        if not features:
            found[str(number)] = np.asarray(hashlib.sha256(data).hexdigest())
        for key, feature in features.items():
            kind = feature.WhichOneof("kind")
            values = list(getattr(feature, kind).value) if kind else []
            found[f"{number}/{key}"] = _digests(values)
    return found


def _digests(values: list[Any]) -> Any:
    """Numbers as they are; bytes as what identifies them, since numpy drops zeros at their end."""
    if values and isinstance(values[0], bytes):
        return np.asarray([hashlib.sha256(v).hexdigest() for v in values])
    return np.asarray(values)


def graph(tf: Any, path: str) -> dict[str, Any]:
    definition = tf.compat.v1.GraphDef()
    with open(path, "rb") as stream:
        definition.ParseFromString(stream.read())
    nodes = {n.name: n for n in definition.node}
    weights = {}
    for node in nodes.values():
        if node.op == "Const":
            value = tf.make_ndarray(node.attr["value"].tensor)
            if value.dtype.kind == "f" and value.size > 1:
                weights[node.name.removesuffix("/ReadVariableOp")] = value
    placeholders = sorted(n.name for n in nodes.values() if n.op == "Placeholder")
    return {**weights, "(placeholders)": np.asarray(placeholders)}


def saved_model(tf: Any, path: str) -> dict[str, Any]:
    from tensorflow.core.protobuf import saved_model_pb2

    model = saved_model_pb2.SavedModel()
    with open(path, "rb") as stream:
        model.ParseFromString(stream.read())
    found = {}
    for meta in model.meta_graphs:
        for name, signature in meta.signature_def.items():
            if name.startswith("__"):
                continue
            for kind, tensors in (("input", signature.inputs), ("output", signature.outputs)):
                for key, info in tensors.items():
                    shape = [d.size for d in info.tensor_shape.dim]
                    said = f"{tf.as_dtype(info.dtype).name} {shape}"
                    found[f"{name}/{kind}/{key}"] = np.asarray(said)
    return found


class _Unknown:
    """An object of a class that is not here (TensorFlow 1's, say): what it was made of."""

    def __new__(cls, *args: Any, **_: Any) -> Any:
        made = super().__new__(cls)
        if args:
            made.__dict__["arguments"] = args
        return made

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __setstate__(self, state: Any) -> None:
        self.__dict__.update(state if isinstance(state, dict) else {"state": state})

    def append(self, item: Any) -> None:
        self.__dict__.setdefault("items", []).append(item)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.__dict__[str(key)] = value


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return super().find_class(module, name)
        except (ImportError, AttributeError):
            return type(name.rpartition(".")[2], (_Unknown,), {})


def pickled(tf: Any, path: str) -> dict[str, Any]:
    with open(path, "rb") as stream:
        value = _Unpickler(stream).load()  # the program that wrote it has run already
    return dict(_leaves(value, ""))


def _leaves(value: Any, prefix: str) -> dict[str, Any]:
    items: Any
    if isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, (list, tuple)):
        array = np.asarray(value) if _plain(value) else None
        if array is not None:
            return {prefix or "value": array}
        items = enumerate(value)
    elif isinstance(value, (np.ndarray, np.generic, int, float, complex, str, bool)):
        array = np.asarray(value)
        if array.dtype.kind == "O":
            return _leaves(array.tolist(), prefix)
        return {prefix or "value": array}
    elif isinstance(value, (set, frozenset)):
        return {prefix or "value": np.asarray(sorted(map(str, value)))}
    elif isinstance(value, bytes):
        return {prefix or "value": np.asarray(hashlib.sha256(value).hexdigest())}
    elif isinstance(value, type) or callable(value):
        return {prefix or "value": np.asarray(getattr(value, "__name__", type(value).__name__))}
    elif hasattr(value, "__dict__"):
        items = vars(value).items()
    else:
        return {prefix or "value": np.asarray("None" if value is None else type(value).__name__)}
    found: dict[str, Any] = {}
    for key, inner in items:
        found.update(_leaves(inner, f"{prefix}/{key}" if prefix else str(key)))
    return found


def _plain(value: Any) -> bool:
    kinds = {type(v) for v in value}
    return len(kinds) == 1 and kinds <= {int, float, str, bool}


def hdf5(tf: Any, path: str) -> dict[str, Any]:
    import h5py  # type: ignore[import-untyped]  # Keras brings it

    found: dict[str, Any] = {}

    def note(name: str, item: Any) -> None:
        if isinstance(item, h5py.Dataset):
            found.update(_leaves(item[()], name))

    with h5py.File(path, "r") as file:
        file.visititems(note)
    return found


_READERS = {
    "checkpoint": checkpoint, "events": events, "image": image, "records": records,
    "graph": graph, "saved_model": saved_model, "pickle": pickled,
    "hdf5": hdf5,
}  # fmt: skip


def run(config: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    tf = common.start_side("after", "")
    common.add_roots(config["root"], config["workload"]["roots"])
    arrays: dict[str, Any] = {}
    unread: dict[str, str] = {}
    for file in config["files"]:
        try:
            found = _READERS[file["kind"]](tf, file["path"])
        except Exception as error:  # whatever a damaged file makes a reader raise
            unread[file["name"]] = f"{type(error).__name__}: {error}".splitlines()[0][:300]
            continue
        arrays.update({f"{file['name']}::{k}": v for k, v in found.items()})
    return arrays, {"unread": unread}


if __name__ == "__main__":
    common.main(run)
