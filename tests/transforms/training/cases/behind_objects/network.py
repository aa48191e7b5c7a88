from layers import Layers


def classify(x, training):
    """Says nothing of TensorFlow itself."""
    made = Layers(training)
    return made.build(x)
