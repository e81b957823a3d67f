"""A lab behind a window: what the session tells, what it answers, and that it ends when it is told to."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import frrlib.lab
from frrlib import wire
from frrlib.errors import Interrupted, LabFailed, PlaceError
from frrlib.formats import mn
from frrlib.lab import Lab
from frrlib.model.topology import Topology
from miniedit_frr import terminals
from miniedit_frr.session import Session
from miniedit_frr.session_events import (
    Answer,
    Event,
    LinkState,
    Log,
    NodeState,
    Order,
    PairPinged,
    RunFinished,
    State,
    StateChanged,
    StepProgress,
)
from miniedit_frr.session_questions import Said

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
#: Long enough for a busy machine; no test waits for it to pass.
PATIENCE_S = 60.0
#: How often to end a lab at a random moment; a soak raises it.
ROUNDS = int(os.environ.get("MINIEDIT_FRR_KILLS", "5"))


@pytest.fixture(scope="module")
def topology() -> Topology:
    """h1 - r1 - r2 - h2, two autonomous systems with BGP between them."""
    return mn.load(EXAMPLES / "two-as-no-delay.mn").topology


class Watch:
    """A session and all events that were polled of it."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.events: list[Event] = []

    def until(self, wanted: Callable[[Event], bool]) -> Event:
        """Poll until such an event came (or had come) and return the first."""
        deadline_s = time.monotonic() + PATIENCE_S
        seen = 0
        while True:
            self.events += self.session.poll()
            for event in self.events[seen:]:
                if wanted(event):
                    return event
            seen = len(self.events)
            if time.monotonic() > deadline_s:
                pytest.fail("no such event; there were:\n" + "\n".join(map(str, self.events)))
            time.sleep(0.005)

    def until_state(self, state: State) -> StateChanged:
        """Poll until the session has told of this state."""
        event = self.until(lambda each: isinstance(each, StateChanged) and each.state is state)
        assert isinstance(event, StateChanged)
        return event

    def until_end(self) -> StateChanged:
        """Poll until the lab has ended, in whatever way."""
        ends = (State.IDLE, State.FAILED)
        event = self.until(lambda each: isinstance(each, StateChanged) and each.state in ends)
        assert isinstance(event, StateChanged)
        return event

    def answer(self, number: int) -> Answer:
        """Poll until the question of that number is answered."""
        event = self.until(lambda each: isinstance(each, Answer) and each.number == number)
        assert isinstance(event, Answer)
        return event

    def result(self, number: int) -> Any:
        """The result of a question that must succeed."""
        answer = self.answer(number)
        assert answer.error == ""
        return answer.result

    def states(self) -> list[State]:
        """All states, in order."""
        self.events += self.session.poll()
        return [event.state for event in self.events if isinstance(event, StateChanged)]


# --- without a lab ------------------------------------------------------------------------------------------------


class FakeLab:
    """Stands for a lab that hangs at a chosen point, which no real one does on demand."""

    place_reason = "a fake"

    def __init__(self, topology: Topology, *, hang: str = "wait", error: BaseException | None = None) -> None:
        self.topology, self._hang, self._error = topology, hang, error
        self.facts: dict[str, Any] = {}
        self.failed_commands: dict[str, str] = {}
        self.said: list[str] = []
        self.interrupted, self.ended = threading.Event(), threading.Event()

    def _point(self, name: str) -> None:
        self.said.append(name)
        if name == self._hang:
            if self._error is not None:
                raise self._error
            assert self.interrupted.wait(PATIENCE_S)
            raise Interrupted

    def attach(self, *, listener: Callable[[wire.Message], None], writable: Path | None = None) -> None:
        self._listener = listener

    def __enter__(self) -> FakeLab:
        try:
            self._point("start")
        except BaseException:
            self.ended.set()
            raise
        self._listener(wire.Step("build", "done", 1.0, "0.1 s"))
        return self

    def __exit__(self, *_: object) -> None:
        self.ended.set()

    def wait(self) -> None:
        self._point("wait")

    def interrupt(self, *, hard: bool = False) -> None:
        self.said.append("hard" if hard else "soft")
        self.interrupted.set()


