"""A link's shape as `tc` commands, and the expected read-back of the kernel.

Rate and queue are at the sending interface: `tbf` or `htb` with the queueing discipline below. The limit is that of the
discipline and reads back exactly. (tbf's `latency` is not the maximum queueing delay: tc sets the limit to rate x
latency + burst. With a `peakrate`, tbf drops every frame that is longer than its `mtu`, so that is a multiple of a full
frame.) cake is shaper and queue in one.
Delay and loss are in the link namespace as `netem` with a limit of its own, separate from the limited queues.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from frrlib.model.frames import FULL_FRAME_BYTES
from frrlib.model.links import USUAL_PEAK_FRAMES, End, Shape
from frrlib.model.own_commands import parse_command
from frrlib.model.queues import Cake
from frrlib.render import delay_tables, queues
from frrlib.render.queues import Expected, rate_words

#: Minimum of netem's limit. It counts the delayed packets and must never be the cause of a drop.
NETEM_LIMIT_PACKETS = 10_000
#: Smallest frame, for the number of packets that fit into a delay line.
SMALLEST_FRAME_BYTES = 64
#: Without a rate, netem's limit is sized for a link of this rate.
UNLIMITED_MBIT = 10_000.0
#: tc sets and prints whole microseconds, and the kernel computes in steps of 64 ns.
_TIME_SLACK_S = 1.6e-6
#: The kernel's unit of times in qdiscs; `tc -r` prints them as hexadecimal numbers.
_TICK_S = 64e-9
#: Qdiscs that the kernel cannot change in place (`net/sched`: without a `change` operation).
_FIXED = frozenset(("htb", "sfq"))

#: Arguments of `tc`, and the expected read-back.
_Part = tuple[str, dict[str, Expected]]


@dataclass(frozen=True)
class RequestedQdisc:
    """A qdisc as requested from `tc`, with the expected read-back.

    Attributes:
        dev: name of the interface.
        parent: "root" or a class ("1:1").
        handle: its handle ("1:").
        kind: its kind ("tbf").
        arguments: its own arguments, as words of `tc`.
        expected: expected value by option of `tc -d -j -r qdisc show`, dotted ("delay.delay").
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
    """A class of a qdisc; its handle is its class ID."""

    @property
    def command(self) -> str:
        """The arguments of `tc` that install it."""
        return f"class replace dev {self.dev} parent {self.parent} classid {self.handle} {self.kind} {self.arguments}"


def queue_qdiscs(sender: End, shape: Shape, reverse: Shape) -> tuple[RequestedQdisc, ...]:
    """The qdiscs for rate and queue of a direction at its sending interface; empty without a rate.

    Args:
        sender: the sending interface; its MTU determines buckets and limits in packets.
        shape: the shape of the direction.
        reverse: the shape of the reverse direction (a limit in BDP needs the whole round trip).
    """
    if shape.rate_mbit is None:
        return ()
    queue, dev, frame_bytes = shape.discipline, sender.interface, sender.frame_bytes
    arguments, expected = queues.queue_arguments(
        queue, shape.rate_mbit, shape.stated_limit_bytes(reverse, frame_bytes), frame_bytes
    )
    if isinstance(queue, Cake):
        return (RequestedQdisc(dev, "root", "1:", queue.kind, arguments, expected),)
    return (*_shapers(dev, shape, frame_bytes), RequestedQdisc(dev, "1:1", "10:", queue.kind, arguments, expected))


def own_commands(dev: str, shape: Shape) -> tuple[str, ...]:
    """The arguments of `tc` for a direction's custom commands, in their order; empty for none.

    Their read-back is not checked, but recorded in the results.
    """
    return tuple(parse_command(line).command(dev) for line in shape.qdiscs)


