"""Checks of a lab's links against the topology, measured with datagrams on one link after the other.

The settings of the kernel were compared when the lab was built. These checks measure packets: the round trip at rest,
the rate at which a full queue drains, its largest backlog, and the loss.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from frrlib import wire
from frrlib.errors import LabFailed
from frrlib.lab.lab import Lab
from frrlib.model.base import IpAddress
from frrlib.model.chance import binomial_interval, loss_correlation, loss_interval
from frrlib.model.delays import deviations
from frrlib.model.frames import udp_headers_bytes
from frrlib.model.links import End, Link, Shape, queue_limit_bytes
from frrlib.model.queues import Bfifo, Pfifo
from frrlib.verify.chains import LinkChain, link_chains

#: The tolerances of rate (as a share) and of round trip.
RATE_SHARE, RTT_MS = 0.005, 0.2
_FLOOD_S, _PING_COUNT, _PING_EVERY_S, _PING_BYTES, _PING_TRIES = 3.0, 40, 0.02, 98, 5
_SMALL_PAYLOAD_BYTES, _MOST_PER_SECOND = 100, 2500
_FEWEST, _MOST = 1000, 12_000
#: A queue that takes longer than this to fill and drain is not measured.
_LONGEST_QUEUE_S = 20.0

Quantity = Literal["base RTT", "rate", "queue", "loss", "duplicates"]


@dataclass(frozen=True)
class LinkCheck:
    """The result of one measurement on a link.

    Attributes:
        link: its id; for a chain, all ids ("l1+l2").
        direction: "r1 -> r2"; for a round trip "r1 - r2".
        quantity: the measured quantity.
        unit: the unit of the numbers ("ms", "Mbit/s", "bytes", "%").
        configured: the value in the topology, if there is one.
        measured: the measured value, infinite without any reply; None if it could not be measured.
        low, high: the bounds for `measured`.
        reason: the reason why there is no verdict; empty if there is one.
    """

    link: str
    direction: str
    quantity: Quantity
    unit: str
    configured: float | None
    measured: float | None
    low: float = 0.0
    high: float = 0.0
    reason: str = ""

    @property
    def is_true(self) -> bool | None:
        """Whether the link is as configured; None if that could not be measured."""
        if self.reason or self.measured is None:
            return None
        return self.low <= self.measured <= self.high


def check_links(lab: Lab, report_progress: Callable[[str], None] = lambda _: None) -> Iterator[LinkCheck]:
    """Measure every link of a running lab without other traffic, with full frames of its MTU.

    Links at switches are measured as chains (`chains.link_chains`), each named by the ids of its links ("l1+l2").

    Args:
        lab: a started lab with converged routes.
        report_progress: called with a text before each measurement.

    Raises:
        LabFailed: a measurement failed.
    """
    direct = [LinkChain(link) for link in lab.topology.links if _addresses(link) is not None]
    for link, queues_at_end, reason in (*direct, *link_chains(lab.topology)):
        addresses = _addresses(link)
        if link.a_to_b.qdiscs or link.b_to_a.qdiscs:
            reason = "it has tc commands of its own, whose effects are unknown"
        if addresses is None or reason:
            yield LinkCheck(link.id, f"{link.a.node} - {link.b.node}", "base RTT", "ms", None, None, reason=reason)
            continue
        report_progress(f"{link.id}: round trip at rest")
        yield _round_trip(lab, link, addresses[1])
        directions = zip(link.directions_with_reverse, addresses, reversed(addresses), queues_at_end, strict=True)
        for (sender, shape, reverse), source, destination, sees_queue in directions:
            direction = _Direction(lab, link, sender, shape, reverse, source, destination)
            report_progress(f"{link.id}: loss {direction.name}")
            yield from direction.losses()
            if shape.rate_mbit is not None:
                report_progress(f"{link.id}: rate and queue {direction.name}")
                yield from direction.rate_and_queue(sees_queue=sees_queue)


def _addresses(link: Link) -> tuple[IpAddress, IpAddress] | None:
    """Addresses of both ends in one network; None without such addresses."""
    for first in link.a.addresses:
        for second in link.b.addresses:
            if first.network == second.network:
                return first.ip, second.ip
    return None


def _round_trip(lab: Lab, link: Link, address: IpAddress) -> LinkCheck:
    shapes = (link.a_to_b, link.b_to_a)
    sending_ms = sum(
        shape.accounting.charged_bytes(_PING_BYTES) * 8e-3 / shape.rate_mbit for shape in shapes if shape.rate_mbit
    )
    expected = sum(shape.delay_ms for shape in shapes)
    jitter = sum(shape.jitter_ms for shape in shapes)
    wait_s = 2.0 + expected / 1e3
    if any(shape.mean_loss_percent for shape in shapes):
        _learn_neighbour(lab, link.a.node, address, wait_s)
    reply = lab.ask(wire.Ping(link.a.node, str(address), _PING_COUNT, _PING_EVERY_S, wait_s))
    direction = f"{link.a.node} - {link.b.node}"
    if not reply["rtt_ms"] and any(shape.mean_loss_percent >= 100 for shape in shapes):
        return LinkCheck(
            link.id, direction, "base RTT", "ms", expected, None, reason="all packets are lost, as configured"
        )
    least = min(reply["rtt_ms"], default=math.inf)
    # The least RTT is checked: a busy machine delays some replies, but makes none early. A single packet does not wait
    # for the rate, because the bucket always admits one.
    least_ms = expected + sum(_least_deviation(shape) * shape.jitter_ms for shape in shapes)
    low, high = least_ms - 0.01, expected + jitter + sending_ms + RTT_MS
    return LinkCheck(link.id, direction, "base RTT", "ms", expected, least, max(0.0, low), high)


def _learn_neighbour(lab: Lab, node: str, address: IpAddress, wait_s: float) -> None:
    """Make a node resolve the hardware address at the other end of a link with loss.

    A lost ARP or ND request is repeated only after a second, and all pings until then are late.
    """
    for _ in range(_PING_TRIES):
        if lab.ask(wire.Ping(node, str(address), 1, _PING_EVERY_S, wait_s))["rtt_ms"]:
            return


def _least_deviation(shape: Shape) -> float:
    """The minimum of a packet's deviation from the mean delay, in standard deviations; netem's tables go to -4."""
    samples = shape.impairments.jitter_samples_ms
    return deviations(samples)[0] if samples else -4.0


class _Direction:
    """Measurements of one direction of a link."""

    def __init__(
        self, lab: Lab, link: Link, sender: End, shape: Shape, reverse: Shape, source: IpAddress, destination: IpAddress
    ) -> None:
        self._lab, self._link, self._sender, self._shape, self._reverse = lab, link, sender, shape, reverse
        self._source, self._destination = source, destination
        self._receiver = link.other(sender.node)
        self._limit_bytes = queue_limit_bytes(shape, reverse, sender.frame_bytes) or 0
        self.name = f"{sender.node} -> {self._receiver.node}"

    def rate_and_queue(self, *, sees_queue: bool = True) -> Iterator[LinkCheck]:
        """Flood the link, and check the rate at the far end, and the largest backlog if the queue is at this end."""
        frame = min(end.frame_bytes for end in self._link.ends)
        rate = self._carried_mbit(frame)
        fill_s = self._limit_bytes * 8e-6 / rate
        if fill_s > _LONGEST_QUEUE_S:
            reason = f"a full queue takes {fill_s:.0f} s to drain"
            yield LinkCheck(self._link.id, self.name, "rate", "Mbit/s", rate, None, reason=reason)
            return
        trial = self._run_trial("flood", frame, rate, seconds=_FLOOD_S + min(2.0, 20 * frame * 8e-6 / rate))
        measured = trial.get("rate_mbit")
        # Packets lost behind the queue do not arrive, and duplicated packets arrive twice.
        arrives = (1 - self._shape.mean_loss_percent / 100) * (1 + self._shape.impairments.duplicate_percent / 100)
        if measured is not None and arrives > 0:
            measured /= arrives
        slack = RATE_SHARE * rate * (1 if arrives == 1 else 4)
        # The queue was full if more packets are missing than fit into it: these were dropped.
        full = measured is not None and trial["sent"] - trial["received"] > self._limit_bytes / frame
        reason = "" if full else "this machine is too slow to fill the queue"
        yield LinkCheck(self._link.id, self.name, "rate", "Mbit/s", rate, measured, rate - slack, rate + slack, reason)
        if sees_queue and isinstance(self._shape.discipline, Pfifo | Bfifo):
            yield self._queue(trial, frame, reason)

    def _queue(self, trial: wire.DirectionReply, frame: int, reason: str) -> LinkCheck:
        limit = float(self._limit_bytes)
        if isinstance(self._shape.discipline, Pfifo):
            limit = float(math.ceil(limit / self._sender.frame_bytes) * frame)  # it counts packets of any size
        backlog = trial.get("backlog_bytes")
        return LinkCheck(self._link.id, self.name, "queue", "bytes", limit, backlog, limit - frame, limit, reason)

    def _carried_mbit(self, frame_bytes: int) -> float:
        """The rate of frames of one size, without the bytes that the shaper adds to them; 0 for no rate."""
        return (self._shape.rate_mbit or 0.0) * frame_bytes / self._shape.accounting.charged_bytes(frame_bytes)

    def losses(self) -> Iterator[LinkCheck]:
        """Send evenly below the rate of the link, and check the share of lost packets."""
        expected = self._shape.mean_loss_percent / 100
        if self._reverse.mean_loss_percent >= 100:
            reason = "the other direction loses all packets, so its ends cannot resolve hardware addresses"
            yield LinkCheck(self._link.id, self.name, "loss", "%", 100 * expected, None, reason=reason)
            return
        payload = _SMALL_PAYLOAD_BYTES
        frame = payload + udp_headers_bytes(self._destination.version)
        most_mbit = _MOST_PER_SECOND * frame * 8e-6
        rate = min(most_mbit, 0.5 * self._carried_mbit(frame) or most_mbit)
        # Enough packets for about a hundred losses, within a bearable time.
        sufficient = max(_FEWEST, min(_MOST, round(100 / expected) if expected else _FEWEST))
        count = max(200, min(sufficient, int(8 * rate * 125_000 / frame)))
        trial = self._run_trial("count", frame, rate, payload=payload, count=count)
        lost = trial["sent"] - trial["received"]
        low, high = loss_interval(trial["sent"], 100 * expected, loss_correlation(self._shape.impairments))
        shares = (100 * packets / trial["sent"] for packets in (expected * trial["sent"], lost, low, high))
        configured, measured, least, most = shares
        yield LinkCheck(self._link.id, self.name, "loss", "%", configured, measured, least, most)
        if share := self._shape.impairments.duplicate_percent / 100:
            few, many = binomial_interval(trial["received"], share)
            base = 100 / max(1, trial["received"])
            yield LinkCheck(
                self._link.id, self.name, "duplicates", "%", 100 * share, base * trial["twice"], base * few, base * many
            )

    def _run_trial(
        self, kind: str, frame: int, rate: float, payload: int = 0, seconds: float = 0.0, count: int = 0
    ) -> wire.DirectionReply:
        delay_s = (self._shape.delay_ms + 4 * self._shape.jitter_ms) / 1e3
        filled_s = self._limit_bytes * 8e-6 / (self._carried_mbit(frame) or 1e6)
        lasts_s = seconds + count * frame * 8e-6 / rate
        command = wire.TryDirection(
            sender=self._sender.node,
            interface=self._sender.interface,
            receiver=self._receiver.node,
            source=str(self._source),
            destination=str(self._destination),
            kind=kind,
            payload_bytes=payload or frame - udp_headers_bytes(self._destination.version),
            frame_bytes=frame,
            rate_mbit=rate,
            queue_bytes=self._limit_bytes if kind == "flood" else 0,
            seconds=seconds + delay_s if kind == "flood" else 0.0,
            count=count,
            under_way_s=delay_s + filled_s,
            bucket_frames=self._shape.bucket_frames(self._sender.frame_bytes),
        )
        trial = self._lab.ask(command, 60.0 + 2 * lasts_s + delay_s + filled_s)
        if not trial["sent"]:
            raise LabFailed(f"{self._sender.node} has sent no packet over {self._link.id}")
        return trial


def failures(checks: Sequence[LinkCheck]) -> list[LinkCheck]:
    """The checks of which the link is not as configured."""
    return [check for check in checks if check.is_true is False]
