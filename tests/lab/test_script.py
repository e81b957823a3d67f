"""Exported scripts of two examples, run in every supported way, and compared with `miniedit-frr run`.

The flows are shortened, because the comparison needs no long ones. In virtual time a script's results equal those of
`miniedit-frr run` byte for byte. In real time the rates of flows are compared with a very wide band here, and with a
narrow one by `benchmarks/script_ways.py`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from frrlib import wire
from frrlib.formats import mn, script
from frrlib.lab.lab import Lab
from frrlib.place.confinement import private_files
from frrlib.results.sameness import differences
from tests.examples.data import short

pytestmark = [pytest.mark.lab, pytest.mark.timeout(300)]

ROOT = Path(__file__).resolve().parents[2]
#: An example that any place can run. `test_examples.py` runs all examples.
NAME = "two-as-no-delay"
#: The system's Python, which has none of the packages. The script continues in the Python that exported it.
PYTHON = "/usr/bin/python3"
#: The environment that sudo leaves.
ROOTS_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
#: The bottleneck's rate. A machine that stands still for a moment moves bytes from one second to the next, so a flow of
#: one second may seem twice as fast. A flow that is stopped for long has a hundredth of the rate.
RATE_MBIT, LEAST, MOST = 10, 0.01, 2.0


def reproducible(folder: Path) -> dict[str, Any]:
    """The parts of a run that two runs of one topology must have in common."""
    run = json.loads((folder / "run.json").read_text())
    summary = json.loads((folder / "summary.json").read_text())
    logs = {path.name: path for path in (folder / "logs").glob("*.routes.txt")}
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
        "routes": {name: _routes(path.read_text()) for name, path in logs.items()},
        "columns": {path.name: path.read_text().partition("\n")[0] for path in (folder / "samples").glob("*.csv")},
    }


def _routes(text: str) -> list[str]:
    """Routes without their age, with those of equal cost in a fixed order."""
    return sorted(line.rpartition(",")[0] for line in text.splitlines() if line[1:3] == ">*")


def carried_mbit(folder: Path) -> float:
    """The sum of all flows. The link determines the sum; the flows share it in any way."""
    flows = json.loads((folder / "summary.json").read_text())["flows"]
    return sum(flow["goodput_mbit"] for flow in flows)


def agree(folder: Path, reference: Path) -> None:
    """The parts of a run that do not depend on the moment equal those of the reference, and the rate is that of the
    link."""
    for results in (folder, reference):
        log = (results / "log.txt").read_text()
        assert "were not read" not in log, log
    expected = reproducible(reference)
    assert expected["status"] == ("finished", [])
    assert {"figure.png", "run.json", "samples/tcp.csv"} <= set(expected["files"])
    assert expected["routes"] and all(expected["routes"].values())
    assert reproducible(folder) == expected
    for results in (folder, reference):
        assert LEAST * RATE_MBIT < carried_mbit(results) < MOST * RATE_MBIT


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The results of `miniedit-frr run` of the short example."""
    folder = tmp_path_factory.mktemp(NAME)
    mn.save(short(NAME), folder / "lab.mn")
    argv = [sys.executable, "-P", "-m", "miniedit_frr", "run", "lab.mn", "--out", "out"]
    env = {**ROOTS_ENVIRONMENT, "HOME": str(folder), "PYTHONPATH": str(ROOT)}
    env["XDG_CACHE_HOME"] = str(platformdirs.user_cache_path())  # places need not be tried again
    done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=folder, env=env, timeout=200)
    assert done.returncode == 0, done.stderr
    return folder / "out"


def test_a_script_run_by_an_ordinary_user(ordinary_user: Any, reference: Path) -> None:
    (ordinary_user.home / "lab.py").write_text(script.dumps(short(NAME)))
    done = ordinary_user.run([PYTHON, "lab.py", "--out", "out"], env={"PYTHONPATH": ""}, timeout=200)
    assert done.returncode == 0, done.stderr
    agree(ordinary_user.home / "out", reference)


@pytest.mark.root
def test_a_script_run_by_root(tmp_path: Path, reference: Path) -> None:
    """Classic Mininet on the machine's own kernel."""
    (tmp_path / "lab.py").write_text(script.dumps(short(NAME)))
    argv = [PYTHON, "lab.py", "--place", "root", "--out", "out"]
    done = subprocess.run(
        argv, capture_output=True, text=True, check=False, cwd=tmp_path, env=ROOTS_ENVIRONMENT, timeout=200
    )
    assert done.returncode == 0, done.stderr
    agree(tmp_path / "out", reference)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Path]]:
    """A lab kernel, and the folder that its root may write. In the lab its path is /run/lab/files."""
    unseen = ("/tmp", *private_files.hidden())
    if any(Path(path).resolve().is_relative_to(folder) for path in (sys.executable, __file__) for folder in unseen):
        pytest.skip("a lab sees neither homes nor /tmp, and there is this Python or the project")
    folder = tmp_path_factory.mktemp("inside")
    with Lab(short(NAME), place="labkernel", writable=folder) as running:
        yield running, folder


def test_a_script_run_by_the_root_of_a_lab_kernel(lab: tuple[Lab, Path], reference: Path) -> None:
    running, folder = lab
    (folder / "lab.py").write_text(script.dumps(short(NAME)))
    line = f"cd /run/lab/files && exec {PYTHON} lab.py --out out"
    done = running.ask(wire.Execute("", ("sh", "-c", line), 200.0), 220.0)
    assert done["status"] == 0, done["stderr"]
    agree(folder / "out", reference)


def test_repetitions_in_virtual_time_equal_runs_of_their_seeds(ordinary_user: Any, virtual_time: None) -> None:
    """Each repetition has the next seed, and its results equal those of `miniedit-frr run`, byte for byte."""
    home, topology = ordinary_user.home, short("two-as-bgp")
    (home / "lab.py").write_text(script.dumps(topology))
    argv = [PYTHON, "lab.py", "--virtual-time", "--seed", "7", "--repeat", "2", "--cc", "cubic", "--out", "all"]
    done = ordinary_user.run(argv, env={"PYTHONPATH": ""}, timeout=200)
    assert done.returncode == 0, done.stderr
    assert {path.name for path in (home / "all").iterdir()} == {"cubic-1", "cubic-2"}
    flows = tuple(flow.model_copy(update={"congestion_control": "cubic"}) for flow in topology.flows)
    mn.save(topology.model_copy(update={"flows": flows}), home / "cubic.mn")
    argv = ["run", "cubic.mn", "--virtual-time", "--seed", "8", "--out", "cubic"]
    compared = ordinary_user.run([ordinary_user.python, "-m", "miniedit_frr", *argv], timeout=200)
    assert compared.returncode == 0, compared.stderr
    assert differences(home / "all/cubic-2", home / "cubic") == []
    # The report of a run equals that of the command line, except for the folder and the real time.
    expected = [line for line in _headings(compared.stdout) if line.startswith(("flow ", "from ", "queue "))]
    assert len(expected) >= 4
    assert [line for line in expected if line not in _headings(done.stdout)] == []


def _headings(text: str) -> list[str]:
    """Every line with single blanks between words, since the width of columns depends on the numbers."""
    return [" ".join(line.split()) for line in text.splitlines()]
