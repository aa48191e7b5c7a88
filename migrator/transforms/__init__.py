"""Structural rewrites, one module per family; each registers itself (see `engine.registry`)."""
