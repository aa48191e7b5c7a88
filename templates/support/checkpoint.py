"""TF 1's Saver without a session: checkpoints by variable name, of TF 1 and of TF 2."""
from __future__ import annotations

import functools
import os
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import tensorflow as tf
from absl import logging

from .names import key_of, states_of, variable_name
from .store import GraphKeys, current_run, current_store

_OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
_VALUE_SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"
_ESCAPED = {".S": "/", "..": "."}  # how tf.train.Checkpoint writes '/' and '.' within a name


def named_tensors(path: str) -> dict[str, str]:
    """The keys of a checkpoint by variable name.

    In a name-based (TF 1) checkpoint a key is the variable's name.  In an object-based one
    (`tf.train.Checkpoint`), the name is the attribute under which a store or a `Saver` keeps the
    variable; only those keys that end in such an attribute are found.

    Raises:
        ValueError: there is no checkpoint at `path`.
    """
    if not checkpoint_exists(path):
        raise ValueError(f"{path} is not a checkpoint: there is no {path}.index")
    keys = sorted(NewCheckpointReader(path).get_variable_to_shape_map())
    if _OBJECT_GRAPH not in keys:
        return {key: key for key in keys}
    found = {}
    for key in keys:
        if key.endswith(_VALUE_SUFFIX):
            name = key[:-len(_VALUE_SUFFIX)].rpartition("/")[2]
            found[re.sub(r"\.S|\.\.", lambda m: _ESCAPED[m[0]], name)] = key
    return found


def checkpoint_exists(checkpoint_prefix: str | os.PathLike[str]) -> bool:
    """Whether a path (without .index) is a checkpoint."""
    path = os.fspath(checkpoint_prefix)
    return bool(tf.io.gfile.glob(path + ".index")) or tf.io.gfile.exists(path + ".meta")


def NewCheckpointReader(filepattern: str) -> Any:
    """A reader of the checkpoint with this prefix, which may be the name of a directory as well."""
    if tf.io.gfile.isdir(filepattern):
        return tf.compat.v1.train.NewCheckpointReader(filepattern)
    return tf.train.load_checkpoint(filepattern)


def _by_name(var_list: Any) -> dict[str, Any]:
    """`var_list` (a dict, a list, an object with a store or None) as variables by TF 1 name.

    Raises:
        ValueError: two variables have the same name.
    """
    if isinstance(var_list, Mapping):
        return dict(var_list)
    store = getattr(var_list, "store", var_list) if var_list is not None else current_store()
    if hasattr(store, "variables_by_name"):
        local = {id(v) for v in store.registry.collections.get(GraphKeys.LOCAL_VARIABLES, ())}
        return {n: v for n, v in store.variables_by_name.items() if id(v) not in local}
    known = {key_of(v): n for n, v in current_store().variables_by_name.items()}
    found: dict[str, Any] = {}
    for variable in var_list:
        name = known.get(key_of(variable)) or variable_name(variable)
        if found.setdefault(name, variable) is not variable:
            raise ValueError(f"two variables are called {name!r}; pass a dict with unique names")
    return found


def _assign(variable: Any, value: Any, name: str, path: str) -> None:
    if tuple(variable.shape) != tuple(value.shape):
        raise tf.errors.InvalidArgumentError(
            None, None, f"{name!r} has shape {tuple(value.shape)} in {path} but "
                        f"{tuple(variable.shape)} here")
    variable.assign(tf.cast(value, variable.dtype))


def load_tf1_checkpoint(path: str, var_list: Any = None, strict: bool = True,
                        name_map: Callable[[str], str] | None = None, reshape: bool = False) -> list[str]:
    """Assigns the values in a checkpoint to variables, by name.

    Args:
        path: A checkpoint, or a directory in which the latest is taken.
        var_list: Variables by name, a list of variables, a variable store or a model that has one;
            default: the current store.
        strict: Whether a variable that is not in the checkpoint is an error.
        name_map: Gives the name in the checkpoint of the variable called ...
        reshape: Whether a value may have another shape than the variable.

    Returns:
        The names of variables that were not found.

    Raises:
        ValueError: there is no checkpoint at `path`, or no variable to load.
        tf.errors.NotFoundError: `strict`, and a variable is not in the checkpoint.
        tf.errors.InvalidArgumentError: a shape differs.
    """
    if tf.io.gfile.isdir(path) and not checkpoint_exists(path):
        path = tf.train.latest_checkpoint(path) or os.path.join(path, "checkpoint")
    variables, keys = _by_name(var_list), named_tensors(path)
    if not variables:
        raise ValueError(f"cannot load {path}: there are no variables yet; call the model once so "
                         "that they exist")
    wanted = {name: name_map(name) if name_map else name for name in variables}
    missing = [name for name in variables if wanted[name] not in keys]
    if missing and strict:
        raise tf.errors.NotFoundError(None, None, f"not in checkpoint {path}: "
                                      + ", ".join(wanted[name] for name in missing))
    reader = NewCheckpointReader(path)
    for name, variable in variables.items():
        if wanted[name] in keys:
            value = reader.get_tensor(keys[wanted[name]])
            if reshape and value.size == variable.shape.num_elements():
                value = value.reshape(tuple(variable.shape))
            _assign(variable, value, name, path)
    return missing


