"""After any end of a lab nothing of it is left: no process, namespace, mount or folder."""

from __future__ import annotations

import json
import os
import random
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.place.drivers.place import STEPS
from tests.traces import traced
from tests.waiting import pause, wait_for
from tests.walls.canary import armed

DRIVER = Path(__file__).parent / "drivers/place.py"


def _namespaces(pids: Iterable[int], handles: ExitStack | None = None) -> set[str]:
    """The namespaces of these processes that every process of a lab shares.

    Args:
        handles: keeps the namespaces open, so that no later lab, such as one of a test beside this one, gets the number
            of one that has ended. A handle on a network or mount namespace would keep its interfaces or mounts.
    """
    namespaces = set()
    for pid in pids:
        for kind in ("user", "uts", "ipc"):
            path = f"/proc/{pid}/ns/{kind}"
            with suppress(OSError):
                if handles is not None:
                    handles.callback(os.close, os.open(path, os.O_RDONLY))
                namespaces.add(os.readlink(path))
    return namespaces


def _all_namespaces() -> set[str]:
    return _namespaces([int(name) for name in os.listdir("/proc") if name.isdigit()])


def _finish(process: Any, _: dict[str, Any]) -> None:
    process.stdin.write(b"\n")
    process.stdin.flush()


def _interrupt(process: Any, _: dict[str, Any]) -> None:
    process.send_signal(signal.SIGINT)


def _kill_program(process: Any, _: dict[str, Any]) -> None:
    process.kill()


def _kill_supervisor(_: Any, outcome: dict[str, Any]) -> None:
    os.kill(outcome["supervisor"], signal.SIGKILL)


def _kill_both(process: Any, outcome: dict[str, Any]) -> None:
    process.kill()
    os.kill(outcome["supervisor"], signal.SIGKILL)


def _kill_supervisors(_: Any, outcome: dict[str, Any]) -> None:
    _kill_at_once(_supervisors(outcome))


def _kill_all(process: Any, outcome: dict[str, Any]) -> None:
    """Nobody is left but the next start, which takes what is older than a few seconds."""
    carriers = [process.pid, *_supervisors(outcome)]
    _kill_at_once(carriers)
    wait_for(lambda: not any(map(processes.runs, [*carriers, outcome["pid"]])), "the end of the carriers and the lab")
    scratch = Path(outcome["scratch"])
    owner = scratch.stat()
    os.utime(scratch, (1, 1))
    whose = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    code = "import sys, pathlib; from frrlib.place.temporary_folder import *; remove_stale(pathlib.Path(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", code, scratch.parent], cwd=DRIVER.parents[3], check=True, **whose)


def _supervisors(outcome: dict[str, Any]) -> list[int]:
    first = outcome["supervisor"]
    return [first, *(pid for pid in processes.below(first) if processes.stat(pid)[1:2] == [str(first)])]


def _kill_at_once(pids: list[int]) -> None:
    """None of them sees the end of another."""
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in pids:
            os.kill(pid, number)


def _kill_lab(_: Any, outcome: dict[str, Any]) -> None:
    os.kill(outcome["pid"], signal.SIGKILL)


ENDS: dict[str, tuple[str, Callable[[Any, dict[str, Any]], None]]] = {
    "finished": ("finish", _finish),
    "defect": ("raise", _finish),
    "ctrl-c": ("hold", _interrupt),
    "program killed": ("hold", _kill_program),
    "supervisor killed": ("hold", _kill_supervisor),
    "program and supervisor killed": ("hold", _kill_both),
    "both supervisors killed": ("hold", _kill_supervisors),
    "all killed": ("hold", _kill_all),
    "lab killed": ("hold", _kill_lab),
}


def end(place: str, user: Any, scenario: str, act: Callable[[Any, dict[str, Any]], None]) -> None:
    """Start a lab, end it by `act`, and wait until nothing is left."""
    argv = [user.python, str(DRIVER), place, scenario, str(user.home)]
    with traced(user) as traces, ExitStack() as handles:
        process = user.popen(argv, stdin=-1, stdout=-1, stderr=-1, start_new_session=True)
        try:
            line = process.stdout.readline()
            assert line, process.stderr.read().decode()
            outcome = json.loads(line)
            tree = {outcome["supervisor"], *processes.below(outcome["supervisor"])}
            assert outcome["pid"] in tree
            namespaces = _namespaces(tree, handles) - _namespaces([os.getpid()])
            assert Path(outcome["scratch"]).exists() and traces.there(process.pid), "the test finds no running lab"
            act(process, outcome)
            assert traces.left(process.pid) == []
            assert not Path(outcome["scratch"]).exists()
            assert not namespaces & _all_namespaces()
            (results,) = user.home.glob("tmp?*")
            assert stat.S_IMODE(results.stat().st_mode) == 0o700
            assert armed(results, user.uid) == [] or act is _kill_all  # then only the owner can enter it
            assert (results / "closed").is_dir()
        finally:
            process.kill()
            process.communicate()


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
@pytest.mark.parametrize("how", sorted(ENDS))
def test_nothing_is_left(place: str, how: str, ordinary_user: Any) -> None:
    end(place, ordinary_user, *ENDS[how])


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
@pytest.mark.parametrize("step", STEPS)
def test_killed_before_a_step_of_the_start(place: str, step: str, ordinary_user: Any) -> None:
    with traced(ordinary_user) as traces:
        argv = [ordinary_user.python, str(DRIVER), place, step, str(ordinary_user.home)]
        process = ordinary_user.popen(argv, stderr=-1, start_new_session=True)
        outcome = process.communicate()[1].decode()
        assert process.returncode == -signal.SIGKILL, outcome
        assert traces.left() == []


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_killed_at_any_time(place: str, ordinary_user: Any) -> None:
    """kill -9 of the program at a random moment of its start too; LAB_SOAK says how often."""
    dice = random.Random(20)
    argv = [ordinary_user.python, str(DRIVER), place, "hold", str(ordinary_user.home)]
    for _ in range(int(os.environ.get("LAB_SOAK", "4"))):
        with traced(ordinary_user) as traces:
            process = ordinary_user.popen(argv, stdin=-1, stdout=-1, stderr=-1, start_new_session=True)
            pause(dice.uniform(0.1, 2.0))
            process.kill()
            process.communicate()
            assert traces.left() == []
