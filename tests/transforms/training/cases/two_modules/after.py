"""Trains the network of network.py; the session and the model go from function to function."""
import sys

import numpy as np
import tensorflow as tf

from network import Network
from tf1_support import gpu
from tf1_support import scopes


def run_epoch(model, batches):
    """Trains on all batches; the mean cost."""
    costs = []
    for features, labels in batches:
        cost = model.train_step(features, labels).numpy()
        costs.append(cost)
    return np.mean(costs)


def predict(model, features):
    scores = model.predict(features).numpy()
    return scores.argmax(axis=1), scores


def main(output):
    rng = np.random.RandomState(14)
    batches = [(rng.normal(size=(4, 3)), rng.randint(0, 2, size=4)) for _ in range(3)]
    gpu.configure_gpus('growth')
    with scopes.VariableStore().as_default():
        model = Network(3, 2, 0.5)
        costs = []
        for epoch in range(2):
            model.assign_lr(0.5 * 0.5 ** epoch)
            costs.append(run_epoch(model, batches))
        classes, scores = predict(model, batches[0][0])
    with scopes.VariableStore().as_default():
        # an untrained network
        model = Network(3, 2, 0.1)
        _, fresh = predict(model, batches[0][0])
    np.savez(output, fresh=fresh, costs=costs, classes=classes, scores=scores)


if __name__ == '__main__':
    main(sys.argv[1])
