"""A TF 1 frozen graph as a callable by tensor names, without sessions and without tf.compat.v1."""
from __future__ import annotations

import difflib
import os
import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from .slices import PLACEHOLDERS, Slice, rename_functions

TensorName = Any  # "node:0", "node", or a tensor or operation of FrozenGraph.graph

UNFROZEN = ("Variable", "VariableV2", "VarHandleOp")


def read_graph_def(path: str | os.PathLike[str]) -> Any:
    """The GraphDef in the binary file at `path`.

    Raises:
        tf.errors.NotFoundError: there is no such file.
        ValueError: the file is not a binary GraphDef.
    """
    graph_def = tf.Graph().as_graph_def()
    try:
        with tf.io.gfile.GFile(os.fspath(path), "rb") as file:  # also while a graph is being built
            graph_def.ParseFromString(file.read())
    except Exception as error:
        if isinstance(error, tf.errors.OpError):
            raise
        raise ValueError(f"{path} is not a binary GraphDef: {error}") from error
    if not graph_def.node:
        raise ValueError(f"{path} holds no graph: it is empty or not a binary GraphDef")
    return graph_def


def _split(name: str) -> tuple[str, int]:
    """'node:1' -> ('node', 1); '^node' and 'node' -> ('node', 0)."""
    node, _, index = name.lstrip("^").partition(":")
    return node, int(index or 0)


