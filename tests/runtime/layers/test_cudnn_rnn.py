"""cuDNN's layers compute what their compatible cells do, which are proven against TF 1.15.5.

The names are those under which TF 1.15.5 saves the layers (`layer.saveable.specs`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("tensorflow")

import tensorflow as tf
from tf1_support import cudnn_rnn, rnn, rnn_loops, scopes
from tf1_support.store import VariableStore

INPUTS = np.sin(np.arange(24.0)).reshape(4, 2, 3).astype(np.float32)
LSTM = ("cudnn_compatible_lstm_cell", ("kernel", "bias"))
GRU = ("cudnn_compatible_gru_cell", tuple(
    f"{part}/{name}" for part in
    ("gates", "candidate/input_projection", "candidate/hidden_projection")
    for name in ("kernel", "bias")))  # fmt: skip
KINDS: dict[str, Any] = {
    "lstm": (cudnn_rnn.CudnnLSTM, cudnn_rnn.CudnnCompatibleLSTMCell, LSTM),
    "gru": (cudnn_rnn.CudnnGRU, cudnn_rnn.CudnnCompatibleGRUCell, GRU),
}


def given_values(store: VariableStore) -> None:
    """The same weights for variables of the same name behind their first scope."""
    for name, variable in store.variables_by_name.items():
        seed = sum(map(ord, name.partition("/")[2]))
        values = np.sin(np.arange(np.prod(variable.shape)) + seed).reshape(variable.shape)
        variable.assign(values)


@pytest.mark.parametrize("kind", sorted(KINDS))
@pytest.mark.parametrize("ways", [1, 2])
def test_layers_equal_their_cells(kind: str, ways: int) -> None:
    make_layer, make_cell, (cell_name, variables) = KINDS[kind]
    direction = "unidirectional" if ways == 1 else "bidirectional"
    start = tuple(
        tf.constant(np.cos(np.arange(2 * ways * 2 * 5.0) + k).reshape(2 * ways, 2, 5), tf.float32)
        for k in range(2 if kind == "lstm" else 1))  # fmt: skip
    with VariableStore().as_default() as store:
        layer = make_layer(2, 5, direction=direction)
        layer(INPUTS)
        given_values(store)
        outputs, state = layer(INPUTS, initial_state=start, sequence_lengths=[4, 3])
        weights = layer.trainable_weights
    inner = (
        ["rnn/multi_rnn_cell/cell_{}"] if ways == 1 else
        [f"stack_bidirectional_rnn/cell_{{}}/bidirectional_rnn/{way}" for way in ("fw", "bw")]
    )  # fmt: skip
    names = {
        f"cudnn_{kind}/{scope.format(number)}/{cell_name}/{variable}"
        for scope in inner for number in range(2) for variable in variables
    }  # fmt: skip
    assert set(store.variables_by_name) == names
    assert {v.name.partition(":")[0] for v in weights} == names

    def of_cells(layer_number: int, way: int) -> Any:
        parts = [part[layer_number * ways + way] for part in start]
        return rnn.LSTMStateTuple(parts[1], parts[0]) if kind == "lstm" else parts[0]

    with VariableStore().as_default() as store, scopes.variable_scope("mine"):
        cells = [[make_cell(5), make_cell(5)] for _ in range(ways)]
        starts = [tuple(of_cells(number, way) for number in range(2)) for way in range(ways)]

        def run() -> Any:
            if ways == 1:
                return rnn_loops.dynamic_rnn(
                    rnn.MultiRNNCell(cells[0]), INPUTS, [4, 3], starts[0], time_major=True)
            return rnn_loops.stack_bidirectional_dynamic_rnn(
                cells[0], cells[1], INPUTS, *map(list, starts), dtype=tf.float32,
                sequence_length=[4, 3], time_major=True)

        run()
        given_values(store)
    with store.run(), scopes.variable_scope("mine"):
        expected, *last = run()
    np.testing.assert_allclose(outputs, expected, atol=1e-6)
    states = last[0] if ways == 1 else [s for pair in zip(*last, strict=True) for s in pair]
    found = [(s.h, s.c) if kind == "lstm" else (s,) for s in states]
    for part, want in zip(state, zip(*found, strict=True), strict=True):
        np.testing.assert_allclose(part, tf.stack(want), atol=1e-6)


def test_dropout_is_between_layers_and_in_training_only() -> None:
    with VariableStore().as_default():
        layer = cudnn_rnn.CudnnLSTM(2, 5, dropout=0.5, seed=1)
        quiet = layer(INPUTS, training=False)[0]
        again = layer(INPUTS, training=False)[0]
        loud = layer(INPUTS, training=True)[0]
    np.testing.assert_array_equal(quiet, again)
    assert np.abs(loud - quiet).max() > 1e-4
    with VariableStore().as_default():
        single = cudnn_rnn.CudnnGRU(1, 5, dropout=0.5)
        np.testing.assert_array_equal(single(INPUTS, training=False)[0], single(INPUTS)[0])


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="Invalid direction"):
        cudnn_rnn.CudnnLSTM(1, 5, direction="both")
    with pytest.raises(ValueError, match="input_mode"):
        cudnn_rnn.CudnnLSTM(1, 5, input_mode="skip_input")
    with VariableStore().as_default(), pytest.raises(TypeError, match="tuple"):
        cudnn_rnn.CudnnGRU(1, 5)(INPUTS, initial_state=tf.zeros([1, 2, 5]))