def fake_session(**settings: Any) -> tuple[Watch, list[FakeLab]]:
    """A session whose labs are fakes, and the list that they come into."""
    made: list[FakeLab] = []

    def make(topology: Topology, *, place: str, kernel: Path | None) -> Any:
        made.append(FakeLab(topology, **settings))
        return made[-1]

    return Watch(Session(make)), made


def test_a_start_that_hangs_is_cancelled(topology: Topology) -> None:
    watch, labs = fake_session(hang="start")
    watch.session.start(Order(topology))
    watch.until(lambda event: event == StepProgress("place", "done", "a fake"))
    while not labs[0].said:
        time.sleep(0.001)
    watch.session.cancel()
    watch.until_end()
    assert watch.states() == [State.STARTING, State.STOPPING, State.IDLE]
    assert labs[0].said == ["start", "hard"]
    assert labs[0].ended.is_set()


def test_stop_means_at_once_while_starting_and_in_order_while_running(topology: Topology) -> None:
    for hang, said in (("start", ["start", "hard"]), ("wait", ["start", "wait", "soft"])):
        watch, labs = fake_session(hang=hang)
        watch.session.start(Order(topology))
        while not labs or hang not in labs[0].said:
            time.sleep(0.001)
        watch.session.stop()
        watch.until_end()
        assert labs[0].said == said


def test_a_search_for_a_place_that_hangs_is_left_to_itself(topology: Topology) -> None:
    go, came = threading.Event(), threading.Event()
    labs: list[FakeLab] = []

    def make(topology: Topology, **_: Any) -> Any:
        came.set()
        assert go.wait(PATIENCE_S)
        labs.append(FakeLab(topology))
        return labs[0]

    watch = Watch(Session(make))
    watch.session.start(Order(topology))
    assert came.wait(PATIENCE_S)
    searching = [thread for thread in threading.enumerate() if thread.name == "session"]
    watch.session.cancel()
    assert watch.session.state is State.IDLE
    before = (watch.states(), len(watch.events))
    go.set()
    for thread in searching:
        thread.join(PATIENCE_S)
    assert labs[0].said == []  # it was never started
    assert (watch.states(), len(watch.events)) == before  # and nothing was heard of it


def test_one_lab_at_a_time(topology: Topology) -> None:
    watch, _ = fake_session()
    watch.session.start(Order(topology))
    with pytest.raises(LabFailed, match="a lab is running"):
        watch.session.start(Order(topology))
    watch.until_state(State.RUNNING)
    watch.session.close()
    assert watch.states()[-1] is State.IDLE
    with pytest.raises(LabFailed, match="closed"):
        watch.session.start(Order(topology))


def test_flows_need_a_folder(topology: Topology) -> None:
    with pytest.raises(LabFailed, match="folder"):
        Session().start(Order(topology, flows=True))


@pytest.mark.parametrize("hang", ["start", "wait"])
@pytest.mark.parametrize(
    ("error", "why"),
    [
        (LabFailed("r1: bgpd refused line 3"), "r1: bgpd refused line 3"),
        (
            PlaceError("there is no ssh-keygen", "apt-get install it"),
            "there is no ssh-keygen. Remedy: apt-get install it",
        ),
        (ZeroDivisionError("a defect"), "ZeroDivisionError: a defect"),
        (SystemExit(), "SystemExit"),
    ],
    ids=["lab", "machine", "defect", "exit"],
)
def test_no_failure_is_lost(topology: Topology, hang: str, error: BaseException, why: str) -> None:
    watch, _ = fake_session(hang=hang, error=error)
    watch.session.start(Order(topology))
    assert watch.until_end() == StateChanged(State.FAILED, why)
    failed = [event.node for event in watch.events if isinstance(event, NodeState) and event.state == "failed"]
    assert failed == (["r1"] if "r1" in why else [])
    if not isinstance(error, LabFailed | PlaceError):
        assert any(isinstance(event, Log) and "Traceback" in event.text for event in watch.events)
    watch.session.start(Order(topology))  # a failure is no end of the session
    watch.session.close()


