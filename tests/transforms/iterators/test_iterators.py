"""Iterators of data sets that nobody knows: eager ones, and TF 1's in a graph."""

from typing import Any

import pytest

from tests.transforms import texts

HEAD = "import tensorflow as tf\n\n\n"


def migrated(text: str) -> str:
    return texts.migrated(HEAD + text).rpartition("\n\n\n")[2]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = source().make_one_shot_iterator()", "x = iterators.make_one_shot_iterator(source())"),
        (
            "d = tf.data.Dataset.range(3).batch(2)\nt = (d.output_types, d.output_shapes)",
            "d = tf.data.Dataset.range(3).batch(2)\n"
            "t = (iterators.output_types(d), iterators.output_shapes(d))",
        ),
        (
            "def f(h, d):\n  return tf.data.Iterator.from_string_handle(h, d.output_types)",
            "def f(h, d):\n  return iterators.from_string_handle(h, iterators.output_types(d))",
        ),
        ("def f(model):\n  return model.output_shapes", "def f(model):\n  return model.output_shapes"),
        (
            "def f(self, train_dataset):\n  self.iterator.output_shapes = train_dataset.output_types",
            "def f(self, train_dataset):\n"
            "  self.iterator.output_shapes = iterators.output_types(train_dataset)",
        ),
        (
            "def f(d):\n  return d.batch(2).make_one_shot_iterator().get_next()",
            "def f(d):\n  return iterators.make_one_shot_iterator(d.batch(2)).get_next()",
        ),
        (
            "def f(d):\n  return d.make_initializable_iterator(shared_name='s')",
            "def f(d):\n  return iterators.make_initializable_iterator(d, shared_name='s')",
        ),
        (
            "def f(d):\n  return (d.batch(2)\n          .make_one_shot_iterator())",
            "def f(d):\n  return (iterators.make_one_shot_iterator(d.batch(2)))",
        ),
    ],
)
def test_methods_become_functions(before: str, after: str) -> None:
    assert migrated(before + "\n") == after + "\n"


def test_functions_of_tf_data_are_left_to_the_tables() -> None:
    assert "iterators." not in migrated("def f(d):\n  return tf.data.make_one_shot_iterator(d)\n")


def test_eager_and_in_a_graph() -> None:
    tf = pytest.importorskip("tensorflow")
    from templates.support import graphs, iterators

    def numbers() -> Any:
        return tf.data.Dataset.range(2)

    for make in (iterators.make_one_shot_iterator, iterators.make_initializable_iterator):
        eager = make(numbers())
        assert [int(eager.get_next()), int(next(eager))] == [0, 1]
        with pytest.raises(tf.errors.OutOfRangeError):
            eager.get_next()
        assert eager.initializer is None and [int(x) for x in eager] == [0, 1]
        with graphs.Graph().as_default():
            iterator = make(numbers())
            following = iterator.get_next()
            if make is iterators.make_initializable_iterator:
                graphs.run(iterator.initializer)
            assert [graphs.run(following), graphs.run(following)] == [0, 1]


def test_other_objects_are_asked_for_their_attribute() -> None:
    tf = pytest.importorskip("tensorflow")
    from templates.support import iterators

    class Described:
        output_types = "its own"

    assert iterators.output_types(Described()) == "its own"
    data = tf.data.Dataset.from_tensor_slices({"a": [1.0, 2.0]}).batch(2)
    assert iterators.output_types(data) == {"a": tf.float32}
    assert iterators.output_shapes(iterators.make_one_shot_iterator(data))["a"].as_list() == [None]
