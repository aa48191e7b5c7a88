"""Draws, of which each run of a graph has its own."""
from tf1_support import draws


def steady(count):
    return draws.random_uniform([count], seed=7)


class Source(object):

    def __init__(self, count):
        self.count = count

    def draw(self, spread):
        return spread * draws.random_normal([self.count], seed=3)
