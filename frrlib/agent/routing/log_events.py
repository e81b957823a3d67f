"""Routing daemons' log lines about neighbours, as values: pure, a table of expressions."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import NamedTuple

#: "2026/11/21 11:47:38.123456 OSPF: [Y05P2-YJVXY][EC 1234] the text"; digits of a second only where they are asked for.
_LINE = re.compile(r"^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d)(\.\d+)? \w+: ((?:\[[^\]]*\])*) ?(.*)$")


class NeighborChange(NamedTuple):
    """A neighbour's state changed, as a daemon logs it: `state` in the words of `neighbours`, "gone" at its end."""

    name: str
    interface: str
    address: str
    state: str
    reason: str = ""
    vrf: str = ""


class LogNote(NamedTuple):
    """Something else worth knowing: `what` as in `wire.RoutingNote`; of which interface or neighbour, where it says."""

    what: str
    text: str
    interface: str = ""


class DaemonRestart(NamedTuple):
    """The daemon begins anew and knows nobody."""


class SpfRun(NamedTuple):
    """Shortest paths were computed just now; how long that took."""

    duration_s: float


class SpfReason(NamedTuple):
    """Why they were computed; follows `SpfRun`."""

    reason: str


LogEvent = NeighborChange | LogNote | DaemonRestart | SpfRun | SpfReason


def timestamp(line: str) -> tuple[float, bool] | None:
    """The wall-clock time of a log line and whether it is exact; None where it has none.

    Times are those of the machine's zone, and the daemons' is the same.
    """
    match = _LINE.match(line)
    if match is None:
        return None
    seconds = time.mktime(time.strptime(match[1], "%Y/%m/%d %H:%M:%S"))
    return seconds + float(match[2] or 0), match[2] is not None


def parse(line: str) -> LogEvent | None:
    """A log line's news of neighbours; None if there is none."""
    match = _LINE.match(line)
    text = match[4] if match else line
    for expression, make in _TABLE:
        found = expression.search(text)
        if found:
            return make(found)
    return None


def _ospf(found: re.Match[str]) -> LogEvent:
    state = {"Deleted": "gone", "Down": "gone"}.get(found["state"], found["state"])
    vrf = "" if found["vrf"] == "default" else found["vrf"]
    address = f"{found['address']} {found['name']}"
    return NeighborChange(found["name"], found["interface"], address, state, _event(found["why"]), vrf)


def _ospf6(found: re.Match[str]) -> LogEvent:
    state = "gone" if found["state"] == "Down" else found["state"]
    return NeighborChange(found["name"], found["interface"], found["name"], state, _event(found["why"]))


def _event(why: str) -> str:
    """Why a neighbour went; that it came is no reason."""
    return {
        "InactivityTimer": "dead timer expired",
        "KillNbr": "its interface went down",
        "LLDown": "link down",
        "1-WayReceived": "it does not hear this router any more",
        "SeqNumberMismatch": "database exchange began anew",
        "BadLSReq": "bad link state request",
    }.get(why, "")


def _isis(found: re.Match[str]) -> LogEvent:
    level = {"level-1": "level 1", "level-2": "level 2", "level-1-2": "levels 1 and 2"}.get(found["level"], "")
    state = {"Down": "gone", "Unknown": "gone"}.get(found["state"], found["state"])
    why = "" if found["why"] == "unspecified" else found["why"]
    return NeighborChange(f"{found['name']} {level}".strip(), found["interface"], found["name"], state, why)


def _bgp(found: re.Match[str]) -> LogEvent:
    name, vrf = found["name"].partition("(")[0], found["vrf"]
    by_interface = "." not in name and ":" not in name
    state = "Established" if found["state"] == "Up" else "Idle"
    interface, address = (name, "") if by_interface else ("", name)
    return NeighborChange(
        name, interface, address, state, found["why"].strip(), "" if vrf.startswith("default") else vrf
    )


def _pim(found: re.Match[str]) -> LogEvent:
    state = "up" if found["state"] == "UP" else "gone"
    return NeighborChange(found["name"], found["interface"], found["name"], state, (found["why"] or "").strip())


#: The daemons' names for settings on which two ends must agree.
_AGREED = {
    "RouterDeadInterval": "dead interval",
    "DeadInterval": "dead interval",
    "HelloInterval": "hello interval",
    "NetworkMask": "prefix length",
    "Area-ID": "area",
    "Instance-ID": "instance",
    "auth-type": "authentication",
}


def _differs(found: re.Match[str]) -> LogEvent:
    what = _AGREED.get(found["what"], found["what"])
    return LogNote("refused", f"{what} {found['here']} here, {found['there']} there", found["interface"])


