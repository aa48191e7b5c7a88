"""Queue runners without a coordinator, ended with the session; numbers produced by a reader."""
import os
import sys
import time

import numpy as np
import tensorflow as tf

folder = os.path.dirname(os.path.abspath(sys.argv[1]))
path = os.path.join(folder, 'lines.txt')
with open(path, 'w') as stream:
    stream.write('\n'.join(str(i) for i in range(10)))
queue = tf.train.string_input_producer([path], shuffle=False)
reader = tf.TextLineReader()
key, value = reader.read(queue)
number = tf.string_to_number(value, tf.int32)
batch = tf.train.batch([number], batch_size=5)
produced = reader.num_records_produced()

sess = tf.InteractiveSession()
sess.run(tf.global_variables_initializer())
tf.train.start_queue_runners()
found = [batch.eval() for _ in range(4)]
enough = produced.eval() >= 20
sess.close()
np.savez(sys.argv[1], found=found, enough=enough)
