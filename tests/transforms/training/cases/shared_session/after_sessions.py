"""The one session of the program."""
from tf1_support import gpu
from tf1_support import graphs
from tf1_support import scopes
from tf1_support import sessions

_session = None


@graphs.building
def get_session():
    """The session that all of the program runs in, made when it is first asked for."""
    global _session
    if _session is None:
        gpu.configure_gpus('growth', soft_placement=True)
        _session = sessions.Session()
    return _session


def forget():
    """Starts over: a new session on a new graph."""
    global _session
    _session = None
    scopes.reset_default_store()
