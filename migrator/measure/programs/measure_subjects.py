"""What a child measures on TF 2: a function, a model, a SavedModel or a frozen graph, as one thing.

Each gives inputs, a forward call on {input name: tensor}, its variables by name, and those that are
trained. Imports TensorFlow.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from migrator.measure.programs import measure_probe as probe
from migrator.measure.programs.measure_probe import measure_graphs
from migrator.resources import templates_dir
from migrator.workload.programs.migrated_variables import MigratedVariables

LEARNING_RATE, MOMENTUM = 1e-3, 0.9  # of every training step, before and after
UNNAMED = "input"  # the name of a single input that a builder's result takes by position


def item_size(dtype: Any) -> int:
    """Bytes of one value of a TensorFlow, Keras or numpy type."""
    name = getattr(dtype, "name", None) or str(dtype)
    sizes = {"bfloat16": 2, "string": 0, "resource": 0, "variant": 0}
    return sizes.get(name) if name in sizes else np.dtype(name).itemsize  # type: ignore[return-value]


def lies_on(variable: Any, device: str) -> bool:
    """Whether a variable is in a device's memory ("GPU:0"); one that does not say is."""
    kept = getattr(variable, "value", variable) if hasattr(variable, "path") else variable
    where = getattr(kept, "device", "")
    return not where or where.upper().endswith(f"DEVICE:{device}")


def sizes(variables: dict[str, Any]) -> dict[str, int]:
    """{name: bytes}."""
    return {
        k: int(np.prod(v.shape, dtype=np.int64)) * item_size(v.dtype) for k, v in variables.items()
    }


@dataclass
class Subject:
    """One thing to measure.

    forward: {name: tensor}, training -> outputs. variables: {name: variable}. specs: the inputs as
    `workload.spec.Input` dicts. model: the Keras model behind it, if there is one. constants:
    {name: bytes} of weights that are no variables. scalar: whether the outputs hold a loss. optimizer:
    what its training updates with, by default Keras' SGD with momentum.
    """

    forward: Callable[[dict[str, Any], bool], Any]
    specs: list[dict[str, Any]]
    variables: Callable[[], dict[str, Any]]
    trainable: Callable[[], list[Any]]
    restore: Callable[[str], object] | None = None
    model: Any = None
    constants: dict[str, int] | None = None
    scalar: bool = False
    optimizer: Callable[[], Any] | None = None
    slots: Callable[[], dict[str, Any]] | None = None

    def inputs(self, config: dict[str, Any]) -> dict[str, Any]:
        """{name: numpy array}."""
        arrays: dict[str, Any] = probe.make_inputs(
            self.specs, config["batch"], config["root"], resize=True
        )
        return arrays


def load(tf: Any, config: dict[str, Any]) -> Subject:
    """The subject that the workload describes.

    Raises:
      Unusable: it is not there, or cannot be measured in the mode that is asked for.
    """
    kinds = {
        "function": _function, "graph": _graph, "model": _built, "keras_file": _keras_file,
        "saved_model": _saved_model, "frozen_graph": _frozen_graph,
    }  # fmt: skip
    workload = config["workload"]
    made = kinds[workload["kind"]](tf, config)
    if config["mode"] == "training" and workload["kind"] in ("saved_model", "frozen_graph"):
        raise probe.Unusable(f"a {workload['kind'].replace('_', ' ')} holds nothing to train")
    return made


def _path(config: dict[str, Any]) -> str:
    path = os.path.join(config["root"], config["workload"]["path"])
    if not os.path.exists(path):
        raise probe.Unusable(f"there is no {config['workload']['path']} in {config['root']}")
    return path


def _function(tf: Any, config: dict[str, Any]) -> Subject:
    workload, store = config["workload"], MigratedVariables()
    call = measure_graphs.function(config)

    def forward(inputs: dict[str, Any], training: bool) -> Any:
        with store.run(training):
            return call(**inputs)

    return Subject(
        forward, workload["inputs"], lambda: store.by_name, lambda: store.trained, store.restore,
        scalar=True, optimizer=migrated_momentum,
    )  # fmt: skip


