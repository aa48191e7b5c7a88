"""Trainers have the session; what they run is the model's that they are given."""
from tf1_support import graphs


@graphs.building
class Trainer(object):
    def __init__(self, model):
        self.model = model
        graphs.run(graphs.global_variables_initializer())

    def fit(self, batches):
        losses = []
        compute_step_and_loss = graphs.function(
            [self.model.x, self.model.y],
            [self.model.step, self.model.loss])
        for x, y in batches:
            _, loss = compute_step_and_loss(x, y)
            losses.append(loss)
        return losses

    def predict(self, x):
        compute_logits = graphs.function([self.model.x], self.model.logits)
        return compute_logits(x)
