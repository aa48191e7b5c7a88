"""What a generated function is called: by what it trains, computes or does."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from migrator.transforms.sessions.records import Leaf, Site


def name_candidates(site: Site, trains: bool, outputs: list[Leaf]) -> list[str]:
    """Names for the function of a site, the best one first."""
    if site.run.style == "evaluate":
        return ["evaluate_step", "eval_step"]
    if trains:
        label = train_label(leaf.expr for leaf in site.leaves if not leaf.has_value)
        return [f"train_{label}", "train_step"] if label else ["train_step", "training_step"]
    texts = [ast.unparse(leaf.expr) for leaf in outputs]
    if len(texts) == 1:
        last = texts[0].rpartition(".")[2].lstrip("_")
        if last.isidentifier() and _is_action(last):
            return [last, f"run_{last}"]
        if _is_prediction(last) or not last.isidentifier():
            return ["predict", f"compute_{last}"]
        return [f"compute_{last}", "evaluate_step"]
    if texts:
        if any(map(_is_prediction, texts)) and not any("loss" in text for text in texts):
            return ["predict", "infer"]
        return ["evaluate_step", "eval_step"]
    if site.summaries is not None:
        return ["write_summaries_step", "summarize"]
    whole = ast.unparse(site.leaves[0].expr)
    label = whole.rpartition(".")[2].removesuffix("_ops").removesuffix("_op")
    if not label.isidentifier():
        label = "ops"
    return [label, f"run_{label}"] if label != whole else [f"run_{label}"]


def _is_action(name: str) -> bool:
    """Whether a name says what is done rather than what results."""
    verbs = ("decode", "encode", "read", "write", "make", "get", "compute", "parse", "convert",
             "crop", "resize", "flip", "apply", "reset", "update", "sample")
    words = name.split("_")
    return "to" in words[1:-1] or (len(words) > 1 and words[0] in verbs)


def _is_prediction(name: str) -> bool:
    lowered = name.lower()
    words = ("pred", "logit", "prob", "output", "box", "score", "class", "detect", "result",
             "softmax", "y_hat", "hypothesis", "generated", "sample")
    return any(word in lowered for word in words)


def train_label(effects: Iterable[ast.expr]) -> str:
    """``d_train_op`` -> ``d``: what tells one training op from the others."""
    words = []
    for expression in effects:
        text = ast.unparse(expression).rpartition(".")[2]
        parts = [
            part for part in text.split("_")
            if part and part not in ("train", "op", "optimizer", "opt", "step", "ops", "training",
                                     "solver", "update", "apply", "gradients", "optim", "minimize")
        ]
        words += parts
    return "_".join(words) if words and all(w.isidentifier() for w in words) else ""
