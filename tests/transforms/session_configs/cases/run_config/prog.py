"""An estimator's RunConfig."""
import tempfile
import numpy as np
import tensorflow as tf

def model_fn(features, labels, mode):
    w = tf.get_variable('w', [2, 1], initializer=tf.constant_initializer(0.5))
    loss = tf.reduce_mean(tf.square(tf.matmul(features, w) - labels))
    op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=op)

def input_fn():
    return tf.data.Dataset.from_tensors((np.ones([2, 2], np.float32), np.ones([2, 1], np.float32))).repeat()

def main():
    session_config = tf.ConfigProto(allow_soft_placement=True)
    session_config.gpu_options.allow_growth = True
    run_config = tf.estimator.RunConfig(model_dir=tempfile.mkdtemp(), session_config=session_config)
    estimator = tf.estimator.Estimator(model_fn, config=run_config)
    estimator.train(input_fn, steps=2)
    print(estimator.get_variable_value('w').ravel())

if __name__ == '__main__':
    main()
