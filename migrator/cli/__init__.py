"""click commands: each parses its arguments, calls one function of another room, and prints."""
