"""The one session of the program."""
import tensorflow as tf
from tf1_support import compat
from tf1_support import gpu

compat.build_graph()

_session = None


def get_session():
    """The session that all of the program runs in, made when it is first asked for."""
    global _session
    if _session is None:
        gpu.configure_gpus('growth', soft_placement=True)
        _session = tf.compat.v1.Session()
    return _session


def forget():
    """Starts over: a new session on a new graph."""
    global _session
    _session = None
    compat.reset_default_graph()
