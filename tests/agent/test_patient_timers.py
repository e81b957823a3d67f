"""Patient timers of routing daemons at the start of a large lab: their commands, their duration, and their end."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from frrlib.agent.frr import patient_timers, vtysh
from frrlib.agent.frr.daemons import Frr
from frrlib.agent.frr.patient_timers import PatientTimers, ProcessorShare, TimerCommands, timer_commands
from frrlib.agent.frr.startup import LABKERNEL
from frrlib.errors import CommandFailed, LabFailed

OSPF = """\
frr defaults traditional
interface r1-eth1
 ip ospf area 0
 ip ospf hello-interval 1
 ip ospf dead-interval 4
 ip ospf network point-to-point
exit
interface r1-eth2 vrf red
 ip ospf dead-interval 8
 ip ospf network point-to-multipoint
exit
interface r1-eth3
 ip ospf dead-interval 4
 ip ospf network broadcast
exit
interface r1-eth4
 ip ospf dead-interval 4
exit
interface r1-eth5
 ip ospf network point-to-point
exit
router ospf
 timers throttle spf 10 50 500
 area 1 virtual-link 10.0.0.1 dead-interval 4
exit
router ospf vrf red
 ospf router-id 10.0.0.9
 timers throttle spf 0 50 5000
exit
"""
#: Of 100 routers; tests compare the delay of path computations separately.
WAIT_MS = 3000
OSPF_TOLD = [
    "interface r1-eth1",
    "ip ospf dead-interval 44",
    "interface r1-eth2 vrf red",
    "ip ospf dead-interval 48",
    "router ospf",
    "timers throttle spf WAIT WAIT WAIT",
    "router ospf vrf red",
    "timers throttle spf WAIT WAIT WAIT",
]
OSPF_DRAWN = [
    "interface r1-eth1",
    "ip ospf dead-interval 4",
    "interface r1-eth2 vrf red",
    "ip ospf dead-interval 8",
    "router ospf",
    "timers throttle spf 10 50 500",
    "router ospf vrf red",
    "timers throttle spf 0 50 5000",
]
ISIS = """\
interface r1-eth1
 ip router isis lab
 isis hello-interval 1
 isis hello-multiplier 4
exit
interface r1-eth2
 ip router isis lab
 isis hello-multiplier 90
exit
router isis lab
 spf-delay-ietf init-delay 10 short-delay 50 long-delay 500 holddown 1000 time-to-learn 100
exit
"""
#: Output of daemons of FRR 8.4 and 10.
DUE, INACTIVE = " SPF timer due in 8.751s\n", " SPF timer is inactive\n"
PENDING, UNSCHEDULED = "    SPF delay status: Pending, due in 70 msec\n", "    SPF delay status: Not scheduled\n"
FULL = "10.0.0.2  1 Full/-     9m3s  3.1s 10.1.0.2  r1-eth1:10.1.0.1  0 0 0\n"
FULL_6 = "    State Full for a duration of 00:00:02\n    Request-List: 0 LSAs\n    Retrans-List: 0 LSAs\n"
#: With neighbors whose exchange is incomplete, or that have not acknowledged link states.
UNFINISHED = {
    "loading": ("ospfd", FULL, FULL + FULL.replace("Full/-", "Loading/-")),
    "beginning": ("ospfd", FULL, FULL.replace("Full/-", "ExStart/DROther")),
    "not acknowledged": ("ospfd", FULL, FULL.replace("0 0 0", "12     0     0") + FULL),
    "exchanging, version 3": ("ospf6d", FULL_6, FULL_6.replace("Full", "ExChange")),
    "not acknowledged, version 3": ("ospf6d", FULL_6, FULL_6.replace("Retrans-List: 0", "Retrans-List: 3")),
}


def _wait_ms(lines: Sequence[str]) -> tuple[list[str], set[int]]:
    """The lines with WAIT in the place of the delay, and the delays in milliseconds."""
    waits = {int(word) for line in lines if "throttle spf" in line for word in line.split()[3:]}
    named = [f"timers throttle spf{' WAIT' * 3}" if "throttle spf" in line else line for line in lines]
    return named, waits


def test_planned_timers_get_longer_and_stay_different() -> None:
    commands = timer_commands("ospfd", OSPF, WAIT_MS)
    named, waits = _wait_ms(commands.patient)
    assert (named, list(commands.planned)) == (OSPF_TOLD, OSPF_DRAWN)
    assert waits == {WAIT_MS, 2 * WAIT_MS}  # twice as long while changes arrive


def test_ospf_of_version_3() -> None:
    commands = timer_commands(
        "ospf6d", OSPF.replace("ip ospf ", "ipv6 ospf6 ").replace("router ospf", "router ospf6"), WAIT_MS
    )
    named, _ = _wait_ms(commands.patient)
    assert named[:2] == ["interface r1-eth1", "ipv6 ospf6 dead-interval 44"]
    assert commands.planned[-2:] == ("router ospf6 vrf red", "timers throttle spf 0 50 5000")


def test_isis_takes_no_multiplier_above_100() -> None:
    commands = timer_commands("isisd", ISIS, WAIT_MS)
    assert [line for line in commands.patient if "multiplier" in line] == [
        "isis hello-multiplier 44",
        "isis hello-multiplier 100",
    ]
    assert commands.planned == (
        "interface r1-eth1",
        "isis hello-multiplier 4",
        "interface r1-eth2",
        "isis hello-multiplier 90",
        "router isis lab",
        "spf-delay-ietf init-delay 10 short-delay 50 long-delay 500 holddown 1000 time-to-learn 100",
    )


@pytest.mark.parametrize("daemon", ["bgpd", "zebra", "ripd"])
def test_other_daemons_get_no_commands(daemon: str) -> None:
    assert timer_commands(daemon, OSPF + ISIS, WAIT_MS) == TimerCommands()


def test_default_timers_are_not_changed() -> None:
    """FRR's default timers are patient, and no line of a file would restore them."""
    assert (
        timer_commands("ospfd", "interface a\n ip ospf network point-to-point\nexit\nrouter ospf\nexit\n", WAIT_MS)
        == TimerCommands()
    )


