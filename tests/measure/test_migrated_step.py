"""The step that is measured of migrated code: updated as a migration updates, statistics included."""

import json
from pathlib import Path

import pytest

from migrator import support
from tests import forks

pytest.importorskip("tensorflow")

ROOT = Path(__file__).resolve().parents[2]
NET = """
import tensorflow as tf
from tf1_support import slim

def losses(images, is_training=True):
    net = slim.conv2d(images, 4, 3, normalizer_fn=slim.batch_norm,
                      normalizer_params={"is_training": is_training})
    return {"total": tf.reduce_mean(tf.square(net - 1.0))}
"""
PROGRAM = """
import collections, json, sys
import tensorflow as tf
from migrator.measure.programs import measure_migrated, measure_probe
from migrator.measure.programs.measure_steps import Stepper
sys.path.insert(0, sys.argv[1])
images = {"name": "images", "shape": [2, 8, 8, 3], "dtype": "float32", "low": 0.0, "high": 1.0}
workload = {"kind": "function", "call": "net:losses", "loss": "total", "kwargs": {},
            "inputs": [images]}
config = {"root": sys.argv[1], "workload": workload, "batch": 2, "mode": "training",
          "execution": "function", "precision": sys.argv[2], "allocator": "default",
          "strategy": "", "threads": 1}
device = measure_migrated.set_up(tf, config)
subject = measure_migrated.subject_of(tf, config)
stepper = Stepper(tf, config, subject)
arrays = subject.inputs(config)
stepper.make_variables(arrays)
stepper.make_slots()
stepper.make_step(arrays)
start = {k: v.numpy().tolist() for k, v in subject.variables().items()}
loss = float(stepper.step())
after = {k: v.numpy().tolist() for k, v in subject.variables().items()}
graph = stepper.call.get_concrete_function(stepper.held).graph
nodes = [*graph.as_graph_def().node,
         *(n for f in graph.as_graph_def().library.function for n in f.node_def)]
print(json.dumps({
    "changed": [k for k in start if start[k] != after[k]], "loss": loss,
    "later": [float(stepper.step()) for _ in range(20)][-1],
    "ops": collections.Counter(n.op for n in nodes), "trained": len(subject.trainable()),
    "slots": sum(measure_migrated.subjects.sizes(measure_migrated.slots(stepper)).values()),
    "call": stepper.call_cost(), "captured": len(graph.captures), "traces": stepper.traces,
}))
"""


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated repository that makes no optimizer: its support package has none."""
    root = tmp_path_factory.mktemp("tree")
    (root / "net.py").write_text(NET)
    rendered = support.render(["slim.conv2d", "slim.batch_norm", "scopes.VariableStore"])
    assert "optimizers.py" not in rendered
    (root / "tf1_support").mkdir()
    for name, text in rendered.items():
        (root / "tf1_support" / name).write_text(text)
    return root


@pytest.mark.parametrize("precision", ["float32", "mixed_float16"])
def test_updates_are_what_a_migration_writes(tree: Path, precision: str) -> None:
    ran = forks.run_tensorflow(["-c", PROGRAM, str(tree), precision])
    assert ran.returncode == 0, ran.stderr[-3000:]
    found = json.loads(ran.stdout.splitlines()[-1])
    # TF 1's kernel, once for each weight: Keras' own SGD holds a copy of every slot over the step
    assert found["ops"]["ResourceApplyMomentum"] == found["trained"] == 2
    assert found["slots"] >= 4 * (3 * 3 * 3 * 4 + 4)  # momentum of kernel and beta
    names = {name.rpartition("/")[2] for name in found["changed"]}
    assert names == {"weights", "beta", "moving_mean", "moving_variance"}
    assert 0 < found["later"] < found["loss"]
    assert found["call"]["variables"] == found["captured"] > 2 and found["traces"] == 1
    assert 0 < found["call"]["seconds"] < 1
