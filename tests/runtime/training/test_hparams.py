"""What is done to HParams gives what TF 1.15.5 gave (recorded/hparams.py)."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("tensorflow")

from tf1_support import hparams

from tests.runtime.recorded import files
from tests.runtime.recorded import hparams as cases

RECORDED = files.facts("hparams")


def test_every_operation_is_recorded() -> None:
    assert len(RECORDED) == len(cases.OPERATIONS)


@pytest.mark.parametrize("index", range(len(cases.OPERATIONS)),
                         ids=lambda index: str(cases.OPERATIONS[index]))
def test_hparams_do_what_tf1_did(index: int) -> None:
    found = cases.operate(hparams.HParams, cases.OPERATIONS[index])
    assert json.loads(json.dumps(found)) == RECORDED[index]
