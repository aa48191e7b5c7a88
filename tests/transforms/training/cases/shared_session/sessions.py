"""The one session of the program."""
import tensorflow as tf

_session = None


def get_session():
    """The session that all of the program runs in, made when it is first asked for."""
    global _session
    if _session is None:
        config = tf.ConfigProto(allow_soft_placement=True)
        _session = tf.Session(config=config)
    return _session


def forget():
    """Starts over: a new session on a new graph."""
    global _session
    _session = None
    tf.reset_default_graph()