class FrozenGraph(tf.Module):
    """A frozen GraphDef whose tensors can be fed and fetched by name.

    For every combination of feeds and fetches, the part of the graph between them becomes one
    `tf.function`, traced once for all shapes the placeholders admit.  A part without TF 1 control
    flow (Switch, Merge, Enter, ...) is inlined, so gradients and `jit_compile` work through it;
    a part with it is kept whole as one runtime function, which runs as Session.run ran it but has
    no gradient.  Several threads may call one object.

    Tensors can be added: ``with frozen.as_default(): small = tf.squeeze(boxes)`` puts an operation
    behind the tensor `boxes` of the graph, and `small` can be fetched like the others.

    Args:
        path_or_def: Path of a binary GraphDef, or the GraphDef itself.
        prefix: The `name` under which TF 1 code imported the graph ("import" was TF 1's default);
            names of feeds and fetches may leave it out.
        clear_devices: Forget the devices that are written in the graph.

    Attributes:
        graph: The imported `tf.Graph`, to look at names, shapes and operations.
    """

    def __init__(self, path_or_def: Any, prefix: str = "", clear_devices: bool = False,
                 name: str | None = None) -> None:
        super().__init__(name=name)
        graph_def = (read_graph_def(path_or_def)
                     if isinstance(path_or_def, (str, os.PathLike)) else path_or_def)
        self._prefix = prefix.rstrip("/") + "/" if prefix else ""
        own = type(graph_def)()
        own.CopyFrom(graph_def)
        rename_functions(own.node, own.library)
        self.graph = tf.Graph()
        with self.graph.as_default():
            tf.graph_util.import_graph_def(own, name=prefix)
        self._clear_devices = clear_devices
        self._functions: dict[Any, Any] = {}
        self._lock = threading.RLock()

    def _has(self, node: str) -> bool:
        try:
            return self.graph.get_operation_by_name(node) is not None
        except KeyError:
            return False

    def as_default(self) -> Any:
        """A context in which new operations are added to the graph."""
        return self.graph.as_default()

    # ---- names -------------------------------------------------------------------------------
    @property
    def tensor_names(self) -> list[str]:
        """The names of all tensors of the graph."""
        return [t.name for op in self.graph.get_operations() for t in op.outputs]

    @property
    def inputs(self) -> dict[str, tf.TensorSpec]:
        """The placeholders: tensor name -> shape and dtype."""
        return {t.name: tf.TensorSpec(t.shape, t.dtype) for op in self.graph.get_operations()
                if op.type in (*PLACEHOLDERS, "PlaceholderWithDefault") for t in op.outputs}

    @property
    def outputs(self) -> dict[str, tf.TensorSpec]:
        """The tensors of operations that nothing else in the graph reads."""
        return {t.name: tf.TensorSpec(t.shape, t.dtype) for op in self.graph.get_operations()
                if op.type not in PLACEHOLDERS and not any(o.consumers() for o in op.outputs)
                for t in op.outputs}

    def _element(self, name: TensorName) -> tf.Tensor | tf.Operation:
        """The tensor (or the operation without outputs) called `name`.

        Raises:
            KeyError: there is none; the message lists names that look alike.
        """
        text = name if isinstance(name, str) else name.name
        node, index = _split(text)
        if not self._has(node) and self._prefix:
            node = self._prefix + node
        if self._has(node):
            operation = self.graph.get_operation_by_name(node)
            if index < len(operation.outputs):
                return operation.outputs[index]
            if ":" not in text:
                return operation
            raise KeyError(f"{text!r}: {node!r} ({operation.type}) has only "
                           f"{len(operation.outputs)} outputs")
        near = difflib.get_close_matches(
            node, [o.name for o in self.graph.get_operations()], n=5, cutoff=0.5)
        hint = f"; names like it: {', '.join(near)}" if near else (
            f"; the graph's placeholders are {', '.join(self.inputs) or 'none'}")
        raise KeyError(f"no tensor {text!r} in the frozen graph{hint}")

    def get_tensor_by_name(self, name: str) -> tf.Tensor:
        """The tensor of `graph` with this name, to build on (to fetch it, its name will do).

        Raises:
            KeyError: there is none.
        """
        found = self._element(name)
        if isinstance(found, tf.Operation):
            raise KeyError(f"{name!r} has no output")
        return found

    def get_operation_by_name(self, name: str) -> tf.Operation:
        """The operation of `graph` with this name. Raises KeyError: there is none."""
        found = self._element(name)
        return found if isinstance(found, tf.Operation) else found.op

    # ---- the part of the graph between feeds and fetches ------------------------------------
    def _bound(self) -> dict[tuple[str, int], Any]:
        """What takes the place of tensors of the graph, as a `Slice` takes it."""
        return {}

    def _part(self, feeds: Sequence[tf.Tensor], fetches: Sequence[Any]) -> Slice:
        """What computes `fetches` from the tensors `feeds`.

        Raises:
            ValueError: they need a placeholder that is not fed, or a variable.
        """
        def unfed(operation: tf.Operation) -> Exception:
            return ValueError(f"{[f.name for f in fetches]} need a value for placeholder "
                              f"'{operation.name}:0'; fed are {[t.name for t in feeds]}")

        part = Slice(self.graph, feeds, fetches, unfed, self._bound(),
                     clear_devices=self._clear_devices)
        for operation in part.operations.values():
            if operation.type in UNFROZEN:
                raise ValueError(f"the graph is not frozen: it holds the variable {operation.name!r}")
        return part

    # ---- running -----------------------------------------------------------------------------
    def function(self, feeds: Sequence[TensorName], fetches: Sequence[TensorName],
                 jit_compile: bool | None = None) -> Any:
        """A `tf.function` of the values of `feeds`, in their order, giving the list of `fetches`.

        An operation without outputs among `fetches` is run; its place in the list is left out.

        Raises:
            KeyError: a name is not in the graph.
            ValueError: something else would have to be fed, or the graph is not frozen.
        """
        feed_tensors = [self._element(f) for f in feeds]
        targets = [self._element(f) for f in fetches]
        names = [t.name for t in feed_tensors]
        key = (tuple(names), tuple(t.name for t in targets), jit_compile)
        if key not in self._functions:
            with self._lock:
                if key not in self._functions:
                    self._functions[key] = self._build(feed_tensors, targets, jit_compile)
        return self._functions[key]

    def _build(self, feed_tensors: Sequence[tf.Tensor], targets: Sequence[Any],
               jit_compile: bool | None) -> Any:
        part = self._part(feed_tensors, targets)
        specs = [tf.TensorSpec(t.shape, t.dtype, t.op.name.replace("/", "_"))
                 for t in feed_tensors]

        def run(*values: tf.Tensor) -> list[tf.Tensor]:
            return [v for v in part(*values) if not isinstance(v, tf.Operation)]

        return tf.function(run, input_signature=specs, autograph=False, jit_compile=jit_compile)

    def _value(self, tensor: tf.Tensor, value: Any) -> tf.Tensor:
        if not isinstance(value, tf.Tensor):
            value = tf.constant(np.asarray(value, dtype=tensor.dtype.as_numpy_dtype))
        if not tensor.shape.is_compatible_with(value.shape):
            raise ValueError(f"cannot feed a value of shape {value.shape} to {tensor.name!r}, "
                             f"which has shape {tensor.shape}")
        return value

    def __call__(self, fetches: Any, feed_dict: Mapping[TensorName, Any] | None = None) -> Any:
        """The fetched tensors, in the nest (list, tuple, dict) in which `fetches` names them.

        Args:
            fetches: Names of tensors; an operation without outputs is run and gives None.
            feed_dict: Values by tensor name; arrays are cast to the dtype of the placeholder.

        Raises:
            KeyError, ValueError: see `function`; or a value has the wrong shape.
        """
        feeds = {self._element(name): value for name, value in (feed_dict or {}).items()}
        targets = [self._element(f) for f in tf.nest.flatten(fetches)]
        # The concrete function: a tf.function would warn of retracing, once for each set of names.
        function = self.function(list(feeds), targets).get_concrete_function()
        values = iter(function(*[self._value(t, v) for t, v in feeds.items()]))
        results = [None if isinstance(t, tf.Operation) else next(values) for t in targets]
        return tf.nest.pack_sequence_as(fetches, results)

    def run(self, fetches: Any, feed_dict: Mapping[TensorName, Any] | None = None) -> Any:
        """As calling the object, with NumPy arrays as results: what Session.run returned."""
        # Where operations are being added to the graph, a call would be one of them.
        with tf.__internal__.eager_context.eager_mode():
            return tf.nest.map_structure(lambda t: t if t is None else t.numpy(),
                                         self(fetches, feed_dict))

    def signature(self, inputs: Mapping[str, TensorName],
                  outputs: Mapping[str, TensorName]) -> Any:
        """A `tf.function` that takes `inputs` by keyword and gives the dict of `outputs`."""
        inner = self.function(list(inputs.values()), list(outputs.values()))
        specs = [tf.TensorSpec(spec.shape, spec.dtype, key)
                 for key, spec in zip(inputs, inner.input_signature, strict=True)]

        def serve(*values: tf.Tensor) -> dict[str, tf.Tensor]:
            return dict(zip(outputs, inner(*values), strict=True))

        return tf.function(serve, input_signature=specs, autograph=False)

    def save(self, path: str | os.PathLike[str], inputs: Mapping[str, TensorName],
             outputs: Mapping[str, TensorName]) -> None:
        """Writes a SavedModel with the default signature `inputs` -> `outputs`."""
        module = tf.Module()
        module.serve = self.signature(inputs, outputs)
        tf.saved_model.save(module, os.fspath(path), signatures=module.serve)
