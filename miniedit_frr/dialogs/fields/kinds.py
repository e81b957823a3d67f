"""Kinds of fields: the text form of a value, and the errors of invalid texts.

A kind converts a value to the content of a widget and back. Its errors describe the valid form. The model checks bounds
and conflicts between fields afterwards, see `fields.replaced`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface, ip_address, ip_interface, ip_network
from typing import Any

from frrlib.model import flow_words
from miniedit_frr.dialogs.fields import spelling
from miniedit_frr.dialogs.fields.quantities import InvalidQuantity, Measure
from miniedit_frr.dialogs.fields.spelling import or_list

#: A static route's text in place of a next hop.
_NOWHERE = ("blackhole", "reject")
#: The content of a widget: a text, the rows of a table as tuples of texts, or the rows of a list as `RowEntry`s.
Content = str | tuple[Any, ...]


@dataclass(frozen=True)
class RowEntry:
    """A row with a form of its own: a value, and its edits.

    Attributes:
        value: the row without the edits.
        edits: (path, content) of each edited field.
    """

    value: Any
    edits: tuple[tuple[str, Content], ...] = ()


class FieldKind:
    """The common base of kinds of texts (`TextKind`) and of lists (`lists.py`).

    Attributes:
        widget: name of the widget.
        unit: unit that the widget shows; empty for no unit.
    """

    widget: str
    unit: str


@dataclass(frozen=True)
class TextKind(FieldKind):
    """The conversion between a value and its text.

    Attributes:
        read: converts a text to a value; raises `InvalidQuantity`.
        show: converts a value to a text.
        widget: "line", "lines" (several lines), "choice", "open" (a choice that may also be typed), "folder", "flag",
            "part" (a flag that switches a part of the form on), "checks" (any of some names), "measured" (number and
            unit), "table", "fixed" (read-only text), "summary" (read-only text of several lines) or "samples" (numbers
            from a file).
        unit: unit that the widget shows; empty for no unit.
        choices: the choices, value to label; for "measured", the units.
        width: width of the widget in characters; 0 for all available room.
        includes_none: whether None is a regular value with a text of its own.
    """

    read: Callable[[str], Any]
    show: Callable[[Any], str]
    widget: str = "line"
    unit: str = ""
    choices: dict[str, str] = field(default_factory=dict)
    width: int = 0
    includes_none: bool = False


def _plain(value: Any) -> str:
    return "" if value is None else str(value)


def _checked(fault: Callable[[str], str], strip: bool = True) -> Callable[[str], str]:
    def read(text: str) -> str:
        text = text.strip() if strip else text
        reason = fault(text)
        if reason:
            raise InvalidQuantity(reason)
        return text

    return read


def words(fault: Callable[[str], str] = lambda text: "", width: int = 0) -> TextKind:
    """A line of text; `fault` returns the error of a text as a clause, or an empty text."""
    return TextKind(_checked(fault), _plain, width=width)


LINES = TextKind(lambda text: text.rstrip("\n"), _plain, "lines")
FIXED, SUMMARY = (TextKind(lambda text: text, _plain, widget) for widget in ("fixed", "summary"))

#: Folders, separated by colons as in PATH.
FOLDERS = TextKind(lambda text: tuple(part.strip() for part in text.split(":") if part.strip()), ":".join)


def flag() -> TextKind:
    """On or off."""
    return TextKind(lambda text: text == "1", lambda value: "1" if value else "", "flag")


def part(begin: Callable[[], Any]) -> TextKind:
    """An optional part; `begin` makes one with default settings."""
    return TextKind(
        lambda text: begin() if text == "1" else None, lambda value: "1" if value is not None else "", "part"
    )


def choice(options: dict[str, str]) -> TextKind:
    """One of some texts, each with a label."""

    def read(text: str) -> str:
        for value, label in options.items():
            if text in (value, label):
                return value
        raise InvalidQuantity(
            f"must be {or_list(options.values())}" if options else "cannot be set: there are no choices"
        )

    return TextKind(read, lambda value: options.get(str(value), str(value)), "choice", choices=options)


def suggestion(options: Iterable[str], fault: Callable[[str], str] = lambda text: "") -> TextKind:
    """A text with suggestions."""
    return TextKind(_checked(fault), _plain, "open", choices={option: option for option in options})


def mapped(options: Mapping[Any, str]) -> TextKind:
    """One of some values that are not texts, each with a label."""
    values = {called: value for value, called in options.items()}

    def read(text: str) -> Any:
        if text not in values:
            raise InvalidQuantity(f"must be {or_list(values)}")
        return values[text]

    return TextKind(
        read,
        lambda value: options[value],
        "choice",
        choices={label: label for label in values},
        includes_none=None in options,
    )


def checks(options: Iterable[str]) -> TextKind:
    """Any of some names. Unknown names in the value can be removed."""
    choices = {name: name for name in options}
    return TextKind(lambda text: tuple(text.split()), lambda value: " ".join(value), "checks", choices=choices)


def quantity(measure: Measure, optional: bool = False) -> TextKind:
    """A number with a unit. If it is optional, an empty text means None."""

    def read(text: str) -> float | int | None:
        if not text.strip():
            if optional:
                return None
            raise InvalidQuantity("is missing")
        return measure.read(text)

    return TextKind(read, measure.show, unit=measure.unit, width=12)


def measured(measures: dict[str, Measure], none: str = "") -> TextKind:
    """A number in one of several units. The value is (name, number).

    The text is the number and the unit, such as "64000 bytes". If `none` is given, it is the label of the value None.
    """
    units = {measure.unit: (name, measure) for name, measure in measures.items()}

    def read(text: str) -> tuple[str, float | int] | None:
        number, _, unit = text.strip().rpartition(" ")
        if none and text.strip() in ("", none):
            return None
        if unit in units and not number.strip():
            raise InvalidQuantity("is missing")
        for written, given_unit in ((text, ""), (number, unit)):
            for symbol, (name, measure) in units.items():
                if given_unit and given_unit != symbol:
                    continue
                if not given_unit and not re.search(r"[A-Za-zµ]", written):
                    continue
                try:
                    return name, measure.read(written)
                except InvalidQuantity:
                    if given_unit:
                        raise
        raise InvalidQuantity(f"must be a number of {or_list(units)}")

    def show(value: tuple[str, float | int] | None) -> str:
        return none if value is None else f"{measures[value[0]].show(value[1])} {measures[value[0]].unit}"

    choices = ({none: none} if none else {}) | {unit: unit for unit in units}
    return TextKind(read, show, "measured", choices=choices, width=10)


# --- addresses ----------------------------------------------------------------------------------------------------


def _address_fault(text: str, example: str) -> str:
    """The error of a text that is not an address."""
    if ":" in text:
        return f"is not an IPv6 address such as {example if ':' in example else '2001:db8::1'}"
    numbers = text.split(".")
    if all(re.fullmatch("[0-9]+", number) for number in numbers):
        if len(numbers) != 4:
            return f"an IPv4 address has four numbers, this one has {len(numbers)}; expected such as {example}"
        large = next((number for number in numbers if int(number) > 255), "")
        if large:
            return f"{large} is too large: numbers of an IPv4 address are at most 255"
        return "contains a number that starts with 0"
    return f"is not an address; expected such as {example}"


def _ip(text: str, example: str = "10.0.0.1") -> IPv4Address | IPv6Address:
    text = text.strip()
    if not text:
        raise InvalidQuantity("is missing")
    try:
        return ip_address(text)
    except ValueError:
        pass
    head, slash, _ = text.partition("/")
    if slash and not _is_no_address(head):
        raise InvalidQuantity(f"{text}: type the address without prefix length: {head}")
    raise InvalidQuantity(f"{text}: {_address_fault(text, example)}")


def _is_no_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return True
    return False


def _prefixed(text: str) -> tuple[IPv4Address | IPv6Address, int]:
    """An address and its prefix length."""
    text = text.strip()
    if not text:
        raise InvalidQuantity("is missing")
    head, slash, length = text.partition("/")
    head = head.strip()
    if _is_no_address(head):
        raise InvalidQuantity(f"{text}: {_address_fault(head, '10.0.0.1/24')}")
    address = ip_address(head)
    usual = 24 if address.version == 4 else 64
    if not slash or not length.strip():
        raise InvalidQuantity(f"{text}: the prefix length is missing; expected such as {head}/{usual}")
    try:
        return address, ip_interface(f"{head}/{length.strip()}").network.prefixlen
    except ValueError:
        most = address.max_prefixlen
        raise InvalidQuantity(
            f"{text}: the prefix length of IPv{address.version} must be 0 to {most}, as in {head}/{usual}"
        ) from None


def _interface(text: str) -> IPv4Interface | IPv6Interface:
    address, length = _prefixed(text)
    return ip_interface(f"{address}/{length}")


def _network(text: str) -> Any:
    address, length = _prefixed(text)
    network = ip_network(f"{address}/{length}", strict=False)
    if network.network_address != address:
        raise InvalidQuantity(f"{text.strip()} is an address within a network; the network is {network}")
    return network


def _ipv4(text: str) -> IPv4Address:
    address = _ip(text)
    if not isinstance(address, IPv4Address):
        raise InvalidQuantity(f"{text.strip()}: must have the form of an IPv4 address, as in 10.255.0.1")
    return address


def _optional(read: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda text: read(text) if text.strip() else None


def _list_of(read: Callable[[str], Any]) -> Callable[[str], Any]:
    return lambda text: tuple(read(word) for word in re.split(r"[\s,;]+", text.strip()) if word)


def _joined(value: Any) -> str:
    return ", ".join(map(str, value))


INTERFACE = TextKind(_interface, _plain, width=18)
INTERFACES = TextKind(_list_of(_interface), _joined, width=24)
IP = TextKind(_ip, _plain, width=18)
OPTIONAL_IP = TextKind(_optional(_ip), _plain, width=18)
IPV4, IPV4S = TextKind(_ipv4, _plain, width=18), TextKind(_list_of(_ipv4), _joined, width=22)
ROUTER_ID = TextKind(_optional(_ipv4), _plain, width=18)
NETWORK, NETWORKS = TextKind(_network, _plain, width=18), TextKind(_list_of(_network), _joined, width=28)


# --- other texts with rules ---------------------------------------------------------------------------------------


def _management_fault(text: str) -> str:
    if not text:
        return ""
    try:
        if "/" in text:
            _prefixed(text)
        else:
            _ip(text, "192.168.1.2/24")
    except InvalidQuantity as wrong:
        return str(wrong)
    return ""


def _as_number(text: str) -> int:
    """An AS number, plain or with a dot (RFC 5396)."""
    high, dot, low = text.strip().partition(".")
    if not text.strip():
        raise InvalidQuantity("is missing")
    if not all(re.fullmatch("[0-9]{1,10}", part) for part in ((high, low) if dot else (high,))):
        raise InvalidQuantity(f"{text.strip()} is not an AS number; expected one such as 65001")
    if dot and max(int(high), int(low)) > 65_535:
        raise InvalidQuantity("each number of a dotted AS number must be at most 65535, as in 1.10")
    number = (int(high) << 16) + int(low) if dot else int(high)
    if not 1 <= number < 2**32:
        raise InvalidQuantity("must be 1 to 4294967295")
    return number


def _as_or_side(text: str) -> int | str:
    return text.strip() if text.strip() in ("external", "internal") else _as_number(text)


def _next_hop(text: str) -> Any:
    return text.strip() if text.strip() in _NOWHERE else _ip(text)


WORD = words(lambda text: spelling.word_fault(text) or ("" if text else "is missing"), width=18)
OPTIONAL_WORD = suggestion((), spelling.word_fault)
KEY, KEY_16 = words(spelling.key_fault(80), width=18), words(spelling.key_fault(16), width=18)
ISIS_AREA, SYSTEM_ID, VRF = (
    words(spelling.net_fault, width=18),
    words(spelling.system_id_fault, width=18),
    words(spelling.vrf_fault, width=16),
)
ASN = TextKind(_as_number, _plain, width=12)
OPTIONAL_ASN = TextKind(_optional(_as_number), _plain, width=12)
ASNS = TextKind(_list_of(_as_number), lambda value: " ".join(map(str, value)), width=24)
NEXT_HOP = TextKind(_next_hop, _plain, "open", choices={word: word for word in _NOWHERE}, width=18)
AS_OR_SIDE = TextKind(_as_or_side, _plain, "open", choices={word: word for word in ("external", "internal")}, width=12)
OPTIONAL_AS_OR_SIDE = replace(AS_OR_SIDE, read=_optional(_as_or_side))
SET_COMMUNITIES = TextKind(_list_of(_checked(spelling.community_fault)), lambda value: " ".join(value), width=28)
MANAGEMENT = words(_management_fault, width=20)
MAC = words(spelling.mac_fault, width=17)
INTERFACE_NAME = words(spelling.interface_fault, width=12)
DPID = words(spelling.dpid_fault, width=20)
CORES = words(spelling.cores_fault, width=12)
AREA = words(spelling.area_fault, width=12)
OPTIONAL_AREA = words(spelling.optional_area_fault, width=10)
PATH = words(spelling.path_fault)
PORT = words(spelling.port_fault, width=12)
NEEDED = words(spelling.needed_fault)
TEXT = words()
#: Congestion controls of every kernel come first. The check before a start reports one that the lab's kernel lacks. The
#: kernel may have further ones.
CONTROLS = tuple(dict.fromkeys(("cubic", "bbr", "reno", *sorted(flow_words.CONTROLS))))
CONGESTION_CONTROL = suggestion(CONTROLS, spelling.cc_fault)
USUAL_OR_CONGESTION_CONTROL = suggestion(CONTROLS, lambda text: spelling.cc_fault(text) if text else "")
