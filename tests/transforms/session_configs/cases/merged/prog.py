"""CopyFrom, MergeFrom, update."""
import tensorflow as tf

BASE = tf.ConfigProto(intra_op_parallelism_threads=3)

def main():
    config = tf.ConfigProto()
    config.CopyFrom(BASE)
    config.gpu_options.CopyFrom(tf.GPUOptions(per_process_gpu_memory_fraction=0.4))
    config.MergeFrom(tf.ConfigProto(allow_soft_placement=True))
    config.device_count.update({'GPU': 1})
    x = tf.placeholder(tf.float32, [None])
    y = x - 1.0
    sess = tf.Session(config=config)
    print(sess.run(y, {x: [3.0]}))
    sess.close()

if __name__ == '__main__':
    main()