def _graph(tf: Any, config: dict[str, Any]) -> Subject:
    """The function of a graph that takes a session's place: from placeholders to what is fetched."""
    workload = config["workload"]
    if config["strategy"]:
        raise probe.Unusable("strategies change models, and this is a graph of its own")
    try:
        graphs: Any = importlib.import_module("tf1_support.graphs")
    except ModuleNotFoundError as error:
        raise probe.Unusable("the migration made no graph of it: name a function (--model)") from error
    seen: list[Any] = []
    placeholder = graphs.placeholder

    def noted(*args: Any, **kwargs: Any) -> Any:
        seen.append(placeholder(*args, **kwargs))
        return seen[-1]

    graph = graphs.Graph()
    with graph.as_default(), measure_graphs.replaced([graphs], "placeholder", noted):
        thing = measure_graphs.made(config)
        specs = workload["inputs"] or measure_graphs.described(thing, seen, probe.GUESS)
        if len(specs) != len(seen):
            raise probe.Unusable(f"{len(specs)} inputs are described, and it has {len(seen)} placeholders")
        function = graph.function_of(seen, measure_graphs.fetched(thing, workload["fetches"]))

    def forward(inputs: dict[str, Any], training: bool) -> Any:
        values = [tf.cast(v, p.dtype) for v, p in zip(inputs.values(), seen, strict=True)]
        return [v for v in function._computed(*values) if v is not None]

    trained = {v.name.split(":")[0] for v in graph.store.trainable_variables}

    def by_name(slots: bool) -> dict[str, Any]:
        every = graph.store.variables_by_name
        return {k: v for k, v in every.items() if measure_graphs.is_slot(k, trained) == slots}

    return Subject(
        forward, specs, lambda: by_name(False), lambda: list(graph.store.trainable_variables),
        slots=lambda: by_name(True),
    )  # fmt: skip


def migrated_momentum() -> Any:
    """What a migration makes of the `tf.train.MomentumOptimizer` that "before" is trained with.

    From migrator's own copy of the support package: the repository's holds what its code uses only.
    """
    name = "migrator_support"
    if name not in sys.modules:
        folder = templates_dir() / "support"
        spec = importlib.util.spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        assert spec is not None and spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    optimizers = importlib.import_module(f"{name}.optimizers")
    return optimizers.MomentumOptimizer(LEARNING_RATE, MOMENTUM)


def _built(tf: Any, config: dict[str, Any]) -> Subject:
    """What the builder returns: a Keras model, a tf.Module, or any callable on tensors."""
    workload = config["workload"]
    made = probe.target(workload["call"])(**workload["kwargs"])
    if isinstance(made, tf.keras.Model):
        return keras_subject(tf, made, workload["inputs"])
    if not callable(made):
        raise probe.Unusable(f"{workload['call']} returns {type(made).__name__}: nothing to call")
    if not workload["inputs"]:
        raise probe.Unusable(f"{workload['call']} is no Keras model: give its inputs (--input)")
    named = _named(workload["inputs"])

    def forward(inputs: dict[str, Any], training: bool) -> Any:
        return made(**inputs) if named else made(*inputs.values())

    module = made if isinstance(made, tf.Module) else None

    def variables() -> dict[str, Any]:
        found = module.variables if module is not None else ()
        return {f"{i}/{v.name}": v for i, v in enumerate(found)}

    return Subject(
        forward, workload["inputs"], variables,
        lambda: list(module.trainable_variables) if module is not None else [],
    )  # fmt: skip


def _named(specs: list[dict[str, Any]]) -> bool:
    """Whether the inputs have names of their own; `--input 1x2x3` gives none."""
    return not all(s["name"].startswith(UNNAMED) for s in specs)


def keras_subject(tf: Any, model: Any, given: list[dict[str, Any]]) -> Subject:
    """A Keras model: inputs by position, unless the workload names the model's own."""
    tensors = list(getattr(model, "inputs", None) or ())  # a model whose `call` is Python has none
    if given:
        specs = given
        for spec, tensor in zip(given, tensors, strict=False):
            _check_shape(spec, tuple(tensor.shape))
    elif tensors:
        specs = [
            _resolved(getattr(t, "name", UNNAMED).split(":")[0], tuple(t.shape), t.dtype)
            for t in tensors
        ]
    else:
        raise probe.Unusable("the model is not built: give its inputs (--input)")

    def forward(inputs: dict[str, Any], training: bool) -> Any:
        values = list(inputs.values())
        return model(values[0] if len(values) == 1 else values, training=training)

    def by_name() -> dict[str, Any]:
        return {getattr(v, "path", v.name): v for v in model.variables}

    return Subject(forward, specs, by_name, lambda: list(model.trainable_variables), model=model)


def _check_shape(spec: dict[str, Any], own: tuple[Any, ...]) -> None:
    """Raises Unusable where an input is described in another size than the model was built for."""
    wanted = tuple(spec.get("shape") or own)
    pairs = zip(wanted[1:], own[1:], strict=False)
    if len(wanted) != len(own) or any(d not in (None, w) and w != "batch" for w, d in pairs):
        shown = ["x".join("batch" if d is None else str(d) for d in s) for s in (wanted, own)]
        raise probe.Unusable(
            f"input {spec['name']!r} is described as {shown[0]}, and the model takes {shown[1]}: "
            "describe that, or have the model built for another size (--kwarg input_shape=[…])"
        )


