"""A run that only gives variables their first values goes where nothing was run before it, and only there."""

from __future__ import annotations

import textwrap

import pytest

from tests.transforms.texts import migrated

BUILD = """\
import tensorflow as tf


def build():
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
    return v, v.assign_add([1.0, 1.0]), tf.train.Saver()


"""
MAIN = """
if __name__ == "__main__":
    main()
"""


CALLED = {
    "with_graph": """\
def with_graph(rate):
    with tf.Graph().as_default(), tf.Session() as sess:
        v, up, saver = build()
        sess.run(tf.global_variables_initializer())
        print(sess.run([v, up]))


""",
    "fill": """\
def fill(sess, up):
    sess.run(up)


""",
    "fit": """\
def fit(v, up):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print(sess.run([v, up]))


""",
}


def main_of(body: str) -> str:
    called = "".join(text for name, text in CALLED.items() if f"{name}(" in body)
    return BUILD + called + "def main(path=None):\n" + textwrap.indent(textwrap.dedent(body), "    ") + MAIN


GONE = {
    "in a session of its own": """
        v, up, saver = build()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run([v, up]))
        """,
    "by names": """
        v, up, saver = build()
        init, more = tf.global_variables_initializer(), 1
        init_op = tf.group(tf.global_variables_initializer(), tf.local_variables_initializer())
        sess = tf.Session()
        sess.run(init_op)
        print(sess.run([v, up]))
        """,
    "or restores": """
        v, up, saver = build()
        sess = tf.Session()
        if path is not None:
            saver.restore(sess, path)
        else:
            sess.run([tf.global_variables_initializer()])
        print(sess.run([v, up]))
        """,
    "or restores, by a name": """
        v, up, saver = build()
        sess = tf.Session()
        if path is not None:
            saver.restore(sess, path)
        else:
            init_op = tf.group(
                tf.global_variables_initializer(),
                tf.local_variables_initializer())
            sess.run(init_op)
        print(sess.run([v, up]))
        """,
    "if nothing is restored": """
        v, up, saver = build()
        sess = tf.Session()
        if path is None:
            sess.run(tf.global_variables_initializer())
            sess.run(tf.local_variables_initializer())
        print(sess.run([v, up]))
        """,
    "in a graph of its own": """
        for rate in range(3):
            with_graph(rate)
        """,
}
KEPT = {
    "after a run": """
        v, up, saver = build()
        with tf.Session() as sess:
            sess.run(v.initializer)
            sess.run(up)
            sess.run(tf.global_variables_initializer())
            print(sess.run([v, up]))
        """,
    "after what was restored": """
        v, up, saver = build()
        with tf.Session() as sess:
            saver.restore(sess, "m")
            sess.run(tf.global_variables_initializer())
            print(sess.run([v, up]))
        """,
    "after a function that was given the session": """
        v, up, saver = build()
        sess = tf.Session()
        fill(sess, up)
        sess.run(tf.global_variables_initializer())
        print(sess.run([v, up]))
        """,
    "in a loop": """
        v, up, saver = build()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for fold in range(3):
                sess.run(tf.global_variables_initializer())
                print(sess.run([v, up]))
        """,
    "in a function that may be called again": """
        v, up, saver = build()
        fit(v, up)
        fit(v, up)
        """,
    "where a program asks what has a value": """
        v, up, saver = build()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            print(sess.run(tf.report_uninitialized_variables()))
        """,
    "where one of them failed": """
        v, up, saver = build()
        with tf.Session() as sess:
            try:
                print(sess.run(v))
            except tf.errors.FailedPreconditionError:
                sess.run(tf.global_variables_initializer())
        """,
    "with tables": """
        v, up, saver = build()
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
            print(sess.run([v, up]))
        """,
}


@pytest.mark.parametrize("body", GONE.values(), ids=GONE)
def test_it_goes(body: str) -> None:
    new = migrated(main_of(body))
    assert "graphs.run([v, up])" in new
    assert "(graphs.global_variables_initializer" not in new and "pass" not in new
    assert not any(word in new for word in ("else", "init_op", "path is None"))


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_it_stays(body: str) -> None:
    assert "graphs.global_variables_initializer()" in migrated(main_of(body))


def test_a_public_function_may_be_called_again() -> None:
    assert "graphs.run(graphs.global_variables_initializer())" in migrated(BUILD + CALLED["fit"])


def test_comments_of_a_branch_stay() -> None:
    new = migrated(main_of("""
        v, up, saver = build()
        sess = tf.Session()
        if path is not None:
            saver.restore(sess, path)
        else:
            sess.run(tf.global_variables_initializer())  # from the start
        print(sess.run([v, up]))
        """))
    assert "    else:\n        pass  # from the start\n" in new
