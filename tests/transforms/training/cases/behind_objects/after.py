import sys

import numpy as np
import tensorflow as tf

from model import Model
from network import classify
from tf1_support import graphs
from tf1_support import checkpoint

rows = np.arange(6, dtype=np.float32).reshape(2, 3)


@graphs.building
def by_object():
    with graphs.Graph().as_default():
        x = graphs.placeholder(tf.float32, [2, 3])
        training = graphs.placeholder(tf.bool, [])
        factor = graphs.placeholder(tf.float32, [])
        model = Model(x, training)
        scaled = model.scaled(factor)
        saver = checkpoint.Saver()
        path = saver.save("./object")
        compute_scaled = graphs.function([x, factor, training], scaled)
        on = compute_scaled(rows, 3.0, True)
        off = compute_scaled(rows, 3.0, False)
    return len(tf.train.list_variables(path)), on, off


@graphs.building
def by_function():
    with graphs.Graph().as_default():
        x = graphs.placeholder(tf.float32, [2, 3])
        training = graphs.placeholder(tf.bool, [])
        logits = classify(x, training)
        saver = checkpoint.Saver()
        path = saver.save("./function")
        compute_logits = graphs.function([x, training], logits)
        on = compute_logits(rows, True)
        off = compute_logits(rows, False)
    return len(tf.train.list_variables(path)), on, off


if __name__ == "__main__":
    object_saved, object_on, object_off = by_object()
    function_saved, function_on, function_off = by_function()
    np.savez(
        sys.argv[1], object_saved=object_saved, object_on=object_on, object_off=object_off,
        function_saved=function_saved, function_on=function_on, function_off=function_off,
    )
