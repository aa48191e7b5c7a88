"""Trains and tests a classifier: the model is made in the main block, sessions in functions."""
import os
import sys
import tempfile

import numpy as np

from words import Settings, WordModel
from tf1_support import graphs
from tf1_support import checkpoint


def batches(count):
    draw = np.random.RandomState(1)
    for _ in range(count):
        x = draw.randint(0, 11, (6, 5))
        yield x, np.eye(2)[(x.sum(1) > 25).astype(int)]


def feed_data(x, y):
    return {model.input_x: x, model.input_y: y}


def evaluate(x, y):
    return graphs.run([model.loss, model.predicted], feed_dict=feed_data(x, y))


@graphs.building
def train():
    saver = checkpoint.Saver()
    graphs.run(graphs.global_variables_initializer())
    losses = []
    for x, y in batches(3):
        graphs.run(model.optim, feed_dict=feed_data(x, y))
        losses.append(evaluate(x, y)[0])
    saver.save(prefix)
    return losses


@graphs.building
def test():
    graphs.run(graphs.global_variables_initializer())
    checkpoint.Saver().restore(save_path=prefix)
    return [evaluate(x, y) for x, y in batches(2)]


if __name__ == '__main__':
    prefix = os.path.join(tempfile.mkdtemp(), 'words')
    model = WordModel(Settings())
    losses = train()
    tested = test()
    np.savez(sys.argv[1], losses=losses, test_losses=[loss for loss, _ in tested],
             predicted=[label for _, label in tested])
