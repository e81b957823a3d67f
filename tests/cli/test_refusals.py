"""A full disk or a closed output ends a command with one message, and never a traceback."""

from __future__ import annotations

import shlex

import pytest

from tests.conftest import ROOT, OrdinaryUser

_EXAMPLE = ROOT / "examples" / "two-hosts.mn"


@pytest.mark.parametrize(
    ("shell", "status", "message"),
    [
        (f"exec $PROGRAM check {_EXAMPLE} >/dev/full", 1, "the output cannot be written: No space left on device\n"),
        (f"exec $PROGRAM export {_EXAMPLE} >&-", 0, ""),
    ],
    ids=["full", "closed"],
)
def test_an_output_that_cannot_be_written_is_one_message(
    ordinary_user: OrdinaryUser, shell: str, status: int, message: str
) -> None:
    program = f"{shlex.quote(ordinary_user.python)} -m miniedit_frr"
    completed = ordinary_user.run(["sh", "-c", shell], env={"PROGRAM": program})
    assert completed.stderr == f"miniedit-frr: {message}" * bool(message)
    assert completed.returncode == status
