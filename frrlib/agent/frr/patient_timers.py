"""Patient timers for the routing daemons of a large lab on few processors, until all adjacencies are up.

Timers of a lab give a neighbor up after some seconds and compute paths within milliseconds. If a hundred daemons share
a processor and start together, hellos are late: neighbors are lost, each loss causes floods and new computations, and
these delay the next hellos. So until nothing changes any more, the daemons run with longer timers. Their files keep the
planned timers. The daemons get the longer ones through their terminals, and then the planned ones again.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from frrlib.agent.frr.daemons import Frr
from frrlib.errors import CommandFailed, LabFailed

#: Added to dead intervals. Different intervals stay different with it, and none becomes FRR's default of 40 s, which
#: appears in no file.
_ADDED_S = 40
#: The longest delay of a path computation.
_MAX_SPF_MS = 10_000
#: IS-IS accepts no larger multiplier of its hello interval.
_MAX_MULTIPLIER = 100
#: Quiet time before daemons are queried for a pending computation.
_REST_S = 1.0
#: The command for that query, by daemon, and the pattern of a pending computation in its output.
_COMPUTING = {
    "ospfd": ("show ip ospf vrf all", re.compile("SPF timer due")),
    "ospf6d": ("show ipv6 ospf6 vrf all", re.compile("SPF timer due")),
    "isisd": ("show isis vrf all spf-delay-ietf", re.compile("Pending")),
}
#: The same for a neighbor with an incomplete database exchange or unacknowledged link states: a late link state makes
#: all routers compute again. A retransmission follows after 5 s. A neighbor with another MTU never completes the
#: exchange, so it is waited for only during this number of rests.
_EXCHANGING = {
    "ospfd": (
        "show ip ospf vrf all neighbor",
        re.compile(r"(ExStart|Exchange|Loading)/|\s[1-9]\d* +\d+ +\d+ *$", re.MULTILINE),
    ),
    "ospf6d": (
        "show ipv6 ospf6 vrf all neighbor detail",
        re.compile(r"State (ExStart|ExChange|Loading)|(Request|Retrans)-List: [1-9]"),
    ),
}
_EXCHANGE_RESTS = 12
#: Time for each router after which the planned timers return even if routing is not at rest.
_PATIENCE_A_ROUTER_S = 2.0
_ANSWER_S = 30.0

WaitForRest = Callable[[float, float], bool]
_Query = tuple[str, re.Pattern[str]]


class ProcessorShare(NamedTuple):
    """The sharing of processors by the routers of a place, and its effects.

    Attributes:
        processors: number of processors for all routers' daemons.
        fewest: the number of routers per processor from which they starve each other.
        spf_ms_a_pair: delay of path computations, for one processor and each pair of routers, since all of n routers
            compute over all n, one after the other; twice as long while changes arrive.
    """

    processors: int
    fewest: int
    spf_ms_per_pair: float

    def starves(self, routers: int) -> bool:
        """Whether this number of routers starve each other when all start together."""
        return routers >= self.fewest * self.processors

    def spf_wait_ms(self, routers: int) -> int:
        """The delay of path computations for this number of routers, in ms."""
        return min(int(self.spf_ms_per_pair * routers**2 / self.processors), _MAX_SPF_MS)


class _Rule(NamedTuple):
    """A line of a configuration and its patient version, made from the match and the delay of path computations in ms.

    Attributes:
        beside: the rule applies only to sections that also have such a line.
    """

    line: re.Pattern[str]
    patient: Callable[[re.Match[str], int], str]
    requires: re.Pattern[str] = re.compile("")


#: The election of a designated router waits for a dead interval, so networks with an election keep theirs.
_DEAD = _Rule(
    re.compile(r"(ip ospf|ipv6 ospf6) dead-interval (\d+)"),
    lambda m, _: f"{m[1]} dead-interval {_longer_interval(m)}",
    re.compile(r"(ip ospf|ipv6 ospf6) network point-to-(point|multipoint)\b"),
)
_OSPF_SPF = _Rule(
    re.compile(r"timers throttle spf \d+ \d+ \d+"), lambda _, ms: f"timers throttle spf {ms} {ms} {2 * ms}"
)
#: The rules of each daemon. Lines that are absent stand for FRR's defaults, which are patient enough.
_RULES: Mapping[str, tuple[_Rule, ...]] = {
    "ospfd": (_DEAD, _OSPF_SPF),
    "ospf6d": (_DEAD, _OSPF_SPF),
    "isisd": (
        _Rule(
            re.compile(r"()isis hello-multiplier (\d+)"),
            lambda m, _: f"isis hello-multiplier {min(_longer_interval(m), _MAX_MULTIPLIER)}",
        ),
        _Rule(
            re.compile(r"spf-delay-ietf init-delay \d+ short-delay \d+ long-delay \d+ .*"),
            lambda _, ms: (
                f"spf-delay-ietf init-delay {ms} short-delay {ms} long-delay {ms} "
                f"holddown {2 * ms} time-to-learn {ms // 2}"
            ),
        ),
    ),
}  # fmt: skip


_HELLO = re.compile(r"(?:ip ospf|ipv6 ospf6|isis) hello-interval (\d+)")
#: The latest arrival of a hello, beyond its interval.
_HELLO_LATE_S = 0.2


class TimerCommands(NamedTuple):
    """Commands of the configuration mode, in their order.

    Attributes:
        hello_s: the longest hello interval among the neighbors concerned.
    """

    patient: tuple[str, ...] = ()
    planned: tuple[str, ...] = ()
    hello_s: int = 0


def timer_commands(daemon: str, configuration: str, wait_ms: int) -> TimerCommands:
    """The commands that give a daemon patient timers, and its planned timers again; empty for other daemons.

    Args:
        daemon: "ospfd", for instance.
        configuration: its file: sections with indented lines.
        wait_ms: the delay of path computations.
    """
    patient: list[str] = []
    planned: list[str] = []
    hello_s = 0
    for section, lines in _sections(configuration):
        replaced = [
            (match[0], rule.patient(match, wait_ms))
            for rule in _RULES.get(daemon, ())
            if any(map(rule.requires.match, lines))
            for match in filter(None, map(rule.line.fullmatch, lines))
        ]
        if replaced:
            planned += [section, *(line for line, _ in replaced)]
            patient += [section, *(line for _, line in replaced)]
            hello_s = max([hello_s, *(int(match[1]) for match in filter(None, map(_HELLO.fullmatch, lines)))])
    return TimerCommands(tuple(patient), tuple(planned), hello_s)


def _sections(configuration: str) -> Iterator[tuple[str, list[str]]]:
    """Each line at the margin, with the indented lines below it."""
    section, lines = "", list[str]()
    for line in configuration.splitlines():
        if line.startswith(" "):
            lines.append(line.strip())
        else:
            yield section, lines
            section, lines = line, []
    yield section, lines


class PatientTimers:
    """The patient timers of all routers of a lab.

    Args:
        routers: routers of the lab, all of which start together.
        share: their share of processors.
    """

    def __init__(self, routers: Sequence[Frr], share: ProcessorShare) -> None:
        self._routers, self._share = len(routers), share
        self._wait_ms = share.spf_wait_ms(self._routers)
        self._patient: list[tuple[Frr, str, TimerCommands]] = []

    def __bool__(self) -> bool:
        """Whether any daemon has patient timers now."""
        return bool(self._patient)

    def begin(self, router: Frr) -> None:
        """Give a router's daemons patient timers before they form adjacencies. Raises LabFailed if one refuses them."""
        if not self._share.starves(self._routers):
            return
        for daemon, commands in self._commands(router):
            try:
                router.configure(daemon, commands.patient, _ANSWER_S)
            except (OSError, CommandFailed) as error:
                raise LabFailed(f"{router.router}: {daemon} refused the timers for a large lab: {error}") from error
            self._patient.append((router, daemon, commands))

    def wait(self, at_rest: WaitForRest) -> str:
        """Wait until routing is at rest, and return a text about the result.

        Args:
            at_rest: waits until nothing has changed for a number of seconds (first argument), up to a longest time
                (second argument), and returns whether that happened.
        """
        begun_s = time.monotonic()
        deadline_s = begun_s + _PATIENCE_A_ROUTER_S * self._routers
        rests = 0
        while is_at_rest := at_rest(_REST_S, deadline_s - time.monotonic()):
            if not self._any_matches(_COMPUTING):
                rests += 1
                if rests > _EXCHANGE_RESTS or not self._any_matches(_EXCHANGING):
                    break
        return f"{'at rest' if is_at_rest else 'not at rest'} after {time.monotonic() - begun_s:.0f} s"

    def end(self) -> list[str]:
        """Give all daemons their planned timers again.

        Both ends of a link need theirs soon after each other, since hellos with different intervals are ignored. The
        call returns when all have exchanged hellos again: until then a neighbor is kept for as long as before.

        Returns:
            Warnings about daemons that could not be configured.
        """
        warnings = []
        for router, daemon, commands in self._patient:
            if not router.runs(daemon):
                continue  # it starts with its file
            try:
                router.configure(daemon, commands.planned, _ANSWER_S)
            except (OSError, CommandFailed) as error:
                warnings.append(f"{router.router}: {daemon} keeps the timers of a large lab's start: {error}")
        time.sleep(max((commands.hello_s for *_, commands in self._patient), default=0) + _HELLO_LATE_S)
        self._patient.clear()
        return warnings

    def description(self) -> str:
        """A description of the waiting, for people."""
        number = self._share.processors
        shared = f"{number} processors" if number > 1 else "one processor"
        return (
            f"{self._routers} routers share {shared}: until they have met, "
            f"dead intervals are {_ADDED_S} s longer and SPF waits {self._wait_ms / 1000:g} s"
        )

    def _any_matches(self, queries: Mapping[str, _Query]) -> bool:
        """Whether any daemon's output matches its pattern, or any is too busy to answer."""
        return any(
            daemon in queries and _output_matches(router, daemon, queries[daemon])
            for router, daemon, _ in self._patient
        )

    def _commands(self, router: Frr) -> Iterator[tuple[str, TimerCommands]]:
        files = router.plan.files
        for daemon in router.running():
            commands = timer_commands(daemon, files.get(f"{daemon}.conf", files.get("frr.conf", "")), self._wait_ms)
            if commands.patient:
                yield daemon, commands


def _output_matches(router: Frr, daemon: str, query: _Query) -> bool:
    command, pattern = query
    try:
        return router.runs(daemon) and pattern.search(router.ask(daemon, command, _ANSWER_S)) is not None
    except CommandFailed:
        return False
    except OSError:
        return router.runs(daemon)


def _longer_interval(match: re.Match[str]) -> int:
    return int(match[2]) + _ADDED_S
