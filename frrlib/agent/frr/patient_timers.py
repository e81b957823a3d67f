"""Patient timers for the routing daemons of a large lab on few processors, until all of them have met.

Lab timers give a neighbor up after some seconds and compute paths within milliseconds. Where a hundred daemons share
a processor and all begin at once, none hears from its neighbors in time: they lose each other, each loss makes all
flood and compute anew, and that keeps the next from being heard. So until nothing changes any more, the daemons have
timers that the processors can keep. Their files stay as drawn; the daemons alone are told otherwise, and then back.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from frrlib.agent.frr.daemons import Frr
from frrlib.errors import CommandFailed, LabFailed

#: How much longer a neighbor is waited for. Added to any interval it leaves those different that were drawn different,
#: and none as long as FRR's own 40 s, which stands in no file.
_MORE_S = 40
#: For no longer do paths wait for more news.
_SPF_MOST_MS = 10_000
#: IS-IS takes no larger multiplier of its hello interval.
_MULTIPLIER_MOST = 100
#: How long nothing may have changed before daemons are asked whether a computation still waits.
_REST_S = 1.0
#: Daemon to that question, and to what the answer says of one that waits.
_COMPUTING = {
    "ospfd": ("show ip ospf vrf all", re.compile("SPF timer due")),
    "ospf6d": ("show ipv6 ospf6 vrf all", re.compile("SPF timer due")),
    "isisd": ("show isis vrf all spf-delay-ietf", re.compile("Pending")),
}
#: The same for a neighbor that has not told all, or was told something that it has not acknowledged: a link state that
#: comes late makes all compute anew. After 5 s it is told again; one with another MTU never takes it, and is not waited
#: for longer than so many rests.
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
#: They are given back after so long for each router even if routing does not come to rest.
_PATIENCE_A_ROUTER_S = 2.0
_ANSWER_S = 30.0

WaitForRest = Callable[[float, float], bool]
_Question = tuple[str, re.Pattern[str]]


class ProcessorShare(NamedTuple):
    """How many routers of a place share how many processors, and how it is with few of them.

    Attributes:
        processors: that all routers' daemons share.
        fewest: from so many routers a processor on they starve each other.
        spf_ms_a_pair: how long paths wait for more news, on one processor and for each pair of routers, since all of n
            routers compute over all n, one after the other; and twice as long while news come.
    """

    processors: int
    fewest: int
    spf_ms_a_pair: float

    def starves(self, routers: int) -> bool:
        """Whether so many routers starve each other when all begin at once."""
        return routers >= self.fewest * self.processors

    def spf_wait_ms(self, routers: int) -> int:
        """How long so many routers wait before they compute paths, in ms."""
        return min(int(self.spf_ms_a_pair * routers**2 / self.processors), _SPF_MOST_MS)


class _Rule(NamedTuple):
    """A line of a configuration, and the same line with patience: made of what it found and of the SPF's wait in ms.

    Attributes:
        beside: the rule is for sections only that have such a line, too.
    """

    line: re.Pattern[str]
    patient: Callable[[re.Match[str], int], str]
    beside: re.Pattern[str] = re.compile("")


#: Where a designated router is elected, its election waits for a dead interval, and would for the longer one.
_DEAD = _Rule(
    re.compile(r"(ip ospf|ipv6 ospf6) dead-interval (\d+)"),
    lambda m, _: f"{m[1]} dead-interval {_longer(m)}",
    re.compile(r"(ip ospf|ipv6 ospf6) network point-to-(point|multipoint)\b"),
)
_OSPF_SPF = _Rule(
    re.compile(r"timers throttle spf \d+ \d+ \d+"), lambda _, ms: f"timers throttle spf {ms} {ms} {2 * ms}"
)
#: Daemon to what is changed for it. Lines that are not drawn are FRR's own, and patient enough.
_RULES: Mapping[str, tuple[_Rule, ...]] = {
    "ospfd": (_DEAD, _OSPF_SPF),
    "ospf6d": (_DEAD, _OSPF_SPF),
    "isisd": (
        _Rule(
            re.compile(r"()isis hello-multiplier (\d+)"),
            lambda m, _: f"isis hello-multiplier {min(_longer(m), _MULTIPLIER_MOST)}",
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
#: Besides the hello interval: how late a hello may come.
_HELLO_LATE_S = 0.2


class TimerCommands(NamedTuple):
    """Commands in the mode of the whole configuration, in the order in which they are given.

    Attributes:
        hello_s: the longest hello interval among neighbors for which the commands are.
    """

    patient: tuple[str, ...] = ()
    planned: tuple[str, ...] = ()
    hello_s: int = 0


def timer_commands(daemon: str, configuration: str, wait_ms: int) -> TimerCommands:
    """What to tell a daemon so that it has patience, and to have its drawn timers again; nothing for other daemons.

    Args:
        daemon: "ospfd", for instance.
        configuration: its file: sections whose lines are indented.
        wait_ms: how long paths wait for more news.
    """
    patient: list[str] = []
    drawn: list[str] = []
    hello_s = 0
    for section, lines in _sections(configuration):
        found = [
            (match[0], rule.patient(match, wait_ms))
            for rule in _RULES.get(daemon, ())
            if any(map(rule.beside.match, lines))
            for match in filter(None, map(rule.line.fullmatch, lines))
        ]
        if found:
            drawn += [section, *(line for line, _ in found)]
            patient += [section, *(line for _, line in found)]
            hello_s = max([hello_s, *(int(match[1]) for match in filter(None, map(_HELLO.fullmatch, lines)))])
    return TimerCommands(tuple(patient), tuple(drawn), hello_s)


def _sections(configuration: str) -> Iterator[tuple[str, list[str]]]:
    """What begins at the margin, and the lines below it."""
    section, lines = "", list[str]()
    for line in configuration.splitlines():
        if line.startswith(" "):
            lines.append(line.strip())
        else:
            yield section, lines
            section, lines = line, []
    yield section, lines


class PatientTimers:
    """The patience of all routers of a lab.

    Args:
        routers: of the lab, all of which begin at once.
        crowd: what they share.
    """

    def __init__(self, routers: Sequence[Frr], crowd: ProcessorShare) -> None:
        self._routers, self._crowd = len(routers), crowd
        self._wait_ms = crowd.spf_wait_ms(self._routers)
        self._patient: list[tuple[Frr, str, TimerCommands]] = []

    def __bool__(self) -> bool:
        """Whether any daemon has patient timers now."""
        return bool(self._patient)

    def begin(self, router: Frr) -> None:
        """Give a router's daemons patience, before they hear from others. Raises LabFailed where one refuses it."""
        if not self._crowd.starves(self._routers):
            return
        for daemon, change in self._changes(router):
            try:
                router.configure(daemon, change.patient, _ANSWER_S)
            except (OSError, CommandFailed) as error:
                raise LabFailed(f"{router.router}: {daemon} refused the timers for a large lab: {error}") from error
            self._patient.append((router, daemon, change))

    def wait(self, at_rest: WaitForRest) -> str:
        """Wait until routing is at rest; says so, or that it has not come to rest.

        Args:
            at_rest: waits until nothing has changed for so many seconds (first argument), for so many at the longest
                (second argument), and says whether it was so.
        """
        begun_s = time.monotonic()
        deadline_s = begun_s + _PATIENCE_A_ROUTER_S * self._routers
        rests = 0
        while is_so := at_rest(_REST_S, deadline_s - time.monotonic()):
            if not self._says(_COMPUTING):
                rests += 1
                if rests > _EXCHANGE_RESTS or not self._says(_EXCHANGING):
                    break
        return f"{'at rest' if is_so else 'not at rest'} after {time.monotonic() - begun_s:.0f} s"

    def end(self) -> list[str]:
        """Give all daemons their drawn timers again.

        Both ends of a link need theirs soon one after the other: they do not hear each other while they differ. It ends
        when all have heard each other again: until then a neighbor is waited for as long as before.

        Returns:
            Warnings, of daemons that could not be told.
        """
        warnings = []
        for router, daemon, change in self._patient:
            if not router.runs(daemon):
                continue  # it begins with its file
            try:
                router.configure(daemon, change.planned, _ANSWER_S)
            except (OSError, CommandFailed) as error:
                warnings.append(f"{router.router}: {daemon} goes on with the timers of a large lab's start: {error}")
        time.sleep(max((change.hello_s for *_, change in self._patient), default=0) + _HELLO_LATE_S)
        self._patient.clear()
        return warnings

    def description(self) -> str:
        """What is waited for, for people."""
        number = self._crowd.processors
        shared = f"{number} processors" if number > 1 else "one processor"
        return (
            f"{self._routers} routers share {shared}: until they have met, "
            f"dead intervals are {_MORE_S} s longer and SPF waits {self._wait_ms / 1000:g} s"
        )

    def _says(self, what: Mapping[str, _Question]) -> bool:
        """Whether any daemon's answer has what is looked for, or any is too busy to answer."""
        return any(daemon in what and _answers(router, daemon, what[daemon]) for router, daemon, _ in self._patient)

    def _changes(self, router: Frr) -> Iterator[tuple[str, TimerCommands]]:
        files = router.plan.files
        for daemon in router.running():
            change = timer_commands(daemon, files.get(f"{daemon}.conf", files.get("frr.conf", "")), self._wait_ms)
            if change.patient:
                yield daemon, change


def _answers(router: Frr, daemon: str, question: _Question) -> bool:
    command, sought = question
    try:
        return router.runs(daemon) and sought.search(router.ask(daemon, command, _ANSWER_S)) is not None
    except CommandFailed:
        return False
    except OSError:
        return router.runs(daemon)


def _longer(match: re.Match[str]) -> int:
    return int(match[2]) + _MORE_S
