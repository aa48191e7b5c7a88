"""What to run: workload specs and the child processes they run in, shared by verify and measure."""
