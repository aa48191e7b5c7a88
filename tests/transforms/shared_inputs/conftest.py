"""The project here is what the tests migrate; its own tests run in child processes."""

collect_ignore = ["fixtures"]
