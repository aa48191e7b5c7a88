"""How sessions are set up everywhere in the project."""
from tf1_support import gpu
from tf1_support import sessions


def new_session(fraction=0.5):
    gpu.configure_gpus(fraction=fraction)
    return sessions.Session()