def _resolved(name: str, shape: tuple[Any, ...], dtype: Any) -> dict[str, Any]:
    """An input description from a signature: the leading unknown size is the batch."""
    sizes: list[Any] = ["batch" if i == 0 and d in (None, 1) else d for i, d in enumerate(shape)]
    if None in sizes:
        shown = "x".join("?" if d is None else str(d) for d in shape)
        raise probe.Unusable(f"input {name!r} has shape {shown}: say which (--input {name}=…)")
    kind = getattr(dtype, "name", str(dtype))
    high = 255.0 if kind == "uint8" else 2.0 if kind.startswith("int") else 1.0
    return {"name": name, "shape": sizes, "dtype": kind, "low": 0.0, "high": high, "seed": 0}


def _keras_file(tf: Any, config: dict[str, Any]) -> Subject:
    path, policy = _path(config), config["precision"]
    try:
        model = tf.keras.models.load_model(path, compile=False)
    except (ValueError, OSError, TypeError) as error:
        raise probe.Unusable(f"Keras cannot load {config['workload']['path']}: {error}") from error
    if policy != "float32":
        model = _with_policy(tf, model, policy)
    return keras_subject(tf, model, config["workload"]["inputs"])


def _with_policy(tf: Any, model: Any, policy: str) -> Any:
    """The same model with another dtype policy: a stored model carries its own."""

    def replaced(value: Any) -> Any:
        if isinstance(value, dict):
            if value.get("class_name") == "DTypePolicy":
                return {**value, "config": {"name": policy}}
            return {k: replaced(v) for k, v in value.items()}
        return [replaced(v) for v in value] if isinstance(value, list) else value

    other = tf.keras.models.model_from_json(json.dumps(replaced(json.loads(model.to_json()))))
    other.set_weights(model.get_weights())
    return other


def _saved_model(tf: Any, config: dict[str, Any]) -> Subject:
    workload = config["workload"]
    loaded = tf.saved_model.load(_path(config))
    if workload["fetches"] and workload["inputs"]:
        names = [i["name"] for i in workload["inputs"]]
        pruned = loaded.prune(names, list(workload["fetches"]))
        specs = workload["inputs"]

        def forward(inputs: dict[str, Any], training: bool) -> Any:
            return pruned(*inputs.values())
    else:
        signatures = dict(loaded.signatures)
        if not signatures:
            raise probe.Unusable("the SavedModel has no signature: name inputs and fetches")
        function = signatures.get("serving_default") or next(iter(signatures.values()))
        wanted = function.structured_input_signature[1]
        specs = workload["inputs"] or [_resolved(k, s.shape, s.dtype) for k, s in wanted.items()]
        names = list(wanted) if not _named(specs) else [s["name"] for s in specs]

        def forward(inputs: dict[str, Any], training: bool) -> Any:
            return function(**dict(zip(names, inputs.values(), strict=True)))

    held = getattr(loaded, "variables", None)
    variables = {f"{i}/{v.name}": v for i, v in enumerate(held or ())}

    def traced(inputs: dict[str, Any], training: bool, _loaded: Any = loaded) -> Any:
        return forward(inputs, training)  # keeps `loaded`, and so its variables, alive

    return Subject(traced, specs, lambda: variables, list)


def _frozen_graph(tf: Any, config: dict[str, Any]) -> Subject:
    workload = config["workload"]
    module = probe.load_by_path("migrator_frozen_graph", config["frozen_graph"])
    try:
        graph = module.FrozenGraph(_path(config))
    except ValueError as error:
        raise probe.Unusable(str(error)) from error
    specs = workload["inputs"] or [
        _resolved(k, tuple(s.shape) if s.shape.rank is not None else (None, None), s.dtype)
        for k, s in graph.inputs.items()
    ]
    names = list(graph.inputs) if not _named(specs) else [s["name"] for s in specs]
    fetches = list(workload["fetches"]) or list(graph.outputs)
    function = graph.function(names, fetches)

    def forward(inputs: dict[str, Any], training: bool) -> Any:
        return function(*inputs.values())

    return Subject(forward, specs, dict, list, constants=constants(graph.graph.as_graph_def()))


def constants(graph_def: Any) -> dict[str, int]:
    """{name: bytes} of the constants of a graph that are large enough to be weights."""
    found: dict[str, int] = {}
    for node in graph_def.node:
        if node.op == "Const":
            tensor = node.attr["value"].tensor
            shape = [d.size for d in tensor.tensor_shape.dim]
            if int(np.prod(shape, dtype=np.int64)) > 1:
                width = 4 if tensor.dtype in (1, 3) else 8 if tensor.dtype in (2, 9) else 2
                width = 1 if tensor.dtype in (4, 6, 10) else 0 if tensor.dtype == 7 else width
                found[node.name] = int(np.prod(shape, dtype=np.int64)) * width
    return found
