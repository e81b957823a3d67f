"""Whether a lab's links do what the drawing says: measured with datagrams on each of them, one after the other.

What the kernel says that it has was compared when the lab was built. Here packets tell: the round trip at rest, the
rate at which a full queue empties, how much it holds, and how much is lost.
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
from frrlib.model.chance import binomial_interval, likeness, loss_interval
from frrlib.model.delays import deviations
from frrlib.model.frames import udp_headers_bytes
from frrlib.model.links import End, Link, Shape, queue_limit_bytes
from frrlib.model.queues import Bfifo, Pfifo
from frrlib.verify.chains import Row, rows

#: Largest deviations that are taken as true.
RATE_SHARE, RTT_MS = 0.005, 0.2
_FLOOD_S, _PING_COUNT, _PING_EVERY_S, _PING_BYTES, _PING_TRIES = 3.0, 40, 0.02, 98, 5
_SMALL_PAYLOAD_BYTES, _MOST_PER_SECOND = 100, 2500
_FEWEST, _MOST = 1000, 12_000
#: A queue that takes longer than this to fill and empty is not filled.
_LONGEST_QUEUE_S = 20.0

What = Literal["base RTT", "rate", "queue", "loss", "duplicates"]


@dataclass(frozen=True)
class Check:
    """One thing that was measured.

    Attributes:
        link: its id; of several in a row all of them ("l1+l2").
        direction: "r1 -> r2"; of a round trip "r1 - r2".
        what: what was measured.
        unit: of the numbers ("ms", "Mbit/s", "bytes", "%").
        configured: what the drawing comes to; None where it says nothing.
        measured: what was found, infinite for an answer that never came; None where it could not be measured.
        low, high: between what `measured` must be.
        why: why there is no verdict; empty where there is one.
    """

    link: str
    direction: str
    what: What
    unit: str
    configured: float | None
    measured: float | None
    low: float = 0.0
    high: float = 0.0
    why: str = ""

    @property
    def is_true(self) -> bool | None:
        """Whether the link does what is drawn; None if that could not be seen."""
        if self.why or self.measured is None:
            return None
        return self.low <= self.measured <= self.high


def verified(lab: Lab, tell: Callable[[str], None] = lambda _: None) -> Iterator[Check]:
    """Measure every link of a running lab, on which nothing else is sent, with full frames of its MTU.

    Those at switches are measured in rows (`chains.rows`), each called by the ids of its links ("l1+l2").

    Args:
        lab: started, its routes there.
        tell: hears what is measured next.

    Raises:
        LabFailed: a trial could not be made.
    """
    direct = [Row(link) for link in lab.topology.links if _addresses(link) is not None]
    for link, queues_at_end, why in (*direct, *rows(lab.topology)):
        pair = _addresses(link)
        if link.a_to_b.qdiscs or link.b_to_a.qdiscs:
            why = "it has tc commands of its own, of which nothing is expected"
        if pair is None or why:
            yield Check(link.id, f"{link.a.node} - {link.b.node}", "base RTT", "ms", None, None, why=why)
            continue
        tell(f"{link.id}: round trip at rest")
        yield _round_trip(lab, link, pair[1])
        ways = zip(link.there_and_back, pair, reversed(pair), queues_at_end, strict=True)
        for (sender, shape, back), source, destination, sees_queue in ways:
            direction = _Direction(lab, link, sender, shape, back, source, destination)
            tell(f"{link.id}: loss {direction.name}")
            yield from direction.losses()
            if shape.rate_mbit is not None:
                tell(f"{link.id}: rate and queue {direction.name}")
                yield from direction.rate_and_queue(sees_queue=sees_queue)


def _addresses(link: Link) -> tuple[IpAddress, IpAddress] | None:
    """Addresses of both ends in one network; None where there are none."""
    for one in link.a.addresses:
        for other in link.b.addresses:
            if one.network == other.network:
                return one.ip, other.ip
    return None


def _round_trip(lab: Lab, link: Link, address: IpAddress) -> Check:
    shapes = (link.a_to_b, link.b_to_a)
    sending_ms = sum(
        shape.accounting.charged_bytes(_PING_BYTES) * 8e-3 / shape.rate_mbit for shape in shapes if shape.rate_mbit
    )
    expected = sum(shape.delay_ms for shape in shapes)
    jitter = sum(shape.jitter_ms for shape in shapes)
    wait_s = 2.0 + expected / 1e3
    if any(shape.mean_loss_percent for shape in shapes):
        _learn_neighbour(lab, link.a.node, address, wait_s)
    answer = lab.ask(wire.Ping(link.a.node, str(address), _PING_COUNT, _PING_EVERY_S, wait_s))
    direction = f"{link.a.node} - {link.b.node}"
    if not answer["rtt_ms"] and any(shape.mean_loss_percent >= 100 for shape in shapes):
        return Check(link.id, direction, "base RTT", "ms", expected, None, why="all is lost, as drawn")
    least = min(answer["rtt_ms"], default=math.inf)
    # The least: a machine that is busy makes some answers late, and none early. A packet alone does not wait for the
    # rate: there is always one in the bucket.
    least_ms = expected + sum(_least_deviation(shape) * shape.jitter_ms for shape in shapes)
    low, high = least_ms - 0.01, expected + jitter + sending_ms + RTT_MS
    return Check(link.id, direction, "base RTT", "ms", expected, least, max(0.0, low), high)


def _learn_neighbour(lab: Lab, node: str, address: IpAddress, wait_s: float) -> None:
    """Have a node learn the hardware address at the other end of a link that loses.

    Where the question for it is lost it is asked again only after a second, and all pings until then are late.
    """
    for _ in range(_PING_TRIES):
        if lab.ask(wire.Ping(node, str(address), 1, _PING_EVERY_S, wait_s))["rtt_ms"]:
            return


def _least_deviation(shape: Shape) -> float:
    """How far below the delay a packet's may be, in standard deviations; a table of netem's goes to 4."""
    samples = shape.impairments.jitter_samples_ms
    return deviations(samples)[0] if samples else -4.0


class _Direction:
    """One direction of a link, to be tried."""

    def __init__(
        self, lab: Lab, link: Link, sender: End, shape: Shape, back: Shape, source: IpAddress, destination: IpAddress
    ) -> None:
        self._lab, self._link, self._sender, self._shape, self._back = lab, link, sender, shape, back
        self._source, self._destination = source, destination
        self._receiver = link.other(sender.node)
        self._limit_bytes = queue_limit_bytes(shape, back, sender.frame_bytes) or 0
        self.name = f"{sender.node} -> {self._receiver.node}"

    def rate_and_queue(self, *, sees_queue: bool = True) -> Iterator[Check]:
        """Flood the link: the rate at the far end, and the fullest that the queue was, where it is at this end."""
        frame = min(end.frame_bytes for end in self._link.ends)
        rate = self._carried_mbit(frame)
        fill_s = self._limit_bytes * 8e-6 / rate
        if fill_s > _LONGEST_QUEUE_S:
            why = f"a full queue lasts {fill_s:.0f} s"
            yield Check(self._link.id, self.name, "rate", "Mbit/s", rate, None, why=why)
            return
        found = self._try("flood", frame, rate, seconds=_FLOOD_S + min(2.0, 20 * frame * 8e-6 / rate))
        measured = found.get("rate_mbit")
        # What is lost behind the queue does not come, and what is doubled comes twice.
        arrives = (1 - self._shape.mean_loss_percent / 100) * (1 + self._shape.impairments.duplicate_percent / 100)
        if measured is not None and arrives > 0:
            measured /= arrives
        slack = RATE_SHARE * rate * (1 if arrives == 1 else 4)
        # What is sent and has neither come nor would fit into the queue was dropped: it has been full.
        full = measured is not None and found["sent"] - found["received"] > self._limit_bytes / frame
        why = "" if full else "this machine does not send so fast: the queue never filled"
        yield Check(self._link.id, self.name, "rate", "Mbit/s", rate, measured, rate - slack, rate + slack, why)
        if sees_queue and isinstance(self._shape.discipline, Pfifo | Bfifo):
            yield self._queue(found, frame, why)

    def _queue(self, found: wire.DirectionReply, frame: int, why: str) -> Check:
        limit = float(self._limit_bytes)
        if isinstance(self._shape.discipline, Pfifo):
            limit = float(math.ceil(limit / self._sender.frame_bytes) * frame)  # it counts packets, whatever their size
        backlog = found.get("backlog_bytes")
        return Check(self._link.id, self.name, "queue", "bytes", limit, backlog, limit - frame, limit, why)

    def _carried_mbit(self, frame_bytes: int) -> float:
        """The rate at which frames of one size leave, without what the shaper adds to them; 0 for no rate."""
        return (self._shape.rate_mbit or 0.0) * frame_bytes / self._shape.accounting.charged_bytes(frame_bytes)

    def losses(self) -> Iterator[Check]:
        """Send evenly, less than the link carries: what does not come is lost on the way."""
        expected = self._shape.mean_loss_percent / 100
        if self._back.mean_loss_percent >= 100:
            why = "nothing comes the other way, so its ends never learn each other's hardware addresses"
            yield Check(self._link.id, self.name, "loss", "%", 100 * expected, None, why=why)
            return
        payload = _SMALL_PAYLOAD_BYTES
        frame = payload + udp_headers_bytes(self._destination.version)
        most_mbit = _MOST_PER_SECOND * frame * 8e-6
        rate = min(most_mbit, 0.5 * self._carried_mbit(frame) or most_mbit)
        # Enough to see about a hundred losses, in a time that somebody waits for.
        wanted = max(_FEWEST, min(_MOST, round(100 / expected) if expected else _FEWEST))
        count = max(200, min(wanted, int(8 * rate * 125_000 / frame)))
        found = self._try("count", frame, rate, payload=payload, count=count)
        lost = found["sent"] - found["received"]
        low, high = loss_interval(found["sent"], 100 * expected, likeness(self._shape.impairments))
        shares = (100 * each / found["sent"] for each in (expected * found["sent"], lost, low, high))
        configured, measured, least, most = shares
        yield Check(self._link.id, self.name, "loss", "%", configured, measured, least, most)
        if share := self._shape.impairments.duplicate_percent / 100:
            few, many = binomial_interval(found["received"], share)
            base = 100 / max(1, found["received"])
            yield Check(
                self._link.id, self.name, "duplicates", "%", 100 * share, base * found["twice"], base * few, base * many
            )

    def _try(
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
        found = self._lab.ask(command, 60.0 + 2 * lasts_s + delay_s + filled_s)
        if not found["sent"]:
            raise LabFailed(f"{self._sender.node} has sent no packet over {self._link.id}")
        return found


def failures(checks: Sequence[Check]) -> list[Check]:
    """Those of which the link does otherwise than drawn."""
    return [check for check in checks if check.is_true is False]
