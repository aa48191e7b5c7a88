"""What can be done to a program to save memory or time, and which cells show it.

A strategy is a word on the command line and the `strategy` of a cell: "accumulate:4", "recompute",
"swap:mobilenet_v2", "variant:NAME", "tflite:int8", "qat", "prune", "cluster". Precision, XLA and the
allocator are axes of the matrix of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from migrator.workload.spec import Workload


class StrategyError(ValueError):
    """A strategy that does not exist; the message names it and those that do."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """One strategy.

    modes: where it makes sense. program: the child program that measures it. execution: of the
    cell. legacy: whether the child runs on tf_keras, the only Keras that tfmot works with.
    """

    title: str
    modes: tuple[str, ...]
    program: str = "measure_migrated"
    execution: str = "function"
    legacy: bool = False
    arguments: tuple[str, ...] = ()


_BOTH = ("inference", "training")
_STORED = ("inference",)
STRATEGIES = {
    "accumulate": Strategy(
        "gradients of parts of the batch, one update (Darknet's subdivisions)", ("training",)
    ),
    "recompute": Strategy("activations computed again in the backward pass", ("training",)),
    "swap": Strategy(
        "another MobileNet in the place of v1", _BOTH,
        arguments=("mobilenet_v2", "mobilenet_v3_small", "mobilenet_v3_large"),
    ),
    "variant": Strategy("a form of the model that the workload names", _BOTH),
    "tflite": Strategy(
        "post-training quantization with TFLite", _STORED, "measure_compressed", "tflite",
        arguments=("float32", "float16", "dynamic", "int8"),
    ),
    "qat": Strategy(
        "quantization-aware training, int8", _STORED, "measure_compressed", "tflite", True
    ),
    "prune": Strategy("half of the weights pruned", _STORED, "measure_compressed", "tflite", True),
    "cluster": Strategy(
        "weights in 16 clusters", _STORED, "measure_compressed", "tflite", True
    ),
}  # fmt: skip
DEFAULT_PARTS = 4


def of(name: str) -> Strategy:
    """The strategy of a cell's `strategy` text ("" has none: KeyError)."""
    return STRATEGIES[name.partition(":")[0]]


def parse(text: str) -> tuple[str, ...]:
    """The words of a command line: strategies with commas, "all", or nothing.

    Raises:
      StrategyError: one does not exist, or its argument.
    """
    found: list[str] = []
    for word in (w.strip() for w in text.split(",") if w.strip()):
        name, colon, argument = word.partition(":")
        if word == "all":
            found += list(STRATEGIES)
            continue
        if name not in STRATEGIES:
            raise StrategyError(f"no strategy {name!r}; there are {', '.join(STRATEGIES)} and all")
        allowed = STRATEGIES[name].arguments
        if colon and name == "accumulate":
            if not argument.isdigit() or int(argument) < 2:
                raise StrategyError(f"{word}: write accumulate:4 for four parts of the batch")
        elif colon and allowed and argument not in allowed:
            raise StrategyError(f"{word}: {name} takes {', '.join(allowed)}")
        elif colon and not allowed and name != "variant":
            raise StrategyError(f"{word}: {name} takes nothing")
        found.append(word)
    return tuple(dict.fromkeys(found))


def expand(words: Iterable[str], workload: Workload, batch: int) -> tuple[str, ...]:
    """The strategies of one workload at one batch size: families with each of their members."""
    found: list[str] = []
    for word in words:
        name, colon, argument = word.partition(":")
        if workload.mode not in STRATEGIES[name].modes:
            continue
        if colon:
            if name != "variant" or argument in workload.variants:
                found.append(word)
        elif name == "accumulate":
            parts = next((n for n in (DEFAULT_PARTS, 2) if batch % n == 0), 0)
            found += [f"accumulate:{parts}"] if parts else []
        elif name == "variant":
            found += [f"variant:{v}" for v in workload.variants]
        elif STRATEGIES[name].arguments:
            found += [f"{name}:{a}" for a in STRATEGIES[name].arguments]
        else:
            found.append(name)
    return tuple(found)