def test_what_cannot_be_made_is_told(topology: Topology) -> None:
    watch = Watch(Session())
    watch.session.start(Order(topology, place="nowhere"))
    assert "there is no place 'nowhere'" in watch.until_end().why


def test_questions_without_a_lab_are_answered() -> None:
    watch = Watch(Session())
    numbers = [watch.session.routes("r1"), watch.session.ping_matrix(), watch.session.set_link("l1", up=False)]
    assert len(set(numbers)) == 3
    assert [watch.answer(number).error for number in numbers] == ["no lab is running"] * 3


def test_a_question_that_hangs_holds_up_no_other(topology: Topology) -> None:
    watch, _ = fake_session()
    watch.session.start(Order(topology))
    watch.until_state(State.RUNNING)
    go = threading.Event()
    slow = [watch.session.ask(lambda _: go.wait(PATIENCE_S)) for _ in range(20)]
    assert watch.result(watch.session.ask(lambda lab: lab.place_reason)) == "a fake"
    assert not any(isinstance(event, Answer) and event.number in slow for event in watch.events)
    go.set()
    assert all(watch.result(number) for number in slow)
    assert watch.answer(watch.session.ask(lambda _: 1 / 0)).error == "ZeroDivisionError: division by zero"
    watch.session.close()


# --- with a lab ---------------------------------------------------------------------------------------------------


def processes_below(parent: int) -> set[int]:
    """All processes that descend from one."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    found, new = set(), {parent}
    while new:
        new = {pid for pid, above in parents.items() if above in new} - found
        found |= new
    return found


def gone(pids: set[int]) -> bool:
    """Whether none of the processes runs, after waiting for it."""
    deadline_s = time.monotonic() + PATIENCE_S
    while any(runs(pid) for pid in pids) and time.monotonic() < deadline_s:
        time.sleep(0.01)
    return not any(runs(pid) for pid in pids)


def runs(pid: int) -> bool:
    """Whether a process is there and has not ended; in a container nobody may collect what has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def lab_process(watch: Watch) -> int:
    """The process that is the lab, as seen from outside."""
    run = watch.session._run
    assert run is not None and run.lab is not None and run.lab._habitat is not None
    return run.lab._habitat.pid


@pytest.fixture
def running(topology: Topology) -> Iterator[Watch]:
    """A session whose lab runs; afterwards nothing of it may be left."""
    before = processes_below(os.getpid())
    watch = Watch(Session())
    watch.session.start(Order(topology, place="namespace"))
    try:
        watch.until_state(State.RUNNING)
        yield watch
    finally:
        of_lab = processes_below(os.getpid()) - before
        watch.session.close()
    assert gone(of_lab)


