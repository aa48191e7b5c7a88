"""Variables are fed: one that is only shown, the rate of the optimizer, and the weight itself."""
import sys

import numpy as np
import tensorflow as tf

from model import Model


def main(output):
    model = Model()
    saved = {}
    with tf.Session() as sess:
        tf.global_variables_initializer().run()
        spent = 0.25
        for number in range(3):
            feed = {model.x: [0.1, 0.2], model.seconds: spent}
            shown, loss, _ = sess.run([model.shown, model.loss, model.step], feed)
            saved['shown_%d' % number], saved['loss_%d' % number] = shown, loss
            spent += 1.0
        sess.run(model.step, {model.x: [0.1], model.rate: 0.0})
        saved['w'] = sess.run(model.w)
        saved['with'] = sess.run(model.loss, {model.x: [1.0], model.w: 3.0})
        saved['kept'] = sess.run([model.w, model.seconds, model.rate])
    np.savez(output, **saved)


if __name__ == '__main__':
    main(sys.argv[1])
