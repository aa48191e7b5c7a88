"""What code means: the import and alias table, the project index, graph-program models."""
