
from layers import Layers
from tf1_support import scopes


class Model:
    def __init__(self, x, training):
        with scopes.variable_scope("model"):
            made = Layers(training)
            self.logits = made.build(x)

    def scaled(self, factor):
        return self.logits * factor
