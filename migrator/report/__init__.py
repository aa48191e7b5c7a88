"""One report model of plan, verification and measurement; HTML, Markdown and JSON renderers."""

from migrator.report.build import run

__all__ = ["run"]
