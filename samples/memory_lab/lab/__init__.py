"""Models that people ask memory questions about, small enough to read."""
