"""SavedModels of the graph that is being built (see `graphs`), in the form that TF 1 wrote."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import tensorflow as tf
from tensorflow.core.protobuf.meta_graph_pb2 import SignatureDef, TensorInfo
from tensorflow.core.protobuf.saved_model_pb2 import SavedModel

from .checkpoint import write_checkpoint
from .graph_exports import meta_graph_of
from .graphs import default_graph
from .store import GraphKeys


def build_tensor_info(tensor: Any) -> Any:
    """The TensorInfo of a tensor of the graph."""
    info = TensorInfo(dtype=tensor.dtype.as_datatype_enum, tensor_shape=tensor.shape.as_proto())
    if isinstance(tensor, tf.SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def build_signature_def(inputs: Mapping[str, Any] | None = None,
                        outputs: Mapping[str, Any] | None = None,
                        method_name: str | None = None) -> Any:
    """A SignatureDef of TensorInfos."""
    return SignatureDef(inputs=inputs, outputs=outputs, method_name=method_name)


def predict_signature_def(inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Any:
    """The SignatureDef for prediction from tensors to tensors.

    Raises:
        ValueError: there are no inputs or outputs.
    """
    for what, given in (("inputs", inputs), ("outputs", outputs)):
        if not given:
            raise ValueError(f"Prediction {what} cannot be None or empty.")
    return build_signature_def(
        {name: build_tensor_info(t) for name, t in inputs.items()},
        {name: build_tensor_info(t) for name, t in outputs.items()},
        tf.saved_model.PREDICT_METHOD_NAME)


class SavedModelBuilder:
    """Writes graphs, with variables, as a SavedModel to the directory `export_dir`.

    Raises:
        AssertionError: the directory is there, and not empty.
    """

    def __init__(self, export_dir: str) -> None:
        self._directory, self._model = export_dir, SavedModel(saved_model_schema_version=1)
        if tf.io.gfile.exists(export_dir) and tf.io.gfile.listdir(export_dir):
            raise AssertionError(f"Export directory {export_dir} already exists, and isn't empty. "
                                 "Please choose a different export directory, or delete all the "
                                 "contents of the specified directory.")
        tf.io.gfile.makedirs(export_dir)

    def add_meta_graph_and_variables(
        self, sess: Any, tags: Sequence[str], signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None, legacy_init_op: Any = None, clear_devices: bool = False,
        main_op: Any = None, strip_default_attrs: bool = False, saver: Any = None,
        assets_list: Any = None,
    ) -> None:
        """Adds the graph and the values of its variables.

        Raises:
            AssertionError: there is a graph with variables already.
            NotImplementedError: there are assets, or an operation fills tables.
        """
        if self._model.meta_graphs:
            raise AssertionError("Graph state including variables and assets has already been saved. "
                                 "Please invoke `add_meta_graph()` instead.")
        graph = getattr(sess, "graph", None) or default_graph()
        if sess is not None:
            graph.use(sess)
        self._graph = graph
        saved = self._add(tags, signature_def_map, assets_collection or assets_list,
                          main_op if main_op is not None else legacy_init_op, clear_devices)
        with tf.init_scope():
            if saved:  # a frozen graph has none
                write_checkpoint(os.path.join(self._directory, "variables", "variables"), saved)

    def add_meta_graph(
        self, tags: Sequence[str], signature_def_map: Mapping[str, Any] | None = None,
        assets_collection: Any = None, legacy_init_op: Any = None, clear_devices: bool = False,
        main_op: Any = None, strip_default_attrs: bool = False, saver: Any = None,
    ) -> None:
        """Adds another graph, which has the variables of the first one."""
        if not self._model.meta_graphs:
            raise AssertionError("Graph state including variables and assets has not been saved yet. "
                                 "Please invoke `add_meta_graph_and_variables()` first.")
        self._graph = default_graph()
        self._add(tags, signature_def_map, assets_collection,
                  main_op if main_op is not None else legacy_init_op, clear_devices)

    def _add(self, tags: Sequence[str], signatures: Mapping[str, Any] | None, assets: Any,
             starting: Any, clear_devices: bool) -> dict[str, Any]:
        graph = self._graph
        tables = graph.get_collection(GraphKeys.TABLE_INITIALIZERS)
        if assets or tables:
            raise NotImplementedError("tables and assets are not written: save a tf.Module with "
                                      "tf.saved_model.save")
        local = {id(v) for v in graph.get_collection(GraphKeys.LOCAL_VARIABLES)}
        saved = {n: v for n, v in graph.store.variables_by_name.items() if id(v) not in local}
        meta = meta_graph_of(graph, saved, clear_devices)
        meta.meta_info_def.tags.extend(tags)
        for key, signature in (signatures or {}).items():
            meta.signature_def[key].CopyFrom(signature)
        if starting is not None:
            meta.collection_def["saved_model_main_op"].node_list.value.append(starting.name)
        self._model.meta_graphs.add().CopyFrom(meta)
        return saved

    def save(self, as_text: bool = False) -> str:
        """Writes the file of the graphs; gives its path."""
        name = "saved_model.pbtxt" if as_text else "saved_model.pb"
        return str(tf.io.write_graph(self._model, self._directory, name, as_text))


def simple_save(session: Any, export_dir: str, inputs: Mapping[str, Any],
                outputs: Mapping[str, Any], legacy_init_op: Any = None) -> None:
    """Writes the graph as a SavedModel for prediction from `inputs` to `outputs`, by name."""
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session, [tf.saved_model.SERVING], clear_devices=True, main_op=legacy_init_op,
        signature_def_map={tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY:
                           predict_signature_def(inputs, outputs)})
    builder.save()
