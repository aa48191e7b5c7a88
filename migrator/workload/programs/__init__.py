"""What every child process that runs a workload shares. Modules here keep to Python 3.7: the
interpreter of TF 1.15 runs them too, by their path and without migrator being importable.
"""
