"""What the end of a program does about threads that still compute."""

from __future__ import annotations

from pathlib import Path

import pytest

from migrator import support
from tests import forks

AHEAD = """
import threading, time
import numpy as np
import tensorflow as tf
from tf1_support import graphs, queues

def work():
    {work}

def sleeps():
    time.sleep(1.5)
    print("computed", flush=True)
    return np.float32(0)

graph = graphs.Graph()
with graph.as_default():
    queue = queues.FIFOQueue(2, [tf.float32], shapes=[[]])
    put = queue.enqueue(tf.constant(1.0))
    slow = tf.numpy_function(sleeps, [], tf.float32)
threading.Thread(target=work, daemon=True).start()
time.sleep(0.5)
print("end", flush=True)
"""


@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("graphs.run(slow)", ["end", "computed"]),  # it is waited for
        ("while True: graphs.run(put)", ["end"]),  # its queue is closed, and no traceback is printed
        ("time.sleep(60)", ["end"]),  # it does not compute
        ("time.sleep(1.0); graphs.run(put)", ["end"]),
    ],
)
def test_threads_leave_tensorflow_before_they_end(work: str, said: list[str], tmp_path: Path) -> None:
    for name, text in support.render(["graphs.run", "graphs.Graph", "queues.FIFOQueue"]).items():
        (tmp_path / "tf1_support").mkdir(exist_ok=True)
        (tmp_path / "tf1_support" / name).write_text(text)
    (tmp_path / "program.py").write_text(AHEAD.format(work=work))
    ran = forks.run_tensorflow(["program.py"], tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == said
    assert "Traceback" not in ran.stderr
