"""Takes a TensorFlow 1 repository to native TensorFlow 2 and proves that it still does the same."""

__version__ = "0.1.0"
