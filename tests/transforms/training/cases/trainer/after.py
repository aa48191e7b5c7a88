"""Puts a model and a trainer together: neither module says what the session of the other runs."""
import sys

import numpy as np

from model import Classifier
from training import Trainer

draw = np.random.RandomState(7)
batches = [(draw.randn(6, 4), draw.randint(0, 3, 6)) for _ in range(4)]


def main():
    trainer = Trainer(Classifier(4, 3, 0.5))
    losses = trainer.fit(batches)
    np.savez(sys.argv[1], losses=losses, logits=trainer.predict(batches[0][0]))


if __name__ == '__main__':
    main()
