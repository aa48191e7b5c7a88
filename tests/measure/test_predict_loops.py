"""Loops on paper: how values go through frames and lists, and loops written out for the optimiser."""

import json

import pytest

from migrator.measure.predict import values
from migrator.measure.predict.buffers import LIST
from migrator.measure.predict.frames import Gate
from migrator.measure.predict.liveness import ITERATIONS, Node, Output, replay
from tests import forks

K = 1024
SCALAR = Output(0, "int32", True)
NOTHING = Output(0, "variant", True)


def counted(limit: int | None, *body: Node, at_once: int = 32, dead: bool = False) -> list[Node]:
    """A loop that counts to `limit` (None: nobody knows how far), and what else it does.

    Nodes 0 to 10 are the loop itself; 6 is the counter inside of the body, 9 what has left the loop.
    """
    gate, shared = Gate("loop", at_once), Gate("loop", at_once, True)
    start = Node("start", "Const", outputs=(SCALAR,), value=0)
    if dead:  # the side of a branch that is not taken
        start = Node("start", "Switch", ((11, 0), (11, 0)), outputs=(SCALAR,) * 2)
    return [
        start,
        Node("limit", "Const", outputs=(SCALAR,), value=limit),
        Node("enter", "Enter", ((0, 1 if dead else 0),), (), (SCALAR,), {0: 0}, gate=gate),
        Node("merge", "Merge", ((2, 0), (8, 0)), (), (SCALAR,), {0: 0}),
        Node("less", "Less", ((3, 0), (10, 0)), (), (SCALAR,)),
        Node("holds", "LoopCond", ((4, 0),), (), (SCALAR,), {0: 0}),
        Node("switch", "Switch", ((3, 0), (5, 0)), (), (SCALAR,) * 2, {0: 0, 1: 0}),
        Node("add", "AddV2", ((6, 1), (12, 0)), (), (SCALAR,)),
        Node("next", "NextIteration", ((7, 0),), (), (SCALAR,), {0: 0}),
        Node("exit", "Exit", ((6, 0),), (), (SCALAR,), {0: 0}),
        Node("shared", "Enter", ((1, 0),), (), (SCALAR,), {0: 0}, gate=shared),
        Node("no", "Const", outputs=(SCALAR,), value=False),
        Node("one", "Const", (), (6,), (SCALAR,), value=1),
        *body,
    ]


def runs(nodes: list[Node], name: str) -> int:
    return [n for n, _ in replay(nodes, [(9, 0)], "cpu").timeline].count(name)


@pytest.mark.parametrize("limit", [0, 1, 7])
def test_a_loop_runs_as_often_as_its_counter_says(limit: int) -> None:
    nodes = counted(limit, Node("work", "Work", ((6, 1),), (), (Output(K),)))
    assert runs(nodes, "work") == limit
    assert runs(nodes, "less") == limit + 1
    assert runs(nodes, "exit") == 1


def test_a_loop_that_does_not_tell_runs_twice_and_says_so() -> None:
    nodes = counted(None, Node("work", "Work", ((6, 1),), (), (Output(K),)))
    assert runs(nodes, "work") == ITERATIONS
    assert replay(nodes, [(9, 0)]).unknown == 1


def test_a_loop_in_a_branch_that_is_not_taken_does_not_run() -> None:
    nodes = counted(3, Node("after", "Work", ((9, 0),), (), (Output(K),)), dead=True)
    assert runs(nodes, "work") == runs(nodes, "after") == runs(nodes, "less") == 0


@pytest.mark.parametrize("at_once", [1, 2, 5])
def test_iterations_overlap_as_far_as_the_loop_allows(at_once: int) -> None:
    """A buffer goes through more ops than the counter needs for the next iteration."""
    chain = [Node("work", "Work", ((6, 1),), (), (Output(K),))]
    for place in range(13, 43):
        chain.append(Node(f"view{place}", "Reshape", ((place, 0),), (), (Output(K),), {0: 0}))
    peak = replay(counted(8, *chain, at_once=at_once), [(9, 0)], "gpu").bytes
    assert peak <= at_once * K
    assert (peak > K) == (at_once > 1)


def test_what_enters_as_a_constant_is_held_until_the_loop_ends() -> None:
    body = (
        Node("image", "Work", outputs=(Output(8 * K),)),
        Node("given", "Enter", ((13, 0),), (), (Output(8 * K),), {0: 0}, gate=Gate("loop", 32, True)),
        Node("work", "Work", ((14, 0),), (6,), (Output(K),)),
    )  # fmt: skip
    peak = replay(counted(5, *body), [(9, 0)])
    # what waits for a Switch, not for one of its sides, runs in the last iteration, too
    assert [live for n, live in peak.timeline if n == "work"] == [9 * K] * 6


def listed(*nodes: Node) -> tuple[int, str]:
    peak = replay(nodes, [(len(nodes) - 1, 0)])
    assert peak.unknown == 0
    return peak.bytes, peak.at


