"""Trains a line and keeps its checkpoints, as programs do that others take the graph of."""
import numpy as np
import tensorflow as tf

inputs = tf.placeholder(tf.float32, [None, 2], name="inputs")
labels = tf.placeholder(tf.float32, [None], name="labels")
weights = tf.get_variable("weights", initializer=np.float32([0.5, -0.25]))
scores = tf.reduce_sum(inputs * weights, axis=1, name="scores")
loss = tf.reduce_mean(tf.square(scores - labels))
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
saver = tf.train.Saver()

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        sess.run(train, {inputs: [[1.0, 2.0], [0.5, 1.5]], labels: [1.0, -1.0]})
    saver.save(sess, "./kept/model", global_step=3)
