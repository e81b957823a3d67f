"""A link's shape as `tc` commands, and what the kernel must then say of itself.

Rate and queue sit at the sending interface: `tbf` or `htb` with the queue's discipline below, so that the queue's
limit is that one's and reads back exactly (tbf's own `latency` is not the largest queueing delay: tc makes
rate x latency + burst of it; its `peakrate` drops every frame that is longer than its `mtu`, and with one of 1500 that
is every full frame, so it is never used). cake is shaper and queue in one.
Delay and loss sit in the cable room as `netem` with an explicit limit, far from any queue that a limit is about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from frrlib.model.frames import FULL_FRAME_BYTES
from frrlib.model.links import End, Shape
from frrlib.model.own_commands import parse_command
from frrlib.model.queues import Cake
from frrlib.render import delays, queues
from frrlib.render.queues import Expected, rate_words

#: netem's limit must never be what drops: it counts packets in the delay line. At least this many.
NETEM_LIMIT_PACKETS = 10_000
#: Smallest frame, for the number of packets that fit into a delay line.
SMALLEST_FRAME_BYTES = 64
#: Without a rate, netem's limit is sized for a link of this rate.
UNLIMITED_MBIT = 10_000.0
#: tc takes and tells whole microseconds, and the kernel reckons in steps of 64 ns in between.
_TIME_SLACK_S = 1.6e-6
#: Qdiscs that the kernel has no way to change while they are there (`net/sched`: no `change` among their operations).
_FIXED = frozenset(("htb", "sfq"))


@dataclass(frozen=True)
class RequestedQdisc:
    """One qdisc: how to ask for it, and what to find when it is there.

    Attributes:
        dev: name of the interface.
        parent: "root" or a class ("1:1").
        handle: its handle ("1:").
        kind: its kind ("tbf").
        arguments: its own arguments, as words of `tc`.
        expected: option of `tc -d -j -r qdisc show`, dotted ("delay.delay"), to what must be there.
    """

    dev: str
    parent: str
    handle: str
    kind: str
    arguments: str
    expected: Mapping[str, Expected]

    @property
    def command(self) -> str:
        """The arguments of `tc` that install it."""
        where = "root" if self.parent == "root" else f"parent {self.parent}"
        return f"qdisc replace dev {self.dev} {where} handle {self.handle} {self.kind} {self.arguments}".rstrip()


@dataclass(frozen=True)
class TrafficClass(RequestedQdisc):
    """A class of a qdisc; its handle is its class id."""

    @property
    def command(self) -> str:
        """The arguments of `tc` that install it."""
        return f"class replace dev {self.dev} parent {self.parent} classid {self.handle} {self.kind} {self.arguments}"


def queue_qdiscs(sender: End, shape: Shape, back: Shape) -> tuple[RequestedQdisc, ...]:
    """Rate and queue of a direction, at the interface from which it leaves; nothing without a rate.

    Args:
        sender: that interface; its MTU is the size of buckets and of limits in packets.
        shape: the direction.
        back: the opposite direction (a queue in BDP needs the whole round trip).
    """
    if shape.rate_mbit is None:
        return ()
    queue, dev, frame_bytes = shape.discipline, sender.interface, sender.frame_bytes
    arguments, expected = queues.queue_arguments(
        queue, shape.rate_mbit, shape.stated_limit_bytes(back, frame_bytes), frame_bytes
    )
    if isinstance(queue, Cake):
        return (RequestedQdisc(dev, "root", "1:", queue.kind, arguments, expected),)
    return (*_shapers(dev, shape, frame_bytes), RequestedQdisc(dev, "1:1", "10:", queue.kind, arguments, expected))


def own_commands(dev: str, shape: Shape) -> tuple[str, ...]:
    """Arguments of `tc` for the commands that a direction has of its own, in their order; nothing for none.

    Nothing is expected of what the kernel makes of them: a reader of results finds that there.
    """
    return tuple(parse_command(line).command(dev) for line in shape.qdiscs)


def _shapers(dev: str, shape: Shape, frame_bytes: int) -> tuple[RequestedQdisc, ...]:
    """The qdiscs that limit the rate; 1:1 is the queue's place.

    tbf drops every frame that is longer than its bucket, so the bucket is a multiple of a full frame.
    """
    rate_mbit = shape.rate_mbit or 0.0
    rate_bytes_s = rate_mbit * 1e6 / 8
    burst_bytes = bucket_bytes(shape, frame_bytes)
    rate = (rate_bytes_s, max(1.0, rate_bytes_s * 1e-6))
    # tc reckons a bucket as time, in whole microseconds there and back.
    burst = (float(burst_bytes), 1.0 + 2e-6 * rate_bytes_s)
    if shape.shaper == "tbf":
        # tbf's limit is that of the queue it is born with, which the discipline replaces.
        arguments = f"rate {rate_words(rate_mbit)} burst {burst_bytes}b limit {1000 * frame_bytes}b"
        return (RequestedQdisc(dev, "root", "1:", "tbf", arguments, {"rate": rate, "burst": burst}),)
    rates = f"rate {rate_words(rate_mbit)} ceil {rate_words(rate_mbit)}"
    arguments = f"{rates} burst {burst_bytes}b cburst {burst_bytes}b quantum {frame_bytes}"
    expected = {"rate": rate, "ceil": rate, "burst": burst, "cburst": burst, "quantum": (float(frame_bytes), 0.0)}
    return (
        RequestedQdisc(dev, "root", "1:", "htb", "default 1", {"default": "0x1"}),
        TrafficClass(dev, "1:", "1:1", "htb", arguments, expected),
    )


def bucket_bytes(shape: Shape, frame_bytes: int) -> int:
    """The size of the bucket of a direction with a rate: the most that leaves at line rate after an idle moment.

    Args:
        frame_bytes: a full frame of the sending interface.
    """
    rate_bytes_s = (shape.rate_mbit or 0.0) * 1e6 / 8
    return max(shape.bucket_frames(frame_bytes) * frame_bytes, math.ceil(4e-6 * rate_bytes_s))


def is_fixed(qdisc: RequestedQdisc) -> bool:
    """Whether a qdisc stays what it was made; one that is to be otherwise has to be made anew, and loses its packets.

    A class can be changed.
    """
    return qdisc.kind in _FIXED and not isinstance(qdisc, TrafficClass)


def link_qdisc(dev: str, shape: Shape) -> RequestedQdisc | None:
    """Delay and loss of a direction, at the cable room's interface from which it goes on; None without either."""
    return cable(dev, shape) if shape.needs_link_namespace else None


