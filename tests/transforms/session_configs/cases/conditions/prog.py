"""One of two by a condition; filled under another."""
import sys
import tensorflow as tf

def main(use_gpu, grow):
    if use_gpu:
        config = tf.ConfigProto(log_device_placement=False)
        if grow:
            config.gpu_options.allow_growth = True
        else:
            config.gpu_options.per_process_gpu_memory_fraction = 0.3
    else:
        config = tf.ConfigProto(device_count={'GPU': 0})
    x = tf.placeholder(tf.float32, [None])
    y = x - 1.0
    with tf.Session(config=config) as sess:
        print(sess.run(y, {x: [3.0]}))

if __name__ == '__main__':
    main(len(sys.argv) < 5, False)
