"""A link's shape as `tc` commands, and what the kernel must then say of itself.

Rate and queue sit at the sending interface: `tbf` with a child fifo, so that the queue's limit is the child's and
reads back exactly (tbf's own `latency` is not the largest queueing delay: tc makes rate x latency + burst of it).
Delay and loss sit in the cable room as `netem` with an explicit limit, far from any queue that a limit is about.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from frrlib.model.links import FULL_FRAME_BYTES, Shape, queue_limit_bytes

#: tbf's bucket in full frames. Each frame beyond the first can pass at line rate after an idle moment; a bucket of one
#: would lose rate whenever the kernel's timer fires late.
BURST_FRAMES = 3
#: netem's limit must never be what drops: it counts packets in the delay line. At least this many.
NETEM_LIMIT_PACKETS = 10_000
#: Smallest frame, for the number of packets that fit into a delay line.
SMALLEST_FRAME_BYTES = 64
#: Without a rate, netem's limit is sized for a link of this rate.
UNLIMITED_MBIT = 10_000.0


@dataclass(frozen=True)
class Qdisc:
    """One qdisc: how to ask for it, and what to find when it is there.

    Attributes:
        dev: name of the interface.
        parent: "root" or a class ("1:1").
        handle: its handle ("1:").
        kind: its kind ("tbf").
        arguments: its own arguments, as words of `tc`.
        expected: option of `tc -j -r qdisc show`, dotted ("delay.delay"), to (value, largest difference).
    """

    dev: str
    parent: str
    handle: str
    kind: str
    arguments: str
    expected: Mapping[str, tuple[float, float]]

    @property
    def command(self) -> str:
        """The arguments of `tc` that install it."""
        where = "root" if self.parent == "root" else f"parent {self.parent}"
        return f"qdisc replace dev {self.dev} {where} handle {self.handle} {self.kind} {self.arguments}".rstrip()


def queue_qdiscs(dev: str, shape: Shape, back: Shape) -> tuple[Qdisc, ...]:
    """Rate and queue of a direction, at the interface from which it leaves; nothing without a rate.

    Args:
        dev: name of that interface.
        shape: the direction.
        back: the opposite direction (a queue in BDP needs the whole round trip).
    """
    limit_bytes = queue_limit_bytes(shape, back)
    if shape.rate_mbit is None or limit_bytes is None:
        return ()
    burst_bytes = BURST_FRAMES * FULL_FRAME_BYTES
    rate_bytes_s = shape.rate_mbit * 1e6 / 8
    shaper = Qdisc(
        dev,
        "root",
        "1:",
        "tbf",
        f"rate {_rate(shape.rate_mbit)} burst {burst_bytes}b limit {limit_bytes}b",
        {"rate": (rate_bytes_s, max(1.0, rate_bytes_s * 1e-6)), "burst": (burst_bytes, 0.01 * burst_bytes)},
    )
    if shape.queue_packets is not None:
        kind, limit, unit = "pfifo", shape.queue_packets, ""
    else:
        kind, limit, unit = "bfifo", limit_bytes, "b"
    return shaper, Qdisc(dev, "1:1", "10:", kind, f"limit {limit}{unit}", {"limit": (limit, 0)})


def cable_qdisc(dev: str, shape: Shape) -> Qdisc | None:
    """Delay and loss of a direction, at the cable room's interface from which it goes on; None without either."""
    if not shape.needs_cable_room:
        return None
    limit = _netem_limit(shape)
    words, expected = [f"limit {limit}"], {"limit": (float(limit), 0.0)}
    if shape.delay_ms or shape.jitter_ms:
        words.append(f"delay {_ms(shape.delay_ms)}" + (f" {_ms(shape.jitter_ms)}" if shape.jitter_ms else ""))
        expected["delay.delay"] = (shape.delay_ms / 1e3, 1e-6)
        expected["delay.jitter"] = (shape.jitter_ms / 1e3, 1e-6)
    if shape.loss_percent:
        words.append(f"loss random {shape.loss_percent:.9g}%")
        expected["loss-random.loss"] = (shape.loss_percent / 100, 1e-8)
    return Qdisc(dev, "root", "1:", "netem", " ".join(words), expected)


def differences(asked: Iterable[Qdisc], read_back: Iterable[Mapping[str, Any]]) -> list[str]:
    """What the kernel has that was not asked, one sentence each; empty where it is as asked.

    Args:
        asked: the qdiscs that were asked of one node.
        read_back: that node's answer to `tc -j -r qdisc show`.
    """
    found = {(entry.get("dev"), entry.get("handle")): entry for entry in read_back}
    said: list[str] = []
    for qdisc in asked:
        entry = found.get((qdisc.dev, qdisc.handle))
        if entry is None or entry.get("kind") != qdisc.kind:
            there = "nothing" if entry is None else str(entry.get("kind"))
            said.append(f"{qdisc.dev}: {qdisc.kind} {qdisc.handle} was asked, {there} is there")
            continue
        for option, (value, slack) in qdisc.expected.items():
            has = _option(entry.get("options", {}), option)
            if has is None or not math.isclose(has, value, rel_tol=0, abs_tol=slack):
                said.append(f"{qdisc.dev}: {qdisc.kind} has {option} {has}, asked was {value:g}")
    return said


def _netem_limit(shape: Shape) -> int:
    delay_s = (shape.delay_ms + 4 * shape.jitter_ms) / 1e3
    rate_mbit = UNLIMITED_MBIT if shape.rate_mbit is None else shape.rate_mbit
    frame_bytes = FULL_FRAME_BYTES if shape.rate_mbit is None else SMALLEST_FRAME_BYTES
    return max(NETEM_LIMIT_PACKETS, math.ceil(2 * rate_mbit * 1e6 / 8 * delay_s / frame_bytes))


def _rate(rate_mbit: float) -> str:
    """The rate in tc's words, exact to one bit a second."""
    bits = round(rate_mbit * 1e6)
    for unit, size in (("gbit", 10**9), ("mbit", 10**6), ("kbit", 10**3)):
        if bits % size == 0:
            return f"{bits // size}{unit}"
    return f"{bits}bit"


def _ms(value_ms: float) -> str:
    """The time in tc's words, exact to a microsecond."""
    return f"{round(value_ms * 1e3)}us" if round(value_ms * 1e3) % 1000 else f"{round(value_ms)}ms"


def _option(options: Mapping[str, Any], dotted: str) -> float | None:
    value: Any = options
    for key in dotted.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return float(value) if isinstance(value, int | float) else None


def on_device(qdisc: Qdisc, dev: str) -> Qdisc:
    """The same qdisc at another interface, for the cable room, whose interfaces are named where it is built."""
    return replace(qdisc, dev=dev)
