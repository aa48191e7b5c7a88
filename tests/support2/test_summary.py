"""What the summary calls write, read back from the event file."""
from pathlib import Path

import cases
import numpy as np
import tensorflow as tf
from tf1_support import scopes, store, summary

RECORDED = np.load(Path(__file__).with_name("fixtures") / "images.npz")


def written(folder):
    found = {}
    for path in folder.glob("events*"):
        for record in tf.data.TFRecordDataset(str(path)):
            event = tf.compat.v1.Event.FromString(record.numpy())
            for value in event.summary.value:
                found[value.tag] = (event.step, tf.make_ndarray(value.tensor))
    return found


def test_written_with_the_global_step_also_inside_a_function(tmp_path):
    store.reset_default_store()
    step = scopes.get_or_create_global_step()
    summary.scalar("ignored", 1.0)  # no writer: nothing happens
    writer = tf.summary.create_file_writer(str(tmp_path))

    @tf.function
    def train(value):
        step.assign_add(1)
        with tf.name_scope("scope"):
            summary.scalar("lo ss", value, family="train")
            summary.scalar("w:0", value)
        summary.histogram("weights", tf.ones([4]) * value)
        summary.text("note", "hello")

    with writer.as_default():
        for value in (1.0, 2.0):
            train(tf.constant(value))
        summary.scalar("given", 5.0, step=40)
        for name, values in cases.SUMMARY_IMAGES.items():
            summary.image(name, values)
    writer.close()
    found = written(tmp_path)
    assert found["train/scope/train/lo_ss"] == found["scope/w_0"] == (2, 2.0) and found["given"] == (40, 5.0)
    assert found["weights"][0] == 2 and found["note"][1] == b"hello"
    assert "ignored" not in found
    for name in cases.SUMMARY_IMAGES:  # against TF 1.15.5 (recorders/images.py)
        picture = tf.io.decode_png(found[name][1][2])
        np.testing.assert_array_equal(picture, RECORDED[f"summary|{name}"], err_msg=name)
