"""SavedModels of TF 1 and TF 2 by tensor name and by signature, and writing of simple ones."""
from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from .names import variable_name


class SavedGraph(tf.Module):
    """A SavedModel directory, to be run by tensor names or by signature: what
    `saved_model.loader.load` put into a session.

    Args:
        path: The directory.
        tags: Which of its graphs; default: "serve", or the only one there is.

    Attributes:
        loaded: What `tf.saved_model.load` gave.
    """

    def __init__(self, path: str | os.PathLike[str], tags: Sequence[str] | None = None) -> None:
        super().__init__()
        self.loaded = tf.saved_model.load(os.fspath(path), tags=tags)
        self._pruned: dict[Any, Any] = {}

    @property
    def signatures(self) -> Mapping[str, Any]:
        """Functions by signature name; they take tensors by keyword and give a dict."""
        return self.loaded.signatures

    def function(self, feeds: Sequence[str], fetches: Sequence[str]) -> Any:
        """A function of the values of `feeds` that gives the list of `fetches` (tensor names).

        Raises:
            AttributeError: the SavedModel is of TF 2, which has functions but no graph to cut.
            KeyError: a name is not in the graph.
        """
        key = (tuple(feeds), tuple(fetches))
        if key not in self._pruned:
            if not hasattr(self.loaded, "prune"):
                raise AttributeError("a TF 2 SavedModel has no tensors to fetch by name; use its "
                                     f"signatures: {', '.join(self.signatures)}")
            self._pruned[key] = self.loaded.prune(list(feeds), list(fetches))
        return self._pruned[key]

    def __call__(self, fetches: Any, feed_dict: Mapping[str, Any] | None = None) -> Any:
        """The fetched tensors, in the nest in which `fetches` names them."""
        feeds, flat = dict(feed_dict or {}), tf.nest.flatten(fetches)
        function = self.function(list(feeds), flat)
        values = [value if tf.is_tensor(value) else
                  tf.constant(np.asarray(value, dtype=tensor.dtype.as_numpy_dtype))
                  for value, tensor in zip(feeds.values(), function.inputs, strict=False)]
        return tf.nest.pack_sequence_as(fetches, function(*values))

    def run(self, fetches: Any, feed_dict: Mapping[str, Any] | None = None) -> Any:
        """As calling the object, with NumPy arrays as results: what Session.run returned."""
        return tf.nest.map_structure(lambda t: t.numpy(), self(fetches, feed_dict))


def simple_save(function: Callable[..., Any], export_dir: str | os.PathLike[str],
                inputs: Mapping[str, tf.TensorSpec], variables: Sequence[Any] = ()) -> None:
    """Writes a SavedModel whose default signature computes `function`.

    Args:
        function: Takes the inputs by keyword and gives a tensor or a dict of tensors.
        inputs: The inputs by name.
        variables: The variables that `function` uses; default: those that a trace reads.
    """
    module = tf.Module()
    specs = [tf.TensorSpec(s.shape, s.dtype, name) for name, s in inputs.items()]

    def serve(*values: tf.Tensor) -> Any:
        result = function(**dict(zip(inputs, values, strict=True)))
        return result if isinstance(result, Mapping) else {"outputs": result}

    module.serve = tf.function(serve, input_signature=specs, autograph=False)
    concrete = module.serve.get_concrete_function()
    module.kept = [*(variables or concrete.graph.variables)]
    untracked = [variable_name(v) for v in concrete.graph.variables
                 if all(v is not kept for kept in module.kept)]
    if untracked:
        raise ValueError(f"the function also reads the variables {', '.join(untracked)}")
    tf.saved_model.save(module, os.fspath(export_dir), signatures=module.serve)
