"""A script that feeds and fetches by names, and looks into its own graph."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import scopes

graphs.build()

a = graphs.placeholder(tf.float64, shape=[], name='a')
b = graphs.placeholder(tf.float64, shape=[], name='b')
c = graphs.placeholder(tf.float64, shape=[], name='c')
scale = scopes.get_variable('scale', initializer=np.float64(3.0))
total = tf.add(a, b, name='total')
scaled = tf.multiply(total * c, scale, name='scaled')
increase = scale.assign_add(1.0)

feeds = dict(zip(['a:0', 'b:0', 'c:0'], [4.0, 5.0, 6.0]))
graphs.run(increase)
value = graphs.run('scaled:0', feed_dict=feeds)
names = [op.name for op in graphs.default_graph().get_operations() if op.type == 'Placeholder']
np.savez(sys.argv[1], value=value, names=np.array(names))
