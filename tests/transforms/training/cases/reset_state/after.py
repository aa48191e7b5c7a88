"""An optimizer that begins anew in the middle: its state is initialized, and a slot of it is read and set."""
import sys

import numpy as np
import tensorflow as tf
from tf1_support import graphs
from tf1_support import initializers
from tf1_support import optimizers
from tf1_support import scopes


class Trainer(object):

    def __init__(self):
        self.x = graphs.placeholder(tf.float32, [None, 2])
        w = scopes.get_variable('w', [2], initializer=initializers.ones_initializer())
        self.loss = tf.reduce_mean(tf.square(tf.reduce_sum(self.x * w, 1) - 1.0))
        self.optimizer = optimizers.AdamOptimizer(0.1, name='Inner')
        self.step = self.optimizer.minimize(self.loss)
        self.reset = graphs.variables_initializer(self.optimizer.variables())
        moment = self.optimizer.get_slot(w, 'm')
        self.halve = moment.assign(moment * 0.5)
        self.moment, self.begin = moment, moment.initializer

    def train(self, rows):
        losses = []
        run_step = graphs.function([self.x], [self.loss, self.step])
        for _ in range(3):
            losses.append(run_step(rows)[0])
        return losses

    def state(self):
        return graphs.run(self.optimizer.variables())


@graphs.building
def main(output):
    rows = np.random.RandomState(0).uniform(size=(4, 2))
    trainer = Trainer()
    names = np.array([v.name for v in trainer.optimizer.variables()])
    first = trainer.train(rows)
    graphs.run(trainer.halve)
    halved = graphs.run(trainer.moment)
    second = trainer.train(rows)
    graphs.run(trainer.begin)
    begun = graphs.run(trainer.moment)
    state = trainer.state()
    graphs.run(trainer.reset)
    third = trainer.train(rows)
    graphs.run([v.initializer for v in trainer.optimizer.variables()])
    fourth = trainer.train(rows)
    np.savez(output, names=names, losses=[first, second, third, fourth], halved=halved, begun=begun,
             state=np.concatenate([np.ravel(value) for value in state]))


if __name__ == '__main__':
    main(sys.argv[1])