def cable(dev: str, shape: Shape) -> RequestedQdisc:
    """As `link_qdisc`, also for a direction that neither delays nor loses anything yet."""
    limit = _netem_limit(shape)
    words: list[str] = [f"limit {limit}"]
    expected: dict[str, Expected] = {"limit": (float(limit), 0.0)}
    for part, there in (_delay(shape), _loss(shape), *_harms(shape)):
        words += [part] if part else []
        expected |= there
    return RequestedQdisc(dev, "root", "1:", "netem", " ".join(words), expected)


def delay_table(shape: Shape) -> delays.DelayTable | None:
    """The table of measured delays that a direction's cable draws from; None for none."""
    samples = shape.impairments.jitter_samples_ms
    return delays.table(samples) if samples and shape.jitter_ms else None


_Part = tuple[str, dict[str, Expected]]


def _delay(shape: Shape) -> _Part:
    if not (shape.delay_ms or shape.jitter_ms):
        return "", {}
    rare = shape.impairments
    words = f"delay {_ms(shape.delay_ms)}"
    measured = delay_table(shape)
    jitter_ms = shape.jitter_ms * (measured.stretch if measured else 1.0)
    if jitter_ms:
        words += f" {_ms(jitter_ms)}"
        words += f" {rare.jitter_correlation_percent:.9g}%" if rare.jitter_correlation_percent else ""
        named = measured.name if measured else rare.jitter_distribution
        words += f" distribution {named}" if named != "uniform" else ""
    there = {"delay": (shape.delay_ms / 1e3, _TIME_SLACK_S), "jitter": (jitter_ms / 1e3, _TIME_SLACK_S)}
    if shape.jitter_ms:
        there["correlation"] = (rare.jitter_correlation_percent / 100, 1e-8)
    return words, {f"delay.{name}": value for name, value in there.items()}


def _loss(shape: Shape) -> _Part:
    rare = shape.impairments
    if (bursts := rare.gilbert_elliott) is not None:
        chances = {"p": bursts.to_bad_percent, "r": bursts.to_good_percent, "1-h": bursts.loss_in_bad_percent,
                   "1-k": bursts.loss_in_good_percent}  # fmt: skip
        return _chances("loss gemodel", "loss-gemodel", chances)
    if (states := rare.four_states) is not None:
        chances = {"p13": states.p13_percent, "p31": states.p31_percent, "p32": states.p32_percent,
                   "p23": states.p23_percent, "p14": states.p14_percent}  # fmt: skip
        return _chances("loss state", "loss-state", chances)
    return _share("loss random", "loss-random.loss", shape.loss_percent, rare.loss_correlation_percent)


