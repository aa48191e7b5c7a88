"""TensorFlow 1 building blocks as plain TF 2 / Keras 3 code: variable scopes, slim layers and more."""
