"""Decides what becomes of each statement of a session program: dropped, kept, moved, or in a function."""
