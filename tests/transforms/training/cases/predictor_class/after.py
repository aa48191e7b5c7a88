"""A predictor restores its graph before it has chosen what to fetch; another one starts anew."""
import os
import sys

import numpy as np
import tensorflow as tf

import heads
from tf1_support import graphs
from tf1_support import checkpoint
from tf1_support import scopes


@graphs.building
class Predictor(object):
    """Keeps a session; what it fetches depends on the settings."""

    def __init__(self, settings):
        if settings.get('labels'):
            self.labels = settings['labels']
        else:
            self.labels = None

        head = heads.get_head(settings['kind'])(settings)
        graph = graphs.Graph()

        with graph.as_default():
            self.rows = graphs.placeholder(tf.float64, (None, 3))
            centred = self.rows - 0.5
            result = head(centred)

            # Restore checkpoint
            if settings.get('directory'):
                directory = os.path.join(settings['directory'], settings['kind'])
                state = tf.train.get_checkpoint_state(directory)
                if not state or not state.all_model_checkpoint_paths:
                    raise ValueError('no checkpoint in {}'.format(directory))
                saver = checkpoint.Saver()
                saver.restore(state.all_model_checkpoint_paths[-1])

            if settings['kind'] == 'scores':
                chosen = result['prediction']
                best = tf.argmax(chosen, axis=1)
            elif settings['kind'] == 'plain':
                chosen = result['prediction']
                # There is one class.
                best = tf.zeros((tf.shape(chosen)[0],), dtype=tf.int64)
            else:
                raise ValueError('kind {} is not known'.format(settings['kind']))

            self.fetches = {'chosen': chosen, 'best': best}

            # All of it where somebody debugs.
            if settings.get('debug', False):
                self.fetches['debug'] = result

    def predict(self, rows):
        compute_fetches = graphs.function([self.rows], self.fetches)
        fetched = compute_fetches(np.array(rows))
        best = fetched['best'].tolist()
        if self.labels is not None:
            best = [self.labels[number] for number in best]
        return fetched['chosen'], best, fetched.get('debug')


def save(directory, kind):
    """A trained model of that kind."""
    with graphs.Graph().as_default():
        head = heads.get_head(kind)({'kind': kind})
        head(tf.zeros((1, 3), tf.float64))
        trained = [variable.assign(variable * 0.5 + 1.0) for variable in scopes.global_variables()]
        saver = checkpoint.Saver()
        graphs.run(trained)
        os.makedirs(os.path.join(directory, kind))
        saver.save(os.path.join(directory, kind, 'model.ckpt'), global_step=3)


def main(output):
    directory = os.path.join(os.path.dirname(output), 'models')
    save(directory, 'scores')
    rows = np.random.RandomState(5).uniform(size=(4, 3))
    results = {}
    for name, settings in [
        ('restored', {'kind': 'scores', 'directory': directory, 'labels': [7, 8, 9]}),
        ('fresh', {'kind': 'scores', 'debug': True}),
        ('plain', {'kind': 'plain'}),
    ]:
        predictor = Predictor(settings)
        for number in (1, 4):
            chosen, best, debug = predictor.predict(rows[:number])
            results['%s_%d' % (name, number)] = chosen
            results['%s_%d_best' % (name, number)] = best
            if debug is not None:
                results['%s_%d_hidden' % (name, number)] = debug['hidden']
    np.savez(output, **results)


if __name__ == '__main__':
    main(sys.argv[1])
