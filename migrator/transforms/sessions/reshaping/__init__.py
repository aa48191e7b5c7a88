"""The same session program written in another way, in which the planner sees the whole of a graph."""
