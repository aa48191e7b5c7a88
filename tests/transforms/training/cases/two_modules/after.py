"""Trains the network of network.py; the session and the model go from function to function."""
import sys

import numpy as np

from network import Network
from tf1_support import gpu
from tf1_support import graphs


def run_epoch(model, batches):
    """Trains on all batches; the mean cost."""
    costs = []
    train_step = graphs.function(
        [model.features, model.labels, model.is_training],
        [model.cost, model.train_op])
    for features, labels in batches:
        cost, _ = train_step(features, labels, True)
        costs.append(cost)
    return np.mean(costs)


def predict(model, features):
    compute_scores = graphs.function([model.features, model.is_training], model.scores)
    scores = compute_scores(features, False)
    return scores.argmax(axis=1), scores


def main(output):
    rng = np.random.RandomState(14)
    batches = [(rng.normal(size=(4, 3)), rng.randint(0, 2, size=4)) for _ in range(3)]
    gpu.configure_gpus('growth')
    with graphs.Graph().as_default():
        model = Network(3, 2, 0.5)
        graphs.run(graphs.global_variables_initializer())
        costs = []
        for epoch in range(2):
            model.assign_lr(0.5 * 0.5 ** epoch)
            costs.append(run_epoch(model, batches))
        classes, scores = predict(model, batches[0][0])
    with graphs.Graph().as_default():  # an untrained network
        model = Network(3, 2, 0.1)
        graphs.run(graphs.global_variables_initializer())
        _, fresh = predict(model, batches[0][0])
    np.savez(output, fresh=fresh, costs=costs, classes=classes, scores=scores)


if __name__ == '__main__':
    main(sys.argv[1])
