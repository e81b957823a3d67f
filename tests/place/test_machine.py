"""A machine that cannot run labs is reported with a remedy before the start."""

from __future__ import annotations

import pytest

from tests.conftest import OrdinaryUser

_PROGRAM = """
import resource
from frrlib.place import machine
from frrlib.place.labkernel import LabKernel
from frrlib.place.namespace import Namespace
for place in (Namespace(), LabKernel(), Namespace()):
    try:
        machine.check()
        print("limit", resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    except Exception as error:
        found = place.abilities()
        assert not found.available
        print(type(error).__name__, error, "|", found.reason, found.remedy)
"""


@pytest.mark.parametrize(
    ("shell", "expected"),
    [
        ("ulimit -n 20; exec $PYTHON -c \"$PROGRAM\"", "256 open files per process, but the limit is 20"),
        ("ulimit -S -n 20; exec $PYTHON -c \"$PROGRAM\"", "limit 256"),
        ("unshare -Urm sh -c 'mount -t tmpfs none /proc && exec $PYTHON -c \"$PROGRAM\"'", "/proc is not mounted"),
    ],
    ids=["files", "soft limit of files", "no /proc"],
)  # fmt: skip
def test_a_lack_of_the_machine_is_a_message(ordinary_user: OrdinaryUser, shell: str, expected: str) -> None:
    done = ordinary_user.run(["sh", "-c", shell], env={"PYTHON": ordinary_user.python, "PROGRAM": _PROGRAM})
    assert done.stdout.count(expected) >= 3, done
    assert done.stderr == ""
