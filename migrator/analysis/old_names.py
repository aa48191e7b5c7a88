"""Names that TensorFlow lost on its way to 1.0: what they are called since, by its own table of that time."""

from __future__ import annotations

#: Old name -> name in TensorFlow 1; arguments mean the same by their places.
RENAMED = {
    "tensorflow." + old: "tensorflow." + new for old, new in {
        "audio_summary": "summary.audio", "batch_cholesky": "cholesky", "batch_fft": "fft",
        "batch_fft2d": "fft2d", "batch_fft3d": "fft3d", "batch_ifft": "ifft", "batch_ifft2d": "ifft2d",
        "batch_ifft3d": "ifft3d", "batch_matmul": "matmul", "batch_matrix_band_part": "matrix_band_part",
        "batch_matrix_determinant": "matrix_determinant", "batch_matrix_diag": "matrix_diag",
        "batch_matrix_diag_part": "matrix_diag_part", "batch_matrix_inverse": "matrix_inverse",
        "batch_matrix_set_diag": "matrix_set_diag", "batch_matrix_solve": "matrix_solve",
        "batch_matrix_solve_ls": "matrix_solve_ls", "batch_matrix_transpose": "matrix_transpose",
        "batch_matrix_triangular_solve": "matrix_triangular_solve",
        "batch_self_adjoint_eig": "self_adjoint_eig", "batch_self_adjoint_eigvals": "self_adjoint_eigvals",
        "complex_abs": "abs", "histogram_summary": "summary.histogram", "image_summary": "summary.image",
        "image.per_image_whitening": "image.per_image_standardization", "inv": "reciprocal",
        "listdiff": "setdiff1d", "merge_all_summaries": "summary.merge_all", "merge_summary": "summary.merge",
        "mul": "multiply", "neg": "negative", "pack": "stack", "scalar_summary": "summary.scalar",
        "select": "where", "sub": "subtract", "train.SummaryWriter": "summary.FileWriter",
        "unpack": "unstack",
    }.items()
}
_FIRST = frozenset(name.split(".")[1] for name in RENAMED)


def since_1_0(path: str) -> str:
    """`path`, a name of TensorFlow, by the name that its beginning has in TensorFlow 1.

    >>> since_1_0("tensorflow.train.SummaryWriter().add_summary")
    'tensorflow.summary.FileWriter().add_summary'
    >>> since_1_0("tensorflow.subtract")
    'tensorflow.subtract'
    """
    parts = path.split(".", 3)
    if len(parts) > 1 and parts[1].partition("(")[0] in _FIRST:
        for count in (2, 3):
            name, called, rest = ".".join(parts[:count]).partition("(")
            if len(parts) >= count and name in RENAMED:
                return ".".join([RENAMED[name] + called + rest, *parts[count:]])
    return path
