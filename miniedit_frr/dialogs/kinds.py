"""Kinds of fields: how a value is written in a form, and what is wrong with a text that is none.

A kind turns a value into what a widget holds and back. It says what is wrong in words that name what would be right;
what only the model knows (bounds, fields that exclude each other) the model says afterwards, see `fields.replaced`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface, ip_address, ip_interface, ip_network
from typing import Any

from frrlib.model.names import interface_name_fault
from frrlib.model.rules.routing import area_number
from miniedit_frr.dialogs.quantities import Measure, Wrong

#: What a widget holds: a text, or the rows of a table.
Content = str | tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Kind:
    """How a value is written and read.

    Attributes:
        read: text to value; raises `Wrong`.
        show: value to text.
        widget: "line", "lines" (several), "choice", "open" (a choice that may be typed), "folder", "flag", "part" (a
            flag that brings a part of the form), "checks" (any of some), "measured" (number and unit), "table" or
            "fixed".
        unit: unit that the widget shows; empty for none.
        choices: what can be chosen, value to words. For "measured" the units.
        width: of the widget in characters; 0 for as wide as there is room.
    """

    read: Callable[[str], Any]
    show: Callable[[Any], str]
    widget: str = "line"
    unit: str = ""
    choices: dict[str, str] = field(default_factory=dict)
    width: int = 0


def _plain(value: Any) -> str:
    return "" if value is None else str(value)


def _checked(fault: Callable[[str], str], strip: bool = True) -> Callable[[str], str]:
    def read(text: str) -> str:
        text = text.strip() if strip else text
        why = fault(text)
        if why:
            raise Wrong(why)
        return text

    return read


def words(fault: Callable[[str], str] = lambda text: "", width: int = 0) -> Kind:
    """A line of text; `fault` says what is wrong with one, as a clause, or nothing."""
    return Kind(_checked(fault), _plain, width=width)


LINES = Kind(lambda text: text.rstrip("\n"), _plain, "lines")
FIXED = Kind(lambda text: text, _plain, "fixed")


def flag() -> Kind:
    """On or off."""
    return Kind(lambda text: text == "1", lambda value: "1" if value else "", "flag")


def part(begin: Callable[[], Any]) -> Kind:
    """A part that is there or not; `begin` makes one with the usual settings."""
    return Kind(lambda text: begin() if text == "1" else None, lambda value: "1" if value is not None else "", "part")


def choice(options: dict[str, str]) -> Kind:
    """One of some values, each with what it is called."""

    def read(text: str) -> str:
        for value, called in options.items():
            if text in (value, called):
                return value
        raise Wrong(f"must be {listed(options.values())}" if options else "there is nothing to choose from")

    return Kind(read, lambda value: options.get(str(value), str(value)), "choice", choices=options)


def suggestion(options: Iterable[str], fault: Callable[[str], str] = lambda text: "") -> Kind:
    """Text, with some that can be chosen."""
    return Kind(_checked(fault), _plain, "open", choices={each: each for each in options})


def checks(options: Iterable[str]) -> Kind:
    """Any of some names. Names that are there and no option can be taken off."""
    known = {each: each for each in options}
    return Kind(lambda text: tuple(text.split()), lambda value: " ".join(value), "checks", choices=known)


def quantity(measure: Measure, optional: bool = False) -> Kind:
    """A number with a unit; where it is optional, empty text is None."""

    def read(text: str) -> float | int | None:
        if not text.strip():
            if optional:
                return None
            raise Wrong("is missing")
        return measure.read(text)

    return Kind(read, measure.show, unit=measure.unit, width=12)


def measured(measures: dict[str, Measure], none: str = "") -> Kind:
    """A number in one of several measures; the value is (name, number), or None where `none` names that choice.

    Text is the number and the measure's unit: "64000 bytes".
    """
    units = {measure.unit: (name, measure) for name, measure in measures.items()}

    def read(text: str) -> tuple[str, float | int] | None:
        number, _, unit = text.strip().rpartition(" ")
        if none and text.strip() in ("", none):
            return None
        if unit in units and not number.strip():
            raise Wrong("is missing")
        for written, called in ((text, ""), (number, unit)):
            for shown, (name, measure) in units.items():
                if called and called != shown:
                    continue
                if not called and not re.search(r"[A-Za-zµ]", written):
                    continue
                try:
                    return name, measure.read(written)
                except Wrong:
                    if called:
                        raise
        raise Wrong(f"must be a number of {listed(units)}")

    def show(value: tuple[str, float | int] | None) -> str:
        return none if value is None else f"{measures[value[0]].show(value[1])} {measures[value[0]].unit}"

    shown = ({none: none} if none else {}) | {unit: unit for unit in units}
    return Kind(read, show, "measured", choices=shown, width=10)


def listed(options: Iterable[str]) -> str:
    """Some words with "or" before the last."""
    *most, last = [*options]
    return f"{', '.join(most)} or {last}" if most else last


# --- addresses ----------------------------------------------------------------------------------------------------


def _address_fault(text: str, example: str) -> str:
    """What is wrong with an address that the library does not take."""
    if ":" in text:
        return f"is not an IPv6 address such as {example if ':' in example else '2001:db8::1'}"
    numbers = text.split(".")
    if all(re.fullmatch("[0-9]+", each) for each in numbers):
        if len(numbers) != 4:
            return f"an IPv4 address has four numbers, this has {len(numbers)}, as in {example}"
        large = next((each for each in numbers if int(each) > 255), "")
        if large:
            return f"{large} is more than 255, the most in an IPv4 address"
        return "has a number that starts with 0"
    return f"is not an address such as {example}"


def _ip(text: str, example: str = "10.0.0.1") -> IPv4Address | IPv6Address:
    text = text.strip()
    if not text:
        raise Wrong("is missing")
    try:
        return ip_address(text)
    except ValueError:
        pass
    head, slash, _ = text.partition("/")
    if slash and not _is_wrong(head):
        raise Wrong(f"{text}: no prefix length here, only {head}")
    raise Wrong(f"{text}: {_address_fault(text, example)}")


def _is_wrong(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return True
    return False


def _prefixed(text: str) -> tuple[IPv4Address | IPv6Address, int]:
    """An address and its prefix length."""
    text = text.strip()
    if not text:
        raise Wrong("is missing")
    head, slash, length = text.partition("/")
    head = head.strip()
    if _is_wrong(head):
        raise Wrong(f"{text}: {_address_fault(head, '10.0.0.1/24')}")
    address = ip_address(head)
    usual = 24 if address.version == 4 else 64
    if not slash or not length.strip():
        raise Wrong(f"{text}: a prefix length is missing, as in {head}/{usual}")
    try:
        return address, ip_interface(f"{head}/{length.strip()}").network.prefixlen
    except ValueError:
        most = address.max_prefixlen
        raise Wrong(f"{text}: a prefix length of IPv{address.version} is 0 to {most}, as in {head}/{usual}") from None


def _interface(text: str) -> IPv4Interface | IPv6Interface:
    address, length = _prefixed(text)
    return ip_interface(f"{address}/{length}")


def _network(text: str) -> Any:
    address, length = _prefixed(text)
    network = ip_network(f"{address}/{length}", strict=False)
    if network.network_address != address:
        raise Wrong(f"{text.strip()} is an address in a network; the network is {network}")
    return network


def _ipv4(text: str) -> IPv4Address:
    address = _ip(text)
    if not isinstance(address, IPv4Address):
        raise Wrong(f"{text.strip()}: must have the form of an IPv4 address, as in 10.255.0.1")
    return address


def _optional(read: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda text: read(text) if text.strip() else None


def _several(read: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda text: tuple(read(each) for each in re.split(r"[\s,;]+", text.strip()) if each)


INTERFACE = Kind(_interface, _plain, width=18)
INTERFACES = Kind(_several(_interface), lambda value: ", ".join(str(each) for each in value), width=24)
IP = Kind(_ip, _plain, width=18)
OPTIONAL_IP = Kind(_optional(_ip), _plain, width=18)
ROUTER_ID = Kind(_optional(_ipv4), _plain, width=18)
NETWORK = Kind(_network, _plain, width=18)


# --- other words with rules ---------------------------------------------------------------------------------------


def _mac_fault(text: str) -> str:
    if not text:
        return ""
    if not re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", text):
        return "six pairs of hexadecimal digits, as in 02:00:00:00:00:01"
    if int(text[:2], 16) & 1:
        return "is a group's address: the first byte must be even, as in 02:00:00:00:00:01"
    return ""


def _interface_fault(text: str) -> str:
    return interface_name_fault(text) if text else ""


def _dpid_fault(text: str) -> str:
    ok = not text or re.fullmatch(r"[0-9a-fA-F]{1,16}", text.replace(":", ""))
    return "" if ok else "1 to 16 hexadecimal digits, as in 1a or 00:00:00:00:00:00:00:01"


def _cores_fault(text: str) -> str:
    ok = not text or re.fullmatch(r"\d+(-\d+)?(\s*,\s*\d+(-\d+)?)*", text)
    return "" if ok else "numbers of processors, as in 0,1 or 0-3"


def _area_fault(text: str) -> str:
    return "" if area_number(text) is not None else "a number or four, as in 0 or 0.0.0.1"


def _optional_area_fault(text: str) -> str:
    return _area_fault(text) if text else ""


def _path_fault(text: str) -> str:
    if not text:
        return "is missing"
    return "" if text.startswith("/") else f"must start with /, as in /{text}"


def _port_fault(text: str) -> str:
    ok = not text or (re.fullmatch("[0-9]{1,5}", text) and 1 <= int(text) <= 65_535)
    return "" if ok else "a port number, 1 to 65535"


def _needed_fault(text: str) -> str:
    return "" if text else "is missing"


def _cc_fault(text: str) -> str:
    ok = re.fullmatch("[a-z0-9_-]{1,15}", text)
    return "" if ok else "the kernel's name in small letters, as in cubic or bbr"


def needed_interface_fault(text: str) -> str:
    """What is wrong with an interface name that must be given."""
    return interface_name_fault(text) if text else "is missing"


def description_fault(text: str) -> str:
    """What is wrong with a description in frr.conf."""
    if len(text) > 80:
        return f"has {len(text)} characters, at most 80"
    return "" if text.isprintable() else "must be one line"


def _management_fault(text: str) -> str:
    if not text:
        return ""
    try:
        if "/" in text:
            _prefixed(text)
        else:
            _ip(text, "192.168.1.2/24")
    except Wrong as wrong:
        return str(wrong)
    return ""


MANAGEMENT = words(_management_fault, width=20)
MAC = words(_mac_fault, width=17)
INTERFACE_NAME = words(_interface_fault, width=12)
DPID = words(_dpid_fault, width=20)
CORES = words(_cores_fault, width=12)
AREA = words(_area_fault, width=12)
OPTIONAL_AREA = words(_optional_area_fault, width=10)
PATH = words(_path_fault)
PORT = words(_port_fault, width=12)
NEEDED = words(_needed_fault)
TEXT = words()
CONGESTION_CONTROL = suggestion(("cubic", "bbr", "reno"), _cc_fault)
USUAL_OR_CONGESTION_CONTROL = suggestion(("cubic", "bbr", "reno"), lambda text: _cc_fault(text) if text else "")
