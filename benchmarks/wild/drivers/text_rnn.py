"""brightmart/text_classification: the models that their files try out, and the transformer's parts."""

from __future__ import annotations

from kit import settings

REPOSITORY = "https://github.com/brightmart/text_classification"
COMMIT = "091ff9910839ba5053302383af99762c0c91a992"


@settings(timeout=900)
def recurrent(w):
    """The file ends in a run of its model."""
    w.script("p8_TextRNN_model.py", cwd="a03_TextRNN")


def _test(w, folder, module, name="test"):
    w.script("-c", f"import {module} as m; m.{name}()", cwd=folder, folders=[folder, "."])


@settings(timeout=900)
def recurrent_convolution(w):
    _test(w, "a04_TextRCNN", "p71_TextRCNN_model")


@settings(timeout=900)
def fast_text(w):
    _test(w, "a01_FastText/old_single_label", "p5_fastTextB_model")


@settings(timeout=900)
def transformer_parts(w):
    for module in ("a2_layer_norm_residual_conn", "a2_poistion_wise_feed_forward"):
        _test(w, "a07_Transformer", module)


@settings(timeout=900)
def hierarchical(w):
    w.script("-c", "import p1_HierarchicalAttention_model as m; getattr(m, 'test', lambda: None)()",
             cwd="a05_HierarchicalAttentionNetwork",
             folders=["a05_HierarchicalAttentionNetwork", "."])  # fmt: skip
