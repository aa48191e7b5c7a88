"""A trained graph is loaded again and trained on by the name of its operation; weights are clipped by eval."""
import sys

import numpy as np
import tensorflow as tf

data = np.arange(12, dtype=np.float32).reshape(6, 2) / 10
labels = np.array([0, 1, 0, 1, 1, 0], np.int32)

x = tf.placeholder(tf.float32, [None, 2], name="x")
y = tf.placeholder(tf.int32, [None], name="y")
hidden = tf.layers.dense(x, 3, tf.nn.relu, name="hidden", kernel_initializer=tf.ones_initializer())
logits = tf.layers.dense(hidden, 2, name="outputs", kernel_initializer=tf.constant_initializer(
    [[0.1, 0.2], [0.3, -0.4], [0.5, 0.6]]))
loss = tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits), name="loss")
train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
with tf.name_scope("told"):
    tf.summary.scalar("loss", loss)
    tf.summary.histogram("weights", tf.trainable_variables()[0])
summaries = tf.summary.merge_all()
named = [summaries.name, tf.get_collection(tf.GraphKeys.SUMMARIES)[1].name]
weights = tf.get_default_graph().get_tensor_by_name("hidden/kernel:0")
clip = tf.assign(weights, tf.clip_by_norm(weights, clip_norm=1.0, axes=1))
saver = tf.train.Saver()
losses = []
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for _ in range(2):
        sess.run(train, feed_dict={x: data, y: labels})
        clip.eval()
        losses.append(loss.eval({x: data, y: labels}))
    path = saver.save(sess, "./trained")

tf.reset_default_graph()
saver = tf.train.import_meta_graph("./trained.meta")
graph = tf.get_default_graph()
x, y = graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("y:0")
loss = graph.get_tensor_by_name("loss:0")
train = graph.get_operation_by_name("Momentum")
told = graph.get_tensor_by_name("told/loss:0")
with tf.Session() as sess:
    saver.restore(sess, path)
    for _ in range(2):
        sess.run(train, feed_dict={x: data, y: labels})
        losses.append(loss.eval({x: data, y: labels}))
    message = tf.Summary.FromString(sess.run(told, {x: data, y: labels}))
np.savez(sys.argv[1], losses=losses, named=named, tag=message.value[0].tag)
