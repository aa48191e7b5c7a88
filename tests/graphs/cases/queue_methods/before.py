"""What else queues can do: sizes, closing, errors, names, seeds, priorities, padding."""
import sys

import numpy as np
import tensorflow as tf

out = {}
fifo = tf.FIFOQueue(10, [tf.int32, tf.float32], shapes=[[], [2]], name='fifo')
number = tf.placeholder(tf.int32, [])
pair = tf.placeholder(tf.float32, [2])
put = fifo.enqueue([number, pair])
put_many = fifo.enqueue_many([tf.range(3), tf.ones([3, 2])])
take_number, take_pair = fifo.dequeue()
take_two = fifo.dequeue_many(2)
rest = fifo.dequeue_up_to(5)
size = fifo.size()
close = fifo.close()

random = tf.RandomShuffleQueue(20, 2, tf.int32, shapes=[[]], seed=7)
fill = random.enqueue_many(tf.range(10))
draw = random.dequeue()

named = tf.FIFOQueue(5, [tf.string, tf.int64], shapes=[[], []], names=['word', 'count'])
put_named = named.enqueue({'word': 'hello', 'count': tf.constant(2, tf.int64)})
take_named = named.dequeue()

padding = tf.PaddingFIFOQueue(5, [tf.float32], [[None]])
vector = tf.placeholder(tf.float32, [None])
put_vector = padding.enqueue(vector)
padded = padding.dequeue_many(3)

priority = tf.PriorityQueue(10, tf.string, [[]])
put_low = priority.enqueue_many([tf.constant([3, 1, 2], tf.int64), ['c', 'a', 'b']])
take_low = priority.dequeue()

with tf.Session() as sess:
    out['before'] = sess.run(size)
    sess.run(put, {number: 5, pair: [1.0, 2.0]})
    sess.run(put_many)
    out['after'] = sess.run(size)
    out['number'], out['pair'] = sess.run([take_number, take_pair])
    out['two'] = sess.run(take_two)[0]
    sess.run(close)
    out['rest'] = sess.run(rest)[0]
    try:
        sess.run(take_number)
    except tf.errors.OutOfRangeError:
        out['error'] = 'out of range'
    try:
        sess.run(put, {number: 5, pair: [1.0, 2.0]})
    except tf.errors.CancelledError:
        out['closed'] = 'cancelled'
    sess.run(fill)
    out['drawn'] = [sess.run(draw) for _ in range(8)]
    sess.run(put_named)
    word = sess.run(take_named)
    out['word'], out['count'] = word['word'], word['count']
    for length in (1, 3, 2):
        sess.run(put_vector, feed_dict={vector: np.arange(length)})
    out['padded'] = sess.run(padded)
    sess.run(put_low)
    out['order'] = [sess.run(take_low)[1] for _ in range(3)]
out['name'] = fifo.name
np.savez(sys.argv[1], **out)
