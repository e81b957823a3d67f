"""Exported scripts in all the places where they are to run, against `miniedit-frr run` of the same drawing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from frrlib import wire
from frrlib.formats import mn, script
from frrlib.lab import Lab
from frrlib.model.topology import Topology

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

ROOT = Path(__file__).resolve().parents[2]
#: The system's Python, which has none of the packages: the script goes on in the one that exported it.
PYTHON = "/usr/bin/python3"
#: 10 Mbit/s of frames of 1514 bytes carry 1448 bytes of data each; a little more where the queue had filled before.
MOST_MBIT = 10 * 1448 / 1514 * 1.02


def short(congestion_control: str = "") -> Topology:
    """The example without delay, its flows of a second each."""
    topology = mn.load(ROOT / "examples" / "two-as-no-delay.mn").topology
    flows = tuple(
        flow.model_copy(
            update={
                "duration_s": 1.0,
                "start_s": 1.5 * index,
                "congestion_control": congestion_control or flow.congestion_control,
            }
        )
        for index, flow in enumerate(topology.flows)
    )
    return topology.model_copy(update={"flows": flows})


def found(folder: Path) -> dict[str, Any]:
    """What two runs of one drawing must have in common."""
    run = json.loads((folder / "run.json").read_text())
    summary = json.loads((folder / "summary.json").read_text())
    assert all(0 < flow["goodput_mbit"] < MOST_MBIT for flow in summary["flows"])
    return {
        "files": sorted(
            str(path.relative_to(folder))
            for path in folder.rglob("*")
            if path.is_file() and "files" not in path.relative_to(folder).parts
        ),
        "topology": (folder / "topology.mn").read_text(),
        "facts": sorted(run),
        "status": (run["status"], run["failures"]),
        "flows": [(flow["flow"], flow["congestion_control"]) for flow in summary["flows"]],
        "queues": sorted((queue["direction"], queue["limit_bytes"]) for queue in summary["queues"]),
        "routes": [_routes((folder / "logs" / f"{router}.routes.txt").read_text()) for router in ("r1", "r2")],
    }


def _routes(text: str) -> list[str]:
    """Routes without their age."""
    return [line.rpartition(",")[0] for line in text.splitlines() if line[1:3] == ">*"]


def test_a_script_gives_the_same_results_as_the_command_line(ordinary_user: Any) -> None:
    home = ordinary_user.home
    (home / "lab.py").write_text(script.dumps(short()))
    (home / "same.mn").write_text(mn.dumps(short("cubic")))
    place = ["--place", "namespace"]
    argv = [PYTHON, "lab.py", *place, "--cc", "cubic", "--out", "results"]
    done = ordinary_user.run(argv, env={"PYTHONPATH": ""})
    assert done.returncode == 0, done.stderr
    argv = [ordinary_user.python, "-m", "miniedit_frr", "run", "same.mn", *place, "--out", "compared"]
    compared = ordinary_user.run(argv)
    assert compared.returncode == 0, compared.stderr
    assert [path.name for path in (home / "results").iterdir()] == ["cubic-1"]
    wanted = found(home / "compared")
    assert "figure.png" in wanted["files"]
    assert wanted["flows"] == [("cubic", "cubic"), ("bbr", "cubic")]
    assert found(home / "results" / "cubic-1") == wanted
    # The report is the same but for what was measured.
    headings = [line for line in compared.stdout.splitlines() if line.startswith(("from ", "flow ", "queue "))]
    assert len(headings) == 3
    assert all(heading in done.stdout for heading in headings)


@pytest.mark.root
def test_as_root_with_the_systems_own_python(tmp_path: Path) -> None:
    (tmp_path / "lab.py").write_text(script.dumps(short()))
    argv = [PYTHON, "lab.py", "--place", "root", "--out", "out"]
    env = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(tmp_path)}  # as sudo leaves it
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert found(tmp_path / "out")["flows"] == [("cubic", "cubic"), ("bbr", "bbr")]


def test_inside_of_a_lab_kernel(tmp_path: Path) -> None:
    """Started by a lab's root, in the folder that the lab may write."""
    if Path(sys.executable).is_relative_to("/root") or Path(sys.executable).is_relative_to("/tmp"):
        pytest.skip("a lab does not see this Python")
    (tmp_path / "lab.py").write_text(script.dumps(short()))
    with Lab(short(), place="labkernel", writable=tmp_path) as lab:
        line = f"cd /run/lab/files && exec {PYTHON} lab.py --out out"
        done = lab.ask(wire.Execute("", ("sh", "-c", line), 200.0), 220.0)
    assert done["status"] == 0, done["stderr"]
    assert found(tmp_path / "out")["flows"] == [("cubic", "cubic"), ("bbr", "bbr")]
