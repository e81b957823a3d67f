"""Labs of strangers, killed at random moments: nothing of them is left, and nothing outside has changed.

For each lab one of the processes that carry it, or all who could tidy up, is killed at a random moment of its run, or
the run is interrupted as a person would. Whoever calls this collects what was orphaned (`tests.traces`), so that
nothing that a lab has started escapes notice. `tests/walls/test_kills.py` does a few, `benchmarks/kills.py` two
hundred.
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
#: Latest moments of a kill, in seconds: after the start of a run, or after whoever is killed was first seen. Runs that
#: nobody ends take about as long.
_LONGEST_S, _LONGEST_SEEN_S = {"namespace": 4.0, "labkernel": 5.0}, 3.0
#: A person presses Ctrl-C again where the first one has not ended it after so many seconds.
_AGAIN_S = 5.0
#: An abandoned scratch folder is young for so long, and is not removed by the next start.
_YOUNG_S = 5.5
#: What every start of a lab does first.
_NEXT_START = (
    "from frrlib.place import temporary_folder as folder; [folder.remove_stale(each) for each in folder.candidates()]"
)


@dataclass(frozen=True)
class Carriers:
    """The processes that carry a lab; none of those that are not there yet, or no longer."""

    program: int
    keepers: tuple[int, ...] = ()
    lab: tuple[int, ...] = ()


@dataclass(frozen=True)
class Kill:
    """What was done to one lab."""

    number: int
    place: str
    stranger: str
    how: str
    at_s: float

    def __str__(self) -> str:
        return f"{self.number:3} {self.place:9} {self.stranger:8} {self.how:14} at {self.at_s:4.1f} s"


@dataclass
class Ended:
    """How one lab ended: what is wrong with that, and how long it took until nothing of it was left."""

    kill: Kill
    struck: str
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


def _carriers(program: int) -> Carriers:
    below = sorted(processes.below(program))
    keepers = [pid for pid in below if "supervisor/supervisor.py" in processes.command(pid)]
    # Until it has become another program, what a keeper starts has its name; those are at the end of the line.
    chain = [pid for pid in keepers if _parent(pid) == program]
    while chain and (child := next((pid for pid in keepers if _parent(pid) == chain[-1]), 0)):
        chain.append(child)
    first = next((pid for pid in below if len(chain) > 1 and _parent(pid) == chain[1] and pid not in chain), 0)
    lab = [first] if first else chain[2:3]
    lab += [pid for pid in below if lab and _parent(pid) == lab[0]]
    return Carriers(program, tuple(chain[:2]), tuple(lab))


def _parent(pid: int) -> int:
    fields = processes.stat(pid)
    return int(fields[1]) if fields else 0


def _strike(kill: Kill, run: subprocess.Popen[Any]) -> str:
    """Do what is planned; what was done in the end."""
    number = ASKED.get(kill.how)
    whom = KILLED.get(kill.how, KILLED["program killed"])
    while run.poll() is None and not whom(_carriers(run.pid)):
        pause(0.02)
    stop_at = time.monotonic() + kill.at_s
    while run.poll() is None and time.monotonic() < stop_at:
        pause(0.02)
    found = _carriers(run.pid)
    if run.poll() is not None:
        return "had ended by itself"
    if number is not None:
        run.send_signal(number)
        return kill.how
    # Those who are to go together are stopped first, so that none of them sees the end of another.
    for number in (signal.SIGSTOP, signal.SIGKILL):
        for pid in whom(found) or (run.pid,):
            with suppress(ProcessLookupError):
                os.kill(pid, number)
    return kill.how if whom(found) else "program killed, no such process"


#: Whom a way to end a lab kills; the program is there from the beginning, and others are waited for.
KILLED: dict[str, Callable[[Carriers], tuple[int, ...]]] = {
    "program killed": lambda found: (found.program,),
    "keeper killed": lambda found: found.keepers[:1],
    "second killed": lambda found: found.keepers[1:],
    "lab killed": lambda found: found.lab[-1:],
    "outer killed": lambda found: found.lab[:1],
    "keepers killed": lambda found: found.keepers[:2] if len(found.keepers) == 2 else (),
    "all killed": lambda found: (found.program, *found.keepers) if len(found.keepers) == 2 else (),
}
#: Ways that a person or a service manager takes.
ASKED = {"Ctrl-C": signal.SIGINT, "SIGTERM": signal.SIGTERM}
HOWS = (*KILLED, *ASKED)
#: Ways after which nobody is left who could tidy up but the next start.
_NOBODY_LEFT = ("all killed",)


def plan(number_of: int, seed: int) -> Iterator[Kill]:
    """Which labs are ended how and when; each stranger in each place, and each way, comes equally often."""
    dice = random.Random(seed)
    strangers = [(place, name) for name in STRANGERS for place in PLACES]
    order: list[tuple[str, str]] = []
    ways: list[str] = []
    for number in range(number_of):
        order = order or dice.sample(strangers, len(strangers))
        ways = ways or dice.sample(HOWS, len(HOWS))
        place, stranger = order.pop()
        how = ways.pop()
        from_the_start = how in ("program killed", *ASKED)
        longest_s = _LONGEST_S[place] if from_the_start else _LONGEST_SEEN_S
        yield Kill(number, place, stranger, how, round(dice.uniform(0.3 if from_the_start else 0.0, longest_s), 2))


class Range:
    """A user's folders: one with drawings and with what must not change, one for results; and a program beside.

    Args:
        user: an `ordinary_user`.
    """

    def __init__(self, user: Any) -> None:
        self.user, self.folder = user, user.home / "labs"
        self.shown, self.out = self.folder / "canary", user.home / "out"
        self.folder.mkdir()
        os.chown(self.folder, user.uid, user.gid)
        canary.make(self.shown, user.uid, user.gid)
        self.before = canary.taken(self.shown, self._names())
        self.bystander: subprocess.Popen[Any] = user.popen(["sleep", "100000"])
        # What the places can do is found out once, in labs of its own, which nobody is to take for the stranger's.
        user.run([user.python, "-m", "miniedit_frr", "places"], timeout=PATIENCE_S)

    def _names(self) -> set[str]:
        """All paths that the tree has, those in folders that their owner cannot list, too."""
        plain = [path.name for path in (self.shown / "plain").iterdir()]
        return {str(Path(folder.name) / name) for folder in self.shown.iterdir() for name in plain}

    def close(self) -> None:
        """End what was started beside."""
        self.bystander.kill()
        self.bystander.wait()

    def drawing(self, stranger: str) -> Path:
        """A drawing of two hosts and a flow, the first host with a stranger's start command."""
        net = Network(stranger, wait=Wait(ping_count=0))
        net.host("h1", start_command=STRANGERS[stranger].replace("@SHOWN@", str(self.shown)))
        net.host("h2")
        net.link("h1", "h2", both=Shape(rate_mbit=5, queue_packets=50))
        net.flow("f", "h1", "h2", duration_s=2)
        path: Path = self.folder / f"{stranger}.mn"
        path.write_text(mn.dumps(net.topology), encoding="utf-8")
        return path

    def changed(self) -> list[str]:
        """What is not as it was, a line for each."""
        now = canary.taken(self.shown, set(self.before))
        lines = [
            f"changed: {name}: {self.before.get(name)} to {now.get(name)}"
            for name in sorted({*self.before, *now})
            if self.before.get(name) != now.get(name)
        ]
        return lines + (["a program outside was ended"] if self.bystander.poll() is not None else [])


