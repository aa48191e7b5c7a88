"""What the HTML pages share: their files in templates/report, and hashes for their policies."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import unicodedata
from contextlib import suppress
from typing import Any

import jinja2
import markupsafe

from migrator.resources import templates_dir

_CODE = re.compile(r"`([^`\n]+)`")
_HIDING = ("Cc", "Cf", "Cs", "Zl", "Zp")


def environment() -> jinja2.Environment:
    """Templates of pages: everything is escaped, nothing hides, a missing value is an error."""
    made = jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates_dir() / "report"),
        autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined, finalize=_finalized,
    )  # fmt: skip
    made.filters |= {"code": code, "visible": visible}
    return made


def visible(text: str, kept: str = "\t") -> str:
    """Text in which nothing hides: control and direction characters are written out, but for those that
    are `kept`."""
    with suppress(UnicodeEncodeError):  # half a character, which is written out below
        text = text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"\u27e8U+{ord(character):04X}\u27e9"
        if character not in kept and unicodedata.category(character) in _HIDING
        else character
        for character in text
    )


def _finalized(value: object) -> object:
    """What a template prints of a value: of texts what is seen, of our own markup all."""
    return visible(value, "\t\n\r") if type(value) is str else value


def code(text: str, kept: str = "\t\n\r") -> markupsafe.Markup:
    """Text in which nothing hides, as markup: what stands between backticks is code."""
    escaped = str(markupsafe.escape(visible(text, kept)))
    return markupsafe.Markup(_CODE.sub(r"<code>\1</code>", escaped))


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
