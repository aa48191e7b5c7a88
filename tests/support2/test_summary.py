"""What the summary calls write, read back from the event file."""
import numpy as np
import tensorflow as tf
from tf1_support import scopes, store, summary


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
        summary.scalar("loss", value, family="train")
        summary.histogram("weights", tf.ones([4]) * value)
        summary.text("note", "hello")

    with writer.as_default():
        for value in (1.0, 2.0):
            train(tf.constant(value))
        summary.scalar("given", 5.0, step=40)
        with tf.summary.experimental.summary_scope("x"), tf.name_scope(""):
            pass
        summary.image("picture", np.linspace(0, 0.5, 12, dtype="float32").reshape(1, 2, 2, 3))
        summary.image("signed", np.array([-2.0, 0.0, 2.0], "float32").reshape(1, 1, 1, 3))
    writer.close()
    found = written(tmp_path)
    assert found["train/loss"] == (2, 2.0) and found["given"] == (40, 5.0)
    assert found["weights"][0] == 2 and found["note"][1] == b"hello"
    assert "ignored" not in found
    pictures = {tag: tf.io.decode_png(found[tag][1][2]).numpy().ravel()
                for tag in ("picture", "signed")}
    assert pictures["picture"][0] == 0 and pictures["picture"][-1] == 255
    np.testing.assert_array_equal(pictures["signed"], [0, 127, 254])
