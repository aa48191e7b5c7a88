"""Meta graphs and SavedModels of TF 1, put into the graph that is being built (see `graphs`)."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import tensorflow as tf
from absl import logging
from tensorflow.core.framework.variable_pb2 import VariableDef  # in no public module
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

from .checkpoint import Saver, checkpoint_exists
from .graph_exports import FIRST_VALUE, meta_graph_of, written_meta_graph
from .graphs import Graph, default_graph
from .meta_graph import in_resource_form, read_meta_graph
from .names import hashable
from .slices import rename_functions
from .store import GraphKeys

_OF_VARIABLES = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES,
                 GraphKeys.TRAINABLE_VARIABLES, GraphKeys.MODEL_VARIABLES,
                 GraphKeys.MOVING_AVERAGE_VARIABLES)


class ImportedSaver(Saver):
    """The saver that came with a meta graph: it restores by the operations of the graph."""

    def __init__(self, graph: Graph, variables: Mapping[str, Any], saver_def: Any,
                 prefix: str) -> None:
        with graph.as_default():
            super().__init__(dict(variables), max_to_keep=saver_def.max_to_keep or 5)
        self._restoring: tuple[Any, Any] | None = None
        if saver_def.restore_op_name:
            self._restoring = (graph.element(prefix + saver_def.filename_tensor_name),
                               graph.element(prefix + saver_def.restore_op_name))
        self._graph = graph

    def restore(self, *given: Any, **named: Any) -> None:
        """As of a `Saver`."""
        if self._restoring is None:
            super().restore(*given, **named)
            return
        path = os.fspath(named.get("save_path") or given[-1])
        if not checkpoint_exists(path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {path}")
        logging.info("Restoring parameters from %s", path)
        filename, restore = self._restoring
        self._graph.function_of([filename], restore)(path)


def import_meta_graph(meta_graph_or_file: Any, clear_devices: bool = False,
                      import_scope: str | None = None, **kwargs: Any) -> Saver | None:
    """Puts a meta graph (a .meta file, or the message) into the graph that is being built.

    Its variables become variables of the graph, with the names that they had.

    Returns:
        A Saver for them; None if there are no variables.
    """
    path = isinstance(meta_graph_or_file, (str, os.PathLike))
    meta = read_meta_graph(meta_graph_or_file) if path else meta_graph_or_file
    imported = _Imported(default_graph(), meta, clear_devices, import_scope or "",
                         kwargs.get("input_map") or {})
    if not imported.variables:
        return None
    return ImportedSaver(imported.graph, imported.variables, meta.saver_def, imported.prefix)


class _Imported:
    """A meta graph in `graph`: `variables` by the name that they had in the meta graph."""

    def __init__(self, graph: Graph, meta: Any, clear_devices: bool, scope: str,
                 input_map: Mapping[str, Any]) -> None:
        self.graph, self._meta = graph, meta
        self.prefix = f"{scope}/" if scope else ""
        self.variables: dict[str, Any] = {}
        self._defs: dict[str, Any] = {}
        for key in _OF_VARIABLES:
            self._defs |= {_plain(d.variable_name): d for d in self._variable_defs(key)}
        graph_def = in_resource_form(meta.graph_def)
        rename_functions(graph_def.node, graph_def.library)
        mapped = dict(input_map)
        read = {s.partition(":")[0] for node in graph_def.node for s in node.input}
        self._first = {node.name: tf.make_ndarray(node.attr["value"].tensor)
                       for node in graph_def.node if node.name.endswith(f"/{FIRST_VALUE}")}
        for node in list(graph_def.node):
            if clear_devices:
                node.device = ""
            if node.op == "VarHandleOp":
                handle = self._variable(node)
                if node.name in read:
                    mapped[f"{node.name}:0"] = handle
                graph_def.node.remove(node)
        with graph.as_default(), tf.name_scope(""):
            tf.graph_util.import_graph_def(graph_def, input_map=mapped, name=scope)
            self._collections()

    def _variable_defs(self, collection: str) -> list[Any]:
        found = []
        if collection in self._meta.collection_def:
            for data in self._meta.collection_def[collection].bytes_list.value:
                found.append(VariableDef())
                found[-1].ParseFromString(data)
        return found

    def _variable(self, node: Any) -> Any:
        """Makes the variable of a node; gives its handle in the graph."""
        own = node.name if node.name in self._defs else node.name.removesuffix("/handle")
        dtype = tf.dtypes.as_dtype(node.attr["dtype"].type)
        shape = tf.TensorShape(node.attr["shape"].shape)
        known = self._defs.get(own)
        called = node.attr["shared_name"].s.decode() if node.name in self._defs else ""
        called = called or own  # another one where an operation has the variable's name
        with tf.init_scope(), tf.name_scope(""):
            kept = self._first.get(f"{own}/{FIRST_VALUE}")
            first = _no_value(shape, dtype) if kept is None else tf.constant(kept, dtype)
            variable = hashable(tf.Variable(
                first, known is None or bool(known.trainable), dtype=dtype, shape=shape,
                name=self.prefix + called, experimental_enable_variable_lifting=False))
        if kept is not None:
            self.graph.read[id(variable)] = variable
            self.graph.run.hide([variable])
            return self._captured(variable, own)
        collections = [key for key in _OF_VARIABLES
                       if any(_plain(d.variable_name) == own for d in self._variable_defs(key))]
        self.graph.store.add(self.prefix + called, variable,
                             collections or [GraphKeys.GLOBAL_VARIABLES])
        self.graph.run.made(variable, self._initial(own, shape, dtype))
        if GraphKeys.LOCAL_VARIABLES not in collections:
            self.variables[called] = variable
        return self._captured(variable, called)

    def _captured(self, variable: Any, own: str) -> Any:
        # no part of the name is a scope: an operation that is imported may be called like it
        name = f"{self.prefix}{own}/captured".replace("/", "_")
        with self.graph.as_default():
            return self.graph.traced.capture(variable.handle, name=name)

    def _initial(self, name: str, shape: tf.TensorShape, dtype: tf.DType) -> Callable[[], Any]:
        def initial() -> Any:
            value = getattr(self._defs.get(name), "initial_value_name", "")
            if value:
                return self.graph.element(self.prefix + value)
            logging.log_first_n(logging.WARNING, "the meta graph does not tell the first values of all "
                                "variables (%s): they have none before a checkpoint is restored", 1, name)
            return _no_value(shape, dtype)

        return initial

    def _collections(self) -> None:
        run = self.graph.run
        for key, held in self._meta.collection_def.items():
            kind = held.WhichOneof("kind")
            if kind == "node_list":
                for name in held.node_list.value:
                    run.add_to_collection(key, self.graph.element(self.prefix + name))
            elif kind in ("int64_list", "float_list"):
                for value in getattr(held, kind).value:
                    run.add_to_collection(key, value)
            elif kind == "bytes_list" and key not in _OF_VARIABLES:
                for variable in self._variable_defs(key) if _holds_variables(key) else ():
                    run.add_to_collection(key, self.graph.element(
                        self.prefix + _plain(variable.variable_name)))


def _no_value(shape: tf.TensorShape, dtype: tf.DType) -> tf.Tensor:
    """What a variable holds whose first value the meta graph does not tell: nothing to compute with,
    until it is restored."""
    sizes = [size or 0 for size in shape] if shape.rank is not None else []
    return tf.fill(sizes, tf.constant(float("nan"), dtype)) if dtype.is_floating else tf.zeros(sizes, dtype)


def _plain(name: str) -> str:
    return name.partition(":")[0]


def _holds_variables(key: str) -> bool:
    """Whether a collection of messages is one of variables."""
    return key in (GraphKeys.GLOBAL_STEP, GraphKeys.METRIC_VARIABLES, GraphKeys.EVAL_STEP)


def export_meta_graph(filename: Any = None, meta_info_def: Any = None, graph_def: Any = None,
                      saver_def: Any = None, collection_list: Any = None, as_text: bool = False,
                      graph: Graph | None = None, export_scope: str | None = None,
                      clear_devices: bool = False, clear_extraneous_savers: bool = False,
                      strip_default_attrs: bool = False, save_debug_info: bool = False,
                      **kwargs: Any) -> Any:
    """The MetaGraphDef of the graph that is being built, written to `filename` if there is one."""
    meta = meta_graph_of(graph or default_graph(), clear_devices=clear_devices, graph_def=graph_def)
    return written_meta_graph(meta, filename, as_text)


# ---- SavedModels -------------------------------------------------------------------------------
def load(sess: Any, tags: Sequence[str], export_dir: str, import_scope: str | None = None,
         **saver_kwargs: Any) -> Any:
    """Puts a SavedModel of TF 1 into the graph of the session, or the one that is being built;
    gives its MetaGraphDef.

    Raises:
        RuntimeError: there is no graph with these tags.
    """
    model, path = SavedModel(), os.path.join(os.fspath(export_dir), "saved_model.pb")
    with tf.io.gfile.GFile(path, "rb") as file:
        model.ParseFromString(file.read())
    found = [m for m in model.meta_graphs if set(m.meta_info_def.tags) == set(tags)]
    if not found:
        raise RuntimeError(f"MetaGraphDef associated with tags {tags} could not be found in "
                           f"SavedModel {export_dir}")
    graph, meta = getattr(sess, "graph", None) or default_graph(), found[0]
    with graph.as_default():
        saver = import_meta_graph(meta, import_scope=import_scope)
        if saver is not None:
            saver.restore(os.path.join(os.fspath(export_dir), "variables", "variables"))
        prefix = f"{import_scope}/" if import_scope else ""
        assets = {graph.element(prefix + a.tensor_info.name):
                  os.path.join(os.fspath(export_dir), "assets", a.filename)
                  for a in meta.asset_file_def}
        for name in _starting(meta):
            graph.function_of(list(assets), graph.element(prefix + name))(*assets.values())
    return meta


def _starting(meta: Any) -> list[str]:
    """The operation that fills tables and the like."""
    if "__saved_model_init_op" in meta.signature_def:
        outputs = meta.signature_def["__saved_model_init_op"].outputs
        return [outputs["__saved_model_init_op"].name]
    for key in ("saved_model_main_op", "legacy_init_op"):
        if key in meta.collection_def:
            return list(meta.collection_def[key].node_list.value)
    return []
