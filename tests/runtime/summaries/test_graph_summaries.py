"""Summaries in a TF 1 graph: the messages that tf.compat.v1 makes, found by merge_all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import tensorflow as tf

from templates.support import graph_summaries, scopes, store, summary

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def fresh_store() -> None:
    store.reset_default_store()


def messages(module: Any, merge_all: Any) -> list[bytes]:
    with tf.Graph().as_default(), v1.Session() as session:
        with v1.name_scope("tower"):
            module.scalar("loss (mean)", tf.constant(1.5))
            module.scalar("loss (mean)", tf.constant(2.5), family="losses")
        module.histogram("weights", tf.constant([1.0, 2.0, 2.0]))
        pixels = np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(1, 2, 2, 3)
        module.image("pixels", tf.constant(pixels), max_outputs=1)
        module.text("words", tf.constant(["one", "two"]))
        module.scalar("apart", tf.constant(3.5), collections=["mine"])
        assert len(v1.get_collection("summaries")) == 5
        return [session.run(merge_all()), session.run(merge_all("mine"))]


def test_messages_are_those_of_tf1() -> None:
    ours = messages(summary, graph_summaries.merge_all)
    theirs = messages(v1.summary, v1.summary.merge_all)
    for mine, reference in zip(ours, theirs, strict=True):
        assert v1.Summary.FromString(mine) == v1.Summary.FromString(reference)


def test_merged_by_hand_and_nothing_to_merge() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        assert graph_summaries.merge_all("none") is None
        merged = graph_summaries.merge(
            [summary.scalar("a", 1.0), summary.scalar("b", 2.0)], collections=["merged"])
        assert scopes.get_collection("merged") == [merged]
        found = v1.Summary.FromString(session.run(merged))
    assert [(value.tag, value.simple_value) for value in found.value] == [("a", 1.0), ("b", 2.0)]


def test_in_a_branch_of_a_graph_it_is_a_message() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        given = v1.placeholder(tf.bool, [])
        made = tf.cond(given, lambda: summary.scalar("a", 1.0), lambda: tf.constant(""))
        assert session.run(made, {given: False}) == b""
        (value,) = v1.Summary.FromString(session.run(made, {given: True})).value
    assert value.simple_value == 1.0


def test_eager_summaries_are_written_at_once() -> None:
    assert graph_summaries.merge([summary.scalar("a", 1.0)]) is None
    assert graph_summaries.merge_all() is None
