"""Runs whatever network of another module it is given."""
import sys

import model
import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import scopes
from tf1_support import training


@graphs.building
def run(network, data):
    with graphs.Graph().as_default():
        x = graphs.placeholder(tf.float64, [None, 3], name='x')
        step = training.get_or_create_global_step()
        fetches = getattr(model, network)(x, step)
        compute_fetches = graphs.function([x], fetches)
        losses = [compute_fetches(data + i)[1] for i in range(4)]
        names = sorted(v.name for v in scopes.trainable_variables())
        values = {v.name: v for v in scopes.trainable_variables()}
        sums = [np.sum(graphs.run(values[name])) for name in names]
    return losses, names, sums


def main(output):
    found = {}
    data = np.sin(np.arange(6.0)).reshape(2, 3)
    for network in ('warm_up', 'averaged', 'looped'):
        losses, names, sums = run(network, data)
        found.update({network: losses, network + '_names': names, network + '_sums': sums})
    np.savez(output, **found)


if __name__ == '__main__':
    main(sys.argv[1])
