"""Log lines of routing daemons about neighbors, parsed into values by a table of regular expressions."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import NamedTuple

#: "2026/11/21 11:47:38.123456 OSPF: [Y05P2-YJVXY][EC 1234] the text". Fractions of a second appear only if configured.
_LINE = re.compile(r"^(\d{4}/\d\d/\d\d \d\d:\d\d:\d\d)(\.\d+)? \w+: ((?:\[[^\]]*\])*) ?(.*)$")


class NeighborChange(NamedTuple):
    """A logged change of a neighbor's state. `state` is in the words of `neighbors`, "gone" at its end."""

    name: str
    interface: str
    address: str
    state: str
    reason: str = ""
    vrf: str = ""


class LogNote(NamedTuple):
    """Another notable line: `what` of a `wire.RoutingNote` as `kind`, and the interface or neighbor in the line."""

    kind: str
    text: str
    interface: str = ""


class DaemonRestart(NamedTuple):
    """The start of a daemon, which has no neighbors then."""


class SpfRun(NamedTuple):
    """A computation of shortest paths that has just ended, and its duration."""

    duration_s: float


class SpfReason(NamedTuple):
    """The reason for a computation; the line follows that of `SpfRun`."""

    reason: str


LogEvent = NeighborChange | LogNote | DaemonRestart | SpfRun | SpfReason


def timestamp(line: str) -> tuple[float, bool] | None:
    """The wall-clock time of a log line and whether it is exact; None if the line has none.

    Times are in the machine's time zone, which is also that of the daemons.
    """
    match = _LINE.match(line)
    if match is None:
        return None
    seconds = time.mktime(time.strptime(match[1], "%Y/%m/%d %H:%M:%S"))
    return seconds + float(match[2] or 0), match[2] is not None


def parse(line: str) -> LogEvent | None:
    """The event in a log line; None if it has none."""
    match = _LINE.match(line)
    text = match[4] if match else line
    for expression, make in _TABLE:
        event_match = expression.search(text)
        if event_match:
            return make(event_match)
    return None


def _ospf(match: re.Match[str]) -> LogEvent:
    state = {"Deleted": "gone", "Down": "gone"}.get(match["state"], match["state"])
    vrf = "" if match["vrf"] == "default" else match["vrf"]
    address = f"{match['address']} {match['name']}"
    return NeighborChange(match["name"], match["interface"], address, state, _event(match["why"]), vrf)


def _ospf6(match: re.Match[str]) -> LogEvent:
    state = "gone" if match["state"] == "Down" else match["state"]
    return NeighborChange(match["name"], match["interface"], match["name"], state, _event(match["why"]))


def _event(event: str) -> str:
    """The reason for a neighbor's loss; empty for its arrival."""
    return {
        "InactivityTimer": "dead timer expired",
        "KillNbr": "its interface went down",
        "LLDown": "link down",
        "1-WayReceived": "it no longer receives hellos from this router",
        "SeqNumberMismatch": "database exchange restarted",
        "BadLSReq": "bad link state request",
    }.get(event, "")


def _isis(match: re.Match[str]) -> LogEvent:
    level = {"level-1": "level 1", "level-2": "level 2", "level-1-2": "levels 1 and 2"}.get(match["level"], "")
    state = {"Down": "gone", "Unknown": "gone"}.get(match["state"], match["state"])
    reason = "" if match["why"] == "unspecified" else match["why"]
    return NeighborChange(f"{match['name']} {level}".strip(), match["interface"], match["name"], state, reason)


def _bgp(match: re.Match[str]) -> LogEvent:
    name, vrf = match["name"].partition("(")[0], match["vrf"]
    by_interface = "." not in name and ":" not in name
    state = "Established" if match["state"] == "Up" else "Idle"
    interface, address = (name, "") if by_interface else ("", name)
    return NeighborChange(
        name, interface, address, state, match["why"].strip(), "" if vrf.startswith("default") else vrf
    )


def _pim(match: re.Match[str]) -> LogEvent:
    state = "up" if match["state"] == "UP" else "gone"
    return NeighborChange(match["name"], match["interface"], match["name"], state, (match["why"] or "").strip())


#: The daemons' names for settings on which both ends must agree.
_AGREED = {
    "RouterDeadInterval": "dead interval",
    "DeadInterval": "dead interval",
    "HelloInterval": "hello interval",
    "NetworkMask": "prefix length",
    "Area-ID": "area",
    "Instance-ID": "instance",
    "auth-type": "authentication",
}


def _mismatch(match: re.Match[str]) -> LogEvent:
    setting = _AGREED.get(match["what"], match["what"])
    return LogNote("refused", f"{setting} {match['here']} here, {match['there']} there", match["interface"])


def _notification(match: re.Match[str]) -> LogEvent:
    kind = {"2": "refused", "4": "timer"}.get(match["code"], "down")
    sender = "received" if match["way"].startswith("received") else "sent"
    return LogNote(kind, f"{sender}: {match['why']}", match["name"])


#: Abbreviations of ospfd for reasons to compute shortest paths.
_REASONS = {
    "R": "router LSA", "N": "network LSA", "S": "summary LSA", "AS": "ASBR summary LSA", "ABR": "area border",
    "ASBR": "AS boundary", "M": "an LSA aged out", "GR": "graceful restart",
}  # fmt: skip


def _spf_reason(match: re.Match[str]) -> LogEvent:
    words = [_REASONS.get(code, code) for code in match["why"].replace(" ", "").split(",") if code]
    return SpfReason(", ".join(words))


_TABLE: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], LogEvent]], ...] = (
    (re.compile(r"^\w+ [\d.]+\S* starting: "), lambda _: DaemonRestart()),
    (re.compile(r"SPF Processing Time\(usecs\): (?P<us>\d+)"), lambda m: SpfRun(int(m["us"]) / 1e6)),
    (re.compile(r"Reason\(s\) for SPF: (?P<why>.*)"), _spf_reason),
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
        _mismatch,
    ),
    (
        re.compile(
            r"I/F (?P<interface>\S+) (?:\(.*?\) )?(?P<what>\w+(?:-ID)?) mismatch .*"
            r"\(my (?P<here>\S+), rcvd (?P<there>\S+)\)"
        ),
        _mismatch,
    ),
    (
        re.compile(
            r"interface (?P<interface>[^\s:]+)\S*: (?P<what>auth-type) mismatch, "
            r"local (?P<here>\w+), rcvd (?P<there>\w+)"
        ),
        _mismatch,
    ),
    (
        re.compile(r"interface (?P<interface>[^\s:]+)\S*: (?:ospf_check_md5 checksum|auth\S* key) mismatch"),
        lambda m: LogNote("refused", "the keys differ", m["interface"]),
    ),
    (
        re.compile(r"interface (?P<interface>[^\s:]+)\S*: ospf_read invalid Area ID (?P<there>[\d.]+\d)"),
        lambda m: LogNote("refused", f"the neighbor is in area {m['there']}", m["interface"]),
    ),
    (
        re.compile(
            r"Neighbor \S+ (?P<what>MTU) (?P<there>\d+) is larger than \[(?P<interface>[^\]:]+)[^\]]*\]'s MTU "
            r"(?P<here>\d+)"
        ),
        _mismatch,
    ),
    (
        re.compile(
            r"%NOTIFICATION\S*: (?P<way>received from|sent to) neighbor (?P<name>\S+) (?P<code>\d+)/\d+ "
            r"\((?P<why>[^)]*)\)"
        ),
        _notification,
    ),
)
