"""Peak memory of a traced graph, predicted without running it.

`graph` turns a ConcreteFunction into plain nodes (needs TensorFlow), `liveness` replays them
(needs nothing), `devices` knows which cards there are.
"""