def test_an_element_that_is_set_again_frees_the_one_before() -> None:
    def put(place: int, before: int, element: int) -> Node:
        return Node(
            f"put{element}", "TensorListSetItem", ((before, 0), (place, 0), (element, 0)), (),
            (NOTHING,),
        )  # fmt: skip

    bytes_, at = listed(
        Node("two", "Const", outputs=(SCALAR,), value=2),
        Node("first", "Const", outputs=(SCALAR,), value=0),
        Node("list", "TensorListReserve", ((0, 0), (0, 0)), outputs=(NOTHING,)),
        Node("a", "Work", outputs=(Output(4 * K),)),
        put(1, 2, 3),
        Node("b", "Work", (), (4,), (Output(2 * K),)),
        put(1, 4, 5),
        Node("late", "Work", (), (6,), (Output(K),)),
        Node("length", "TensorListLength", ((6, 0),), (7,), (SCALAR,)),
    )
    assert (bytes_, at) == (LIST + 6 * K, "b")


def test_lists_are_added_element_by_element() -> None:
    bytes_, at = listed(
        Node("given", "Work", outputs=(Output(4 * K),)),
        Node("list", "TensorListFromTensor", ((0, 0),), outputs=(Output(K),) * 4),
        Node("zeros", "ZerosLike", ((1, 0),), outputs=(NOTHING,)),
        Node("sum", "AddN", ((1, 0), (2, 0)), outputs=(NOTHING,)),
        Node("length", "TensorListLength", ((3, 0),), outputs=(SCALAR,)),
    )
    assert (bytes_, at) == (3 * LIST + 12 * K, "sum")  # `given` is gone by then


def test_of_a_counter_and_something_open_the_counter_decides() -> None:
    assert values.computed("LogicalAnd", (False, None)) is False
    assert values.computed("LogicalAnd", (None, True)) is True
    assert values.computed("LogicalAnd", (None, None)) is None
    assert values.computed("FloorMod", (7, 0)) is None
    assert values.computed("Cast", (3,)) == 3


PROGRAM = """
import json
import tensorflow as tf
from migrator.measure.predict import grappler, graph, lowering
def nested(x):
    def outer(i, h):
        def inner(j, g):
            return j + 1, tf.tanh(g @ g)
        return i + 1, tf.while_loop(lambda j, g: j < i, inner, (0, h + 1.0))[1]
    return tf.while_loop(lambda i, h: i < 4, outer, (0, x))
w = tf.Variable(2.0)
def shared(x):
    def body(i, h):
        w.assign_add(1.0)
        return i + 1, h * w
    return tf.while_loop(lambda i, h: i < 3, body, (0, x))
out = {}
for name, f in (("nested", nested), ("shared", shared)):
    x = tf.eye(4) * 0.5
    concrete = tf.function(f, autograph=False).get_concrete_function(tf.TensorSpec((4, 4)))
    want = [v.numpy().tolist() for v in concrete(x)]
    definition = concrete.graph.as_graph_def()
    lowering.lower(definition, {f.signature.name: f for f in definition.library.function})
    kinds = [n.op for n in definition.node]
    del definition.library.function[:]
    w.assign(2.0)
    with tf.Graph().as_default():
        feeds = {}
        for node in definition.node:
            if node.op == "Placeholder" and node.attr["dtype"].type == tf.resource.as_datatype_enum:
                node.op = "VarHandleOp"
                node.attr["dtype"].type = tf.float32.as_datatype_enum
                node.attr["shape"].shape.SetInParent()
                node.attr["shared_name"].s = b"v"
        tf.import_graph_def(definition, name="")
        here = tf.compat.v1.get_default_graph()
        given = here.get_tensor_by_name(concrete.inputs[0].name)
        setting = [
            tf.raw_ops.AssignVariableOp(resource=o.outputs[0], value=2.0)
            for o in here.get_operations() if o.type == "VarHandleOp"]
        with tf.compat.v1.Session() as session:
            session.run(setting)
            got = session.run(
                [here.get_tensor_by_name(t.name) for t in concrete.outputs], {given: x_value})
    ran = [n for n, _ in graph.program(concrete.graph, list(concrete.outputs)).peak().timeline]
    out[name] = [want, [v.tolist() for v in got], kinds.count("While") + kinds.count("StatelessWhile"),
        sum(n.endswith("Tanh") for n in ran), sum(n.endswith("AssignAddVariableOp") for n in ran)]
print(json.dumps(out))
""".replace("x_value", "[[0.5 * (i == j) for j in range(4)] for i in range(4)]")


@pytest.fixture(scope="module")
def written_out() -> dict[str, list[object]]:
    pytest.importorskip("tensorflow")
    done = forks.run_tensorflow(["-c", PROGRAM])
    assert done.returncode == 0, done.stderr[-2000:]
    found: dict[str, list[object]] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("case", ["nested", "shared"])
def test_a_loop_that_is_written_out_computes_the_same(
    written_out: dict[str, list[object]], case: str
) -> None:
    want, got, left, *_ = written_out[case]
    assert got == want and left == 0


def test_nested_loops_run_as_often_as_in_the_runtime(
    written_out: dict[str, list[object]],
) -> None:
    assert written_out["nested"][3] == 0 + 1 + 2 + 3
    assert written_out["shared"][4] == 3
