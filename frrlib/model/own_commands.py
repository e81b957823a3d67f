"""Custom `tc` commands for one direction of a link, instead of its rate, delay and queue.

A line has the arguments after `tc qdisc add dev INTERFACE`. With `class` in front, it has those after
`tc class add dev INTERFACE`:

    root handle 1: netem delay 10ms
    parent 1:1 handle 10: tbf rate 80mbit burst 3028b limit 300kb

A size table (`stab linklayer atm overhead -4`) may precede the kind.
Only the positions are parsed here, to check that the commands form a tree and to find its queue. `tc` checks the
arguments of a qdisc, and no shell ever reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field, StringConstraints

MOST_LINES, MOST_LENGTH = 64, 500
#: Characters that are special to `tc`: quotes, comments and continued lines.
_NO_WORD = re.compile(r"[^ !$-&(-\[\]-~]")
_KIND = re.compile(r"[a-z][a-z0-9_]{0,14}")
_HANDLE, _CLASS = re.compile(r"([0-9a-f]{1,4}):0?"), re.compile(r"([0-9a-f]{1,4}):([0-9a-f]{1,4})")
#: A rate in an argument, and the units of `tc` in Mbit/s.
_RATE = re.compile(r"\b(rate|bandwidth) ([0-9.]+)([kmg]?bit)\b", re.IGNORECASE)
_MBIT = {"bit": 1e-6, "kbit": 1e-3, "mbit": 1.0, "gbit": 1e3}
#: The words of a size table, each with a value.
_TABLE_WORDS = ("mtu", "mpu", "overhead", "tsize", "linklayer")
#: Words in front of the kind, with their meaning in messages.
_PLACES = {
    "root": "where it is", "parent": "where it is", "handle": "what it is called", "classid": "what it is called",
}  # fmt: skip
#: Words of the full command, which a line must not repeat.
_SURPLUS_WORDS = ("tc", "qdisc", "add", "replace", "change", "dev", "sudo")
_EXAMPLE = "as in: root handle 1: netem delay 10ms"


class OwnCommand(NamedTuple):
    """A parsed line.

    Attributes:
        is_class: whether it creates a class instead of a qdisc.
        parent: "root", or handle of a qdisc and number of a class ("1:1"); for a class also a handle alone ("1:").
        handle: handle of the qdisc ("10:", empty for the kernel's choice), or ID of the class ("1:1").
        kind: the kind of qdisc, such as "tbf".
        arguments: all words after the kind.
        table: the words of its size table (`stab`), empty for none.
    """

    is_class: bool
    parent: str
    handle: str
    kind: str
    arguments: str
    table: str = ""

    def command(self, dev: str) -> str:
        """The arguments of `tc` that create it at an interface."""
        where = "root" if self.parent == "root" else f"parent {self.parent}"
        named = f" {'classid' if self.is_class else 'handle'} {self.handle}" if self.handle else ""
        object_word = "class" if self.is_class else "qdisc"
        table = f" stab {self.table}" if self.table else ""
        return f"{object_word} add dev {dev} {where}{named}{table} {self.kind} {self.arguments}".rstrip()


def parse_command(line: str) -> OwnCommand:
    """Parse a line. Raises ValueError for an invalid line, with the reason and a valid form."""
    if len(line) > MOST_LENGTH:
        raise ValueError(f"a command of {len(line)} characters is too long; use at most {MOST_LENGTH}")
    if odd := _NO_WORD.search(line):
        raise ValueError(f"{line!r} has {odd[0]!r} in it; use plain words, {_EXAMPLE}")
    words = line.split()
    is_class = words[:1] == ["class"]
    words = words[1:] if is_class else words
    if words[:1] and words[0] in _SURPLUS_WORDS:
        raise ValueError(f"{line!r} starts too early; enter the text after `tc qdisc add dev IFACE`, {_EXAMPLE}")
    places: dict[str, str] = {}
    table = ""
    while words and (words[0] in _PLACES or words[0] == "stab"):
        word = words.pop(0)
        if word == "stab":
            table, words = _size_table(line, words, table)
            continue
        if _PLACES[word] in places:
            raise ValueError(f"{line!r} says {_PLACES[word]} twice; remove one")
        places[_PLACES[word]] = word if word == "root" else words.pop(0) if words else ""
    parent, handle = places.get("where it is", ""), places.get("what it is called", "")
    if not words or not _KIND.fullmatch(words[0]):
        raise ValueError(f"{line!r} has no kind of qdisc; write it {_EXAMPLE}")
    _check_places(line, is_class, parent, handle)
    if table and is_class:
        raise ValueError(f"{line!r} has a size table, which classes do not support; move it to the root qdisc")
    return OwnCommand(is_class, parent, handle, words[0], " ".join(words[1:]), table)


def _size_table(line: str, words: list[str], earlier_table: str) -> tuple[str, list[str]]:
    """The words of a size table, and the words after it. Raises ValueError."""
    count = 0
    while words[count : count + 1] and words[count] in _TABLE_WORDS:
        count += 2
    if earlier_table or not count or count > len(words):
        fault = "has two size tables" if earlier_table else "has a size table that is not complete"
        raise ValueError(f"{line!r} {fault}; as in: root handle 1: stab linklayer atm overhead -4 tbf rate 1mbit")
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
    """The lines with normalized spaces. Raises ValueError if they do not create a tree in this order."""
    handles: set[int] = set()
    plain_lines = []
    for number, line in enumerate(lines):
        command = parse_command(line)
        if (command.parent == "root") != (number == 0):
            raise ValueError(
                f"{line!r} is a second root; put it below the first, as in: parent 1:1"
                if number
                else f"{line!r} is not at the root; the first line must be, {_EXAMPLE}"
            )
        if number and _major(command.parent) not in handles:
            raise ValueError(f"{line!r} is below a qdisc that no earlier line creates; set the handle of that qdisc")
        if command.handle and not command.is_class:
            if _major(command.handle) in handles:
                raise ValueError(f"{line!r} has the handle of another line; use a unique handle")
            handles.add(_major(command.handle))
        plain_lines.append(" ".join(line.split()))
    return tuple(plain_lines)


def _major(place: str) -> int:
    return int(place.partition(":")[0], 16)


#: All commands of a direction, in the order of execution.
OwnCommands = Annotated[
    tuple[Annotated[str, StringConstraints(min_length=1)], ...], Field(max_length=MOST_LINES), AfterValidator(_tree)
]


def kinds(lines: Sequence[str]) -> tuple[str, ...]:
    """The different kinds of qdisc that the lines create, from the root on."""
    return tuple(dict.fromkeys(command.kind for command in map(parse_command, lines)))


def queue_place(lines: Sequence[str]) -> str:
    """The position of the direction's queue: "root", or the class ("1:1") of the deepest qdisc, the first of several.

    Qdiscs above it delay packets or pass them down. The deepest one holds the packets that wait.
    """
    depths: dict[int, int] = {}
    best, place = -1, "root"
    for command in _qdiscs(lines):
        depth = 0 if command.parent == "root" else depths[_major(command.parent)] + 1
        if command.handle:
            depths[_major(command.handle)] = depth
        if depth > best:
            best, place = depth, command.parent
    return place


def queue_kind(lines: Sequence[str]) -> str:
    """The kind of the qdisc that is the direction's queue (see `queue_place`)."""
    place = queue_place(lines)
    return next(command.kind for command in _qdiscs(lines) if command.parent == place)


def commanded_rate_mbit(lines: Sequence[str]) -> float | None:
    """The lowest rate in Mbit/s from the root down to the queue; None without a rate in these units.

    It is used for axes and descriptions, not as an expectation: `maxrate` of fq is the rate of one flow.
    """
    rates = (rate for command in parents_of_queue(lines) for rate in _rates(command))
    return min(rates, default=None)


def slowest(lines: Sequence[str]) -> OwnCommand | None:
    """The command with the lowest rate from the root down to the queue; None if no command has a rate."""
    rated = ((rate, command) for command in parents_of_queue(lines) for rate in _rates(command))
    return min(rated, key=lambda pair: pair[0], default=(0.0, None))[1]


def _rates(command: OwnCommand) -> Iterator[float]:
    """The rates of a command in Mbit/s."""
    for match in _RATE.finditer(command.arguments):
        yield float(match[2]) * _MBIT[match[3].lower()]


def parents_of_queue(lines: Sequence[str], place: str | None = None) -> Iterator[OwnCommand]:
    """The commands on a packet's path to a position, from there up to the root.

    Args:
        place: "root" or a class ("1:1"); None for the queue's position (`queue_place`).
    """
    commands = [parse_command(line) for line in lines]
    at: str | None = place or queue_place(lines)
    while at is not None:
        yield from (command for command in commands if command.parent == at and not command.is_class)
        yield from (command for command in commands if command.is_class and _is_same_class(command.handle, at))
        above = [command for command in commands if not command.is_class and _is_in_qdisc(command.handle, at)]
        at = above[0].parent if above else None


def _is_same_class(first: str, second: str) -> bool:
    """Whether two names are those of the same class."""
    parts = [[int(part or "0", 16) for part in name.split(":")] for name in (first, second) if name != "root"]
    return len(parts) == 2 and parts[0] == parts[1]


def _is_in_qdisc(handle: str, place: str) -> bool:
    return bool(handle) and place != "root" and _major(handle) == _major(place)


def _qdiscs(lines: Sequence[str]) -> Iterator[OwnCommand]:
    return (command for command in map(parse_command, lines) if not command.is_class)
