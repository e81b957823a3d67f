"""The deliberate faults of `tests.faults` can be made: a program that changes nothing would prove nothing."""

from __future__ import annotations

import ast

import pytest

from tests.faults.deliberate import FAULTS, Fault
from tests.rounds import ROOT


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.room)
def test_a_fault_changes_one_place_and_leaves_a_program(fault: Fault) -> None:
    text = (ROOT / fault.file).read_text()
    assert text.count(fault.right) == 1
    ast.parse(text.replace(fault.right, fault.wrong))
    assert all((ROOT / "tests" / name).exists() for name in fault.tests)


def test_ten_rooms_have_one() -> None:
    assert len({fault.room for fault in FAULTS}) >= 10