def _chances(word: str, key: str, chances: Mapping[str, float]) -> _Part:
    words = " ".join(f"{percent:.9g}%" for percent in chances.values())
    return f"{word} {words}", {f"{key}.{name}": (percent / 100, 1e-8) for name, percent in chances.items()}


def _harms(shape: Shape) -> tuple[_Part, ...]:
    rare = shape.impairments
    reorder = _share("reorder", "reorder.reorder", rare.reorder_percent, rare.reorder_correlation_percent)
    if rare.reorder_percent and rare.reorder_gap is not None:
        reorder = (f"{reorder[0]} gap {rare.reorder_gap}", reorder[1] | {"gap": (float(rare.reorder_gap), 0.0)})
    return (
        _share("duplicate", "duplicate.duplicate", rare.duplicate_percent),
        _share("corrupt", "corrupt.corrupt", rare.corrupt_percent),
        reorder,
    )


def _share(word: str, key: str, percent: float, correlation_percent: float = 0.0) -> _Part:
    if not percent:
        return "", {}
    words = f"{word} {percent:.9g}%" + (f" {correlation_percent:.9g}%" if correlation_percent else "")
    correlation = f"{key.partition('.')[0]}.correlation"
    return words, {key: (percent / 100, 1e-8), correlation: (correlation_percent / 100, 1e-8)}


def differences(asked: Iterable[RequestedQdisc], read_back: Iterable[Mapping[str, Any]]) -> list[str]:
    """The kernel's deviations from the request, one sentence each; empty if there are none.

    Args:
        asked: the qdiscs that were asked of one node.
        read_back: that node's answer to `tc -d -j -r qdisc show`, and its classes in the same form.
    """
    found = {(entry.get("dev"), entry.get("handle")): entry for entry in read_back}
    said: list[str] = []
    for qdisc in asked:
        entry = found.get((qdisc.dev, qdisc.handle))
        if entry is None or entry.get("kind") != qdisc.kind:
            there = "nothing" if entry is None else str(entry.get("kind"))
            said.append(f"{qdisc.dev}: {qdisc.kind} {qdisc.handle} was asked, {there} is there")
            continue
        for option, value in qdisc.expected.items():
            if value is not None and (has := _different(entry.get("options", {}), option, value)):
                said.append(f"{qdisc.dev}: {qdisc.kind} has {option} {has}, asked was {_shown(value)}")
    return said


def _different(options: Mapping[str, Any], dotted: str, asked: tuple[float, float] | str | bool) -> str:
    """The actual value if it differs from the request; empty if it does not."""
    found: Any = options
    for key in dotted.split("."):
        found = found.get(key, False) if isinstance(found, Mapping) else False
    if isinstance(asked, bool):
        has = found is not False  # some marks have no value
        return "" if has is asked else str(has).lower()
    if isinstance(asked, str):
        return "" if found == asked else str(found)
    value, slack = asked
    number = _number(found)
    return "" if number is not None and math.isclose(number, value, rel_tol=0, abs_tol=slack) else str(found)


def _shown(asked: tuple[float, float] | str | bool) -> str:
    return f"{asked[0]:.15g}" if isinstance(asked, tuple) else str(asked).lower()


def _number(found: Any) -> float | None:
    """A number as tc writes it, a bucket ("4541b/1") too."""
    if isinstance(found, str) and (match := re.fullmatch(r"(\d+)b(?:/\d+)?", found)):
        return float(match[1])
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None


def _netem_limit(shape: Shape) -> int:
    table = delay_table(shape)
    delay_s = (shape.delay_ms + 4 * shape.jitter_ms * (table.stretch if table else 1.0)) / 1e3
    rate_mbit = UNLIMITED_MBIT if shape.rate_mbit is None else shape.rate_mbit
    frame_bytes = FULL_FRAME_BYTES if shape.rate_mbit is None else SMALLEST_FRAME_BYTES
    return max(NETEM_LIMIT_PACKETS, math.ceil(2 * rate_mbit * 1e6 / 8 * delay_s / frame_bytes))


def _ms(value_ms: float) -> str:
    """The time in tc's words, exact to a microsecond."""
    return f"{round(value_ms * 1e3)}us" if round(value_ms * 1e3) % 1000 else f"{round(value_ms)}ms"


def on_device(qdisc: RequestedQdisc, dev: str) -> RequestedQdisc:
    """The same qdisc at another interface, for the cable room, whose interfaces are named where it is built."""
    return replace(qdisc, dev=dev)
