"""Modules of Python 2 that were moved: imports follow, used or not."""

from __future__ import annotations

import pytest

from tests.engine.fuzzing import run

TF = "import tensorflow as tf\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import urlparse\nx = urlparse.urlparse(u)\n",
         "import urllib.parse as urlparse\nx = urlparse.urlparse(u)\n"),
        ("import urlparse, httplib\nx = urlparse.urljoin(u, v), httplib.OK\n",
         "import urllib.parse as urlparse\nimport http.client as httplib\n"
         "x = urlparse.urljoin(u, v), httplib.OK\n"),
        ("import StringIO\nx = StringIO.StringIO(s)\n",
         "import io as StringIO\nx = StringIO.StringIO(s)\n"),
        ("import urllib2\n", ""),
        ("import urllib2, cStringIO\n", ""),
        ("from itertools import ifilterfalse\nx = ifilterfalse(f, xs)\n",
         "from itertools import filterfalse as ifilterfalse\nx = ifilterfalse(f, xs)\n"),
    ],
)
def test_imports_follow(before: str, after: str) -> None:
    result = run("a.py", TF + before)
    assert result.new_text == TF + after
    assert run("a.py", result.new_text).new_text is None
    assert all("gone" in finding.message for finding in result.findings)