@pytest.mark.lab
def test_a_lab_from_its_menus(running: Watch, topology: Topology) -> None:
    """Everything that a right click offers, in one lab."""
    names = {node.name for node in topology.nodes}
    up = {event.node for event in running.events if isinstance(event, NodeState) and event.state == "up"}
    assert up == names
    links = {event.link for event in running.events if isinstance(event, LinkState) and event.state == "up"}
    assert links == {link.id for link in topology.links}
    assert [e.name for e in running.events if isinstance(e, StepProgress) and e.state == "done"][-1] == "build"

    session = running.session
    running.result(session.ask(lambda lab: lab.wait_routes()))
    asked = {
        "version": session.vtysh("r1", "show version"),
        "host": session.execute("h1", "hostname"),
        "failing": session.execute("h1", "sh", "-c", "echo no >&2; exit 7"),
        "routes": session.routes("r1"),
        "interfaces": session.interfaces("h1"),
        "ping": session.ping("h1", "h2"),
        "way": session.traceroute("h1", "h2"),
        "queues": session.queues(topology.links[1].id),
        "matrix": session.ping_matrix(),
    }
    found = {name: running.result(number) for name, number in asked.items()}
    assert "FRRouting" in found["version"]
    assert found["host"] == Said(0, "h1\n", "")
    assert found["failing"] == Said(7, "", "no\n")
    assert {"dst": "10.1.0.0/16", "protocol": "bgp"}.items() <= next(
        route for route in found["routes"] if route["dst"] == "10.1.0.0/16"
    ).items()
    addresses = [each["local"] for port in found["interfaces"] for each in port["addr_info"]]
    assert "10.0.0.10" in addresses
    assert found["ping"]["received"] == 3
    assert [hop.node for hop in found["way"]] == ["r1", "r2", "h2"]
    assert found["way"][-1].address == "10.1.0.10"
    ends = {end.node for end in topology.links[1].ends}
    assert {name.partition("-")[0] for name in found["queues"]} == ends
    assert all(queues[0]["packets"] >= 0 for queues in found["queues"].values())
    assert set(found["matrix"]) == {("h1", "h2"), ("h2", "h1")}
    assert all(rtt_ms is not None for rtt_ms in found["matrix"].values())
    pairs = [event for event in running.events if isinstance(event, PairPinged)]
    assert sorted((event.done, event.total) for event in pairs) == [(1, 2), (2, 2)]

    given_up = session.ping_matrix(sorted(names))
    session.drop(given_up)
    assert running.answer(given_up).error == "given up"
    assert running.answer(session.execute("nobody", "true")).error
    assert "nobody" in running.answer(session.vtysh("nobody", "show version")).error
    assert "h1 has no start command" in running.answer(session.node_command("h1", "start")).error


@pytest.mark.lab
def test_a_link_goes_down_and_comes_back(running: Watch, topology: Topology) -> None:
    session = running.session
    link = next(link for link in topology.links if {end.node for end in link.ends} == {"h1", "r1"})
    assert running.result(session.ping("h1", "r1", 1))["received"] == 1
    running.result(session.set_link(link.id, up=False))
    assert LinkState(link.id, "down") in running.events
    states = {port["ifname"]: port["operstate"] for port in running.result(session.interfaces("h1"))}
    assert states["h1-eth0"] != "UP"
    assert running.result(session.ping_matrix(["h1", "r1"])) == {("h1", "r1"): None, ("r1", "h1"): None}
    running.result(session.set_link(link.id, up=True))
    assert running.result(session.ping("h1", "r1", 1))["received"] == 1
    assert "there is no link" in running.answer(session.queues("l99")).error


@pytest.mark.lab
def test_a_daemon_that_dies_is_told(running: Watch) -> None:
    running.result(running.session.kill_daemon("r2", "bgpd"))
    event = running.until(lambda each: isinstance(each, NodeState) and each.state == "failed")
    assert isinstance(event, NodeState)
    assert event.node == "r2"
    assert event.why.startswith("bgpd ended with status -9")
    assert running.session.state is State.RUNNING


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_a_lab_that_dies_is_told(topology: Topology, place: str) -> None:
    watch = Watch(Session())
    watch.session.start(Order(topology, place=place))
    try:
        watch.until_state(State.RUNNING)
        slow = watch.session.execute("h1", "sleep", "30")
        watch.result(watch.session.execute("h1", "true"))
        os.kill(lab_process(watch), signal.SIGKILL)
        assert f"the lab in {place} has ended" in watch.until_end().why
        assert watch.session.state is State.FAILED
        assert watch.answer(slow).error
    finally:
        watch.session.close()
    assert watch.states() == [State.STARTING, State.RUNNING, State.FAILED]


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_a_boot_is_cancelled(topology: Topology, place: str) -> None:
    before = processes_below(os.getpid())
    watch = Watch(Session())
    watch.session.start(Order(topology, place=place))
    watch.until(lambda event: isinstance(event, StepProgress) and event.name == "boot")
    deadline_s = time.monotonic() + PATIENCE_S
    while not (started := processes_below(os.getpid()) - before) and time.monotonic() < deadline_s:
        time.sleep(0.005)
    time.sleep(0.2 if place == "labkernel" else 0)  # well into the boot of a kernel
    started |= processes_below(os.getpid()) - before
    watch.session.cancel()
    assert watch.until_end().state is State.IDLE
    assert watch.states() == [State.STARTING, State.STOPPING, State.IDLE]
    assert StepProgress("build", "start") not in watch.events
    assert gone(started)
    watch.session.close()


