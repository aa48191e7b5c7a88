"""What one module draws goes to the network of another one; this one has nothing of TensorFlow."""
import sys

import numpy as np
from noise import Source, steady
from scaling import Scaling


def made(values, wanted):
    return Scaling(values, wanted)


def main(output):
    source = Source(4)
    scaling = made(source.draw(2.0), steady(4))
    losses, factor = scaling.train(5)
    np.savez(output, losses=losses, factor=factor)


if __name__ == '__main__':
    main(sys.argv[1])
