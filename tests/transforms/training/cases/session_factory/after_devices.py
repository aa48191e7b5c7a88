"""How sessions are set up everywhere in the project."""
import tensorflow as tf
from tf1_support import gpu


def new_session(fraction=0.5):
    gpu.configure_gpus(fraction=fraction)
    return tf.compat.v1.Session()
