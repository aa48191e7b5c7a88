"""Tests that open sessions become eager: their runs are read, planned, and written as tensors."""