def _notification(found: re.Match[str]) -> LogEvent:
    what = {"2": "refused", "4": "timer"}.get(found["code"], "down")
    way = "it said" if found["way"].startswith("received") else "this router said"
    return LogNote(what, f"{way}: {found['why']}", found["name"])


#: How ospfd abbreviates what made it compute shortest paths.
_REASONS = {
    "R": "router LSA", "N": "network LSA", "S": "summary LSA", "AS": "ASBR summary LSA", "ABR": "area border",
    "ASBR": "AS boundary", "M": "an LSA aged out", "GR": "graceful restart",
}  # fmt: skip


def _because(found: re.Match[str]) -> LogEvent:
    words = [_REASONS.get(each, each) for each in found["why"].replace(" ", "").split(",") if each]
    return SpfReason(", ".join(words))


_TABLE: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], LogEvent]], ...] = (
    (re.compile(r"^\w+ [\d.]+\S* starting: "), lambda _: DaemonRestart()),
    (re.compile(r"SPF Processing Time\(usecs\): (?P<us>\d+)"), lambda m: SpfRun(int(m["us"]) / 1e6)),
    (re.compile(r"Reason\(s\) for SPF: (?P<why>.*)"), _because),
    (
        re.compile(
            r"AdjChg: Nbr (?P<name>[\d.]+), NbrIP (?P<address>[\d.]+) \((?P<vrf>\S+)\) on (?P<interface>[^:]+):\S+: "
            r"\S+ -> (?P<state>\S+) \((?P<why>\S+)\)"
        ),
        _ospf,
    ),
    (
        re.compile(
            r"AdjChg: Nbr (?P<name>[\d.]+)\((?P<vrf>\S+)\) on [^%\s]*%(?P<interface>\S+): "
            r"\S+ -> (?P<state>\S+) \((?P<why>\S+)\)"
        ),
        _ospf6,
    ),
    (
        re.compile(
            r"%ADJCHANGE: Adjacency to (?P<name>\S+) \((?P<interface>[^)]+)\)(?: for (?P<level>level-[\d-]+))? "
            r"changed from \S+ to (?P<state>\w+),? ?(?P<why>.*)"
        ),
        _isis,
    ),
    (
        re.compile(
            r"%ADJCHANGE: neighbor (?P<name>\S+?)(?:\(\S*\))? in vrf (?P<vrf>\S+) (?P<state>Up|Down)(?P<why>.*)"
        ),
        _bgp,
    ),
    (
        re.compile(
            r"PIM NEIGHBOR (?P<state>UP|DOWN): neighbor (?P<name>\S+) on interface (?P<interface>[^\s:]+):?(?P<why>.*)"
        ),
        _pim,
    ),
    (
        re.compile(
            r"\[Hello:RECV\]: (?P<what>\w+) mismatch on (?P<interface>[^\s:]+)\S* "
            r"\(\D+ (?P<here>\d+), but \D+ (?P<there>\d+)"
        ),
        _differs,
    ),
    (
        re.compile(
            r"I/F (?P<interface>\S+) (?:\(.*?\) )?(?P<what>\w+(?:-ID)?) mismatch .*"
            r"\(my (?P<here>\S+), rcvd (?P<there>\S+)\)"
        ),
        _differs,
    ),
    (
        re.compile(
            r"interface (?P<interface>[^\s:]+)\S*: (?P<what>auth-type) mismatch, "
            r"local (?P<here>\w+), rcvd (?P<there>\w+)"
        ),
        _differs,
    ),
    (
        re.compile(r"interface (?P<interface>[^\s:]+)\S*: (?:ospf_check_md5 checksum|auth\S* key) mismatch"),
        lambda m: LogNote("refused", "the keys differ", m["interface"]),
    ),
    (
        re.compile(r"interface (?P<interface>[^\s:]+)\S*: ospf_read invalid Area ID (?P<there>[\d.]+\d)"),
        lambda m: LogNote("refused", f"it is in area {m['there']} there", m["interface"]),
    ),
    (
        re.compile(
            r"Neighbor \S+ (?P<what>MTU) (?P<there>\d+) is larger than \[(?P<interface>[^\]:]+)[^\]]*\]'s MTU "
            r"(?P<here>\d+)"
        ),
        _differs,
    ),
    (
        re.compile(
            r"%NOTIFICATION\S*: (?P<way>received from|sent to) neighbor (?P<name>\S+) (?P<code>\d+)/\d+ "
            r"\((?P<why>[^)]*)\)"
        ),
        _notification,
    ),
)
