"""Ready mixes of flows between two nodes of a topology.

Each function takes a topology (whose flow IDs it does not reuse), a source and a destination, and returns new flows,
which the caller adds. It does not check whether the nodes exist; `check` does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from frrlib.edits.new_names import used_flow_ids
from frrlib.errors import TopologyError
from frrlib.model.flows import Flow
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import Bulk, ConstantRate, OneWayDelay, OnOff, Ping, Voip, WebPage

#: Classes of service by name (RFC 2474, 2597, 3246).
CLASSES: dict[str, int] = {
    **{f"CS{number}": 8 * number for number in range(8)},
    **{f"AF{group}{drop}": 8 * group + 2 * drop for group in range(1, 5) for drop in range(1, 4)},
    "EF": 46,
}
#: Classes of the Realtime Response Under Load test: best effort, background, streaming, expedited.
_RRUL = {"be": "CS0", "bk": "CS1", "cs5": "CS5", "ef": "EF"}

Flows = tuple[Flow, ...]


def rrul(
    topology: Topology, source: str, destination: str, *, congestion_control: str = "cubic", duration_s: float = 60.0,
    start_s: float = 5.0,
) -> Flows:  # fmt: skip
    """The Realtime Response Under Load test: four greedy flows in each direction with four classes, and probes.

    Args:
        start_s: time between the starts of probes and load, and between their ends, in which the path is idle.
    """
    ids = _ids(topology)
    common: dict[str, Any] = {
        "start_s": start_s, "duration_s": duration_s, "congestion_control": congestion_control,
        "traffic": Bulk(tool="own"),
    }  # fmt: skip
    forward: dict[str, Any] = {"source": source, "destination": destination}
    reverse: dict[str, Any] = {"source": destination, "destination": source}
    load = [
        Flow(id=ids(f"{direction}-{name}"), dscp=CLASSES[word], **ends, **common)
        for direction, ends in (("up", forward), ("down", {**reverse, "opened_by": "destination"}))
        for name, word in _RRUL.items()
    ]
    probe_s = duration_s + 2 * start_s
    probes = [Flow(id=ids("ping"), **forward, duration_s=probe_s, traffic=Ping())]
    probes += [
        Flow(id=ids(f"udp-{name}"), **forward, duration_s=probe_s, dscp=CLASSES[word], traffic=OneWayDelay())
        for name, word in _RRUL.items()
        if name != "cs5"
    ]
    return (*load, *probes)


def staggered(
    topology: Topology, source: str, destination: str, *, number: int = 5, stagger_s: float = 2.0,
    congestion_control: str = "cubic", duration_s: float = 30.0,
) -> Flows:  # fmt: skip
    """Equal greedy flows that start one after the other, which shows the time until a new flow has its share."""
    return (
        Flow(
            id=_ids(topology)("staggered"), source=source, destination=destination, count=number, stagger_s=stagger_s,
            congestion_control=congestion_control, duration_s=duration_s,
        ),
    )  # fmt: skip


def versus(
    topology: Topology, source: str, destination: str, *, first: str = "bbr", second: str = "cubic", number: int = 1,
    against: int = 1, duration_s: float = 60.0,
) -> Flows:  # fmt: skip
    """`number` flows of one congestion control and `against` flows of another, all at once."""
    ids = _ids(topology)
    return tuple(
        Flow(
            id=ids(control), source=source, destination=destination, count=count, congestion_control=control,
            duration_s=duration_s,
        )
        for control, count in ((first, number), (second, against))
    )  # fmt: skip


def cross_traffic(
    topology: Topology, source: str, destination: str, *, rate_mbit: float = 1.0, bursts_mbit: float = 2.0,
    duration_s: float = 60.0,
) -> Flows:  # fmt: skip
    """Background traffic: a constant rate of UDP, and bursts of TCP of random lengths."""
    ids = _ids(topology)
    ends: dict[str, Any] = {"source": source, "destination": destination, "duration_s": duration_s}
    bursts = OnOff(on_s=0.5, off_s=1.5, spread="exponential", rate_mbit=bursts_mbit)
    return (
        Flow(id=ids("cross-udp"), **ends, traffic=ConstantRate(rate_mbit=rate_mbit)),
        Flow(id=ids("cross-bursts"), **ends, traffic=bursts),
    )


def web_over_bulk(
    topology: Topology, source: str, destination: str, *, congestion_control: str = "cubic",
    bulk_control: str = "cubic", duration_s: float = 60.0, start_s: float = 5.0,
) -> Flows:  # fmt: skip
    """Web pages during a download. The pages start first, so that they are also measured without the download."""
    ids = _ids(topology)
    ends: dict[str, Any] = {"source": source, "destination": destination}
    return (
        Flow(
            id=ids("web"), **ends, duration_s=duration_s, congestion_control=congestion_control, traffic=WebPage(),
        ),
        Flow(
            id=ids("bulk"), **ends, start_s=start_s, duration_s=max(1.0, float(round(duration_s - start_s))),
            congestion_control=bulk_control,
        ),
    )  # fmt: skip


def voip_under_load(
    topology: Topology, source: str, destination: str, *, calls: int = 1, codec: str = "G.711",
    congestion_control: str = "cubic", duration_s: float = 60.0, start_s: float = 5.0, dscp: int | None = 46,
) -> Flows:  # fmt: skip
    """Calls, two directions each, and a greedy flow that begins later."""
    ids = _ids(topology)
    speech = Voip(codec=codec)  # type: ignore[arg-type]
    common: dict[str, Any] = {"duration_s": duration_s, "count": calls, "dscp": dscp, "traffic": speech}
    return (
        Flow(id=ids("call-forward"), source=source, destination=destination, **common),
        Flow(id=ids("call-reverse"), source=destination, destination=source, **common),
        Flow(
            id=ids("bulk"), source=source, destination=destination, start_s=start_s,
            duration_s=max(1.0, float(round(duration_s - start_s))), congestion_control=congestion_control,
        ),
    )  # fmt: skip


#: Title and function by name, in the order in which menus offer them.
MIXES: Mapping[str, tuple[str, Callable[..., Flows]]] = {
    "staggered": ("Flows one after the other", staggered),
    "versus": ("One congestion control against another", versus),
    "rrul": ("Response under load (RRUL)", rrul),
    "cross-traffic": ("Cross traffic", cross_traffic),
    "web-over-bulk": ("Web pages beside a download", web_over_bulk),
    "voip-under-load": ("Calls beside a download", voip_under_load),
}


def mix(name: str, topology: Topology, source: str, destination: str, **settings: Any) -> Flows:
    """A mix by name.

    Raises:
        TopologyError: there is no such mix, or the topology does not support it.
    """
    if name not in MIXES:
        raise TopologyError("is not a mix of flows", node=name, remedy=f"one of {', '.join(MIXES)}")
    return MIXES[name][1](topology, source, destination, **settings)


def _ids(topology: Topology) -> Callable[[str], str]:
    """A function that returns unused IDs: the given one, or one with a number appended."""
    used = used_flow_ids(topology)

    def numbered(word: str) -> Iterator[str]:
        yield word
        number = 2
        while True:
            yield f"{word}-{number}"
            number += 1

    def fresh(word: str) -> str:
        # Suffixes such as ".1" are IDs of equal flows.
        name = next(
            candidate
            for candidate in numbered(word)
            if not any(t == candidate or t.startswith(f"{candidate}.") for t in used)
        )
        used.add(name)
        return name

    return fresh
