"""Programs that child processes run. They import TensorFlow; nothing else in this package does.

`measure_probe` and `measure_graph_session` keep to Python 3.7 syntax, because a real TF 1.15
interpreter runs them too.
"""
