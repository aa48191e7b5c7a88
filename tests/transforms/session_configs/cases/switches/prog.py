"""Positional, XLA and rewrite options, threads."""
import tensorflow as tf

def main():
    config = tf.ConfigProto(intra_op_parallelism_threads=2, inter_op_parallelism_threads=2)
    config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1
    config.graph_options.rewrite_options.auto_mixed_precision = 1
    config.operation_timeout_in_ms = 60000
    x = tf.placeholder(tf.float32, [None])
    y = x - 1.0
    sess = tf.Session('', None, config)
    print(sess.run(y, {x: [3.0]}))

if __name__ == '__main__':
    main()
