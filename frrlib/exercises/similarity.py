"""Traces of shared work in submissions: numbers of another student, and equal lines apart from the own numbers."""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from ipaddress import IPv4Address, IPv4Network

from frrlib.exercises.exercise import StudentExercise
from frrlib.exercises.submissions import Submission
from frrlib.exercises.variables import Variables
from frrlib.model.topology import Topology

_ADDRESS = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
_WITH_LENGTH = re.compile(rf"{_ADDRESS.pattern}(/\d+)?")


def networks_of(variables: Variables) -> dict[str, IPv4Network]:
    """The network of each variable that has one."""
    return {name: value for name, value in variables.values.items() if isinstance(value, IPv4Network)}


def foreign_addresses(student: StudentExercise, submission: Submission) -> tuple[str, ...]:
    """Addresses of a submission that are in none of the student's networks, nor in the exercise's own start."""
    own_networks = networks_of(student.variables).values()
    start = set(_ADDRESS.findall(student.start().model_dump_json()))
    texts = {text for text in _ADDRESS.findall(_text(submission.topology)) if text not in start}
    addresses = sorted(address for text in texts if (address := _parsed(text)) is not None)
    return tuple(str(address) for address in addresses if not any(address in network for network in own_networks))


def neutral_fingerprint(student: StudentExercise, submission: Submission) -> str:
    """A text that is equal for submissions with equal lines apart from the students' own values.

    It is empty for a submission in which nothing was changed: many of a class may be so, and share no work.
    """
    if _text(submission.topology) == _text(student.start()):
        return ""
    networks = networks_of(student.variables)

    def neutral(match: re.Match[str]) -> str:
        text, slash, length = match[0].partition("/")
        address = _parsed(text)
        for name, network in networks.items():
            if address is not None and address in network:
                length = "length" if length == str(network.prefixlen) else length
                return f"{{{name}.{int(address) - int(network.network_address)}}}{slash}{length}"
        return match[0]

    text = _WITH_LENGTH.sub(neutral, _text(submission.topology))
    for name, value in student.variables.values.items():
        if not isinstance(value, IPv4Network):
            text = re.sub(rf"(?<![\w.]){re.escape(str(value))}(?![\w.])", f"{{{name}}}", text)
    return hashlib.sha256(text.encode()).hexdigest()


def borrowed_numbers(
    addresses: Sequence[str], student: str, networks: Mapping[str, Collection[IPv4Network]]
) -> Iterator[str]:
    """Notes about other students whose networks contain some of these addresses.

    Args:
        addresses: the addresses, in the order of their numbers. A hostile submission may have many thousands.
        student: the student of the submission.
        networks: the networks of each student of the class by student.
    """
    numbers = [int(IPv4Address(text)) for text in addresses]
    for other, others_networks in networks.items():
        if not numbers or other.lower() == student.lower():
            continue
        used: list[str] = []
        for network in sorted(others_networks):
            first = bisect_left(numbers, int(network.network_address))
            after = bisect_left(numbers, int(network.broadcast_address) + 1)
            used += addresses[first : min(after, first + 3)]
        if used:
            yield f"numbers of the student {other}: {', '.join(used[:3])}"


def _text(topology: Topology) -> str:
    """All values that a student may choose: those of the topology at the end, which has the typed lines."""
    return topology.model_dump_json(exclude={"title"})


def _parsed(text: str) -> IPv4Address | None:
    try:
        return IPv4Address(text)
    except ValueError:
        return None
