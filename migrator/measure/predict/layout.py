"""How oneDNN's layout pass numbers the nodes of a graph anew, which later decides in what order they run.

The rules are those of tensorflow/core/common_runtime/mkl_layout_pass.cc (`RunPass`): first the gradient
of a convolution's bias is merged with that of its filter, then ops become oneDNN's own. Each time a
new node is made and the old one removed, in reverse post order of a depth-first walk from the roots.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from migrator.measure.predict import edges

# What the gradients of a convolution's filter and bias become; the filter's inputs are image, sizes
# and the gradient that it shares with the bias.
WITH_BIAS = "Conv2DBackpropFilterWithBias"
GRADIENT = 2

# Ops that are replaced. The new nodes come last in the graph.
REPLACED = frozenset(
    """
    AvgPool AvgPoolGrad AvgPool3D AvgPool3DGrad BatchMatMul BatchMatMulV2 Conv2D
    Conv2DBackpropFilter Conv2DBackpropFilterWithBias Conv2DBackpropInput Conv3D
    Conv3DBackpropFilterV2 Conv3DBackpropInputV2 DepthwiseConv2dNative
    DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput
    FusedBatchNorm FusedBatchNormGrad FusedBatchNormV2 FusedBatchNormGradV2 FusedBatchNormV3
    FusedBatchNormGradV3 LRN LRNGrad MatMul MaxPool MaxPoolGrad MaxPool3D MaxPool3DGrad Softmax
    _FusedBatchMatMulV2 _FusedBatchNormEx _FusedConv2D _FusedConv3D _FusedDepthwiseConv2dNative
    _FusedMatMul
    """.split()
)


class _Leaving:
    """The edges that leave each node: (as how many-th of the graph it was made, consumer)."""

    def __init__(self, count: int) -> None:
        self.edges: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        self.made = 0

    def add(self, producers: Sequence[int], consumer: int) -> None:
        for p in producers:
            self.edges[p].append((self.made, consumer))
            self.made += 1

    def remove(self, producers: Sequence[int], consumer: int) -> None:
        """Of few edges, the last one takes the place of one that goes (`EdgeSet::erase`)."""
        for p in producers:
            mine = self.edges[p]
            place = next(i for i, (_, c) in enumerate(mine) if c == consumer)
            last = mine[-1]
            if len(mine) > edges.INLINE:
                del mine[place]
            else:
                mine[place] = last
                mine.pop()

    def consumers(self, node: int, seed: int) -> list[int]:
        mine = self.edges[node]
        if len(mine) <= edges.INLINE:
            return [c for _, c in mine]
        mine = sorted(mine)
        return [mine[i][1] for i in edges.order([made for made, _ in mine], -seed)]


def numbers(
    producers_of: Sequence[Sequence[int]], replaced: Sequence[bool], seed: int = 0,
    biases: Mapping[int, int] | None = None,
) -> list[int]:  # fmt: skip
    """The number of each node after the pass; they were in order of their places before.

    producers_of: one entry an edge. biases: for each node that is made of two, the place before which
    its bias's gradient stood. seed: of the roots' order, see `edges.order`.
    """
    count = len(producers_of)
    number = list(range(count))
    if not any(replaced):
        return number
    leaving = _Leaving(count)
    before: dict[int, list[int]] = {}
    for node, place in (biases or {}).items():
        before.setdefault(place, []).append(node)
    for node in range(count + 1):
        for merged in before.get(node, ()):
            leaving.add([producers_of[merged][GRADIENT]], ~merged)
        if node < count:
            leaving.add(producers_of[node], node)
    if biases:
        for node in _reverse_post_order(producers_of, leaving, seed):
            if node in biases:
                leaving.add(producers_of[node], node + count)
                leaving.remove([producers_of[node][GRADIENT]], ~node)
                leaving.remove(producers_of[node], node)
    order = _reverse_post_order(producers_of, leaving, seed)
    for place, node in enumerate(n for n in order if replaced[n]):
        number[node] = count + place
    return number


def _reverse_post_order(
    producers_of: Sequence[Sequence[int]], leaving: _Leaving, seed: int
) -> list[int]:
    """Reverse post order of a depth-first walk from the roots, the last edge first."""
    count = len(producers_of)
    roots = [n for n, producers in enumerate(producers_of) if not producers]
    stack = [(roots[i], False) for i in edges.order(range(len(roots)), -seed)]
    seen = [False] * count
    order: list[int] = []
    while stack:
        node, left = stack.pop()
        if left:
            order.append(node)
        elif not seen[node]:
            seen[node] = True
            stack.append((node, True))
            # a merged node is its old one here; the bias's gradient leads nowhere that its filter's doesn't
            consumers = (c % count for c in leaving.consumers(node, seed) if c >= 0)
            stack += [(c, False) for c in consumers if not seen[c]]
    order.reverse()
    return order