def test_the_wait_grows_with_the_lab_up_to_a_limit_and_shrinks_with_processors() -> None:
    waits = [LABKERNEL.spf_wait_ms(routers) for routers in (32, 64, 100, 1000, 2000)]
    assert waits == sorted(waits)
    assert waits[0] < 1000
    assert waits[-1] == waits[-2] <= 10_000
    assert 2 * LABKERNEL._replace(processors=2).spf_wait_ms(100) == LABKERNEL.spf_wait_ms(100)


def test_the_limit_of_routers_grows_with_the_processors() -> None:
    crowd = ProcessorShare(4, fewest=10, spf_ms_per_pair=1.0)
    assert [crowd.starves(routers) for routers in (10, 39, 40)] == [False, False, True]


class Router:
    """A router that runs ospfd, and records its commands."""

    def __init__(self, name: str = "r1", says: Callable[[str], str] = lambda _: INACTIVE + FULL) -> None:
        self.router = name
        self.plan = SimpleNamespace(files={"ospfd.conf": OSPF})
        self.configured: list[str] = []
        self.asked: list[str] = []
        self.up = True
        self.refuses = False
        self._says = says

    def running(self) -> list[str]:
        return ["ospfd"] if self.up else []

    def runs(self, daemon: str) -> bool:
        return daemon in self.running()

    def configure(self, daemon: str, lines: Sequence[str], timeout_s: float) -> None:
        if self.refuses:
            raise CommandFailed((daemon, lines[0]), 1, "% Unknown command: interface")
        self.configured += lines

    def ask(self, daemon: str, command: str, timeout_s: float) -> str:
        self.asked.append(command)
        return self._says(command)


def _patience(*routers: Router, of: int = LABKERNEL.fewest) -> PatientTimers:
    several = [*routers, *(Router(f"x{number}") for number in range(of - len(routers)))]
    patience = PatientTimers(cast(Sequence[Frr], several), LABKERNEL)
    for router in routers:
        patience.begin(cast(Any, router))
    return patience


