"""Shared parts of M. Girondi's experiments: the star, the correct path, and the numbers from runs.

In the published set-up both interfaces of each link have Mininet's htb and netem, so that each packet from host to host
is delayed, and may be lost, twice. The right set-up has the same path (rate, RTT, loss of data) with everything in its
middle: the queue of the switch towards the receiver, and delay and loss in the cable behind it.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Literal, NamedTuple

from frrlib.model.tcp import TcpTuning
from frrlib.network.network import Network, Shape, Wait, end
from miniedit_frr.experiments.declaration import CheckResult
from miniedit_frr.experiments.runs import Run, Runs

SOURCE = (
    "M. Girondi, TCP BBR: a performance evaluation with Mininet (2019), slides and raw data, "
    "<https://github.com/MassimoGirondi/DNCS_BBR>"
)
CONTROLS = ("reno", "cubic", "bbr")
#: The rate and the delay of each link of the published star. A path crosses two links.
RATE_MBIT, LINK_DELAY_MS = 1000.0, 5.0
#: netem's default limit.
NETEM_LIMIT_PACKETS = 1000
#: Mininet's limit of socket buffers (`mininet.util.fixLimits`), which replaces that of the machine.
MININET_BUFFER_BYTES = 16 * 1024 * 1024
#: Linux 4.9 used half of a receiver's buffer for the window: 8 MiB of Mininet's buffer. Since 6.6 the window depends on
#: the actual size of packets, and is three quarters here; earlier kernels are configured to use three quarters, too. So
#: this buffer gives the published window in all kernels.
RECEIVE_BUFFER_BYTES = MININET_BUFFER_BYTES * 2 // 3
_THREE_QUARTERS = "sysctl -w net.ipv4.tcp_adv_win_scale=2"
#: Larger than any window of these experiments: the largest path holds 100 MB.
AMPLE_BYTES = 256 * 1024 * 1024
#: The sender's loss detection: by time (RACK, RFC 8985), the default of Linux since 4.18, or by three duplicate
#: acknowledgments (RFC 6675), as mostly before. The published kernel had an early form of RACK, which later kernels do
#: not offer.
Repairs = Literal["rack", "dupacks"]
#: The reason why failed runs over lossy links are used all the same.
MAY_FAIL = "a connection that does not come about counts as 0"
#: The number of runs of a case whose statements depend on chance. Medians are over the flows of all of its runs.
CHANCE_REPEAT = 5
#: The pause between two flows in the same lab, in seconds.
GAP_S = 10.0


class HostPair(NamedTuple):
    """A sending host and a receiving host."""

    sender: str
    receiver: str


#: iperf's server was the first host. Its client, the sender, was the second.
IPERF = HostPair("h2", "h1")


def path_loss_percent(loss_percent: float) -> float:
    """The loss of a path through two interfaces with this loss."""
    return 100 * (1 - (1 - loss_percent / 100) ** 2)


def published_star(
    pairs: Sequence[HostPair] = (IPERF,), *, rate_mbit: float = RATE_MBIT, delay_ms: float = LINK_DELAY_MS,
    loss_percent: float = 0.0, limit_packets: int = NETEM_LIMIT_PACKETS, buffer_bytes: int | None = None,
    repairs: Repairs = "rack",
) -> Network:  # fmt: skip
    """A switch with hosts around it, with links as in Mininet's TCLink: htb, and netem below, at both ends of each.

    Args:
        pairs: the hosts.
        rate_mbit, delay_ms, loss_percent: the values of each interface.
        limit_packets: the limit of each netem. It includes delayed packets; with offloads a packet has up to 64 kB.
        buffer_bytes: the size of socket buffers, see `TcpTuning`; None for those of Mininet on Linux 4.9.
        repairs: the loss detection of senders.
    """
    loss = f" loss {loss_percent:g}%" if loss_percent else ""
    qdiscs = (
        "root handle 5: htb default 1",
        # The quantum is htb's own choice, which it makes with a warning if none is given.
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
    """The same path as in `published_star`, with the bottleneck, the delay and all loss behind the switch.

    Args:
        pairs: the hosts; no two pairs share a link.
        rate_mbit: the rate towards each receiver, with a queue of one bandwidth-delay product, at least 100 frames.
        delay_ms: the delay of each of the four interfaces of the published path, a quarter of the RTT.
        loss_percent: the loss of data on the whole path.
        ack_loss_percent: the loss of acknowledgments on the whole path.
        buffer_bytes: the size of socket buffers, see `TcpTuning`; None for the kernel's default.
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
    """Add flows of bulk data, one after another: one of each congestion control, and again.

    Args:
        numbers: the number of flows by congestion control.
        duration_s: the duration of each flow by congestion control.
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
    net = Network(title, wait=Wait(ping_count=0))  # on such links pings get lost, and the run would fail
    for number, pair in enumerate(pairs):
        net.host(pair.sender, at=(100, 100 + 120 * number), tcp=sending, start_command=command)
        net.host(pair.receiver, at=(500, 100 + 120 * number), tcp=receiving, start_command=command)
    net.bridge("s1", at=(300, 100 + 60 * (len(pairs) - 1)))
    return net


# --- what runs have found ---------------------------------------------------------------------------------------------


def rates_mbit(runs: Sequence[Run], control: str) -> list[float]:
    """iperf's received rate of each flow of a congestion control, in Mbit/s since the connection was established.

    For a failed flow it is the rate until the failure, which is 0 if it did not connect.
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
    """A sentence for each failed flow of a congestion control."""
    return [
        f"{event.subject}: {event.text}"
        for run in runs
        for event in run.results.events
        if event.kind == "flow" and event.what == "failed" and event.subject.startswith(f"{control}-")
    ]


def median_of(values: Sequence[float]) -> float | None:
    """The median; None without values."""
    return statistics.median(values) if values else None


def median_rates_mbit(controls: Sequence[str], runs: Runs, **values: str | float) -> CheckResult:
    """The median rate of each congestion control in the published set-up; None if one is missing."""
    median_by_control = {
        control: median_of(rates_mbit(runs.select("published", **values), control)) for control in controls
    }
    present = {control: value for control, value in median_by_control.items() if value is not None}
    return present if len(present) == len(median_by_control) else None