def init_from_checkpoint(ckpt_dir_or_file: str, assignment_map: Mapping[str, Any]) -> None:
    """Assigns values of a checkpoint to existing variables of the current store.

    Args:
        ckpt_dir_or_file: A checkpoint, or a directory in which the latest is taken.
        assignment_map: Names in the checkpoint to a variable, a variable's name, or, where both
            end with '/', whole scopes ('/' is all of the checkpoint or of the store).

    Raises:
        ValueError: a name is neither in the checkpoint nor in the store, or a scope is empty.
    """
    path = ckpt_dir_or_file
    if tf.io.gfile.isdir(path) and not checkpoint_exists(path):
        path = tf.train.latest_checkpoint(path) or os.path.join(path, "checkpoint")
    keys, here = named_tensors(path), current_store().variables_by_name
    reader = NewCheckpointReader(path)
    for source, target in assignment_map.items():
        if not isinstance(target, str):
            pairs = {source: target}
        elif not target.endswith("/"):
            if target not in here:
                raise ValueError(f"there is no variable {target!r}; call the model once first")
            pairs = {source: here[target]}
        else:
            prefix, scope = source.lstrip("/"), target.lstrip("/")
            pairs = {prefix + name[len(scope):]: v for name, v in here.items()
                     if name.startswith(scope)}
            if not pairs:
                raise ValueError(f"there are no variables in scope {target!r}; call the model "
                                 "once first")
        for name, variable in pairs.items():
            if name not in keys:
                raise ValueError(f"{name!r} is not in checkpoint {path}")
            _assign(variable, reader.get_tensor(keys[name]), name, path)


def write_checkpoint(path: str, variables: Mapping[str, Any]) -> str:
    """Writes a name-based checkpoint, which TF 1 and `tf.train.load_checkpoint` read; gives `path`.
    """
    directory = os.path.dirname(path)
    if directory:
        tf.io.gfile.makedirs(directory)
    names = sorted(variables)
    tf.raw_ops.SaveV2(prefix=path, tensor_names=names, shape_and_slices=[""] * len(names),
                      tensors=[tf.convert_to_tensor(variables[name]) for name in names])
    return path


def write_checkpoint_state(directory: str, paths: Sequence[str],
                           latest_filename: str | None = None) -> None:
    """Writes the file from which `tf.train.latest_checkpoint` learns the latest of `paths`."""
    def quoted(path: str) -> str:
        relative = os.path.relpath(path, directory) if not os.path.isabs(path) else path
        return '"' + relative.replace("\\", "\\\\").replace('"', '\\"') + '"'

    lines = [f"model_checkpoint_path: {quoted(paths[-1])}"] if paths else []
    lines += [f"all_model_checkpoint_paths: {quoted(path)}" for path in paths]
    target = os.path.join(directory, latest_filename or "checkpoint")
    with tf.io.gfile.GFile(target + ".tmp", "w") as file:
        file.write("\n".join(lines) + "\n")
    tf.io.gfile.rename(target + ".tmp", target, overwrite=True)


def remove_checkpoint(checkpoint_prefix: str, checkpoint_format_version: Any = 2,
                      meta_graph_suffix: str = "meta") -> None:
    """Deletes the files of a checkpoint."""
    path = checkpoint_prefix
    for name in (tf.io.gfile.glob(path + ".data-?????-of-?????")
                 + tf.io.gfile.glob(path + ".index") + tf.io.gfile.glob(f"{path}.{meta_graph_suffix}")):
        tf.io.gfile.remove(name)


