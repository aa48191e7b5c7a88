"""The layers of a network, one after the other."""
from layers import Network


class Small(Network):
    def setup(self):
        (self.feed('data')
             .dense(2, name='first')
             .dense(1, name='second'))
