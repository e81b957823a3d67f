"""Untrusted labs, killed at random moments: nothing of them is left, and nothing outside has changed.

For each lab, at a random moment of its run, one of the processes that carry it, or all that could clean up, is killed,
or the run is interrupted by a signal. The caller adopts orphaned processes (`tests.traces`), so no process of a lab
escapes notice. `tests/walls/test_kills.py` does a few, `benchmarks/kills.py` two hundred.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import stat
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from frrlib.formats import mn
from frrlib.network.network import Network, Shape, Wait
from frrlib.system import removal
from tests import processes
from tests.traces import traced
from tests.waiting import PATIENCE_S, pause
from tests.walls import canary
from tests.walls.strangers import STRANGERS

PLACES = ("namespace", "labkernel")
#: Latest moments of a kill, in seconds: after the start of a run, or after the killed process was first found. Runs
#: that are not killed take about as long.
_LONGEST_S, _LONGEST_SEEN_S = {"namespace": 4.0, "labkernel": 5.0}, 3.0
#: Ctrl-C is pressed again if the first one has not ended the program after this time.
_AGAIN_S = 5.0
#: An abandoned scratch folder counts as new for this time, and is not removed by the next start.
_YOUNG_S = 5.5
#: The first action of every start of a lab.
_NEXT_START = (
    "from frrlib.place import temporary_folder as folder; [folder.remove_stale(path) for path in folder.candidates()]"
)


@dataclass(frozen=True)
class Carriers:
    """The processes that carry a lab, as far as they exist."""

    program: int
    supervisors: tuple[int, ...] = ()
    lab: tuple[int, ...] = ()


@dataclass(frozen=True)
class Kill:
    """The end of one lab: how and when it is killed."""

    number: int
    place: str
    stranger: str
    how: str
    at_s: float

    def __str__(self) -> str:
        return f"{self.number:3} {self.place:9} {self.stranger:8} {self.how:14} at {self.at_s:4.1f} s"


@dataclass
class LabEnd:
    """The end of one lab: its defects, and the seconds until nothing of it was left."""

    kill: Kill
    struck: str
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


def _carriers(program: int) -> Carriers:
    below = sorted(processes.below(program))
    supervisors = [pid for pid in below if "supervisor/supervisor.py" in processes.command(pid)]
    # A child of a supervisor has its command until it executes another program. Such children end the chain.
    chain = [pid for pid in supervisors if _parent(pid) == program]
    while chain and (child := next((pid for pid in supervisors if _parent(pid) == chain[-1]), 0)):
        chain.append(child)
    first = next((pid for pid in below if len(chain) > 1 and _parent(pid) == chain[1] and pid not in chain), 0)
    lab = [first] if first else chain[2:3]
    lab += [pid for pid in below if lab and _parent(pid) == lab[0]]
    return Carriers(program, tuple(chain[:2]), tuple(lab))


def _parent(pid: int) -> int:
    fields = processes.stat(pid)
    return int(fields[1]) if fields else 0


def _strike(kill: Kill, run: subprocess.Popen[Any]) -> str:
    """Do what is planned. Returns what was done."""
    number = SIGNALS.get(kill.how)
    targets = KILLED.get(kill.how, KILLED["program killed"])
    while run.poll() is None and not targets(_carriers(run.pid)):
        pause(0.02)
    stop_at = time.monotonic() + kill.at_s
    while run.poll() is None and time.monotonic() < stop_at:
        pause(0.02)
    carriers = _carriers(run.pid)
    if run.poll() is not None:
        return "had ended by itself"
    if number is not None:
        run.send_signal(number)
        return kill.how
    # Processes that are killed together are stopped first, so that none of them notices the end of another.
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in targets(carriers) or (run.pid,):
            with suppress(ProcessLookupError):
                os.kill(pid, number)
    return kill.how if targets(carriers) else "program killed, no such process"


#: The processes that are killed. The program exists from the beginning, and others are awaited.
KILLED: dict[str, Callable[[Carriers], tuple[int, ...]]] = {
    "program killed": lambda carriers: (carriers.program,),
    "supervisor killed": lambda carriers: carriers.supervisors[:1],
    "second killed": lambda carriers: carriers.supervisors[1:],
    "lab killed": lambda carriers: carriers.lab[-1:],
    "outer killed": lambda carriers: carriers.lab[:1],
    "supervisors killed": lambda carriers: carriers.supervisors[:2] if len(carriers.supervisors) == 2 else (),
    "all killed": lambda carriers: (carriers.program, *carriers.supervisors) if len(carriers.supervisors) == 2 else (),
}
#: Signals of a person or a service manager.
SIGNALS = {"Ctrl-C": signal.SIGINT, "SIGTERM": signal.SIGTERM}
HOWS = (*KILLED, *SIGNALS)
#: Ends after which only the next start can clean up.
_ALL_GONE = ("all killed",)


def plan(number_of: int, seed: int) -> Iterator[Kill]:
    """The order, place and time of kills. Each stranger in each place, and each way to end it, is equally frequent."""
    dice = random.Random(seed)
    strangers = [(place, name) for name in STRANGERS for place in PLACES]
    order: list[tuple[str, str]] = []
    hows: list[str] = []
    for number in range(number_of):
        order = order or dice.sample(strangers, len(strangers))
        hows = hows or dice.sample(HOWS, len(HOWS))
        place, stranger = order.pop()
        how = hows.pop()
        from_the_start = how in ("program killed", *SIGNALS)
        longest_s = _LONGEST_S[place] if from_the_start else _LONGEST_SEEN_S
        yield Kill(number, place, stranger, how, round(dice.uniform(0.3 if from_the_start else 0.0, longest_s), 2))


class Range:
    """A user's folders: one with topologies and with files that must not change, and one for results; and a program
    beside.

    Args:
        user: an `ordinary_user`.
    """

    def __init__(self, user: Any) -> None:
        self.user, self.folder = user, user.home / "labs"
        self.shown, self.out = self.folder / "canary", user.home / "out"
        self.folder.mkdir()
        os.chown(self.folder, user.uid, user.gid)
        canary.make(self.shown, user.uid, user.gid)
        self.before = canary.state_of(self.shown, self._names())
        self.bystander: subprocess.Popen[Any] = user.popen(["sleep", "100000"])
        # The abilities of places are probed once, in labs of their own, which must not be mistaken for the stranger's.
        user.run([user.python, "-m", "miniedit_frr", "places"], timeout=PATIENCE_S)

    def _names(self) -> set[str]:
        """All paths of the tree, including those in folders that their owner cannot list."""
        plain = [path.name for path in (self.shown / "plain").iterdir()]
        return {str(Path(folder.name) / name) for folder in self.shown.iterdir() for name in plain}

    def close(self) -> None:
        """End the program beside."""
        self.bystander.kill()
        self.bystander.wait()

    def topology_file(self, stranger: str) -> Path:
        """The file of a topology of two hosts and a flow. The first host has a stranger's start command."""
        net = Network(stranger, wait=Wait(ping_count=0))
        net.host("h1", start_command=STRANGERS[stranger].replace("@SHOWN@", str(self.shown)))
        net.host("h2")
        net.link("h1", "h2", both=Shape(rate_mbit=5, queue_packets=50))
        net.flow("f", "h1", "h2", duration_s=2)
        path: Path = self.folder / f"{stranger}.mn"
        path.write_text(mn.dumps(net.topology), encoding="utf-8")
        return path

    def changed(self) -> list[str]:
        """Differences from the initial state, a line for each."""
        now = canary.state_of(self.shown, set(self.before))
        lines = [
            f"changed: {name}: {self.before.get(name)} to {now.get(name)}"
            for name in sorted({*self.before, *now})
            if self.before.get(name) != now.get(name)
        ]
        return lines + (["a program outside was ended"] if self.bystander.poll() is not None else [])


