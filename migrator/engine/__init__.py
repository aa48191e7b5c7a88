"""Turns files into a plan: rules and transforms in, edits and findings out, nothing written."""
