"""Writes what was planned: the functions, their calls, and the statements that stay."""
