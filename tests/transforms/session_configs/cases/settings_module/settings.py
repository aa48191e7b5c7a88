import tensorflow as tf
def make(share=0.1):
    c = tf.ConfigProto(allow_soft_placement=True)
    c.gpu_options.per_process_gpu_memory_fraction = share
    return c
SESS = make(0.2)
