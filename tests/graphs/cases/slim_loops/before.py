"""slim's training with a step function of one's own and queues; evaluation of what it saved."""
import os
import sys

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim


def network(images, is_training):
    with slim.arg_scope([slim.conv2d, slim.fully_connected], normalizer_fn=slim.batch_norm,
                        normalizer_params={'is_training': is_training, 'decay': 0.5},
                        weights_initializer=tf.constant_initializer(0.05)):
        net = slim.conv2d(images, 3, [3, 3], scope='conv')
        net = slim.flatten(net)
        return slim.fully_connected(net, 2, activation_fn=None, normalizer_fn=None,
                                    biases_initializer=tf.constant_initializer([0.1, -0.2]),
                                    scope='logits')


def arrays():
    rng = np.random.RandomState(4)
    return rng.normal(size=(8, 4, 4, 1)).astype(np.float32), rng.randint(0, 2, 8)


def train(folder, steps):
    with tf.Graph().as_default():
        images, labels = arrays()
        image, label = tf.train.slice_input_producer(
            [tf.constant(images), tf.constant(labels)], shuffle=False)
        images, labels = tf.train.batch([image, label], batch_size=4, capacity=16)
        logits = network(images, True)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
        total_loss = tf.losses.get_total_loss()
        tf.summary.scalar('losses/total', total_loss)
        global_step = slim.get_or_create_global_step()
        rate = tf.train.exponential_decay(0.1, global_step, 2, 0.5, staircase=True)
        optimizer = tf.train.MomentumOptimizer(rate, momentum=0.9)
        train_op = slim.learning.create_train_op(
            total_loss, optimizer, clip_gradient_norm=4, summarize_gradients=True)
        rates = []

        def train_step_fn(session, *args, **kwargs):
            loss, stop = slim.learning.train_step(session, *args, **kwargs)
            rates.append(session.run(rate))
            return [loss, stop]

        final = slim.learning.train(
            train_op, folder, train_step_fn=train_step_fn, number_of_steps=steps,
            log_every_n_steps=2, summary_op=tf.summary.scalar('rate', rate),  # takes no batch
            save_summaries_secs=300, save_interval_secs=600)
        return final, rates


def evaluate(folder):
    with tf.Graph().as_default():
        images, labels = arrays()
        slim.get_or_create_global_step()
        dataset = tf.data.Dataset.from_tensor_slices((images, labels)).batch(4)
        images, labels = tf.data.make_one_shot_iterator(dataset).get_next()
        logits = network(images, False)
        predictions = tf.argmax(logits, 1)
        values, updates = slim.metrics.aggregate_metric_map({
            'accuracy': slim.metrics.streaming_accuracy(predictions, labels),
            'mean': slim.metrics.streaming_mean(logits),
        })
        for name, value in values.items():
            tf.summary.scalar(name, value)
        return slim.evaluation.evaluate_once(
            '', tf.train.latest_checkpoint(folder), folder + '_eval', num_evals=2,
            eval_op=list(updates.values()), final_op=values,
            variables_to_restore=slim.get_variables_to_restore())


def main(output):
    folder = os.path.join(os.path.dirname(os.path.abspath(output)), 'slim')
    first, rates = train(folder, 3)
    second, more = train(folder, 5)
    metrics = evaluate(folder)
    reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(folder))
    np.savez(output, first=first, second=second, rates=rates + more,
             moving=reader.get_tensor('conv/BatchNorm/moving_variance'),
             names=sorted(reader.get_variable_to_shape_map()), **metrics)


if __name__ == '__main__':
    main(sys.argv[1])
