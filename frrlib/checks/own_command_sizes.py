"""Sizes in the tc commands of a link direction: how shapers count frames, and limits that are below a full frame.

Only the usual parameters are parsed. A command with other parameters counts frames as they are, and has no limit.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from frrlib.model.frames import FrameSizeRules, LinkLayer, SizeTable
from frrlib.model.own_commands import OwnCommand, parents_of_queue, parse_command, slowest

#: Sizes in the format of `tc`: k is 1024, and sizes in bits are divided by 8.
_SIZE = re.compile(r"([0-9.]+)([kmg]?)(b|bit)?(?:/[0-9]+)?", re.IGNORECASE)
_FACTORS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
#: The parameters of each kind of qdisc that limit the size of a frame, with their meanings.
_LIMITS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "tbf": (("burst", "bucket"), ("buffer", "bucket"), ("maxburst", "bucket")),
    "bfifo": (("limit", "limit"),),
    "red": (("limit", "limit"),),
    "cake": (("memlimit", "memory"),),
    "fq_codel": (("memory_limit", "memory"),),
    "fq_pie": (("memory_limit", "memory"),),
}
#: The parameters of tbf's bucket for its peak rate.
_PEAK_PARAMETERS = ("mtu", "minburst")
#: Shapers with parameters for an overhead.
_SHAPERS = ("tbf", "htb", "cake")


#: A time in the format of `tc`, which counts a plain number in microseconds, and its units in milliseconds.
_TIME = re.compile(r"([0-9]*\.?[0-9]+)(s|ms|us)?(?:ecs?)?", re.IGNORECASE)
_TIMES_MS = {"s": 1e3, "ms": 1.0, "us": 1e-3, "": 1e-3}
#: The packets that netem holds by default.
_NETEM_PACKETS = 1000


class DelayLimit(NamedTuple):
    """A netem that delays packets and holds a limited number of them, which limits the rate.

    Attributes:
        line: the number of the line, from 0.
        packets: the number of packets.
        delay_ms: the time for which each packet is held.
    """

    line: int
    packets: int
    delay_ms: float

    def rate_mbit(self, frame_bytes: int) -> float:
        """The highest rate of frames of a size."""
        return self.packets * frame_bytes * 8 / (self.delay_ms * 1e3)

    def packets_at(self, rate_mbit: float, frame_bytes: int) -> int:
        """The number of frames that are delayed at the same time at a rate."""
        return math.ceil(rate_mbit * 1e3 * self.delay_ms / (8 * frame_bytes))


def delay_limits(lines: Sequence[str]) -> Iterator[DelayLimit]:
    """The delays in the lines, with the limits of packets that are held meanwhile."""
    for number, line in enumerate(lines):
        command = parse_command(line)
        words = _pairs(command)
        match = _TIME.fullmatch(words.get("delay") or words.get("latency") or "")
        if command.kind == "netem" and match is not None:
            delay_ms = float(match[1]) * _TIMES_MS[(match[2] or "").lower()]
            if delay_ms > 0:
                yield DelayLimit(number, _number(words, "limit") or _NETEM_PACKETS, delay_ms)


class UndersizedLimit(NamedTuple):
    """A size that is smaller than a full frame.

    Attributes:
        line: the number of the line, from 0.
        word, purpose: the parameter of `tc`, and its meaning: "bucket", "limit" or "memory".
        has_bytes: the size.
        needs_bytes: the size of a full frame as this qdisc counts it.
    """

    line: int
    word: str
    purpose: str
    has_bytes: int
    needs_bytes: int


def frame_accounting(lines: Sequence[str]) -> FrameSizeRules:
    """The rules by which the slowest shaper before the queue counts frames."""
    command = slowest(lines)
    if command is None:
        return FrameSizeRules()
    words = _pairs(command)
    is_cake = command.kind == "cake"
    layers = [layer for layer in ("atm", "ptm") if is_cake and layer in command.arguments.split()]
    return (
        FrameSizeRules(
            overhead_bytes=_number(words, "overhead"),
            replaces_ethernet=is_cake and "overhead" in words,
            mpu_bytes=_number(words, "mpu"),
            link_layer=_link_layer(layers[0] if layers else words.get("linklayer", "")),
            size_table=_table_above(lines, command),
        )
        if command.kind in _SHAPERS
        else FrameSizeRules(size_table=_table_above(lines, command))
    )


def undersized_limits(lines: Sequence[str], frame_bytes: int) -> Iterator[UndersizedLimit]:
    """The sizes in the lines that are below a full frame.

    Args:
        frame_bytes: a full frame of the interface, with its Ethernet header.
    """
    for number, line in enumerate(lines):
        command = parse_command(line)
        words = _pairs(command)
        table = _table_above(lines, command)
        needs = table.size(frame_bytes) if table is not None else frame_bytes
        limits = _LIMITS.get(command.kind, ()) if not command.is_class else ()
        if command.kind == "tbf" and not _has_child(lines, command):
            limits = (*limits, ("limit", "limit"))
        if limits and "peakrate" in words:
            limits = (*limits, *((word, "bucket") for word in _PEAK_PARAMETERS))
        for word, purpose in limits:
            size = _size(words.get(word, ""))
            # Memory includes the kernel's overhead, so it must be a frame at least.
            if size is not None and size < (frame_bytes if purpose == "memory" else needs):
                yield UndersizedLimit(number, word, purpose, size, needs)


def with_size(line: str, word: str, size_bytes: int) -> str:
    """The line with another size for a parameter."""
    return re.sub(rf"(?<= {re.escape(word)} )\S+", f"{size_bytes}b", line, count=1)


def _table_above(lines: Sequence[str], command: OwnCommand) -> SizeTable | None:
    """The size table of a qdisc or of the nearest one above it."""
    place = command.handle if command.is_class else command.parent
    tables = (
        ancestor.table for ancestor in parents_of_queue(lines, place) if ancestor == command or ancestor.parent != place
    )
    arguments = next((table for table in tables if table), "")
    if not arguments:
        return None
    words = _in_pairs(arguments.split())
    return SizeTable(
        overhead_bytes=_number(words, "overhead"),
        mpu_bytes=_number(words, "mpu"),
        link_layer=_link_layer(words.get("linklayer", "")),
        largest_bytes=_number(words, "mtu") or SizeTable.largest_bytes,
        rows=_number(words, "tsize") or SizeTable.rows,
    )


def _has_child(lines: Sequence[str], command: OwnCommand) -> bool:
    """Whether another qdisc replaces the default queue of a qdisc."""
    return any(
        command in itertools.islice(parents_of_queue([*lines], child.parent), 1, None)
        for child in map(parse_command, lines)
    )


def _link_layer(word: str) -> LinkLayer:
    layer: Any = "atm" if word == "adsl" else word
    return layer if layer in get_args(LinkLayer) else "ethernet"


def _pairs(command: OwnCommand) -> dict[str, str]:
    """Each word of a command with the word after it."""
    return _in_pairs(command.arguments.split())


def _in_pairs(words: Sequence[str]) -> dict[str, str]:
    return dict(itertools.pairwise(words))


def _number(words: Mapping[str, str], word: str) -> int:
    text = words.get(word, "")
    return int(text) if re.fullmatch(r"-?[0-9]{1,9}", text) else 0


def _size(text: str) -> int | None:
    """A size in bytes; None if the text is not a size."""
    match = _SIZE.fullmatch(text)
    if match is None or match[1].count(".") > 1 or match[1] == ".":
        return None
    size = float(match[1]) * _FACTORS[match[2].lower()]
    return int(size / 8 if (match[3] or "").lower() == "bit" else size)
