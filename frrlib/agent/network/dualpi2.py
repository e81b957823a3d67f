"""DualPI2 by netlink: many versions of `tc` do not support it. Its commands and its read-back are those of newer ones.

The attributes are those of linux/pkt_sched.h (TCA_DUALPI2_*).
"""

from __future__ import annotations

import re
import socket
import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from frrlib.agent.network.namespaces import NodeThread
from frrlib.agent.network.netlink import (
    CREATE,
    REPLACE,
    Message,
    Netlink,
    NetlinkError,
    attribute,
    attributes,
    nest,
    text,
)
from frrlib.agent.network.rtnetlink import GETQDISC, NEWQDISC, TC_BODY, tc_body
from frrlib.errors import CommandFailed

KIND = "dualpi2"
_TCA_KIND, _TCA_OPTIONS = 1, 2
_ROOT = 0xFFFFFFFF
_ACTIONS = {"add": CREATE, "replace": CREATE | REPLACE, "change": 0}
#: Words with a value: number of the attribute, its size in bytes, and its units per one of the word's value.
_VALUES: dict[str, tuple[int, int, float]] = {
    "limit": (1, 4, 1), "memlimit": (2, 4, 1), "target": (3, 4, 1), "tupdate": (4, 4, 1), "alpha": (5, 4, 256),
    "beta": (6, 4, 256), "step_thresh": (8, 4, 1), "min_qlen_step": (9, 4, 1), "coupling_factor": (10, 1, 1),
    "classic_protection": (13, 1, 1),
}  # fmt: skip
#: Words without a value: number of the attribute, of one byte, and its value.
_FLAGS: dict[str, tuple[int, int]] = {
    "drop_on_overload": (11, 1), "overflow": (11, 0), "drop_enqueue": (12, 1), "drop_dequeue": (12, 0),
    "any_ect": (14, 3), "l4s_ect": (14, 1), "split_gso": (15, 1), "no_split_gso": (15, 0),
}  # fmt: skip
#: The read-back: the option's name, the number of the attribute, and the words of its values, or its units per one.
_READ: tuple[tuple[str, int, float | Mapping[int, str]], ...] = (
    ("limit", 1, 1), ("memory-limit", 2, 1), ("target", 3, 1), ("tupdate", 4, 1), ("alpha", 5, 256), ("beta", 6, 256),
    ("step-thresh-pkts", 7, 1), ("step-thresh-us", 8, 1), ("min-qlen-step", 9, 1), ("coupling", 10, 1),
    ("drop-overload", 11, {0: "overflow", 1: "drop"}), ("drop-early", 12, {0: "drop-dequeue", 1: "drop-enqueue"}),
    ("c-protection", 13, 1), ("ecn-mask", 14, {1: "l4s-ect", 2: "classic-ect", 3: "any-ect"}),
)  # fmt: skip
_SPLIT_GSO = 15
#: The kernel requires at least one option. This is its default limit, in packets.
_DEFAULT_LIMIT = 10_000
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)(?:us|b)?")
#: Printed by a `tc` that does not support a discipline, amid its JSON.
UNKNOWN = re.compile(r"\[Unknown qdisc, optlen=\d+\] ?")


class _Command(NamedTuple):
    """A parsed command: `device` and the words after the kind."""

    action: str
    device: str
    parent: int
    handle: int
    words: tuple[str, ...]


def is_command(line: str) -> bool:
    """Whether a command of `tc` ("qdisc replace dev r1-eth0 root dualpi2 limit 100") sets DualPI2."""
    return _parse(line) is not None


def without_commands(lines: Iterable[str]) -> list[str]:
    """The commands that do not set DualPI2."""
    return [line for line in lines if not is_command(line)]


def run(name: str, thread: NodeThread, lines: Iterable[str]) -> None:
    """Carry out the commands among `lines` that set DualPI2. Raises CommandFailed for the first refused one."""
    commands = [line for line in lines if is_command(line)]
    if commands:
        thread.call(_run_here, name, commands)


def _run_here(name: str, lines: Sequence[str]) -> None:
    netlink = Netlink(name)
    try:
        for line in lines:
            try:
                netlink.apply([request(line, socket.if_nametoindex)])
            except (NetlinkError, OSError, ValueError) as error:
                raise CommandFailed(["tc", *line.split()], 2, str(error)) from error
    finally:
        netlink.close()


