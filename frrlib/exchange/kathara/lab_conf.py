"""Parses `lab.conf`: the devices of a lab, their interfaces in collision domains, and their options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from frrlib.formats.entry import brief
from frrlib.formats.jsontext import InvalidFile

FILE = "lab.conf"
#: Limits of a file. A fat tree of 20 ports, with 2500 devices, has less than 500 kB.
LARGEST_BYTES, MOST_DEVICES = 2**20, 3000
_MOST_INTERFACES = 4096
_LINE = re.compile(r"([A-Za-z0-9_][A-Za-z0-9_.-]*)\[(\w+)\]\s*=\s*(.*)", re.ASCII)
_METADATA = re.compile(r"LAB_([A-Z_]+)\s*=\s*(.*)")
_DOMAIN = re.compile(r"(\w[\w.-]*)(?:/((?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}))?", re.ASCII)
_FORM = 'write DEVICE[NUMBER]="DOMAIN" or DEVICE[OPTION]="VALUE", such as r1[0]="A" or r1[image]="kathara/frr"'


class InvalidLab(InvalidFile):
    """A file of the lab is rejected; `file` is its name and `remedy` is the expected content."""

    def __init__(self, reason: str, line: int = 0, remedy: str = "", file: str = FILE) -> None:
        super().__init__(reason, (), line)
        self.remedy, self.file = remedy, file


@dataclass(frozen=True)
class Attachment:
    """An interface in a collision domain; `mac` is empty for the kernel's choice."""

    number: int
    domain: str
    mac: str
    line: int

    @property
    def interface(self) -> str:
        """The name of the interface."""
        return f"eth{self.number}"


@dataclass(frozen=True)
class Option:
    """An option of a device, such as image."""

    key: str
    value: str
    line: int


@dataclass
class Device:
    """A device of the lab, with the line of its first mention, its interfaces by number, and its options."""

    name: str
    line: int
    attachments: dict[int, Attachment] = field(default_factory=dict)
    options: list[Option] = field(default_factory=list)

    def values(self, key: str) -> list[Option]:
        """All values of an option."""
        return [option for option in self.options if option.key == key]

    def text(self, key: str) -> str:
        """The last value of an option; empty if it is missing."""
        return next((option.value for option in reversed(self.options) if option.key == key), "")

    @property
    def interfaces(self) -> tuple[str, ...]:
        """The names of its interfaces, in their order."""
        return tuple(self.attachments[number].interface for number in sorted(self.attachments))


@dataclass
class LabConf:
    """The content of the file: its metadata by name ("DESCRIPTION"), and its devices by name."""

    metadata: dict[str, str] = field(default_factory=dict)
    devices: dict[str, Device] = field(default_factory=dict)

    def domains(self) -> dict[str, list[tuple[Device, Attachment]]]:
        """The interfaces of each collision domain."""
        domains: dict[str, list[tuple[Device, Attachment]]] = {}
        for device in self.devices.values():
            for number in sorted(device.attachments):
                attachment = device.attachments[number]
                domains.setdefault(attachment.domain, []).append((device, attachment))
        return domains


def parse_lab_conf(text: str) -> LabConf:
    """The content of a `lab.conf`.

    Raises:
        InvalidLab: a line is not in one of the forms of the file; with the line.
    """
    conf = LabConf()
    for number, line in _lines(text):
        if match := _METADATA.fullmatch(line):
            conf.metadata[match[1]] = _value(match[2], number)
        elif match := _LINE.fullmatch(line):
            name, key, value = match[1], match[2], _value(match[3], number)
            device = conf.devices.setdefault(name, Device(name, number))
            if len(conf.devices) > MOST_DEVICES:
                raise InvalidLab(f"has more than {MOST_DEVICES} devices", number, "divide the lab")
            if key.isdecimal():
                _attach(device, key, value, number)
            else:
                device.options.append(Option(key, value, number))
        else:
            raise InvalidLab(f"has {brief(line)}, which is not a line of {FILE}", number, _FORM)
    if not conf.devices:
        raise InvalidLab("has no devices", 0, _FORM)
    return conf


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines with content, with their numbers. Raises InvalidLab for control characters."""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip()
        for letter in line:
            if not letter.isprintable() and letter != "\t":
                raise InvalidLab(f"has the character U+{ord(letter):04X}", number, "remove it")
        if line and not line.startswith("#"):
            yield number, line


def _value(text: str, number: int) -> str:
    """A value without its quotes and without a comment after it."""
    quote = text[:1]
    if quote in ("'", '"'):
        value, end, rest = text[1:].partition(quote)
        if not end or (rest.strip() and not rest.strip().startswith("#")):
            raise InvalidLab(f"has {brief(text)}, where the quotes do not match", number, 'as in r1[0]="A"')
        return value.strip()
    return re.split(r"\s#", text, maxsplit=1)[0].strip()


def _attach(device: Device, key: str, value: str, line: int) -> None:
    place = f"{device.name}[{key[:8]}]"
    if len(key) > 4 or int(key) >= _MOST_INTERFACES:
        raise InvalidLab(f"{place} is no number of an interface", line, f"use a number below {_MOST_INTERFACES}")
    match = _DOMAIN.fullmatch(value)
    if match is None:
        remedy = 'use letters, digits and _, as in r1[0]="A", with a hardware address as in "A/02:00:00:00:00:01"'
        raise InvalidLab(f"{place} is {brief(value)}, not a collision domain", line, remedy)
    if (earlier := device.attachments.get(int(key))) is not None:
        raise InvalidLab(f"{place} is set twice, first in line {earlier.line}", line, "number the interfaces 0, 1, 2")
    device.attachments[int(key)] = Attachment(int(key), match[1], (match[2] or "").lower(), line)