def _outside_of_graphs(method: Callable[..., Any]) -> Callable[..., Any]:
    """`method`, computing at once wherever it is called; a session that it is given first, as TF 1
    wanted one, is not needed."""

    @functools.wraps(method)
    def plain(self: Any, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("sess", None)
        if args and not isinstance(args[0], (str, os.PathLike)) and (
                len(args) > 1 or "save_path" in kwargs):
            args = args[1:]
        step = kwargs.get("global_step", args[1] if len(args) > 1 else None)
        if tf.is_tensor(step) and not isinstance(step, tf.Variable) and not hasattr(step, "numpy"):
            kwargs["global_step"], args = current_run().value(step), args[:1]
        with tf.init_scope():
            return method(self, *args, **kwargs)

    return plain


class SaverDef:
    """What a Saver holds, for the tool that freezes graphs.

    names: of variables -> of their values in checkpoints.
    """

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = dict(names)


class Saver:
    """Saves and restores variables by TF 1 name, and keeps the newest checkpoints.

    Together with the variables go the states of optimizers and moving averages of this package.
    What it writes is name-based, as TF 1 wrote it; it restores object-based checkpoints of stores
    and models as well.

    Args:
        var_list: Variables by name, a list of variables, a variable store or a model that has one;
            default: the store that is current where the Saver is made (if that has none: where it
            saves or restores), as it is by then; of a graph that is being built, what there is
            already.  A dict or list is saved and restored exactly, without the states of optimizers
            that are not in it.
        reshape: Whether variables may have another shape than in the checkpoint.
        max_to_keep: How many checkpoints to keep; None or 0: all.
        pad_step_number: Whether the step in a checkpoint's name has at least eight digits.
        keep_checkpoint_every_n_hours: A checkpoint to be deleted is kept all the same if this much
            time has passed since the last one that was.
        allow_empty: Whether to accept that there are no variables.

    The other arguments are TF 1's; they said how graphs and files were laid out.

    Raises:
        ValueError: `saver_def` is given.
    """

    def __init__(self, var_list: Any = None, reshape: bool = False, sharded: bool = False,
                 max_to_keep: int | None = 5, keep_checkpoint_every_n_hours: float = 10000.0,
                 name: str | None = None, restore_sequentially: bool = False,
                 saver_def: Any = None, builder: Any = None, defer_build: bool = False,
                 allow_empty: bool = False, write_version: Any = 2,
                 pad_step_number: bool = False, save_relative_paths: bool = False,
                 filename: str | None = None) -> None:
        if saver_def is not None:
            raise ValueError("saver_def has no successor: build the network, and save its variables")
        self._reshape, self._step = reshape, "08d" if pad_step_number else "d"
        self._var_list, self._allow_empty = var_list, allow_empty
        self._store = current_store() if var_list is None else None
        self._run = current_run()
        self._max_to_keep = max_to_keep or 0
        self._keep_seconds = keep_checkpoint_every_n_hours * 3600.0
        self._next_kept = time.time() + self._keep_seconds
        self._last: list[tuple[str, float]] = []
        self._listed: dict[str, Any] = {}
        if not defer_build:
            self.build()

    def build(self) -> None:
        """Takes the variables that a graph has by now, if it did not do so before."""
        if self._store is not None and self._run.builds and not self._listed:
            self._run.get_collection(GraphKeys.GLOBAL_VARIABLES)  # finds those of Keras' layers
            self._listed = _by_name(self._store)

    def _variables(self, stored: Iterable[str] = ()) -> dict[str, Any]:
        if self._listed:
            return self._listed
        variables = {} if self._store is None else _by_name(self._store)
        variables = variables or _by_name(self._var_list)
        whole = not isinstance(self._var_list, (Mapping, list, tuple, set)) and not (
            current_run().builds)  # a graph's variables are all that there is
        if not variables and not self._allow_empty:
            raise ValueError("no variables to save or restore yet; call the model once so that "
                             "they exist")
        return {**states_of(variables, stored), **variables} if whole else variables

    def as_saver_def(self) -> SaverDef:
        """What this one saves, by name.

        Raises:
            ValueError: there are no variables.
        """
        known = {key_of(v): n for n, v in current_store().variables_by_name.items()}
        return SaverDef({known.get(key_of(v)) or variable_name(v): key
                         for key, v in self._variables().items()})

    @property
    def last_checkpoints(self) -> list[str]:
        """Paths of the checkpoints kept so far, oldest first."""
        return [path for path, _ in self._last]

    def set_last_checkpoints(self, paths: Iterable[str]) -> None:
        self._last = [(path, time.time()) for path in paths]

    def set_last_checkpoints_with_time(self, pairs: Iterable[tuple[str, float]]) -> None:
        """Takes over checkpoints with the times (s since 1970) at which they were written."""
        self._last = list(pairs)

    def recover_last_checkpoints(self, paths: Iterable[str]) -> None:
        """Takes over checkpoints of an earlier run, so that they count and get deleted in turn."""
        self._last = [(path, tf.io.gfile.stat(path + ".index").mtime_nsec / 1e9)
                      for path in paths if checkpoint_exists(path)]

    @_outside_of_graphs
    def save(self, save_path: str, global_step: Any = None, latest_filename: str | None = None,
             meta_graph_suffix: str = "meta", write_meta_graph: bool = True,
             write_state: bool = True, strip_default_attrs: bool = False,
             save_debug_info: bool = False, session: Any = None) -> str:
        """Writes a checkpoint and gives its path: `save_path`, or `save_path-<step>`; beside it the
        meta graph, where a graph is being built.

        Args:
            session: Whose values are written, where several sessions of a graph live at once.

        Raises:
            ValueError: there are no variables.
        """
        if session is not None:
            session.graph.use(session)
        path = os.fspath(save_path)
        if global_step is not None:
            path = f"{path}-{int(global_step):{self._step}}"
        write_checkpoint(path, self._variables())
        self._last = [(p, t) for p, t in self._last if p != path] + [(path, time.time())]
        removed = []
        while self._max_to_keep and len(self._last) > self._max_to_keep:
            old, written = self._last.pop(0)
            if written > self._next_kept:
                self._next_kept += self._keep_seconds
            else:
                removed.append(old)
        if write_state:
            write_checkpoint_state(os.path.dirname(path) or ".", self.last_checkpoints,
                                   latest_filename)
        for old in removed:
            remove_checkpoint(old, meta_graph_suffix=meta_graph_suffix)
        if write_meta_graph:
            self._run.write_meta_graph(f"{path}.{meta_graph_suffix}", self._variables())
        return path

    def export_meta_graph(self, filename: str | None = None, collection_list: Any = None,
                          as_text: bool = False, export_scope: str | None = None,
                          clear_devices: bool = False, clear_extraneous_savers: bool = False,
                          strip_default_attrs: bool = False, save_debug_info: bool = False) -> Any:
        """The MetaGraphDef of the graph that is being built, written to `filename` if there is one.

        Raises:
            ValueError: no graph is being built, or only a part of it is asked for.
        """
        if collection_list is not None or export_scope:
            raise ValueError("the meta graph is that of the whole graph, with all collections")
        if not self._run.builds:
            raise ValueError("there is no graph: nothing is being built into one")
        return self._run.write_meta_graph(filename, self._variables(), as_text, clear_devices)

    @_outside_of_graphs
    def restore(self, save_path: str, session: Any = None) -> None:
        """Assigns the values in a checkpoint to the variables.

        Args:
            session: In which they have them, where several sessions of a graph live at once.

        What the checkpoint has beyond the variables is logged, not an error, as in TF 1.

        Raises:
            ValueError: there is no checkpoint at `save_path`, or there are no variables.
            tf.errors.NotFoundError: a variable is not in the checkpoint.
            tf.errors.InvalidArgumentError: a shape differs.
        """
        if save_path is None:
            raise ValueError("cannot restore from None: there is no checkpoint yet")
        if session is not None:
            session.graph.use(session)
        path = os.fspath(save_path)
        logging.info("Restoring parameters from %s", path)
        keys = named_tensors(path)
        variables = self._variables(keys)
        aliases = _below_scopes(set(variables) - set(keys), keys)
        load_tf1_checkpoint(path, variables, name_map=lambda name: aliases.get(name, name),
                            reshape=self._reshape)
        used = {aliases.get(name, name) for name in variables}
        if unused := sorted(set(keys) - used - {"save_counter"}):
            logging.info("%s also holds %s%s, which nothing here is called", path,
                         ", ".join(unused[:8]), " ..." if len(unused) > 8 else "")


def _below_scopes(missing: Iterable[str], keys: Iterable[str]) -> dict[str, str]:
    """Names in a checkpoint for state that TF 1 made within a scope: 'w/Adam' as 'train/w/Adam'.

    Only where there is no doubt, since exactly one key ends so.
    """
    found = {}
    for name in missing:
        ends = [key for key in keys if key.endswith("/" + name)]
        if len(ends) == 1:
            found[name] = ends[0]
    return found
