"""Commands of `tc` of one's own for one direction of a link, in the place of its rate, delay and queue.

A line is what stands behind `tc qdisc add dev INTERFACE`, or with `class` in front what stands behind
`tc class add dev INTERFACE`:

    root handle 1: netem delay 10ms
    parent 1:1 handle 10: tbf rate 80mbit burst 3028b limit 300kb

A size table (`stab linklayer atm overhead -4`) may stand in front of the kind.
Here only the places are understood, so that a tree is one and its queue is known; what a qdisc is told is up to `tc`,
and no shell ever reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field, StringConstraints

MOST_LINES, MOST_LENGTH = 64, 500
#: What `tc` takes for more than a word: quotes, comments and continued lines.
_NO_WORD = re.compile(r"[^ !$-&(-\[\]-~]")
_KIND = re.compile(r"[a-z][a-z0-9_]{0,14}")
_HANDLE, _CLASS = re.compile(r"([0-9a-f]{1,4}):0?"), re.compile(r"([0-9a-f]{1,4}):([0-9a-f]{1,4})")
#: A rate in an argument, and the units of `tc` in Mbit/s.
_RATE = re.compile(r"\b(rate|bandwidth) ([0-9.]+)([kmg]?bit)\b", re.IGNORECASE)
_MBIT = {"bit": 1e-6, "kbit": 1e-3, "mbit": 1.0, "gbit": 1e3}
#: The words of a size table, each with a value.
_TABLE_WORDS = ("mtu", "mpu", "overhead", "tsize", "linklayer")
#: Words in front of the kind, and what they say.
_PLACES = {
    "root": "where it is", "parent": "where it is", "handle": "what it is called", "classid": "what it is called",
}  # fmt: skip
#: Beginnings that are those of the whole command.
_TOO_MUCH = ("tc", "qdisc", "add", "replace", "change", "dev", "sudo")
_EXAMPLE = "as in: root handle 1: netem delay 10ms"


class OwnCommand(NamedTuple):
    """A line, understood.

    Attributes:
        is_class: whether it makes a class and not a qdisc.
        parent: "root", or handle of a qdisc and number of a class ("1:1"); of a class also a handle alone ("1:").
        handle: of the qdisc ("10:", empty for the kernel's choice), or the class itself ("1:1").
        kind: "tbf".
        arguments: all behind the kind.
        table: the words of its size table (`stab`), empty for none.
    """

    is_class: bool
    parent: str
    handle: str
    kind: str
    arguments: str
    table: str = ""

    def command(self, dev: str) -> str:
        """The arguments of `tc` that make it at an interface."""
        where = "root" if self.parent == "root" else f"parent {self.parent}"
        named = f" {'classid' if self.is_class else 'handle'} {self.handle}" if self.handle else ""
        what = "class" if self.is_class else "qdisc"
        table = f" stab {self.table}" if self.table else ""
        return f"{what} add dev {dev} {where}{named}{table} {self.kind} {self.arguments}".rstrip()


def parse_command(line: str) -> OwnCommand:
    """The object that a line makes, and where. Raises ValueError for an invalid line, with reason and a valid form."""
    if len(line) > MOST_LENGTH:
        raise ValueError(f"a command of {len(line)} characters is too long; use at most {MOST_LENGTH}")
    if odd := _NO_WORD.search(line):
        raise ValueError(f"{line!r} has {odd[0]!r} in it; use plain words, {_EXAMPLE}")
    words = line.split()
    is_class = words[:1] == ["class"]
    words = words[1:] if is_class else words
    if words[:1] and words[0] in _TOO_MUCH:
        raise ValueError(f"{line!r} starts too early; enter the text after `tc qdisc add dev IFACE`, {_EXAMPLE}")
    said: dict[str, str] = {}
    table = ""
    while words and (words[0] in _PLACES or words[0] == "stab"):
        word = words.pop(0)
        if word == "stab":
            table, words = _size_table(line, words, table)
            continue
        if _PLACES[word] in said:
            raise ValueError(f"{line!r} says {_PLACES[word]} twice; remove one")
        said[_PLACES[word]] = word if word == "root" else words.pop(0) if words else ""
    parent, handle = said.get("where it is", ""), said.get("what it is called", "")
    if not words or not _KIND.fullmatch(words[0]):
        raise ValueError(f"{line!r} has no kind of qdisc; write it {_EXAMPLE}")
    _check_places(line, is_class, parent, handle)
    if table and is_class:
        raise ValueError(f"{line!r} has a size table, which classes do not support; move it to the root qdisc")
    return OwnCommand(is_class, parent, handle, words[0], " ".join(words[1:]), table)


def _size_table(line: str, words: list[str], before: str) -> tuple[str, list[str]]:
    """The words of a size table, and the words after it. Raises ValueError."""
    count = 0
    while words[count : count + 1] and words[count] in _TABLE_WORDS:
        count += 2
    if before or not count or count > len(words):
        why = "has two size tables" if before else "has a size table that is not complete"
        raise ValueError(f"{line!r} {why}; as in: root handle 1: stab linklayer atm overhead -4 tbf rate 1mbit")
    return " ".join(words[:count]), words[count:]


def _check_places(line: str, is_class: bool, parent: str, handle: str) -> None:
    if is_class:
        if not (_CLASS.fullmatch(parent) or _HANDLE.fullmatch(parent)):
            raise ValueError(f"{line!r} has no parent for the class; write it as in: class parent 1: classid 1:1")
        if not _CLASS.fullmatch(handle):
            raise ValueError(f"{line!r} has no class ID; write it as in: class parent 1: classid 1:1")
        return
    if parent != "root" and not _CLASS.fullmatch(parent):
        raise ValueError(f"{line!r} has no position; add root, or a parent as in: parent 1:1")
    if handle and not _HANDLE.fullmatch(handle):
        raise ValueError(
            f"{line!r} has {handle!r} as a handle; use up to four hexadecimal digits and a colon, as in 10:"
        )


def _tree(lines: tuple[str, ...]) -> tuple[str, ...]:
    """The lines if they are a tree that can be made in this order, spaces evened out. Raises ValueError."""
    there: set[int] = set()
    kept = []
    for number, line in enumerate(lines):
        made = parse_command(line)
        if (made.parent == "root") != (number == 0):
            raise ValueError(
                f"{line!r} is a second root; put it below the first, as in: parent 1:1"
                if number
                else f"{line!r} is not at the root; the first line must be, {_EXAMPLE}"
            )
        if number and _major(made.parent) not in there:
            raise ValueError(f"{line!r} is below a qdisc that no earlier line creates; set the handle of that qdisc")
        if made.handle and not made.is_class:
            if _major(made.handle) in there:
                raise ValueError(f"{line!r} has the handle of another line; use a unique handle")
            there.add(_major(made.handle))
        kept.append(" ".join(line.split()))
    return tuple(kept)


def _major(place: str) -> int:
    return int(place.partition(":")[0], 16)


#: All commands of a direction, in the order in which they are carried out.
OwnCommands = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1)], ...], Field(max_length=MOST_LINES), AfterValidator(_tree)
]


def kinds(lines: Sequence[str]) -> tuple[str, ...]:
    """Kinds of the qdiscs that lines make, each once, from the root on."""
    return tuple(dict.fromkeys(made.kind for made in map(parse_command, lines)))


def queue_place(lines: Sequence[str]) -> str:
    """Where the direction's queue is: "root", or the class ("1:1") that has the deepest qdisc, of several the first.

    What is above it holds packets for a time or hands them down; what it holds itself is what waits.
    """
    depths: dict[int, int] = {}
    best, place = -1, "root"
    for made in _qdiscs(lines):
        depth = 0 if made.parent == "root" else depths[_major(made.parent)] + 1
        if made.handle:
            depths[_major(made.handle)] = depth
        if depth > best:
            best, place = depth, made.parent
    return place


def queue_kind(lines: Sequence[str]) -> str:
    """The kind of the qdisc that is the direction's queue (see `queue_place`)."""
    place = queue_place(lines)
    return next(made.kind for made in _qdiscs(lines) if made.parent == place)


def commanded_rate_mbit(lines: Sequence[str]) -> float | None:
    """The least rate in Mbit/s that is said from the root down to the queue; None where none is, or in other units.

    It is for axes and for what is said of a run, no expectation of one: `maxrate` of fq is a flow's.
    """
    found = (rate for made in parents_of_queue(lines) for rate in _rates(made))
    return min(found, default=None)


def slowest(lines: Sequence[str]) -> OwnCommand | None:
    """The command with the least rate from the root down to the queue; None where none has a rate."""
    found = ((rate, made) for made in parents_of_queue(lines) for rate in _rates(made))
    return min(found, key=lambda each: each[0], default=(0.0, None))[1]


def _rates(made: OwnCommand) -> Iterator[float]:
    """The rates of a command in Mbit/s."""
    for match in _RATE.finditer(made.arguments):
        yield float(match[2]) * _MBIT[match[3].lower()]


def parents_of_queue(lines: Sequence[str], place: str | None = None) -> Iterator[OwnCommand]:
    """The commands that a packet meets on its way to a place, from there up to the root.

    Args:
        place: "root" or a class ("1:1"); None for that of the queue (`queue_place`).
    """
    commands = [parse_command(line) for line in lines]
    at: str | None = place or queue_place(lines)
    while at is not None:
        yield from (made for made in commands if made.parent == at and not made.is_class)
        yield from (made for made in commands if made.is_class and _same(made.handle, at))
        above = [made for made in commands if not made.is_class and _same_qdisc(made.handle, at)]
        at = above[0].parent if above else None


def _same(one: str, other: str) -> bool:
    """Whether two names are of one class."""
    parts = [[int(part or "0", 16) for part in name.split(":")] for name in (one, other) if name != "root"]
    return len(parts) == 2 and parts[0] == parts[1]


def _same_qdisc(handle: str, place: str) -> bool:
    return bool(handle) and place != "root" and _major(handle) == _major(place)


def _qdiscs(lines: Sequence[str]) -> Iterator[OwnCommand]:
    return (made for made in map(parse_command, lines) if not made.is_class)
