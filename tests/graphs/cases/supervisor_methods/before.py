"""A supervisor by its methods, under their first names as well, with services, loops and stops."""
import os
import sys
import threading

import numpy as np
import tensorflow as tf


def model():
    step = tf.Variable(0, name='global_step', trainable=False)
    w = tf.get_variable('w', initializer=tf.constant(3.0))
    return w, tf.group(w.assign_add(1.0), step.assign_add(1))


def main(output):
    folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'sv')
    out = {}
    with tf.Graph().as_default():
        w, more = model()
        queue = tf.train.range_input_producer(4, shuffle=False)
        number = queue.dequeue()
        sv = tf.train.Supervisor(logdir=folder, save_model_secs=0, save_summaries_secs=0,
                                 summary_op=tf.train.Supervisor.USE_DEFAULT)
        sess = sv.prepare_or_wait_for_session(start_standard_services=False)
        sv.start_standard_services(sess)
        sv.start_queue_runners(sess)
        for _ in range(3):
            sess.run(more)
        called, ready = [], threading.Event()

        def look(place):
            called.append(place)
            ready.set()

        sv.loop(3600, look, args=['loop'])
        ready.wait(60)
        out['numbers'] = [sess.run(number) for _ in range(5)]
        out['called'] = called
        out['early'] = sv.should_stop()
        sv.saver.save(sess, sv.save_path, global_step=sv.global_step)
        sv.request_stop()
        out['late'] = sv.should_stop()
        sv.stop()
        sess.close()
    with tf.Graph().as_default():
        w, more = model()
        sv = tf.train.Supervisor(logdir=folder, save_model_secs=0, save_summaries_secs=0,
                                 summary_op=tf.summary.scalar('w', w))
        sess = sv.PrepareSession(start_standard_services=False)
        sv.StartStandardServices(sess)
        sv.StartQueueRunners(sess)
        out['restored'] = sess.run(w)
        sv.SummaryComputed(sess, sess.run(sv.summary_op))
        with sv.StopOnException():
            sess.run(more)
        sv.Loop(3600, look, args=['again'])
        out['w'] = sess.run(w)
        threading.Timer(0.1, sv.RequestStop).start()
        sv.WaitForStop()
        out['stopped'] = sv.ShouldStop()
        sv.Stop()
    with tf.Graph().as_default():
        v = tf.get_variable('v', initializer=tf.constant(1.0))
        sv = tf.train.Supervisor(logdir=None)
        try:
            with sv.managed_session() as sess:
                out['v'] = sess.run(v)
                with sv.stop_on_exception():
                    raise ValueError('raised once all has stopped')
                out['asked'] = sv.should_stop()
        except ValueError as error:
            out['error'] = str(error)
        sv.wait_for_stop()
    np.savez(output, **out)


if __name__ == '__main__':
    main(sys.argv[1])
