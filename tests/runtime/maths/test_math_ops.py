"""What the recorded cases, which run eagerly, cannot say of math_ops."""

from typing import Any

import numpy as np
import tensorflow as tf
from tf1_support import math_ops


def test_where_chooses_rows_also_where_no_rank_is_known() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None, tf.bool), tf.TensorSpec(None), tf.TensorSpec(None)])
    def choose(condition: Any, x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            chosen = math_ops.where(condition, x, y)
        return chosen, tape.gradient(chosen, x)

    ones, rows = tf.ones([3, 4]), np.array([True, False, True])
    chosen, gradient = choose(rows, ones, ones * 2.0)
    np.testing.assert_array_equal(chosen, np.where(rows[:, None], 1.0, 2.0) * np.ones([3, 4]))
    np.testing.assert_array_equal(gradient, np.where(rows[:, None], 1.0, 0.0) * np.ones([3, 4]))
    np.testing.assert_array_equal(choose(rows, tf.ones([3]), tf.zeros([3]))[0], [1.0, 0.0, 1.0])