def one(kill: Kill, place: Range) -> Ended:
    """Run a stranger's lab, end it as planned, and look at what is left."""
    drawing, log = place.drawing(kill.stranger), place.folder / "said.txt"
    argv = [place.user.python, "-m", "miniedit_frr", "run", str(drawing), "--place", kill.place, "--trust"]
    with traced(place.user) as traces, log.open("w") as said:
        run = place.user.popen([*argv, "--out", str(place.out)], stdin=subprocess.DEVNULL, stdout=said, stderr=said)
        struck = _strike(kill, run)
        ended = Ended(kill, struck)
        killed_s = time.monotonic()
        _await_end(run, kill, ended)
        nobody = struck in _NOBODY_LEFT
        if nobody:
            pause(_YOUNG_S)
            place.user.run([place.user.python, "-c", _NEXT_START])
        ended.wrong += [f"left: {line}" for line in traces.left()]
        ended.seconds = time.monotonic() - killed_s
    ended.wrong += place.changed()
    ended.wrong += _results(place, nobody)
    words = log.read_text(encoding="utf-8", errors="replace")
    if "Traceback" in words or "\x1b" in words:
        ended.wrong.append(f"it said: {words[-3000:]!r}")
    return ended


def _await_end(run: subprocess.Popen[Any], kill: Kill, ended: Ended) -> None:
    """Wait for the program to end, whatever was killed."""
    for again in (kill.how == "Ctrl-C", False):
        try:
            run.wait(_AGAIN_S if again else PATIENCE_S)
            return
        except subprocess.TimeoutExpired:
            if again:
                run.send_signal(signal.SIGINT)
    ended.wrong.append(f"the program did not end within {PATIENCE_S:.0f} s")
    run.kill()
    run.wait()


def _results(place: Range, nobody: bool) -> list[str]:
    """What is wrong with the results folder; it is gone afterwards."""
    if not place.out.exists():
        return []
    files = place.out / "files"
    wrong = []
    if not (nobody and files.exists() and stat.S_IMODE(files.stat().st_mode) & 0o077 == 0):
        # else nobody has disarmed it, and nobody but its owner gets in
        wrong = [f"results: {line}" for line in canary.armed(place.out, place.user.uid)]
    if nobody:
        wrong += [f"results: {left}" for left in [removal.remove(place.out)] if left]
    else:
        try:
            shutil.rmtree(place.out)
        except OSError as error:
            wrong.append(f"results: {error}")
            removal.remove(place.out)
    return wrong
