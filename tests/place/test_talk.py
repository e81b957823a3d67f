"""A lab of each place as an ordinary user: commands, terminals, files, and long messages on the wire."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DRIVER = Path(__file__).parent / "drivers/place.py"


def check(outcome: dict[str, Any]) -> None:
    """The outcome in all places."""
    assert outcome["id"] == "0"
    assert outcome["uname"] == outcome["kernel"]
    assert outcome["status"] == [3, "out\n", "err\n"]
    assert outcome["through"], "300 kB through cat came back different"
    assert outcome["node"] == 0
    assert "eth0" not in outcome["links"] and "lo" in outcome["links"]
    assert outcome["terminal"] == {"exit": 7, "second": 0}
    assert outcome["files"]["back"] == ["a", "deep", "deep/b"]
    assert outcome["files"]["same"]
    assert outcome["wire"], "200 kB on the wire came back different"
    assert outcome["left"] == ["result"]
    assert not outcome["scratch_left"]


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_ordinary_user(place: str, ordinary_user: Any) -> None:
    done = ordinary_user.run([ordinary_user.python, str(DRIVER), place, "talk", str(ordinary_user.home)], timeout=180)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    check(outcome)
    in_lab_kernel = place == "labkernel"
    assert (outcome["kernel"] != os.uname().release) == in_lab_kernel


@pytest.mark.lab
@pytest.mark.root
@pytest.mark.parametrize("place", ["root", "namespace", "labkernel"])
def test_root(place: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(DRIVER.parents[3])}
    argv = [sys.executable, str(DRIVER), place, "talk", str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=180, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    check(json.loads(done.stdout))
    for path in tmp_path.rglob("*"):
        assert path.lstat().st_uid == 0, f"{path} was not given back to root"