def request(line: str, index_of: Any) -> Message:
    """The netlink request of a command.

    Args:
        line: the arguments of `tc`, in the form of our own commands.
        index_of: returns the index of an interface.

    Raises:
        ValueError: an option is unknown, or its value is no number.
    """
    command = _parse(line)
    if command is None:
        raise ValueError(f"no command for {KIND}: {line}")
    options, words = {1: attribute(1, struct.pack("=I", _DEFAULT_LIMIT))}, list(command.words)
    if words:
        options = {}
    while words:
        word = words.pop(0)
        if word in _FLAGS:
            kind, value = _FLAGS[word]
            options[kind] = attribute(kind, bytes([value]))
        elif word in _VALUES and words and (match := _NUMBER.fullmatch(words.pop(0))):
            kind, size, units = _VALUES[word]
            options[kind] = attribute(kind, round(float(match[1]) * units).to_bytes(size, "little"))
        else:
            raise ValueError(f"{KIND} has no option {word!r}, or its value is missing or no number")
    body = tc_body(index_of(command.device), command.handle, command.parent, 0) + text(_TCA_KIND, KIND)
    return Message(NEWQDISC, _ACTIONS[command.action], body + nest(_TCA_OPTIONS, *options.values()), line)


def _parse(line: str) -> _Command | None:
    words = line.split()
    if words[:1] != ["qdisc"] or len(words) < 2 or words[1] not in _ACTIONS or KIND not in words:
        return None
    device, parent, handle, at = "", _ROOT, 0, 2
    while at < len(words) and words[at] != KIND:
        if words[at] == "root":
            at += 1
            continue
        if words[at] not in ("dev", "parent", "handle") or at + 1 >= len(words):
            return None
        value = words[at + 1]
        if words[at] == "dev":
            device = value
        elif words[at] == "parent":
            parent = _handle(value)
        else:
            handle = _handle(value)
        at += 2
    return _Command(words[1], device, parent, handle, tuple(words[at + 1 :]))


def _handle(value: str) -> int:
    """The number of a handle ("10:") or a class ("1:1"); both parts are hexadecimal."""
    major, _, minor = value.partition(":")
    return int(major or "0", 16) << 16 | int(minor or "0", 16)


def read_options() -> dict[tuple[int, int], dict[str, Any]]:
    """The options of every DualPI2 in the calling thread's node, by index of the interface and handle."""
    netlink = Netlink("")
    try:
        replies = netlink.dump(Message(GETQDISC, 0, tc_body(0, 0, 0, 0), "list of qdiscs"))
    finally:
        netlink.close()
    options_by_place = {}
    for reply in replies:
        _, index, handle, _, _ = TC_BODY.unpack_from(reply.body)
        values = attributes(reply.body[TC_BODY.size :])
        if bytes(values.get(_TCA_KIND, b"")).rstrip(b"\0") == KIND.encode() and _TCA_OPTIONS in values:
            options_by_place[index, handle] = options(attributes(values[_TCA_OPTIONS]))
    return options_by_place


def options(values: Mapping[int, memoryview]) -> dict[str, Any]:
    """The options in the form of `tc -j`: times in microseconds, sizes in bytes, gains in Hz."""
    named: dict[str, Any] = {}
    for name, kind, meaning in _READ:
        if kind in values:
            raw = int.from_bytes(values[kind], "little")
            named[name] = meaning.get(raw, str(raw)) if isinstance(meaning, Mapping) else _scaled(raw, meaning)
    if int.from_bytes(values.get(_SPLIT_GSO, b""), "little"):
        named["split-gso"] = True
    return named


def _scaled(raw: int, units: float) -> float:
    return raw if units == 1 else raw / units


def complete(entries: Sequence[dict[str, Any]]) -> None:
    """Give the entries of `tc -j qdisc show` in the calling thread's node the options of their DualPI2, in place."""
    mine = [entry for entry in entries if entry.get("kind") == KIND]
    if mine:
        by_place = read_options()
        for entry in mine:
            place = socket.if_nametoindex(entry["dev"]), _handle(entry["handle"])
            entry["options"] = by_place.get(place, {})
