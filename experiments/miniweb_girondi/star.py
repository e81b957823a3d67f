"""Shared parts of M. Girondi's experiments: the star, the sound path, and the numbers read from runs.

As published every interface of every host has Mininet's htb and netem, so that what goes from host to host is delayed
and lost twice, there and back. The right set-up has the same path (rate, round trip, loss of data) with everything in
its middle: the switch's queue towards the receiver, delay and loss in the cable behind it.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Literal, NamedTuple

from experiments.declaration import CheckResult
from experiments.runs import Run, Runs
from frrlib.model.tcp import TcpTuning
from frrlib.network.network import Network, Shape, Wait, end

SOURCE = (
    "M. Girondi, TCP BBR: a performance evaluation with Mininet (2019), slides and raw data, "
    "<https://github.com/MassimoGirondi/DNCS_BBR>"
)
CONTROLS = ("reno", "cubic", "bbr")
#: Of the published star, in Mbit/s and ms; each way crosses two links.
RATE_MBIT, LINK_DELAY_MS = 1000.0, 5.0
#: How many packets netem keeps unless it is told.
NETEM_LIMIT_PACKETS = 1000
#: The size that Mininet lets buffers grow to (`mininet.util.fixLimits`), whatever the machine says.
MININET_BUFFER_BYTES = 16 * 1024 * 1024
#: Of a receiver's buffer Linux 4.9 gave half to the window: 8 MiB of Mininet's. From 6.6 on it gives as much as packets
#: really take, here three quarters. Earlier kernels can be told to, so that this buffer has the window of then in all.
RECEIVE_BUFFER_BYTES = MININET_BUFFER_BYTES * 2 // 3
_THREE_QUARTERS = "sysctl -w net.ipv4.tcp_adv_win_scale=2"
#: Buffers that no flow of these experiments fills: the largest path holds 100 MB.
AMPLE_BYTES = 256 * 1024 * 1024
#: How a sender finds that packets are lost: by RACK (RFC 8985), which goes by time and is what Linux has done since
#: 4.18, or by three duplicate acknowledgments (RFC 6675), as mostly before. The kernel of then had RACK in a first form
#: only, which a later one cannot be told to use.
Repairs = Literal["rack", "dupacks"]
#: Why a run over lossy links may have failed and is used all the same.
MAY_FAIL = "a connection that does not come about counts as 0"
#: How often a case is run whose statements depend on chance: medians are over the flows of all of its runs.
CHANCE_REPEAT = 5
#: From the end of a run to the next one in the same lab, in seconds.
GAP_S = 10.0


class HostPair(NamedTuple):
    """A host that sends and one that receives."""

    sender: str
    receiver: str


#: iperf's server was the first host, its client, which sends, the second.
IPERF = HostPair("h2", "h1")


def path_loss_percent(loss_percent: float) -> float:
    """The loss of a path through two interfaces of which each loses so much."""
    return 100 * (1 - (1 - loss_percent / 100) ** 2)


def published_star(
    pairs: Sequence[HostPair] = (IPERF,), *, rate_mbit: float = RATE_MBIT, delay_ms: float = LINK_DELAY_MS,
    loss_percent: float = 0.0, limit_packets: int = NETEM_LIMIT_PACKETS, buffer_bytes: int | None = None,
    repairs: Repairs = "rack",
) -> Network:  # fmt: skip
    """A switch and hosts around it as Mininet's TCLink makes it: htb, and netem below, at both ends of each link.

    Args:
        pairs: the hosts.
        rate_mbit, delay_ms, loss_percent: of each interface.
        limit_packets: of each netem; what is under way counts, and with offloads up to 64 kB are one packet.
        buffer_bytes: of sockets, see `TcpTuning`; None for those of Mininet on Linux 4.9.
        repairs: how hosts find that packets are lost: by time, or as then by how many others have come.
    """
    loss = f" loss {loss_percent:g}%" if loss_percent else ""
    qdiscs = (
        "root handle 5: htb default 1",
        # The quantum is the one that htb takes unasked, with a warning.
        f"class parent 5: classid 5:1 htb rate {rate_mbit:g}mbit burst 15k quantum 200000",
        f"parent 5:1 handle 10: netem limit {limit_packets} delay {delay_ms:g}ms{loss}",
    )
    buffers = (buffer_bytes or MININET_BUFFER_BYTES, buffer_bytes or RECEIVE_BUFFER_BYTES)
    commands = [_THREE_QUARTERS, *(["sysctl -w net.ipv4.tcp_recovery=0"] if repairs == "dupacks" else [])]
    net = _hosts("as published", pairs, buffers, "; ".join(commands))
    for host in (host for pair in pairs for host in pair):
        net.link(end(host, offloads=True), end("s1", offloads=True), both=Shape(qdiscs=qdiscs))
    return net


def right_star(
    pairs: Sequence[HostPair] = (IPERF,), *, rate_mbit: float = RATE_MBIT, delay_ms: float = LINK_DELAY_MS,
    loss_percent: float = 0.0, ack_loss_percent: float = 0.0, buffer_bytes: int | None = AMPLE_BYTES,
) -> Network:  # fmt: skip
    """The same path as in `published_star`, with the bottleneck, half of the delay and all loss behind the switch.

    Args:
        pairs: the hosts; no two pairs share a link.
        rate_mbit: towards each receiver, with a queue of one bandwidth-delay product, 100 frames at least.
        delay_ms: of each of the four interfaces that the published path crosses, so a quarter of the round trip.
        loss_percent: of data, on the whole way.
        ack_loss_percent: of acknowledgments, likewise.
        buffer_bytes: of sockets, see `TcpTuning`; None for the kernel's own.
    """
    one_way_ms = 2 * delay_ms
    queue_bytes = max(100 * 1514, round(rate_mbit * 125 * 2 * one_way_ms))
    net = _hosts("done right", pairs, (buffer_bytes, buffer_bytes))
    data = Shape(rate_mbit=rate_mbit, delay_ms=one_way_ms, loss_percent=loss_percent, queue_bytes=queue_bytes)
    for pair in pairs:
        net.link(pair.sender, "s1")
        net.link("s1", pair.receiver, a_to_b=data, b_to_a=Shape(delay_ms=one_way_ms, loss_percent=ack_loss_percent))
    return net


def add_flows_in_turn(net: Network, numbers: dict[str, int], duration_s: dict[str, float]) -> None:
    """Let flows of bulk data follow each other: one of each congestion control, then again, as often as it is to run.

    Args:
        numbers: how often by congestion control.
        duration_s: how long by congestion control.
    """
    at_s = 0.0
    for number in range(1, max(numbers.values()) + 1):
        for control in (name for name, count in numbers.items() if number <= count):
            net.flow(
                f"{control}-{number}", *IPERF, congestion_control=control, start_s=at_s, duration_s=duration_s[control]
            )
            at_s += duration_s[control] + GAP_S


def _hosts(
    title: str, pairs: Sequence[HostPair], buffers_bytes: tuple[int | None, int | None], command: str = ""
) -> Network:
    sending, receiving = (TcpTuning(buffer_bytes=size) for size in buffers_bytes)
    net = Network(title, wait=Wait(ping_count=0))  # on such links pings get lost, and a run would have failed
    for number, pair in enumerate(pairs):
        net.host(pair.sender, at=(100, 100 + 120 * number), tcp=sending, start_command=command)
        net.host(pair.receiver, at=(500, 100 + 120 * number), tcp=receiving, start_command=command)
    net.bridge("s1", at=(300, 100 + 60 * (len(pairs) - 1)))
    return net


# --- what runs have found ---------------------------------------------------------------------------------------------


def rates_mbit(runs: Sequence[Run], control: str) -> list[float]:
    """What arrived of each flow of a congestion control, in Mbit/s over the time since it had connected, as iperf says.

    Of a flow that failed it is what had come until then, which is nothing for one that did not connect.
    """
    rates = []
    for run in runs:
        for flow in run.results.info.flows:
            if flow.control == control:
                report = run.results.flow_report(flow.id) or {}
                received = report.get("end", {}).get("sum_received", {})
                rates.append(received.get("bytes", 0) * 8e-6 / (received.get("seconds") or flow.duration_s))
    return rates


def flow_failures(runs: Sequence[Run], control: str) -> list[str]:
    """Why flows of a congestion control failed, one sentence each."""
    return [
        f"{event.subject}: {event.text}"
        for run in runs
        for event in run.results.events
        if event.kind == "flow" and event.what == "failed" and event.subject.startswith(f"{control}-")
    ]


def median_of(values: Sequence[float]) -> float | None:
    """The median; None for none."""
    return statistics.median(values) if values else None


def median_rates_mbit(controls: Sequence[str], runs: Runs, **values: str | float) -> CheckResult:
    """The median rate of each congestion control in the published set-up; None where one is missing."""
    median_by_control = {
        control: median_of(rates_mbit(runs.select("published", **values), control)) for control in controls
    }
    present = {control: value for control, value in median_by_control.items() if value is not None}
    return present if len(present) == len(median_by_control) else None
