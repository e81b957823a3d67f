"""Every end of a session's lab is reported and leaves no processes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from frrlib import wire
from frrlib.errors import LabFailed
from frrlib.lab import lab as running_lab
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from miniedit_frr.session import requests
from miniedit_frr.session.events import LabOrder, LabReply, LabState, StepProgress
from miniedit_frr.session.session import Session
from tests import processes
from tests.examples.data import EXAMPLES
from tests.session.watching import Watch
from tests.waiting import PATIENCE_S, pause, wait_for

#: Number of labs to end at a random moment; a soak test raises it.
ROUNDS = int(os.environ.get("MINIEDIT_FRR_KILLS", "5"))


def lab_process(watch: Watch) -> int:
    """The process that is the lab, as seen from outside."""
    run = watch.session._run
    assert run is not None and run.lab is not None and run.lab._process.sandbox is not None
    return run.lab._process.sandbox.pid


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_the_death_of_a_lab_is_reported(topology: Topology, place: str) -> None:
    watch = Watch(Session())
    watch.session.start(LabOrder(topology, place=place))
    try:
        watch.until_state(LabState.RUNNING)
        slow = watch.session.ask(partial(requests.execute, node="h1", argv=("sleep", "30")))
        watch.result(watch.session.ask(partial(requests.execute, node="h1", argv=("true",))))
        os.kill(lab_process(watch), signal.SIGKILL)
        reason = watch.until_end().reason
        assert f"the lab in {place} has ended" in reason
        assert "killed by SIGKILL" in reason
        assert watch.session.state is LabState.FAILED
        assert watch.reply(slow).error
    finally:
        watch.session.close()
    assert watch.states() == [LabState.STARTING, LabState.RUNNING, LabState.FAILED]


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_a_boot_is_canceled(topology: Topology, place: str) -> None:
    earlier = processes.below(os.getpid())
    watch = Watch(Session())
    watch.session.start(LabOrder(topology, place=place))
    watch.until(lambda event: isinstance(event, StepProgress) and event.name == "boot")
    started = wait_for(lambda: processes.below(os.getpid()) - earlier, "its processes")
    pause(0.2 if place == "labkernel" else 0)  # well into the boot of a kernel
    started |= processes.below(os.getpid()) - earlier
    watch.session.cancel()
    assert watch.until_end().state is LabState.IDLE
    assert watch.states() == [LabState.STARTING, LabState.STOPPING, LabState.IDLE]
    assert StepProgress("build", "start") not in watch.events
    assert processes.gone(started)
    watch.session.close()


@pytest.mark.lab
def test_a_hanging_lab_is_canceled(running: Watch, topology: Topology, monkeypatch: pytest.MonkeyPatch) -> None:
    # The time after which an orderly end is given up would end this test, too; it is not what is tested.
    monkeypatch.setattr(running_lab, "STOP_TIMEOUT_S", 10 * PATIENCE_S)
    os.kill(lab_process(running), signal.SIGSTOP)
    hanging = running.session.ask(partial(requests.routes, node="r1"))
    running.session.stop()
    running.until_state(LabState.STOPPING)
    running.session.stop()  # asked again, so at once
    assert running.until_end().state is LabState.IDLE
    assert running.reply(hanging).error


@pytest.mark.lab
def test_a_stopped_lab_leaves_no_processes_and_another_can_start(topology: Topology) -> None:
    earlier = processes.below(os.getpid())
    watch = Watch(Session())
    for _ in range(2):
        watch.session.start(LabOrder(topology, place="namespace"))
        watch.until_state(LabState.RUNNING)
        of_lab = processes.below(os.getpid()) - earlier
        assert of_lab
        watch.session.stop()
        watch.until_end()
        assert processes.gone(of_lab)
        assert watch.states() == [LabState.STARTING, LabState.RUNNING, LabState.STOPPING, LabState.IDLE]
        watch.events.clear()


@pytest.mark.lab
def test_a_lab_ended_at_a_random_moment_leaves_no_processes(topology: Topology) -> None:
    earlier, threads = processes.below(os.getpid()), threading.active_count()
    dice = random.Random(ROUNDS)
    files: set[int] = set()
    for _ in range(ROUNDS):
        watch = Watch(Session())
        watch.session.start(LabOrder(topology, place="namespace"))
        moment_s = dice.uniform(0.0, 1.0)
        pause(moment_s)
        pending = [watch.session.ask(partial(requests.routes, node="r1")), watch.session.ping_matrix()]
        of_lab = processes.below(os.getpid()) - earlier
        for _ in range(dice.choice([1, 2])):
            dice.choice([watch.session.cancel, watch.session.stop])()
        assert watch.until_end().state is LabState.IDLE, f"ended after {moment_s:.3f} s"
        assert all(isinstance(watch.reply(request), LabReply) for request in pending)
        watch.session.close()
        assert processes.gone(of_lab)
        files.add(len(os.listdir("/proc/self/fd")))
    assert len(files) == 1, "some files stay open"
    assert threading.active_count() == threads


PROGRAM = """
import sys, tempfile, time
from frrlib.formats import mn
from miniedit_frr.session.session import Session
from miniedit_frr.session.events import LabOrder, LabState

tempfile.tempdir = sys.argv[3]

session = Session()
session.start(LabOrder(mn.load(sys.argv[1]).topology, place="namespace"))
while (state := session.state) is not LabState.RUNNING:
    assert state is LabState.STARTING, session.poll()
    time.sleep(0.01)
print("running", flush=True)
if sys.argv[2] == "hang":
    input()
"""


@pytest.mark.lab
@pytest.mark.parametrize("ending", ["end", "hang"])
def test_a_program_that_exits_or_is_killed_leaves_no_processes(ending: str, tmp_path: Path) -> None:
    argv = [sys.executable, "-c", PROGRAM, str(EXAMPLES / "two-as-no-delay.mn"), ending, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent)}
    with subprocess.Popen(argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "running\n"
        of_lab = processes.below(program.pid)
        if ending == "hang":
            assert len(of_lab) > 4  # supervisors, agent, daemons
            program.kill()
    assert processes.gone(of_lab)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.lab
def test_a_failing_listener_ends_the_lab(topology: Topology) -> None:
    def full(message: wire.Message) -> None:
        if isinstance(message, wire.StepEvent) and message.name == "daemons":
            raise OSError(28, "No space left on device")

    with pytest.raises(LabFailed, match="No space left on device"), Lab(topology, place="namespace", listener=full):
        pytest.fail("the lab is up although nobody heard of it")
