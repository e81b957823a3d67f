"""No process, mount or temporary folder of a run is left, however it ends."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.traces import Traces, traced
from tests.waiting import PATIENCE_S, pause, wait_for

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: The number of kills at random moments; a soak test raises it.
ROUNDS = int(os.environ.get("MINIEDIT_FRR_KILLS", "3"))
PLACES = {"namespace": "two-as-no-delay.mn", "labkernel": "two-as-bgp.mn"}


@pytest.fixture
def traces(ordinary_user: Any) -> Iterator[Traces]:
    """Traces of labs. None may be left at the end of a test, even of one that fails."""
    with traced(ordinary_user) as traces_of_user:
        yield traces_of_user
        assert traces_of_user.left() == []


def start(ordinary_user: Any, place: str, out: Path) -> subprocess.Popen[Any]:
    """A run of an example in a place, which takes about 25 seconds."""
    argv = [ordinary_user.python, "-m", "miniedit_frr", "run", str(EXAMPLES / PLACES[place])]
    process: subprocess.Popen[Any] = ordinary_user.popen(
        [*argv, "--place", place, "--out", str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    return process


def sampled(out: Path) -> bool:
    """Whether a run has measured its flows for a while."""
    path = out / "samples" / "tcp.csv"
    return path.exists() and len(path.read_text().splitlines()) > 100


@pytest.mark.parametrize(
    ("ending", "place"),
    [
        *((ending, "namespace") for ending in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)),
        *((ending, "labkernel") for ending in (signal.SIGINT, signal.SIGKILL)),
    ],
    ids=str,
)
def test_nothing_is_left_when_a_run_is_ended_during_its_flows(
    ordinary_user: Any, traces: Traces, place: str, ending: signal.Signals
) -> None:
    out = ordinary_user.home / "out"
    process = start(ordinary_user, place, out)
    wait_for(lambda: sampled(out), "its samples")
    assert traces.there(), "the test finds no trace of a running lab"
    # A terminal sends Ctrl-C to the whole group.
    os.killpg(process.pid, ending) if ending == signal.SIGINT else process.send_signal(ending)
    status = process.wait(PATIENCE_S)
    assert traces.left() == []
    if ending == signal.SIGINT:
        assert status == 130
        assert json.loads((out / "run.json").read_text())["status"] == "interrupted"
    # The measurements until then are kept.
    assert sampled(out)


@pytest.mark.parametrize("place", PLACES)
def test_nothing_is_left_after_a_kill_at_any_moment(ordinary_user: Any, traces: Traces, place: str) -> None:
    dice = random.Random(f"{place}{ROUNDS}")
    for number in range(ROUNDS):
        out = ordinary_user.home / f"out{number}"
        process = start(ordinary_user, place, out)
        moment_s = dice.uniform(0.05, 6.0)
        pause(moment_s)
        process.kill()
        process.wait()
        assert traces.left() == [], f"killed after {moment_s:.2f} s"
