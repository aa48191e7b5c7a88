"""What TensorBoard has taken over is imported by its module: `import tensorboard` alone loads no plugin."""

from __future__ import annotations

from pathlib import Path

from migrator.engine.options import Options
from migrator.engine.plan import build_plan
from tests.transforms.texts import migrated


def test_the_projector_is_imported_as_a_module() -> None:
    text = migrated(
        "from tensorflow.contrib.tensorboard.plugins import projector\n"
        "config = projector.ProjectorConfig()\nprojector.visualize_embeddings(writer, config)\n")  # fmt: skip
    assert "from tensorboard.plugins import projector\n" in text
    assert "\nwriters.visualize_embeddings(writer, config)\n" in text  # of a writer, not of its folder


def test_tensorboards_own_function_asks_a_writer_for_its_folder(tmp_path: Path) -> None:
    """The program calls it with a writer; that nothing in the program reads `get_logdir` says nothing."""
    (tmp_path / "a.py").write_text(
        "import tensorflow as tf\nfrom tensorboard.plugins import projector\n"
        "with tf.Session() as sess:\n    writer = tf.summary.FileWriter('logs', sess.graph)\n"
        "    projector.visualize_embeddings(writer, projector.ProjectorConfig())\n")  # fmt: skip
    support = build_plan(tmp_path, Options(jobs=1)).support_files
    assert any("def get_logdir(self)" in text for _, text in support)