def _rests() -> tuple[Callable[[float, float], bool], list[float]]:
    """Routing that is always at rest, and the quiet times of all calls."""
    timeouts: list[float] = []

    def at_rest(quiet_s: float, timeout_s: float) -> bool:
        assert timeout_s > 0
        timeouts.append(quiet_s)
        return True

    return at_rest, timeouts


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The durations of all sleeps, in seconds."""
    waits: list[float] = []
    monkeypatch.setattr(patient_timers.time, "sleep", waits.append)
    return waits


def test_few_routers_keep_the_planned_timers() -> None:
    router = Router()
    assert not _patience(router, of=LABKERNEL.fewest - 1)
    assert router.configured == []


def test_planned_timers_are_restored(slept: list[float]) -> None:
    router = Router()
    patience = _patience(router)
    assert patience
    assert "ip ospf dead-interval 44" in router.configured
    count = len(router.configured)
    assert patience.end() == []
    assert router.configured[count:] == OSPF_DRAWN
    assert not patience
    assert 1 < sum(slept) < 2  # the next hello


def test_an_ended_daemon_gets_no_commands_and_a_refusal_is_a_warning(slept: list[float]) -> None:
    ended, refusing, last = Router("r1"), Router("r2"), Router("r3")
    patience = _patience(ended, refusing, last)
    ended.up, refusing.refuses = False, True
    count = len(ended.configured)
    (warning,) = patience.end()
    assert warning.startswith("r2: ospfd")
    assert "Unknown command" in warning
    assert len(ended.configured) == count
    assert last.configured[-8:] == OSPF_DRAWN


def test_a_daemon_that_refuses_patient_timers_ends_the_start() -> None:
    router = Router("r7")
    router.refuses = True
    with pytest.raises(LabFailed, match=r"r7: ospfd .*Unknown command"):
        _patience(router)


@pytest.mark.parametrize(("says", "rests"), [((INACTIVE,), 1), ((DUE, DUE, INACTIVE), 3)])
def test_a_pending_computation_is_waited_for(says: tuple[str, ...], rests: int) -> None:
    outputs = iter(says)
    router = Router(says=lambda command: FULL if "neighbor" in command else next(outputs))
    at_rest, timeouts = _rests()
    assert _patience(router).wait(at_rest).startswith("at rest")
    assert len(timeouts) == rests


@pytest.mark.parametrize(("daemon", "full", "unfinished"), UNFINISHED.values(), ids=UNFINISHED)
def test_an_incomplete_exchange_is_waited_for(daemon: str, full: str, unfinished: str) -> None:
    outputs = iter((unfinished, unfinished, full))
    router = Router(says=lambda command: next(outputs) if "neighbor" in command else INACTIVE)
    router.plan = SimpleNamespace(files={f"{daemon}.conf": OSPF.replace("ip ospf ", "ipv6 ospf6 ") + OSPF})
    cast(Any, router).running = lambda: [daemon]
    at_rest, timeouts = _rests()
    assert _patience(router).wait(at_rest).startswith("at rest")
    assert len(timeouts) == 3


def test_an_exchange_that_never_completes_is_waited_for_only_during_its_retransmissions() -> None:
    router = Router(says=lambda command: UNFINISHED["loading"][2] if "neighbor" in command else INACTIVE)
    at_rest, timeouts = _rests()
    assert _patience(router).wait(at_rest).startswith("at rest")
    assert 10 <= sum(timeouts) < 15  # OSPF's retransmit interval is 5 s


def test_isis_has_a_query_of_its_own() -> None:
    outputs = iter((PENDING, UNSCHEDULED))
    router = Router(says=lambda _: next(outputs))
    router.plan = SimpleNamespace(files={"isisd.conf": ISIS})
    cast(Any, router).running = lambda: ["isisd"]
    at_rest, timeouts = _rests()
    _patience(router).wait(at_rest)
    assert len(timeouts) == 2
    assert set(router.asked) == {"show isis vrf all spf-delay-ietf"}


def test_routing_that_never_rests_ends_the_wait() -> None:
    assert _patience(Router()).wait(lambda quiet_s, timeout_s: False).startswith("not at rest")


@contextmanager
def _daemon(folder: Path, refused: str = "") -> Iterator[tuple[str, list[str]]]:
    """A socket at which a daemon of FRR receives commands, and the received commands."""
    path, received = str(folder / "ospfd.vty"), list[str]()

    def serve(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            while data := connection.recv(4096):
                for command in data.decode().rstrip("\0").split("\0"):
                    received.append(command)
                    words, status = ("% Unknown command: " + command, 2) if command == refused else (command, 0)
                    connection.sendall(f"{words}\n".encode() + b"\0\0\0" + bytes([status]))

    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen()
        thread = threading.Thread(target=serve, args=(listening,))
        thread.start()
        yield path, received
        thread.join()


def test_several_commands_go_over_one_connection(tmp_path: Path) -> None:
    with _daemon(tmp_path) as (path, received):
        assert vtysh.ask_sequence(path, ("configure terminal", "router ospf", "timers throttle spf 9 9 9")).startswith(
            "timers"
        )
    assert received == ["enable", "configure terminal", "router ospf", "timers throttle spf 9 9 9"]


def test_commands_after_a_refused_one_are_not_sent(tmp_path: Path) -> None:
    with _daemon(tmp_path, refused="router ospf 7") as (path, received), pytest.raises(CommandFailed, match="ospf 7"):
        vtysh.ask_sequence(path, ("configure terminal", "router ospf 7", "timers throttle spf 9 9 9"))
    assert received == ["enable", "configure terminal", "router ospf 7"]
