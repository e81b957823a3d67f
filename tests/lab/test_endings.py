"""However a run ends, nothing of it is left: no process, namespace, interface, mount or temporary folder."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.waiting import PATIENCE_S, comes, pause, wait_for

pytestmark = [pytest.mark.lab, pytest.mark.alone, pytest.mark.timeout(240)]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
#: How often to kill at a random moment; a soak raises it.
ROUNDS = int(os.environ.get("MINIEDIT_FRR_KILLS", "3"))
PLACES = {"namespace": "two-as-no-delay.mn", "labkernel": "two-as-bgp.mn"}
#: Where scratch folders may be, besides the user's own TMPDIR.
TEMPORARY = (Path("/tmp"), Path("/dev/shm"), Path("/var/tmp"))


def processes() -> dict[int, str]:
    """Every process with its command line; those that end meanwhile are left out."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with suppress(OSError):
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z":
                    line = (folder / "cmdline").read_bytes().replace(b"\0", b" ")
                    found[int(folder.name)] = line.decode(errors="replace")
    return found


def namespaces() -> set[str]:
    """All namespaces in which some process is."""
    found = set()
    for link in Path("/proc").glob("[0-9]*/ns/*"):
        with suppress(OSError):
            found.add(os.readlink(link))
    return found


def temporary(home: Path) -> set[str]:
    """Names in all folders for temporary files."""
    return {str(path) for folder in (*TEMPORARY, home / "tmp") for path in folder.iterdir() if "frr" in path.name}


class Traces:
    """What there was before, to be compared with what there is."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._before = self._now()

    def _now(self) -> dict[str, set[Any]]:
        lab_words = ("frrlib", "linux", "zebra", "bgpd", "iperf3", "sshd", "keeper")
        return {
            "processes": {(pid, line) for pid, line in processes().items() if any(word in line for word in lab_words)},
            "interfaces": set(os.listdir("/sys/class/net")),
            "mounts": set(Path("/proc/mounts").read_text().splitlines()),
            "folders": temporary(self._home),
        }

    def left(self) -> dict[str, set[Any]]:
        """What is new since, after some patience."""
        comes(lambda: not self._new())
        return self._new()

    def _new(self) -> dict[str, set[Any]]:
        now = self._now()
        return {kind: now[kind] - self._before[kind] for kind in now if now[kind] - self._before[kind]}


@pytest.fixture
def traces(ordinary_user: Any) -> Iterator[Traces]:
    """Compares at the end too, whatever the test did."""
    found = Traces(ordinary_user.home)
    yield found
    assert found.left() == {}


def start(ordinary_user: Any, place: str, out: Path) -> subprocess.Popen[Any]:
    """A run of an example in a place, of some 25 seconds."""
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


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL], ids=lambda s: s.name)
def test_nothing_is_left_when_flows_are_cut(
    ordinary_user: Any, traces: Traces, place: str, ending: signal.Signals
) -> None:
    out = ordinary_user.home / "out"
    process = start(ordinary_user, place, out)
    wait_for(lambda: sampled(out), "its samples")
    # A terminal sends Ctrl-C to the whole group.
    os.killpg(process.pid, ending) if ending == signal.SIGINT else process.send_signal(ending)
    status = process.wait(PATIENCE_S)
    assert traces.left() == {}
    if ending == signal.SIGINT:
        assert status == 130
        assert json.loads((out / "run.json").read_text())["status"] == "interrupted"
    # What was measured until then is kept.
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
        assert traces.left() == {}, f"killed after {moment_s:.2f} s"
