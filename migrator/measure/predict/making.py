"""What making a model asked of the allocator, and the arrangement of chunks that this left.

A step's chunks depend on the gaps between those of the variables, and these on all that initialisers
allocated and gave back. The allocator of a device that is not here was never asked, but the same eager
ops ask the same of the CPU's, whose calls the profiler writes down; replayed, they give the other
device's arrangement. Needs `TF_CPU_ALLOCATOR_USE_BFC=true`: other CPU allocators tell nothing.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from migrator.measure.predict import bfc, buffers
from migrator.measure.programs import measure_trace

GPU = "GPU_"  # how the names of their allocators begin


@dataclass
class Making:
    """calls: (address, bytes that were asked for, None where they were given back), in their order.

    places: {number of a variable's handle: the address of its value after them}.
    """

    calls: list[tuple[int, int | None]] = field(default_factory=list)
    places: dict[int, int] = field(default_factory=dict)

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Adds the allocator's calls of the block; profiles do not nest."""
        with tempfile.TemporaryDirectory(prefix="migrator-making-") as folder:
            with measure_trace.profile(folder, device=False):
                yield
            found = measure_trace.events(folder)
            on_gpu = [e for e in found if e.stats.get("allocator_name", "").startswith(GPU)]
            for event in on_gpu or found:  # beside a GPU the host's allocator is another story
                size = event.stats["requested_bytes"] if event.allocates else None
                self.calls.append((event.stats["addr"], size))

    def note(self, handles: Iterable[Any]) -> None:
        """Notes where the values of variables lie: before a step moves them."""
        import tensorflow as tf

        for handle in handles:
            data = getattr(handle, "_handle_data", None)
            if handle.dtype != tf.resource or data is None or not data.is_set:
                continue
            try:
                value = tf.raw_ops.ReadVariableOp(
                    resource=handle, dtype=tf.as_dtype(data.shape_and_type[0].dtype)
                )
                # the tensor's own memory, where numpy() would copy it
                self.places[handle._id] = int(value._numpy().__array_interface__["data"][0])
            except (AttributeError, TypeError, tf.errors.OpError):
                continue  # no variable, not initialised, or of a graph that is not run eagerly

    def replayed(self, regions: Sequence[int]) -> tuple[bfc.Chunks, dict[int, int]]:
        """(chunks after all calls, {address then: address in these chunks} of what is still held)."""
        chunks = bfc.Chunks(regions)
        held: dict[int, int] = {}
        for address, size in self.calls:
            if size is not None:
                held[address] = chunks.allocate(size)
            elif address in held:  # else it was taken before the recording
                chunks.free(held.pop(address))
        return chunks, held

    def heap(
        self, regions: Sequence[int], variables: Mapping[str, int], handles: Mapping[str, Any]
    ) -> buffers.Heap:
        """The allocator as the first step finds it. variables: bytes; handles: both by graph's name."""
        chunks, moved = self.replayed(regions)
        heap = buffers.Heap(chunks)
        for name, size in variables.items():
            number = getattr(handles.get(name), "_id", None)
            address = moved.get(self.places.get(number, -1)) if number is not None else None
            heap.variables[name] = chunks.allocate(size) if address is None else address
        return heap
