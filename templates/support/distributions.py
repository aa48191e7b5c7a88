"""tf.distributions and tf.contrib.distributions, which became tensorflow_probability.

It is imported when a distribution is asked for, so that modules that only mention one can do without
(`pip install tensorflow-probability tf-keras`). Where it is not installed, the distributions that TF 1
had in its core are the ones that `tf.compat.v1.distributions` still has.
"""
from __future__ import annotations

from functools import cache
from typing import Any

import tensorflow as tf

# Made of probabilities or of logits, and gave both in TF1: tensorflow_probability's attributes are
# None for what was not given.
_OF_PARAMETERS = frozenset({
    "Bernoulli", "Binomial", "Categorical", "Geometric", "Multinomial", "NegativeBinomial",
    "OneHotCategorical", "RelaxedBernoulli",
})


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


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _found(name)


@cache
def _found(name: str) -> Any:
    """What tensorflow_probability has as `name`, as TF1 had it.

    Raises:
        ImportError: it is not installed, and the core of TF 1 had no such distribution.
        AttributeError: nobody has it.
    """
    try:
        import tensorflow_probability as tfp
    except ImportError as error:
        core = getattr(tf.compat.v1.distributions, name, None)
        if core is None:
            raise ImportError(
                f"{name} is in tensorflow_probability now: "
                "pip install tensorflow-probability tf-keras"
            ) from error
        return core
    if name == "bijectors":
        return tfp.bijectors
    if name == "softplus_inverse":
        return tfp.math.softplus_inverse
    found = getattr(tfp.distributions, name)
    if name not in _OF_PARAMETERS:
        return found
    return type(name, (_Parameters, found), {"__doc__": found.__doc__, "__module__": __name__})


def MultivariateNormalDiag(
    loc: Any = None, scale_diag: Any = None, scale_identity_multiplier: Any = None,
    validate_args: bool = False, allow_nan_stats: bool = True,
    name: str = "MultivariateNormalDiag",
) -> Any:
    """Independent normals; `scale_identity_multiplier` is added to each scale.

    Raises:
        ValueError: there is neither `scale_diag` nor `scale_identity_multiplier` nor `loc`.
    """
    if scale_identity_multiplier is not None:
        multiplier = tf.convert_to_tensor(scale_identity_multiplier)[..., None]
        like = tf.zeros_like(loc) if scale_diag is None and loc is not None else scale_diag
        scale_diag = multiplier if like is None else like + multiplier
    return _found("MultivariateNormalDiag")(
        loc, scale_diag, validate_args=validate_args, allow_nan_stats=allow_nan_stats, name=name)


def TransformedDistribution(
    distribution: Any, bijector: Any = None, batch_shape: Any = None,
    event_shape: Any = None, validate_args: bool = False, name: str | None = None,
) -> Any:
    """What `bijector` makes of the samples of a distribution.

    Raises:
        ValueError: a shape is given: wrap the distribution by tfd.Sample.
    """
    if batch_shape is not None or event_shape is not None:
        raise ValueError("batch_shape and event_shape are gone: give tfd.Sample(distribution, ...)")
    return _found("TransformedDistribution")(
        distribution, bijector, validate_args=validate_args, name=name)
