"""Defaults that libraries had: `KMeans(3)` began ten times, `TSNE()` at random, `librosa.stft(y)` mirrored
the ends. What a call left to them is written out, which older releases take as well."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING

from migrator.analysis.arguments import unpacks
from migrator.analysis.tree_walk import calls_in
from migrator.engine.callsite import CallSite, Unreadable, read_call
from migrator.engine.edits import Edit, Lines, apply
from migrator.engine.registry import transform
from migrator.model import Rung

if TYPE_CHECKING:
    from migrator.engine.context import FileContext

CODE = "PY245"
#: keyword -> (its place, None where it is taken by name only by now, the default that it had)
Defaults = Mapping[str, tuple[int | None, str]]
_MIRRORED: Defaults = {"pad_mode": (None, "'reflect'")}
_SPECTRAL = ("centroid", "bandwidth", "contrast", "rolloff", "flatness")
#: Those of all releases beside TensorFlow 1, where today's release has another one.
_WRITTEN: dict[str, Defaults] = {
    "sklearn.cluster.KMeans": {"n_init": (None, "10")},
    "sklearn.cluster.k_means": {"n_init": (None, "10")},
    "sklearn.cluster.MiniBatchKMeans": {"batch_size": (None, "100"), "n_init": (None, "3")},
    "sklearn.cluster.SpectralClustering": {"eigen_tol": (None, "0.0")},
    "sklearn.decomposition.FastICA": {"whiten": (None, "'arbitrary-variance'")},  # what True meant
    "sklearn.decomposition.MiniBatchDictionaryLearning": {"batch_size": (None, "3")},
    "sklearn.linear_model.Ridge": {"tol": (None, "0.001")},
    "sklearn.linear_model.RidgeClassifier": {"tol": (None, "0.001")},
    "sklearn.manifold.MDS": {"n_init": (None, "4"), "eps": (None, "0.001")},
    "sklearn.manifold.TSNE": {"learning_rate": (None, "200.0"), "init": (None, "'random'")},
    "sklearn.preprocessing.QuantileTransformer": {"subsample": (None, "100000")},
    "sklearn.svm.LinearSVC": {"dual": (None, "True")},
    "sklearn.svm.LinearSVR": {"dual": (None, "True")},
    "sklearn.utils.extmath.randomized_svd": {"random_state": (None, "0")},
    "skimage.color.label2rgb": {"bg_label": (4, "-1")},
    "skimage.segmentation.slic": {"start_label": (None, "0")},
    "scipy.sparse.linalg.lsqr": {"atol": (3, "1e-8"), "btol": (4, "1e-8")},
    "scipy.spatial.distance.directed_hausdorff": {"seed": (2, "0")},
    "scipy.special.factorialk": {"exact": (2, "True")},
    **dict.fromkeys(("networkx.omega", "networkx.algorithms.smallworld.omega"), {"niter": (1, "100")}),
    **dict.fromkeys(
        (f"librosa.{name}" for name in (
            "stft", "core.stft", "cqt", "core.cqt", "feature.melspectrogram", "feature.mfcc",
            "feature.chroma_stft", "feature.rms", *(f"feature.spectral_{part}" for part in _SPECTRAL))),
        _MIRRORED),
}
#: NumPy's readers of text, which gave bytes to what reads a column.
_READERS = ("numpy.loadtxt", "numpy.genfromtxt")
_RESAMPLING = ("librosa.load", "librosa.core.load", "librosa.resample", "librosa.core.resample")


@transform
class LibraryDefaults:
    """PY245: a call that left an argument out gets the default that the argument had."""

    name = "library_defaults"
    triggers = frozenset(f"{name.partition('.')[0]}.*" for name in (*_WRITTEN, *_READERS))
    order = 88  # when what was given by place is named

    def run(self, ctx: FileContext) -> str | None:
        lines = Lines(ctx.text)
        edits: list[Edit] = []
        for call in calls_in(ctx.tree):
            function = ctx.names.resolve_node(call.func) or ""
            if function in _RESAMPLING:
                _tell_resampling(ctx, call)
            written = _written(function, call)
            if not written or ctx.suppressed(CODE, call) or unpacks(call):
                continue
            try:
                site = read_call(ctx.text, lines, call)
            except (Unreadable, IndexError):
                continue
            edits.append(_added(site, written))
            library = function.partition(".")[0]
            ctx.change(CODE, call, f"the default that {library} had for {', '.join(written)}", Rung.NATIVE)
        return apply(ctx.text, edits)[0] if edits else None


def _written(function: str, call: ast.Call) -> dict[str, str]:
    """The arguments that a call leaves to a default which is another one by now."""
    given = {word.arg for word in call.keywords}
    if function in _READERS:
        return {"encoding": "'bytes'"} if "encoding" not in given and _reads_bytes(function, call) else {}
    return {
        name: value for name, (place, value) in _WRITTEN.get(function, {}).items()
        if name not in given and (place is None or place >= len(call.args))}


def _reads_bytes(function: str, call: ast.Call) -> bool:
    """Whether what reads a column, or the type that it gets, depends on its being bytes."""
    said = {word.arg: word.value for word in call.keywords}
    if "converters" in said:
        return True
    kind = said.get("dtype")
    return function == "numpy.genfromtxt" and isinstance(kind, ast.Constant) and kind.value is None


def _added(site: CallSite, written: dict[str, str]) -> Edit:
    text = ", ".join(f"{name}={value}" for name, value in written.items())
    if not site.slots:
        return Edit(site.open, site.open, (text,))
    end = site.slots[-1].end
    return Edit(end, end, (f", {text}",))


def _tell_resampling(ctx: FileContext, call: ast.Call) -> None:
    """librosa resampled by a package that need not be there any more."""
    said = {word.arg: word.value for word in call.keywords}
    rate = said.get("sr", call.args[1] if len(call.args) > 1 else None)
    if "res_type" in said or isinstance(rate, ast.Constant) and rate.value is None:
        return
    ctx.finding(
        CODE, call, "librosa resampled by kaiser_best and does by soxr_hq now: samples differ slightly",
        "Where they must be the same, install resampy and give res_type='kaiser_best'.")
