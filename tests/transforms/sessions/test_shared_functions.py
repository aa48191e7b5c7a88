"""A function of a graph that two runs ask for is made once, where both can call it."""

from __future__ import annotations

from tests.transforms.texts import migrated

HEAD = '''import tensorflow as tf


class Gan(object):
    def __init__(self, sess, helper):
        self.sess = sess
        self.z = tf.placeholder(tf.float32, [None, 2])
        self.fake = helper.generator(self.z)

    def show(self, batches, first):
'''


def shown(body: str) -> str:
    return migrated(HEAD + body)


def test_what_stands_before_a_loop_is_called_in_it() -> None:
    text = shown(
        "        a = self.sess.run(self.fake, {self.z: first})\n"
        "        for b in batches:\n"
        "            a = a + self.sess.run(self.fake, {self.z: b})\n"
        "        return a\n"
    )
    assert text.count("graphs.function(") == 1
    assert text.count("compute_fake(") == 2


def test_what_a_branch_made_is_not_there_behind_it() -> None:
    text = shown(
        "        if first is not None:\n"
        "            return self.sess.run(self.fake, {self.z: first})\n"
        "        return [self.sess.run(self.fake, {self.z: b}) for b in batches]\n"
    )
    assert text.count("graphs.function(") == 2


def test_what_is_made_anew_between_them_is_another_function() -> None:
    text = shown(
        "        a = self.sess.run(self.fake, {self.z: first})\n"
        "        self.fake = self.fake + 1.0\n"
        "        return a + self.sess.run(self.fake, {self.z: first})\n"
    )
    assert text.count("graphs.function(") == 2


def test_what_only_evaluates_gets_no_graph_on_a_second_run_beside_a_run_that_is_left() -> None:
    text = migrated(
        "import tensorflow as tf\n\n\ndef weights(layers):\n    return [v.eval() for v in layers]\n\n\n"
        "def show(sess, net, z):\n    a = sess.run(net.out, feed_dict={net.z: z})\n"
        "    return a + sess.run(*[net.out], feed_dict={net.z: z})\n"
    )
    assert "\n\n\ndef weights(layers):\n    return [graphs.evaluate(v) for v in layers]" in text
