"""What is known of the graph is written once runs are over, beside what they gave."""
import json
import sys

import numpy as np
import tensorflow as tf

rows = tf.placeholder(tf.float32, [2, 4])
scale = tf.get_variable("scale", initializer=tf.constant(3.0))
names = [v.op.name for v in tf.global_variables()]
tripled = rows * 3
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    value = sess.run(scale)
    rows_tripled = sess.run(tripled, {rows: np.arange(8.0).reshape(2, 4)})
with open("names.json", "w") as stream:
    json.dump(names, stream)
with open("names.json") as stream:
    read = json.load(stream)
np.savez(sys.argv[1], names=names, read=read, value=value, rows=rows_tripled)
