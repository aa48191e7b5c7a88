import tensorflow as tf
import settings
from settings import SESS
def main():
    x = tf.placeholder(tf.float32, [None])
    with tf.Session(config=SESS) as sess:
        y = x + 1.0
        print(sess.run(y, {x: [1.0]}))
if __name__ == '__main__':
    main()
