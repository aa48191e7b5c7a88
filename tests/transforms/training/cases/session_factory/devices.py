"""How sessions are set up everywhere in the project."""
import tensorflow as tf


def new_session(fraction=0.5):
    options = tf.GPUOptions(per_process_gpu_memory_fraction=fraction)
    return tf.Session(config=tf.ConfigProto(gpu_options=options))
