"""Keeps commands by name."""
COMMANDS = {}


def command(name):
    def keep(function):
        COMMANDS[name] = function

    return keep


def run(name, *args):
    COMMANDS[name](*args)
