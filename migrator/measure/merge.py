"""Puts measurements of several machines, or of several sittings on one, into one file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from migrator.measure.records import Cell, CellResult, Measurement


def label(environment: dict[str, Any]) -> str:
    """What a machine is called: its GPUs, else its processor and how many cores of it."""
    names = [str(g.get("name", "")) for g in environment.get("gpus") or [] if g.get("name")]
    if names:
        return names[0] + (f" x{len(names)}" if len(names) > 1 else "")
    cores = environment.get("cores")
    return str(environment.get("cpu") or "a machine") + (f", {cores} cores" if cores else "")


def _same(a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether two environments are one machine with the same software: figures can be pooled."""
    keys = ("cpu", "cores", "memory", "gpus", "packages", "settings", "python", "host")
    return all(a.get(k) == b.get(k) for k in keys)


def merge(measurements: Iterable[Measurement]) -> Measurement:
    """All cells, each with the label of its machine.

    Cells that were measured twice on the same machine with the same software keep the samples of
    both; a failure counts only where no process of the cell ran.
    """
    found = list(measurements)
    machines: dict[str, dict[str, Any]] = {}
    cells: dict[tuple[str, Cell], CellResult] = {}
    for measured in found:
        own = dict(measured.machines) or {label(measured.environment): measured.environment}
        names = {name: _place(machines, name, env) for name, env in own.items()}
        only = next(iter(names.values()))
        for result in measured.cells:
            machine = names.get(result.machine, only)
            key = (machine, result.cell)
            cells[key] = _pooled(cells.get(key), dataclasses.replace(result, machine=machine))
    first = found[0]
    return Measurement(
        first.environment, tuple(cells.values()), first.settings, machines=machines
    )


def _place(machines: dict[str, dict[str, Any]], name: str, environment: dict[str, Any]) -> str:
    """The label under which the machine stands, with a number where another has its name."""
    number, chosen = 1, name
    while chosen in machines and not _same(machines[chosen], environment):
        number += 1
        chosen = f"{name} ({number})"
    machines.setdefault(chosen, environment)
    return chosen


def _pooled(one: CellResult | None, other: CellResult) -> CellResult:
    if one is None:
        return other
    if one.ok and not other.ok:
        return one
    if other.ok and not one.ok:
        return other
    difference = max((d for d in (one.difference, other.difference) if d is not None), default=None)
    new = [s for s in other.samples if s not in one.samples]  # the same file given twice adds nothing
    return dataclasses.replace(one, samples=(*one.samples, *new), difference=difference)
