"""The state that planning a session program works on."""

from __future__ import annotations

import ast

from migrator.analysis.class_program import ClassProgram
from migrator.analysis.program import Program
from migrator.analysis.program_items import Item
from migrator.analysis.source import SourceText
from migrator.analysis.values import Value
from migrator.transforms.sessions.helpers import chain
from migrator.transforms.sessions.records import Names, Note, Shared, Site, SupportNames
from migrator.transforms.sessions.step import StepFunction, Style
from migrator.transforms.sessions.writing.render import Decisions


class PlanBase:
    """What one scope has, and what has been decided about it so far."""

    def __init__(
        self, program: Program, source: SourceText, names: Names, decisions: Decisions,
        style: Style, support: SupportNames, shared: Shared,
    ) -> None:
        self.program = program
        around = list(chain(program))
        self.module = around[-1]
        #: The object whose graph it is.
        self.whole = next((p for p in around if isinstance(p, ClassProgram)), None)
        self.source = source
        self.names = names
        self.decisions = decisions
        self.style = style
        self.support = support
        self.shared = shared
        self.functions: list[StepFunction] = []
        self.sites: list[Site] = []
        self.notes: list[Note] = []
        self.renames: dict[str, str] = {}
        self.items = program.all_items()
        self._summary_uses: dict[str, list[tuple[Item, ast.Call]]] = {}
        self._store_needed = False
        self.kept_statements: set[int] = set()
        self.reports: set[int] = set()  # items that print the variables, and what they need
        self.monitor = ""  # the name of the loop that takes the place of a monitored session
        self.watched: dict[str, Value] = {}  # what its hooks ask for, by name
        self.fed_iterators: set[str] = set()
        self.data_set_makers: dict[str, str] = {}
        self.evaluates = False  # whether slim's evaluation calls a step
        self.looped = False  # whether a loop that calls the step runs the training op
