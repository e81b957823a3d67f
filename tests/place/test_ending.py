"""However a lab ends, within 5 s nothing of it is left: no process, namespace, interface, mount or folder."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.waiting import pause, wait_for

DRIVER = Path(__file__).with_name("driver.py")


@dataclass(frozen=True)
class Traces:
    """What must be gone: processes, told from later ones of the same number by their start time, and
    names."""

    processes: frozenset[tuple[int, str]]
    namespaces: frozenset[str]
    scratch: Path

    def left(self) -> list[str]:
        """What is still there."""
        found = [f"process {pid}" for pid, started in self.processes if _started(pid) == started]
        found += [f"namespace {name}" for name in _namespaces(_pids()) & self.namespaces]
        if self.scratch.exists():
            found.append(f"folder {self.scratch}")
        if self.scratch.name in Path("/proc/mounts").read_text():
            found.append("a mount")
        return found


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _started(pid: int) -> str:
    fields = processes.stat(pid)
    return fields[19] if fields and fields[0] not in "ZX" else ""


def _namespaces(pids: list[int]) -> set[str]:
    found = set()
    for pid in pids:
        for kind in ("net", "mnt", "pid", "user", "uts", "ipc"):
            try:
                found.add(os.readlink(f"/proc/{pid}/ns/{kind}"))
            except OSError:
                continue
    return found


def _take(said: dict[str, Any]) -> Traces:
    tree = {said["keeper"], *processes.below(said["keeper"])}
    assert said["pid"] in tree
    return Traces(
        frozenset((pid, _started(pid)) for pid in tree if _started(pid)),
        frozenset(_namespaces(sorted(tree)) - _namespaces([os.getpid()])),
        Path(said["scratch"]),
    )


def _finish(process: Any, _: dict[str, Any]) -> None:
    process.stdin.write(b"\n")
    process.stdin.flush()


def _interrupt(process: Any, _: dict[str, Any]) -> None:
    process.send_signal(signal.SIGINT)


def _kill_program(process: Any, _: dict[str, Any]) -> None:
    process.kill()


def _kill_keeper(_: Any, said: dict[str, Any]) -> None:
    os.kill(said["keeper"], signal.SIGKILL)


def _kill_both(process: Any, said: dict[str, Any]) -> None:
    process.kill()
    os.kill(said["keeper"], signal.SIGKILL)


def _kill_lab(_: Any, said: dict[str, Any]) -> None:
    os.kill(said["pid"], signal.SIGKILL)


ENDS: dict[str, tuple[str, Callable[[Any, dict[str, Any]], None]]] = {
    "finished": ("finish", _finish),
    "defect": ("raise", _finish),
    "ctrl-c": ("hold", _interrupt),
    "program killed": ("hold", _kill_program),
    "keeper killed": ("hold", _kill_keeper),
    "program and keeper killed": ("hold", _kill_both),
    "lab killed": ("hold", _kill_lab),
}


def end(place: str, user: Any, scenario: str, act: Callable[[Any, dict[str, Any]], None]) -> None:
    """Start a lab, end it by `act`, and wait until nothing is left."""
    interfaces = set(os.listdir("/sys/class/net"))
    process = user.popen(
        [user.python, str(DRIVER), place, scenario, str(user.home)],
        stdin=-1,
        stdout=-1,
        stderr=-1,
        start_new_session=True,
    )
    try:
        line = process.stdout.readline()
        assert line, process.stderr.read().decode()
        said = json.loads(line)
        traces = _take(said)
        assert traces.left(), "the test sees nothing of a running lab"
        act(process, said)
        all_gone(traces)
        assert set(os.listdir("/sys/class/net")) == interfaces
    finally:
        process.kill()
        process.communicate()


def all_gone(traces: Traces) -> None:
    wait_for(lambda: not traces.left(), lambda: f"the end of {traces.left()}")


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
@pytest.mark.parametrize("how", sorted(ENDS))
def test_nothing_is_left(place: str, how: str, ordinary_user: Any) -> None:
    end(place, ordinary_user, *ENDS[how])


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_killed_at_any_time(place: str, ordinary_user: Any) -> None:
    """kill -9 of the program at a random moment of its start too; LAB_SOAK says how often."""
    dice = random.Random(20)
    for _ in range(int(os.environ.get("LAB_SOAK", "4"))):
        argv = [ordinary_user.python, str(DRIVER), place, "hold", str(ordinary_user.home)]
        process = ordinary_user.popen(argv, stdin=-1, stdout=-1, stderr=-1, start_new_session=True)
        pause(dice.uniform(0.1, 2.0))
        tree = processes.below(process.pid)
        traces = Traces(frozenset((pid, _started(pid)) for pid in tree if _started(pid)), frozenset(), Path("/nowhere"))
        process.kill()
        process.communicate()
        all_gone(traces)