def run_and_kill(kill: Kill, place: Range) -> LabEnd:
    """Run a stranger's lab, end it as planned, and check that nothing is left."""
    topology_file, log = place.topology_file(kill.stranger), place.folder / "said.txt"
    argv = [place.user.python, "-m", "miniedit_frr", "run", str(topology_file), "--place", kill.place, "--trust"]
    with traced(place.user) as traces, log.open("w") as output:
        run = place.user.popen([*argv, "--out", str(place.out)], stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        struck = _strike(kill, run)
        ended = LabEnd(kill, struck)
        killed_s = time.monotonic()
        _await_end(run, kill, ended)
        nobody_left = struck in _ALL_GONE
        if nobody_left:
            pause(_YOUNG_S)
            place.user.run([place.user.python, "-c", _NEXT_START])
        ended.wrong += [f"left: {line}" for line in traces.left()]
        ended.seconds = time.monotonic() - killed_s
    ended.wrong += place.changed()
    ended.wrong += _results(place, nobody_left)
    text = log.read_text(encoding="utf-8", errors="replace")
    if "Traceback" in text or "\x1b" in text:
        ended.wrong.append(f"it said: {text[-3000:]!r}")
    return ended


def _await_end(run: subprocess.Popen[Any], kill: Kill, ended: LabEnd) -> None:
    """Wait for the program to end, whatever was killed."""
    for may_repeat in (kill.how == "Ctrl-C", False):
        try:
            run.wait(_AGAIN_S if may_repeat else PATIENCE_S)
            return
        except subprocess.TimeoutExpired:
            if may_repeat:
                run.send_signal(signal.SIGINT)
    ended.wrong.append(f"the program did not end within {PATIENCE_S:.0f} s")
    run.kill()
    run.wait()


def _results(place: Range, nobody_left: bool) -> list[str]:
    """The defects of the results folder, which is removed afterwards."""
    if not place.out.exists():
        return []
    files = place.out / "files"
    wrong = []
    if not (nobody_left and files.exists() and stat.S_IMODE(files.stat().st_mode) & 0o077 == 0):
        # otherwise no process disarmed the folder, and only its owner can enter it
        wrong = [f"results: {line}" for line in canary.armed(place.out, place.user.uid)]
    if nobody_left:
        wrong += [f"results: {remaining}" for remaining in [removal.remove(place.out)] if remaining]
    else:
        try:
            shutil.rmtree(place.out)
        except OSError as error:
            wrong.append(f"results: {error}")
            removal.remove(place.out)
    return wrong
