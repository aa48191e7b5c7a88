"""Trains the network of network.py; the session and the model go from function to function."""
import sys

import numpy as np
import tensorflow as tf

from network import Network


def run_epoch(session, model, batches):
    """Trains on all batches; the mean cost."""
    costs = []
    for features, labels in batches:
        cost, _ = session.run([model.cost, model.train_op],
                              feed_dict={model.features: features, model.labels: labels,
                                         model.is_training: True})
        costs.append(cost)
    return np.mean(costs)


def predict(sess, model, features):
    scores = sess.run(model.scores,
                      feed_dict={model.features: features, model.is_training: False})
    return scores.argmax(axis=1), scores


def main(output):
    rng = np.random.RandomState(14)
    batches = [(rng.normal(size=(4, 3)), rng.randint(0, 2, size=4)) for _ in range(3)]
    with tf.Graph().as_default():
        model = Network(3, 2, 0.5)
        config = tf.ConfigProto()
        config.gpu_options.allow_growth = True
        with tf.Session(config=config) as sess:
            sess.run(tf.global_variables_initializer())
            costs = []
            for epoch in range(2):
                model.assign_lr(sess, 0.5 * 0.5 ** epoch)
                costs.append(run_epoch(sess, model, batches))
            classes, scores = predict(sess, model, batches[0][0])
    with tf.Graph().as_default():  # an untrained network
        model = Network(3, 2, 0.1)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            _, fresh = predict(sess, model, batches[0][0])
    np.savez(output, fresh=fresh, costs=costs, classes=classes, scores=scores)


if __name__ == '__main__':
    main(sys.argv[1])
