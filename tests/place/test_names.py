"""Folders with odd names that a lab is shown: it reads them, and their names open nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.place.drivers.names import NAMES

DRIVER = Path(__file__).parent / "drivers/names.py"


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel", pytest.param("root", marks=pytest.mark.root)])
def test_a_folders_name_opens_nothing(ordinary_user: Any, place: str) -> None:
    user = ordinary_user.who_starts(place)
    done = user.run([user.python, str(DRIVER), place, str(user.home)], timeout=120)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["touched"] == {}
    assert list(outcome["read"].values()) == ["for the lab"] * len(NAMES)
