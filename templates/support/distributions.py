"""tf.distributions and tf.contrib.distributions where tensorflow_probability's namesakes differ.

Distributions made of probabilities or of logits give both, as in TF1; tensorflow_probability's
attributes are None for what was not given.
"""
from __future__ import annotations

from typing import Any

import tensorflow as tf
from tensorflow_probability import distributions as tfd


class _Parameters:
    """`probs` and `logits`, whichever of them the distribution was made of."""

    @property
    def probs(self) -> tf.Tensor:
        """Probabilities."""
        return self.probs_parameter()  # type: ignore[attr-defined]

    @property
    def logits(self) -> tf.Tensor:
        """Logits, or log-probabilities."""
        return self.logits_parameter()  # type: ignore[attr-defined]


class Bernoulli(_Parameters, tfd.Bernoulli):
    """0 or 1."""


class Binomial(_Parameters, tfd.Binomial):
    """How often of `total_count` times."""


class Categorical(_Parameters, tfd.Categorical):
    """One of several classes."""


class Geometric(_Parameters, tfd.Geometric):
    """How many failures before a success."""


class Multinomial(_Parameters, tfd.Multinomial):
    """How often each class of `total_count` draws."""


class NegativeBinomial(_Parameters, tfd.NegativeBinomial):
    """How many successes before `total_count` failures."""


class OneHotCategorical(_Parameters, tfd.OneHotCategorical):
    """One of several classes, as a vector with a 1 in it."""


class RelaxedBernoulli(_Parameters, tfd.RelaxedBernoulli):
    """Between 0 and 1, the nearer to them the lower the temperature."""


def MultivariateNormalDiag(
    loc: Any = None, scale_diag: Any = None, scale_identity_multiplier: Any = None,
    validate_args: bool = False, allow_nan_stats: bool = True,
    name: str = "MultivariateNormalDiag",
) -> tfd.MultivariateNormalDiag:
    """Independent normals; `scale_identity_multiplier` is added to each scale.

    Raises:
        ValueError: there is neither `scale_diag` nor `scale_identity_multiplier` nor `loc`.
    """
    if scale_identity_multiplier is not None:
        multiplier = tf.convert_to_tensor(scale_identity_multiplier)[..., None]
        like = tf.zeros_like(loc) if scale_diag is None and loc is not None else scale_diag
        scale_diag = multiplier if like is None else like + multiplier
    return tfd.MultivariateNormalDiag(
        loc, scale_diag, validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)


def TransformedDistribution(
    distribution: tfd.Distribution, bijector: Any = None, batch_shape: Any = None,
    event_shape: Any = None, validate_args: bool = False, name: str | None = None,
) -> tfd.TransformedDistribution:
    """What `bijector` makes of the samples of a distribution.

    Raises:
        ValueError: a shape is given: wrap the distribution by tfd.Sample.
    """
    if batch_shape is not None or event_shape is not None:
        raise ValueError("batch_shape and event_shape are gone: give tfd.Sample(distribution, ...)")
    return tfd.TransformedDistribution(
        distribution, bijector, validate_args=validate_args, name=name)
