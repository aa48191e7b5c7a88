"""The output is checked, like a compiler checks: what was planned, by what did not plan it."""
