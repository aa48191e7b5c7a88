"""What TensorBoard has taken over is imported by its module: `import tensorboard` alone loads no plugin."""

from __future__ import annotations

from tests.transforms.texts import migrated


def test_the_projector_is_imported_as_a_module() -> None:
    text = migrated(
        "from tensorflow.contrib.tensorboard.plugins import projector\n"
        "config = projector.ProjectorConfig()\nprojector.visualize_embeddings(writer, config)\n")  # fmt: skip
    assert "from tensorboard.plugins import projector\n" in text
    assert "\nwriters.visualize_embeddings(writer, config)\n" in text  # of a writer, not of its folder
