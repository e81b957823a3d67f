"""Sizes in `tc` commands of one's own: how their shapers count frames, and whether a full frame passes them.

Only the usual words are read. A command with other ones is taken to count frames as they are, and to let them pass.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from frrlib.model.frames import FrameSizeRules, LinkLayer, SizeTable
from frrlib.model.own_commands import OwnCommand, parents_of_queue, parse_command, slowest

#: Sizes as `tc` reads them: its k is 1024, and a size in bits is an eighth of it.
_SIZE = re.compile(r"([0-9.]+)([kmg]?)(b|bit)?(?:/[0-9]+)?", re.IGNORECASE)
_FACTORS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
#: The words by which a kind of qdisc is told a size that a longer frame does not pass, with what it is.
_LIMITS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "tbf": (("burst", "bucket"), ("buffer", "bucket"), ("maxburst", "bucket")),
    "bfifo": (("limit", "limit"),),
    "red": (("limit", "limit"),),
    "cake": (("memlimit", "memory"),),
    "fq_codel": (("memory_limit", "memory"),),
    "fq_pie": (("memory_limit", "memory"),),
}
#: Those of tbf's bucket for its peak rate.
_PEAK_WORDS = ("mtu", "minburst")
#: Shapers that count an overhead by themselves.
_SHAPERS = ("tbf", "htb", "cake")


class TooSmall(NamedTuple):
    """A size that is smaller than a full frame.

    Attributes:
        line: the number of the line, from 0.
        word, what: the word of `tc`, and what it sets: "bucket", "limit" or "memory".
        has_bytes: the size.
        needs_bytes: a full frame as this qdisc counts it.
    """

    line: int
    word: str
    what: str
    has_bytes: int
    needs_bytes: int


def accounting(lines: Sequence[str]) -> FrameSizeRules:
    """How the slowest shaper on the way to the queue counts frames."""
    made = slowest(lines)
    if made is None:
        return FrameSizeRules()
    words = _pairs(made)
    is_cake = made.kind == "cake"
    layers = [layer for layer in ("atm", "ptm") if is_cake and layer in made.arguments.split()]
    return (
        FrameSizeRules(
            overhead_bytes=_whole(words, "overhead"),
            replaces_ethernet=is_cake and "overhead" in words,
            mpu_bytes=_whole(words, "mpu"),
            link_layer=_link_layer(layers[0] if layers else words.get("linklayer", "")),
            size_table=_table_above(lines, made),
        )
        if made.kind in _SHAPERS
        else FrameSizeRules(size_table=_table_above(lines, made))
    )


def too_small(lines: Sequence[str], frame_bytes: int) -> Iterator[TooSmall]:
    """The sizes in the lines that no full frame passes.

    Args:
        frame_bytes: a full frame of the interface, with its Ethernet header.
    """
    for number, line in enumerate(lines):
        made = parse_command(line)
        words = _pairs(made)
        table = _table_above(lines, made)
        needs = table.size(frame_bytes) if table is not None else frame_bytes
        limits = _LIMITS.get(made.kind, ()) if not made.is_class else ()
        if made.kind == "tbf" and not _has_child(lines, made):
            limits = (*limits, ("limit", "limit"))
        if limits and "peakrate" in words:
            limits = (*limits, *((word, "bucket") for word in _PEAK_WORDS))
        for word, what in limits:
            has = _size(words.get(word, ""))
            # Memory is counted with the kernel's own part, so that it needs a frame at least.
            if has is not None and has < (frame_bytes if what == "memory" else needs):
                yield TooSmall(number, word, what, has, needs)


def with_size(line: str, word: str, size_bytes: int) -> str:
    """The line with another size behind a word."""
    return re.sub(rf"(?<= {re.escape(word)} )\S+", f"{size_bytes}b", line, count=1)


def _table_above(lines: Sequence[str], made: OwnCommand) -> SizeTable | None:
    """The size table of a qdisc or of the nearest one above it."""
    place = made.handle if made.is_class else made.parent
    tables = (each.table for each in parents_of_queue(lines, place) if each == made or each.parent != place)
    found = next((table for table in tables if table), "")
    if not found:
        return None
    words = _in_pairs(found.split())
    return SizeTable(
        overhead_bytes=_whole(words, "overhead"),
        mpu_bytes=_whole(words, "mpu"),
        link_layer=_link_layer(words.get("linklayer", "")),
        largest_bytes=_whole(words, "mtu") or SizeTable.largest_bytes,
        rows=_whole(words, "tsize") or SizeTable.rows,
    )


def _has_child(lines: Sequence[str], made: OwnCommand) -> bool:
    """Whether another qdisc takes the place of the queue that a qdisc begins with."""
    return any(
        made in itertools.islice(parents_of_queue([*lines], each.parent), 1, None) for each in map(parse_command, lines)
    )


def _link_layer(word: str) -> LinkLayer:
    layer: Any = "atm" if word == "adsl" else word
    return layer if layer in get_args(LinkLayer) else "ethernet"


def _pairs(made: OwnCommand) -> dict[str, str]:
    """Each word of a command with the word after it."""
    return _in_pairs(made.arguments.split())


def _in_pairs(words: Sequence[str]) -> dict[str, str]:
    return dict(itertools.pairwise(words))


def _whole(words: Mapping[str, str], word: str) -> int:
    said = words.get(word, "")
    return int(said) if re.fullmatch(r"-?[0-9]{1,9}", said) else 0


def _size(text: str) -> int | None:
    """A size in bytes; None where it is none."""
    match = _SIZE.fullmatch(text)
    if match is None or match[1].count(".") > 1 or match[1] == ".":
        return None
    size = float(match[1]) * _FACTORS[match[2].lower()]
    return int(size / 8 if (match[3] or "").lower() == "bit" else size)
