"""Keyword dict, both growth and a limit out of settings; CUDA_VISIBLE_DEVICES set first."""
import argparse
import os
import tensorflow as tf

class CFG:
    GROWTH = True
    FRACTION = 0.8

def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--gpu', default='0')
    args = parser.parse_args([])
    os.environ['CUDA_VISIBLE_DEVICES'] = args.gpu
    config = tf.ConfigProto(allow_soft_placement=True)
    config.gpu_options.per_process_gpu_memory_fraction = CFG.FRACTION
    config.gpu_options.allow_growth = CFG.GROWTH
    config.gpu_options.allocator_type = 'BFC'
    x = tf.placeholder(tf.float32, [None])
    y = x - 1.0
    with tf.Session(config=config) as sess:
        print(sess.run(y, {x: [3.0]}))

if __name__ == '__main__':
    main()
