"""williamleif/GraphSAGE: samples and aggregates neighbours; every aggregator, supervised and not."""

from __future__ import annotations

import json

import numpy as np
from kit import carried, write

REPOSITORY = "https://github.com/williamleif/GraphSAGE"
COMMIT = "a0fdef95dca7b456dab01cb35034717c8b6dd017"

# What is asked of networkx 1.11, which neither Python runs.
_NETWORKX = '''
__version__ = "1.11"


class Graph:
    def __init__(self):
        self.node, self.adj = {}, {}

    def nodes(self):
        return list(self.node)

    def nodes_iter(self):
        return iter(self.node)

    def edges(self):
        return [(a, b) for a in self.adj for b in self.adj[a] if a <= b]

    def neighbors(self, node):
        return list(self.adj[node])

    def degree(self, node):
        return len(self.adj[node])

    def remove_node(self, node):
        del self.node[node]

    def subgraph(self, nodes):
        kept = Graph()
        kept.node = {n: self.node[n] for n in nodes}
        kept.adj = {n: {m: e for m, e in self.adj[n].items() if m in kept.node} for n in kept.node}
        return kept

    def __getitem__(self, node):
        return self.adj[node]

    def __contains__(self, node):
        return node in self.node

    def __len__(self):
        return len(self.node)
'''
_LINKS = '''
from networkx import Graph


def node_link_graph(data):
    made = Graph()
    for node in data["nodes"]:
        made.node[node["id"]] = dict(node)
        made.adj[node["id"]] = {}
    for link in data["links"]:
        made.adj[link["source"]][link["target"]] = made.adj[link["target"]][link["source"]] = dict(link)
    return made
'''
_AHEAD = """
import random, time, numpy
random.seed(1)
numpy.random.seed(1)
time.time = lambda: 0.0
"""
_FLAGS = ["--train_prefix=made/toy", "--batch_size=8", "--samples_1=3", "--samples_2=2", "--dim_1=4",
          "--dim_2=4", "--max_degree=5", "--print_every=1", "--validate_iter=2", "--gpu=-1",
          "--validate_batch_size=6"]  # fmt: skip


@carried
def data(w):
    write("stubs/networkx/__init__.py", _NETWORKX)
    write("stubs/networkx/readwrite/__init__.py", "")
    write("stubs/networkx/readwrite/json_graph.py", _LINKS)
    draw = np.random.RandomState(0)
    nodes = [{"id": n, "val": n % 10 == 8, "test": n % 10 == 9} for n in range(40)]
    links = sorted({tuple(sorted(map(int, draw.choice(40, 2, replace=False)))) for _ in range(120)})
    write("made/toy-G.json", json.dumps({
        "directed": False, "graph": {}, "multigraph": False, "nodes": nodes,
        "links": [{"source": a, "target": b} for a, b in links],
    }))  # fmt: skip
    write("made/toy-id_map.json", json.dumps({str(n): n for n in range(40)}))
    write("made/toy-class_map.json", json.dumps({str(n): n % 3 for n in range(40)}))
    write("made/toy-walks.txt", "\n".join(f"{a}\t{b}" for a, b in links) + "\n")
    np.save("made/toy-feats.npy", draw.normal(size=(40, 6)))


def _supervised(w, model, *flags):
    w.script("-m", "graphsage.supervised_train", *_FLAGS, f"--model={model}", "--epochs=2", *flags,
             ahead=_AHEAD, folders=["stubs"])  # fmt: skip


def mean(w):
    _supervised(w, "graphsage_mean", "--weight_decay=0.01", "--dropout=0.2")


def deep(w):
    _supervised(w, "graphsage_mean", "--samples_3=2", "--sigmoid", "--identity_dim=3")


def convolution(w):
    _supervised(w, "gcn")


def sequence(w):
    _supervised(w, "graphsage_seq")


def pools(w):
    _supervised(w, "graphsage_maxpool")
    _supervised(w, "graphsage_meanpool")


def _unsupervised(w, model):
    w.script("-m", "graphsage.unsupervised_train", *_FLAGS, f"--model={model}", "--neg_sample_size=4",
             "--max_total_steps=6", "--learning_rate=0.01", ahead=_AHEAD, folders=["stubs"])  # fmt: skip


def unsupervised(w):
    _unsupervised(w, "graphsage_mean")
    _unsupervised(w, "gcn")


def unsupervised_sequence(w):
    _unsupervised(w, "graphsage_seq")


# Where a node is drawn against itself, two kernels compute one number, and rounding says which ranks first.
_RANKED = [f'"{{:.5f}}".format({ranks})' for ranks in
           ("train_mrr", "train_shadow_mrr", "val_mrr", "shadow_mrr", "outs[-2]")]


def walks(w):
    w.script("graphsage/unsupervised_train.py", *_FLAGS, "--model=n2v", "--neg_sample_size=4",
             "--max_total_steps=6", "--learning_rate=0.01", ahead=_AHEAD, folders=["stubs", "."],
             instead=[(ranked, "'ranked'") for ranked in _RANKED])  # fmt: skip
