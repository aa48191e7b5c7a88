"""What the summary calls write, read back from the event file."""

import numpy as np
import tensorflow as tf
from tf1_support import scopes, store, summary

from tests.runtime.recorded import files
from tests.runtime.recorded import images as cases

RECORDED = files.arrays("images")


def written(folder):
    found = {}
    for path in folder.glob("events*"):
        for record in tf.data.TFRecordDataset(str(path)):
            event = tf.compat.v1.Event.FromString(record.numpy())
            for value in event.summary.value:
                held = tf.make_ndarray(value.tensor) if value.HasField("tensor") else value
                found[value.tag] = (event.step, held)
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
    for name in cases.SUMMARY_IMAGES:  # against TF 1.15.5 (recorded/images.py)
        picture = tf.io.decode_png(found[f"{name}/image/0"][1].image.encoded_image_string)
        np.testing.assert_array_equal(picture, RECORDED[f"summary|{name}"], err_msg=name)


def test_images_and_sounds_have_the_tags_of_tensorflow_1(tmp_path):
    """Recorded: tf.summary.image("a", [3 images], 2) in a scope gives s/a/image/0 and s/a/image/1."""
    writer = tf.summary.create_file_writer(str(tmp_path))
    pictures, sounds = tf.ones([3, 2, 2, 1]), tf.zeros([2, 8])

    @tf.function
    def step(pictures):
        with tf.name_scope("s"):
            summary.image("a", pictures, 2)
            summary.image("one", pictures, max_outputs=1, family="f")
            summary.audio("sound", sounds, 8)

    with writer.as_default(step=7):
        step(pictures)
        with tf.summary.record_if(False):
            summary.image("left out", pictures)
    writer.close()
    found = written(tmp_path)
    assert sorted(found) == ["f/s/f/one/image", "s/a/image/0", "s/a/image/1",
                             "s/sound/audio/0", "s/sound/audio/1"]
    assert {at for at, _ in found.values()} == {7}
    assert found["s/sound/audio/0"][1].audio.length_frames == 8
