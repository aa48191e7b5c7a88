"""What the HTML pages share: their files in templates/report, and hashes for their policies."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

import jinja2

from migrator.resources import templates_dir


def environment() -> jinja2.Environment:
    """Templates of pages: everything is escaped, a missing value is an error."""
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_dir() / "report"),
        autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip


def asset(name: str) -> str:
    """The text of a style sheet or script."""
    return (templates_dir() / "report" / name).read_text(encoding="utf-8")


def policy_hash(text: str) -> str:
    """How a Content-Security-Policy names the one script or style that may be used."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def script_safe(value: Any) -> str:
    """JSON that can stand inside a <script> element whatever strings it holds."""
    dumped = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return dumped.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
