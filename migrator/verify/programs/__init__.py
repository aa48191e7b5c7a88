"""Programs that verify runs in child processes, each as a script by its path."""
