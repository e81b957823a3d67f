"""The memory limit of a lab in a namespace by a control group, if this user can make one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.place.drivers.group import KERNEL, MOST_MIB

DRIVER = Path(__file__).parent / "drivers/group.py"


@pytest.mark.lab
@pytest.mark.skipif(not KERNEL.exists(), reason="needs a lab kernel with control groups for memory")
def test_a_lab_has_no_more_memory_than_its_group(ordinary_user: Any) -> None:
    """Nor in a file system whose files count as nobody's; and nothing is left of the group."""
    argv = [ordinary_user.python, str(DRIVER), str(DRIVER.parents[3]), "outside"]
    done = ordinary_user.run(argv, timeout=250)
    assert done.stdout.startswith("{"), done.stdout + done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["group"].startswith("0::/user/app/miniedit-frr-")
    assert outcome["entered"] == outcome["group"]
    assert int(outcome["most"]) == MOST_MIB << 20
    assert f"the lab used up its memory limit of {MOST_MIB} MiB" in outcome["words"]
    assert outcome["left"] == ["terminal"]
