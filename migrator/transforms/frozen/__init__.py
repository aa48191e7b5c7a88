"""Loaded graphs become callables: where they are loaded, what a file does with them, what replaces it."""