@pytest.mark.lab
def test_a_lab_that_no_longer_answers_is_cancelled(
    running: Watch, topology: Topology, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The time after which an orderly end is given up would end this test, too; it is not what is tested.
    monkeypatch.setattr(frrlib.lab, "STOP_TIMEOUT_S", 10 * PATIENCE_S)
    os.kill(lab_process(running), signal.SIGSTOP)
    hanging = running.session.routes("r1")
    running.session.stop()
    running.until_state(State.STOPPING)
    running.session.stop()  # asked again, so at once
    assert running.until_end().state is State.IDLE
    assert running.answer(hanging).error


@pytest.mark.lab
def test_a_stopped_lab_leaves_nothing_and_another_can_be_started(topology: Topology) -> None:
    before = processes_below(os.getpid())
    watch = Watch(Session())
    for _ in range(2):
        watch.session.start(Order(topology, place="namespace"))
        watch.until_state(State.RUNNING)
        of_lab = processes_below(os.getpid()) - before
        assert of_lab
        watch.session.stop()
        watch.until_end()
        assert gone(of_lab)
        assert watch.states() == [State.STARTING, State.RUNNING, State.STOPPING, State.IDLE]
        watch.events.clear()


@pytest.mark.lab
def test_a_lab_that_is_ended_at_any_moment_leaves_nothing(topology: Topology) -> None:
    before, threads = processes_below(os.getpid()), threading.active_count()
    dice = random.Random(ROUNDS)
    files: set[int] = set()
    for _ in range(ROUNDS):
        watch = Watch(Session())
        watch.session.start(Order(topology, place="namespace"))
        moment_s = dice.uniform(0.0, 1.0)
        time.sleep(moment_s)
        asked = [watch.session.routes("r1"), watch.session.ping_matrix()]
        of_lab = processes_below(os.getpid()) - before
        for _ in range(dice.choice([1, 2])):
            dice.choice([watch.session.cancel, watch.session.stop])()
        assert watch.until_end().state is State.IDLE, f"ended after {moment_s:.3f} s"
        assert all(isinstance(watch.answer(number), Answer) for number in asked)
        watch.session.close()
        assert gone(of_lab)
        files.add(len(os.listdir("/proc/self/fd")))
    assert len(files) == 1, "some files stay open"
    assert threading.active_count() == threads


PROGRAM = """
import sys, tempfile, time
from frrlib.formats import mn
from miniedit_frr.session import Session
from miniedit_frr.session_events import Order, State

tempfile.tempdir = sys.argv[3]

session = Session()
session.start(Order(mn.load(sys.argv[1]).topology, place="namespace"))
while (state := session.state) is not State.RUNNING:
    assert state is State.STARTING, session.poll()
    time.sleep(0.01)
print("running", flush=True)
if sys.argv[2] == "hang":
    input()
"""


@pytest.mark.lab
@pytest.mark.parametrize("ending", ["end", "hang"])
def test_a_program_that_ends_without_a_word_leaves_nothing(ending: str, tmp_path: Path) -> None:
    argv = [sys.executable, "-c", PROGRAM, str(EXAMPLES / "two-as-no-delay.mn"), ending, str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(EXAMPLES.parent)}
    with subprocess.Popen(argv, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "running\n"
        of_lab = processes_below(program.pid)
        if ending == "hang":
            assert len(of_lab) > 4  # keepers, agent, daemons
            program.kill()
    assert gone(of_lab)
    assert list(tmp_path.iterdir()) == []


def short(topology: Topology, duration_s: float) -> Topology:
    """The topology with only its first flow, of this length."""
    flow = topology.flows[0].model_copy(update={"start_s": 0.0, "duration_s": duration_s, "size_bytes": None})
    return topology.model_copy(update={"flows": (flow,)})


@pytest.mark.lab
def test_a_run_with_flows_keeps_what_the_command_line_keeps(topology: Topology, tmp_path: Path) -> None:
    watch = Watch(Session())
    text = mn.read_text(EXAMPLES / "two-as-no-delay.mn")
    watch.session.start(Order(short(topology, 1.0), text, "namespace", out=tmp_path / "out", flows=True))
    finished = watch.until(lambda event: isinstance(event, RunFinished))
    assert watch.until_end().state is State.IDLE
    assert isinstance(finished, RunFinished)
    assert finished.outcome.failures == []
    assert finished.outcome.summary is not None
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "finished"
    steps = [event.name for event in watch.events if isinstance(event, StepProgress) and event.state == "done"]
    assert [name for name in steps if name in {"place", "boot", "build", "routes", "flows", "figure"}] == [
        "place", "boot", "build", "routes", "flows", "figure",
    ]  # fmt: skip


@pytest.mark.lab
def test_a_run_with_flows_that_is_stopped_keeps_what_it_has(topology: Topology, tmp_path: Path) -> None:
    watch = Watch(Session())
    watch.session.start(Order(short(topology, 60.0), "", "namespace", out=tmp_path / "out", flows=True))
    watch.until(lambda event: isinstance(event, Log) and "start" in event.text)
    time.sleep(0.5)
    watch.session.stop()
    finished = watch.until(lambda event: isinstance(event, RunFinished))
    assert watch.until_end().state is State.IDLE
    assert isinstance(finished, RunFinished)
    assert finished.outcome.summary is not None
    assert json.loads((tmp_path / "out" / "run.json").read_text())["status"] == "interrupted"
    assert len((tmp_path / "out" / "samples" / "tcp.csv").read_text().splitlines()) > 5


@pytest.mark.lab
def test_a_lab_may_stay_when_its_flows_are_over(topology: Topology, tmp_path: Path) -> None:
    watch = Watch(Session())
    out = tmp_path / "out"
    watch.session.start(Order(short(topology, 1.0), "", "namespace", out=out, flows=True, keep_up=True))
    finished = watch.until(lambda event: isinstance(event, RunFinished))
    assert isinstance(finished, RunFinished)
    assert finished.outcome.summary is not None
    assert watch.result(watch.session.ping("h1", "h2", 1))["received"] == 1
    assert watch.session.state is State.RUNNING
    watch.session.stop()
    assert watch.until_end().state is State.IDLE
    assert sum(isinstance(event, RunFinished) for event in watch.events) == 1
    assert finished.outcome.failures == []
    assert json.loads((out / "run.json").read_text())["status"] == "finished"
    assert {path.name for path in (out / "logs").iterdir()} >= {"r1-bgpd.log", "r2-bgpd.log"}


@pytest.mark.lab
def test_a_listener_that_fails_ends_the_lab(topology: Topology) -> None:
    def full(message: wire.Message) -> None:
        if isinstance(message, wire.Step) and message.name == "daemons":
            raise OSError(28, "No space left on device")

    with pytest.raises(LabFailed, match="No space left on device"), Lab(topology, place="namespace", listener=full):
        pytest.fail("the lab is up although nobody heard of it")


# --- terminals ----------------------------------------------------------------------------------------------------

WINDOWS = {
    "xterm": ["xterm", "-T", "r1 {rows}", "-fa", "Monospace", "-fs", "10", "-geometry", "90x25", "-e", "top", "-d1"],
    "gnome-terminal": ["gnome-terminal", "--wait", "--title=r1 {rows}", "--geometry=90x25", "--", "top", "-d1"],
    "konsole": [
        "konsole", "--separate", "-p", "tabtitle=r1 {rows}", "-p", "TerminalColumns=90", "-p", "TerminalRows=25",
        "-e", "top", "-d1",
    ],
    "kitty": [
        "kitty", "--title=r1 {rows}", "-o", "remember_window_size=no", "-o", "initial_window_width=90c",
        "-o", "initial_window_height=25c", "--", "top", "-d1",
    ],
    "xfce4-terminal": [
        "xfce4-terminal", "--disable-server", "--title=r1 {rows}", "--geometry=90x25", "-x", "top", "-d1",
    ],
    "mate-terminal": [
        "mate-terminal", "--disable-factory", "--title=r1 {rows}", "--geometry=90x25", "-x", "top", "-d1",
    ],
    "alacritty": [
        "alacritty", "--title", "r1 {rows}", "-o", "window.dimensions.columns=90",
        "-o", "window.dimensions.lines=25", "-e", "top", "-d1",
    ],
    "foot": ["foot", "--title=r1 {rows}", "--window-size-chars=90x25", "--", "top", "-d1"],
    "wezterm": [
        "wezterm", "--config", "initial_cols=90", "--config", "initial_rows=25", "start", "--always-new-process", "--",
        "top", "-d1",
    ],
    "urxvt": ["urxvt", "-title", "r1 {rows}", "-geometry", "90x25", "-e", "top", "-d1"],
    "x-terminal-emulator": ["x-terminal-emulator", "-T", "r1 {rows}", "-e", "top", "-d1"],
}  # fmt: skip


def test_every_terminal_is_told_in_its_own_words() -> None:
    told = {each.program: each.argv(["top", "-d1"], "r1 {rows}", 90, 25) for each in terminals.TERMINALS}
    assert told == WINDOWS


def test_the_terminal_that_is_there_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PlaceError, match="apt-get install xterm"):
        terminals.chosen()
    for name in ("kitty", "gnome-terminal"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    assert terminals.available() == ["gnome-terminal", "kitty"]
    assert terminals.chosen().program == "gnome-terminal"
    assert terminals.chosen("kitty").program == "kitty"
    assert terminals.chosen("gterm").program == "gnome-terminal"  # MiniEdit's word
    assert terminals.chosen("xterm").program == "gnome-terminal"  # not there


@pytest.mark.gui
def test_windows_are_closed_by_their_handle() -> None:
    if shutil.which("xterm") is None:
        pytest.skip("xterm is not installed")
    windows = terminals.Terminals()
    windows.open(["sleep", "1000"], "one", choice="xterm")
    windows.open(["sh", "-c", "trap '' HUP TERM; sleep 1000"], "two", choice="xterm")
    pids = {window.pid for window in windows._open}
    assert len(windows) == 2
    windows.end_all()
    assert len(windows) == 0
    assert gone(pids)


@pytest.mark.lab
@pytest.mark.gui
def test_a_terminal_in_a_node_closes_with_its_lab(running: Watch, tmp_path: Path) -> None:
    if shutil.which("xterm") is None:
        pytest.skip("xterm is not installed")
    script = "hostname; stty size; exec sleep 1000"
    argv = running.result(running.session.terminal("h1", "sh", "-c", script))
    said = tmp_path / "said"
    window = terminals.open_terminal(
        ["sh", "-c", 'out=$1; shift; "$@" | tee "$out"', "sh", str(said), *argv], "h1", 90, 25
    )
    deadline_s = time.monotonic() + PATIENCE_S
    while not (said.exists() and "\n25 90" in said.read_text().replace("\r", "")) and time.monotonic() < deadline_s:
        assert window.poll() is None
        time.sleep(0.01)
    assert said.read_text().replace("\r", "").split("\n")[:2] == ["h1", "25 90"]
    running.session.stop()
    running.until_end()
    window.wait(PATIENCE_S)