def _shapers(dev: str, shape: Shape, frame_bytes: int) -> tuple[RequestedQdisc, ...]:
    """The qdiscs that limit the rate; the queue is attached at 1:1.

    tbf drops every frame that is longer than its bucket, so the bucket is a multiple of a full frame.
    """
    rate_mbit = shape.rate_mbit or 0.0
    rate_bytes_s = rate_mbit * 1e6 / 8
    burst_bytes = bucket_bytes(shape, frame_bytes)
    rate = (rate_bytes_s, max(1.0, rate_bytes_s * 1e-6))
    # tc converts a bucket to a time and back, in whole microseconds.
    burst = (float(burst_bytes), 1.0 + 2e-6 * rate_bytes_s)
    if shape.shaper == "tbf":
        # tbf's limit applies to its initial queue, which the discipline replaces.
        arguments = f"rate {rate_words(rate_mbit)} burst {burst_bytes}b limit {1000 * frame_bytes}b"
        peak_arguments, peak = _peak(shape, frame_bytes)
        expected = {"rate": rate, "burst": burst, **peak}
        return (RequestedQdisc(dev, "root", "1:", "tbf", arguments + peak_arguments, expected),)
    rates = f"rate {rate_words(rate_mbit)} ceil {rate_words(rate_mbit)}"
    arguments = f"{rates} burst {burst_bytes}b cburst {burst_bytes}b quantum {frame_bytes}"
    values = {"rate": rate, "ceil": rate, "burst": burst, "cburst": burst, "quantum": (float(frame_bytes), 0.0)}
    return (
        RequestedQdisc(dev, "root", "1:", "htb", "default 1", {"default": "0x1"}),
        TrafficClass(dev, "1:", "1:1", "htb", arguments, values),
    )


def _peak(shape: Shape, frame_bytes: int) -> _Part:
    """The arguments of tbf for its peak rate, and the expected read-back; empty without one."""
    peak_mbit = shape.effective_peak_mbit
    if peak_mbit is None:
        return "", {}
    peak_bytes_s = peak_mbit * 1e6 / 8
    mtu_bytes = max((shape.peak_frames or USUAL_PEAK_FRAMES) * frame_bytes, math.ceil(4e-6 * peak_bytes_s))
    # tc 6.1 does not print the peak rate as JSON, but the time in which the bucket empties at this rate.
    expected: dict[str, Expected] = {
        "mtu": (float(mtu_bytes), 1.0 + 2e-6 * peak_bytes_s),
        "mtu_raw": (mtu_bytes / peak_bytes_s / _TICK_S, 1e-6 / _TICK_S),
    }
    return f" peakrate {rate_words(peak_mbit)} mtu {mtu_bytes}b", expected


def bucket_bytes(shape: Shape, frame_bytes: int) -> int:
    """The size of the bucket of a direction with a rate: the amount that leaves at line rate after an idle period.

    Args:
        frame_bytes: a full frame of the sending interface.
    """
    rate_bytes_s = (shape.rate_mbit or 0.0) * 1e6 / 8
    return max(shape.bucket_frames(frame_bytes) * frame_bytes, math.ceil(4e-6 * rate_bytes_s))


def is_fixed(qdisc: RequestedQdisc) -> bool:
    """Whether a qdisc cannot change in place. It has to be recreated instead, and loses its packets.

    A class can always be changed.
    """
    return qdisc.kind in _FIXED and not isinstance(qdisc, TrafficClass)


def link_qdisc(dev: str, shape: Shape) -> RequestedQdisc | None:
    """The qdisc for delay and loss of a direction, at its interface in the link namespace; None without either."""
    return netem_qdisc(dev, shape) if shape.needs_link_namespace else None


def netem_qdisc(dev: str, shape: Shape) -> RequestedQdisc:
    """As `link_qdisc`, also for a direction that does not delay or lose packets yet."""
    limit = _netem_limit(shape)
    words: list[str] = [f"limit {limit}"]
    expected: dict[str, Expected] = {"limit": (float(limit), 0.0)}
    for part, expected_part in (_delay(shape), _loss(shape), *_other_impairments(shape)):
        words += [part] if part else []
        expected |= expected_part
    return RequestedQdisc(dev, "root", "1:", "netem", " ".join(words), expected)


def delay_table(shape: Shape) -> delay_tables.DelayTable | None:
    """The table of measured delays of a direction; None for none."""
    samples = shape.impairments.jitter_samples_ms
    return delay_tables.table(samples) if samples and shape.jitter_ms else None


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
        distribution = measured.name if measured else rare.jitter_distribution
        words += f" distribution {distribution}" if distribution != "uniform" else ""
    values = {"delay": (shape.delay_ms / 1e3, _TIME_SLACK_S), "jitter": (jitter_ms / 1e3, _TIME_SLACK_S)}
    if shape.jitter_ms:
        values["correlation"] = (rare.jitter_correlation_percent / 100, 1e-8)
    return words, {f"delay.{name}": value for name, value in values.items()}


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


