"""A supervisor that restores what it saved, computes summaries by hand and restarts."""
import glob
import os
import sys

import numpy as np
import tensorflow as tf


def train(folder, steps):
    with tf.Graph().as_default():
        global_step = tf.Variable(0, name='global_step', trainable=False)
        x = tf.placeholder(tf.float32, [None, 2], name='x')
        w = tf.get_variable('w', [2, 1], initializer=tf.constant_initializer(0.3))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - 1.0))
        train_op = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=global_step)
        tf.summary.scalar('loss', loss)
        merged = tf.summary.merge_all()
        saver = tf.train.Saver(max_to_keep=3)
        init = tf.global_variables_initializer()
        calls = []
        sv = tf.train.Supervisor(logdir=folder, init_op=init, saver=saver, summary_op=None,
                                 global_step=global_step, save_model_secs=0,
                                 init_fn=lambda sess: calls.append('init'))
        data = np.arange(8, dtype=np.float32).reshape(4, 2) / 8
        losses = []
        with sv.managed_session(config=tf.ConfigProto(allow_soft_placement=True)) as sess:
            start = sess.run(sv.global_step)
            for _ in range(steps):
                if sv.should_stop():
                    break
                _, value, summary, step = sess.run([train_op, loss, merged, global_step],
                                                   feed_dict={x: data})
                losses.append(value)
                sv.summary_computed(sess, summary, global_step=step)
            sv.saver.save(sess, sv.save_path, global_step=global_step)
        return start, losses, calls


def main(output):
    folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'model')
    first, second = train(folder, 3), train(folder, 2)
    tags = []
    for path in glob.glob(os.path.join(folder, '*tfevents*')):
        for event in tf.train.summary_iterator(path):
            tags += [(event.step, v.simple_value) for v in event.summary.value if v.tag == 'loss'
                     and event.step > 3]
    np.savez(output, starts=[first[0], second[0]], losses=first[1] + second[1],
             calls=len(first[2]) * 10 + len(second[2]), tags=sorted(tags),
             saved=sorted(os.path.basename(p) for p in glob.glob(folder + '/*.index')))


if __name__ == '__main__':
    main(sys.argv[1])
