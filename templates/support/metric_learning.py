"""tf.contrib.losses.metric_learning: losses of embeddings ([batch, size]) by their labels."""
from __future__ import annotations

from typing import Any

import tensorflow as tf


def _distances(embeddings: tf.Tensor, squared: bool) -> tf.Tensor:
    """The distance of every embedding to every other: [batch, batch], 0 where they are equal."""
    norms = tf.reduce_sum(tf.square(embeddings), 1, keepdims=True)
    products = tf.matmul(embeddings, embeddings, transpose_b=True)
    distances = tf.maximum(norms + tf.transpose(norms) - 2.0 * products, 0.0)
    equal = tf.cast(distances <= 0.0, distances.dtype)
    if not squared:
        distances = tf.sqrt(distances + equal * 1e-16)
    distances *= 1.0 - equal
    return tf.linalg.set_diag(distances, tf.zeros_like(distances[:, 0]))


def _same(labels: Any) -> tf.Tensor:
    """Which pairs have one label: [batch, batch]."""
    column = tf.reshape(labels, [-1, 1])
    return tf.equal(column, tf.transpose(column))


def _masked_maximum(values: tf.Tensor, mask: tf.Tensor) -> tf.Tensor:
    least = tf.reduce_min(values, -1, keepdims=True)
    return tf.reduce_max((values - least) * mask, -1, keepdims=True) + least


def contrastive_loss(
    labels: Any, embeddings_anchor: Any, embeddings_positive: Any, margin: float = 1.0
) -> tf.Tensor:
    """Pairs with label 1 are pulled together, the others pushed `margin` apart: a scalar."""
    difference = tf.math.squared_difference(embeddings_anchor, embeddings_positive)
    distances = tf.sqrt(tf.reduce_sum(difference, 1))
    together = tf.cast(labels, distances.dtype)
    apart = tf.square(tf.maximum(margin - distances, 0.0))
    return tf.reduce_mean(together * tf.square(distances) + (1.0 - together) * apart)


def triplet_semihard_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> tf.Tensor:
    """For each pair of one label, the nearest other embedding that is farther than the pair, or the
    farthest of all, should be `margin` farther (in squared distance): a scalar."""
    distances = _distances(tf.convert_to_tensor(embeddings), squared=True)
    same = _same(labels)
    others = tf.cast(~same, distances.dtype)
    # [anchor, positive, negative]
    negatives = tf.expand_dims(distances, 1) * tf.ones_like(distances)[:, :, None]
    farther = tf.expand_dims(~same, 1) & (negatives > tf.expand_dims(distances, 2))
    outside = -_masked_maximum(-negatives, tf.cast(farther, distances.dtype))[:, :, 0]
    inside = _masked_maximum(distances, others) * tf.ones_like(distances)
    semihard = tf.where(tf.reduce_any(farther, 2), outside, inside)
    positives = tf.cast(same, distances.dtype) - tf.eye(tf.shape(distances)[0])
    losses = tf.maximum((margin + distances - semihard) * positives, 0.0)
    return tf.reduce_sum(losses) / tf.reduce_sum(positives)


def lifted_struct_loss(labels: Any, embeddings: Any, margin: float = 1.0) -> tf.Tensor:
    """Each pair of one label against all embeddings of other labels, smoothly: a scalar."""
    distances = _distances(tf.convert_to_tensor(embeddings), squared=False)
    same = _same(labels)
    others = tf.cast(~same, distances.dtype)
    lack = margin - distances
    greatest = _masked_maximum(lack, others)
    greatest = tf.maximum(greatest, tf.transpose(greatest))
    # [j, i]: the negatives of j, less the greatest of the pair
    exponents = tf.expand_dims(lack, 1) - tf.expand_dims(greatest, 2)
    sums = tf.reduce_sum(tf.exp(exponents) * tf.expand_dims(others, 1), 2)
    losses = greatest + tf.math.log(sums + tf.transpose(sums)) + distances
    positives = tf.cast(same, distances.dtype) - tf.eye(tf.shape(distances)[0])
    total = tf.reduce_sum(tf.square(tf.maximum(losses * positives, 0.0)))
    return 0.25 * total / (tf.reduce_sum(positives) / 2.0)


def npairs_loss(
    labels: Any, embeddings_anchor: Any, embeddings_positive: Any, reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> tf.Tensor:
    """Cross entropy of the similarities of anchors and positives, with an L2 penalty: a scalar."""
    anchors, positives = map(tf.convert_to_tensor, (embeddings_anchor, embeddings_positive))
    lengths = [tf.reduce_mean(tf.reduce_sum(tf.square(x), 1)) for x in (anchors, positives)]
    penalty = 0.25 * reg_lambda * tf.add_n(lengths)
    targets = tf.cast(_same(labels), anchors.dtype)
    targets /= tf.reduce_sum(targets, 1, keepdims=True)
    similarities = tf.matmul(anchors, positives, transpose_b=True)
    entropy = tf.reduce_mean(
        tf.nn.softmax_cross_entropy_with_logits(labels=targets, logits=similarities))
    if print_losses:
        tf.print("cross entropy:", entropy, "l2 loss:", penalty)
    return penalty + entropy


__all__ = ["contrastive_loss", "lifted_struct_loss", "npairs_loss", "triplet_semihard_loss"]