def _other_impairments(shape: Shape) -> tuple[_Part, ...]:
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


def differences(requested: Iterable[RequestedQdisc], read_back: Iterable[Mapping[str, Any]]) -> list[str]:
    """The kernel's deviations from the request, one sentence each; empty if there are none.

    Args:
        requested: the requested qdiscs of one node.
        read_back: that node's output of `tc -d -j -r qdisc show`, and its classes in the same form.
    """
    entries = {(entry.get("dev"), entry.get("handle")): entry for entry in read_back}
    sentences: list[str] = []
    for qdisc in requested:
        entry = entries.get((qdisc.dev, qdisc.handle))
        if entry is None or entry.get("kind") != qdisc.kind:
            actual = "nothing" if entry is None else str(entry.get("kind"))
            sentences.append(f"{qdisc.dev}: {qdisc.kind} {qdisc.handle} was asked, {actual} is there")
            continue
        for option, value in qdisc.expected.items():
            if value is not None and (deviation := _deviation(entry.get("options", {}), option, value)):
                sentences.append(
                    f"{qdisc.dev}: {qdisc.kind} has {option} {deviation}, asked was {_expected_text(value)}"
                )
    return sentences


def _deviation(options: Mapping[str, Any], dotted: str, expected: tuple[float, float] | str | bool) -> str:
    """The actual value if it differs from the request; empty if it does not."""
    actual: Any = options
    for key in dotted.split("."):
        actual = actual.get(key, False) if isinstance(actual, Mapping) else False
    if isinstance(expected, bool):
        is_set = actual is not False  # some flags have no value
        return "" if is_set is expected else str(is_set).lower()
    if isinstance(expected, str):
        return "" if actual == expected else str(actual)
    value, slack = expected
    number = _ticks(actual) if dotted.endswith("_raw") else _number(actual)
    return "" if number is not None and math.isclose(number, value, rel_tol=0, abs_tol=slack) else str(actual)


def _expected_text(expected: tuple[float, float] | str | bool) -> str:
    return f"{expected[0]:.15g}" if isinstance(expected, tuple) else str(expected).lower()


def _ticks(printed: Any) -> float | None:
    """Parse a time of `tc -r` in ticks ("5223", hexadecimal)."""
    is_hexadecimal = isinstance(printed, str) and re.fullmatch(r"(0x)?[0-9a-fA-F]+", printed)
    return float(int(printed, 16)) if is_hexadecimal else None


def _number(printed: Any) -> float | None:
    """Parse a number of tc's output, also a bucket ("4541b/1", "1215Kb/1")."""
    if isinstance(printed, str) and (match := re.fullmatch(r"([\d.]+)([KM]?)b(?:/\d+)?", printed)):
        return float(match[1]) * {"": 1, "K": 1024, "M": 1024**2}[match[2]]
    return float(printed) if isinstance(printed, int | float) and not isinstance(printed, bool) else None


def _netem_limit(shape: Shape) -> int:
    table = delay_table(shape)
    delay_s = (shape.delay_ms + 4 * shape.jitter_ms * (table.stretch if table else 1.0)) / 1e3
    rate_mbit = UNLIMITED_MBIT if shape.rate_mbit is None else shape.rate_mbit
    frame_bytes = FULL_FRAME_BYTES if shape.rate_mbit is None else SMALLEST_FRAME_BYTES
    return max(NETEM_LIMIT_PACKETS, math.ceil(2 * rate_mbit * 1e6 / 8 * delay_s / frame_bytes))


def _ms(value_ms: float) -> str:
    """The time as an argument of tc, exact to a microsecond."""
    return f"{round(value_ms * 1e3)}us" if round(value_ms * 1e3) % 1000 else f"{round(value_ms)}ms"


def on_device(qdisc: RequestedQdisc, dev: str) -> RequestedQdisc:
    """The qdisc at another interface; interfaces of the link namespace get their names when it is built."""
    return replace(qdisc, dev=dev)
