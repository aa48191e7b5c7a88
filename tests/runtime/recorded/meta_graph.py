"""A small program, saved with its meta graph, and what further runs of it gave (Python 3.7).

Twice: with reference variables, TF 1's default, and with resource variables.
"""

import numpy as np
import tensorflow as tf

from tests.runtime.recorded import files

DATA = np.random.RandomState(13).normal(size=(5, 4))
LABELS = np.random.RandomState(14).uniform(size=(5, 2))


def centred(x, training):
    """`x` less its mean, or less the moving mean that training updates under a tf.cond."""
    moving = tf.get_variable("moving", [4], tf.float64, tf.zeros_initializer(), trainable=False)

    def update():
        mean = tf.reduce_mean(x, 0)
        with tf.control_dependencies([tf.assign(moving, moving * 0.9 + mean * 0.1)]):
            return tf.identity(mean)

    return x - tf.cond(training, update, lambda: moving + 0.0)


def program():
    x = tf.placeholder(tf.float64, [None, 4], name="x")
    y = tf.placeholder(tf.float64, [None, 2], name="y")
    training = tf.placeholder_with_default(False, [], name="training")
    w = tf.get_variable("w", initializer=np.linspace(-1, 1, 8).reshape(4, 2))
    rows = tf.get_variable("rows", initializer=np.zeros([5, 2]), trainable=False)
    prediction = tf.nn.softmax(tf.matmul(centred(x, training), w), name="prediction")
    loss = tf.reduce_mean(tf.square(prediction - y), name="loss")
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(tf.constant(0.1, tf.float64), step, 2, 0.5)
    tf.train.AdamOptimizer(rate).minimize(loss, step, name="train")
    tf.group(tf.scatter_add(rows, [1, 3], tf.ones([2, 2], tf.float64)), name="mark")
    tf.group(tf.assign_add(step, 10), name="skip")
    tf.add_to_collection("outputs", prediction)
    tf.add_to_collection("outputs", loss)


def record():
    for kind in ("reference", "resource"):
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.get_variable_scope().set_use_resource(kind == "resource")
            program()
            sess.run(tf.global_variables_initializer())
            saver = tf.train.Saver()
            feeds = {"x:0": DATA, "y:0": LABELS, "training:0": True}
            train = sess.graph.get_operation_by_name("train")
            for _ in range(3):
                sess.run(train, feeds)
            path = files.path("meta_%s" % kind)
            saver.save(sess, path, write_state=False)
            results = {"prediction": sess.run("prediction:0", {"x:0": DATA})}
            results["losses"] = [sess.run([train, "loss:0"], feeds)[1] for _ in range(3)]
            sess.run(["mark", "skip"])
            values = {v.op.name: v for v in tf.global_variables()}
            results.update({"variable|" + n: v for n, v in sess.run(values).items()})
            np.savez(path + ".npz", **results)
