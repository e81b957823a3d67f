"""Labs in a user namespace with a single id, as in a container of an ordinary user: that id seems to be root."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
#: Starts a lab in each place; prints the capabilities of its first process, and the owner of a file that it made.
_START = """
import json, os, sys
from pathlib import Path
from frrlib.place.base import Program
from frrlib.place.labkernel import LabKernel
from frrlib.place.namespace import Namespace
found = {"root": os.geteuid()}
for place in (Namespace(), LabKernel()):
    files = Path(sys.argv[1]) / place.name
    files.mkdir()
    site = (Path(sys.argv[2]) / "tests/place/drivers",)
    lab = place.start(Program("echo_agent", Path(sys.argv[2]), files, site=site))
    assert lab.wire.reader.readline() == b"hello\\n"
    assert lab.command(["touch", "/run/lab/files/made"]).status == 0
    status = Path(f"/proc/{lab.pid}/status").read_text()
    found[place.name] = [line.split()[1] for line in status.splitlines() if line.startswith("CapEff")]
    lab.stop()
print(json.dumps(found))
"""


@pytest.mark.lab
def test_an_ordinary_users_labs_start_there(ordinary_user: Any) -> None:
    argv = ["unshare", "-Ur", ordinary_user.python, "-c", _START, str(ordinary_user.home), str(ROOT)]
    done = ordinary_user.run(argv, timeout=100)
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["root"] == 0
    # in a user namespace of its own a lab's root has all capabilities, over that namespace alone
    assert outcome["labkernel"] == ["0" * 16]
    for place in ("namespace", "labkernel"):
        assert (ordinary_user.home / place / "made").stat().st_uid == ordinary_user.uid


@pytest.mark.root
def test_the_machines_own_root_starts_no_lab_there_and_gets_the_reason(tmp_path: Path) -> None:
    argv = ["unshare", "-Ur", sys.executable, "-m", "miniedit_frr", "places", "--json", "--refresh"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment, cwd=tmp_path)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    places = json.loads(done.stdout)
    assert not any(place["available"] for place in places.values())
    for name in ("namespace", "root"):  # there may be no lab kernel
        assert places[name]["reason"].endswith("this user namespace has no id but that of the machine's root")
        assert places[name]["remedy"].startswith("start the lab as an ordinary user")
