"""Numbers with units as people write them: "10mbit", "1.5 gbit", "20 ms", "64 kB", "0.5 %"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, Overflow

_WRITTEN = re.compile(r"([+-]?[0-9]*[.,]?[0-9]*(?:[eE][+-]?[0-9]+)?)\s*([^\s0-9.,+-][^0-9]*)?")


class InvalidQuantity(ValueError):
    """A text is not a valid value for a field; the message has the reason and a valid form.

    Attributes:
        cells: faults of single cells of a table, (row, column) to reason; empty elsewhere.
    """

    def __init__(self, reason: str, cells: Mapping[tuple[int, int], str] | None = None) -> None:
        super().__init__(reason)
        self.cells = dict(cells or {})


#: No value is as large, and the conversion of a number with a million digits would not end.
_LARGEST_EXPONENT = 30


@dataclass(frozen=True)
class Measure:
    """A physical quantity, in the unit that a field shows.

    Attributes:
        unit: the unit shown, and the default of a number without a unit.
        units: size of each accepted unit in the shown unit, by name in lower case.
        example: valid forms.
        whole: whether only whole numbers of the unit are valid.
    """

    unit: str
    units: Mapping[str, Decimal]
    example: str
    whole: bool = False

    def read(self, text: str) -> float | int:
        """Parse a text; the result is in the shown unit.

        Raises:
            InvalidQuantity: the text is not a valid quantity.
        """
        written = text.strip().replace("\u00a0", " ")
        match = _WRITTEN.fullmatch(written)
        if not match or not re.search("[0-9]", match[1]):
            raise InvalidQuantity(f"is not a {'whole ' if self.whole else ''}number{self._such_as()}")
        number, unit = match[1], (match[2] or "").strip().lower()
        if "," in number:
            raise InvalidQuantity(f"has a comma; write {number.replace(',', '.')}")
        factor = Decimal(1) if not unit else self.units.get(unit)
        if factor is None:
            raise InvalidQuantity(f"{match[2].strip()!r} is not a unit here{self._such_as('a value')}")
        try:
            value = Decimal(number) * factor
        except Overflow:
            raise InvalidQuantity("is too large") from None
        except InvalidOperation:
            raise InvalidQuantity(f"is not a number{self._such_as()}") from None
        if value and value.adjusted() > _LARGEST_EXPONENT:
            raise InvalidQuantity("is too large")
        if not self.whole:
            return float(value)
        if value != value.to_integral_value():
            raise InvalidQuantity(f"is not a whole number{f' of {self.unit}' if self.unit else ''}")
        return int(value)

    def show(self, value: float | int | None) -> str:
        """The number without its unit, in the shortest exact form; empty for none."""
        if value is None:
            return ""
        if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
            return str(int(value))
        return str(value)

    def _such_as(self, noun: str = "one") -> str:
        return f"; expected {noun} such as {self.example}" if self.example else ""


def _units(**sizes: str) -> dict[str, Decimal]:
    return {name: Decimal(size) for name, size in sizes.items()}


def _rates() -> dict[str, Decimal]:
    units = {}
    for prefix, size in (("", "1e-6"), ("k", "1e-3"), ("m", "1"), ("g", "1e3"), ("t", "1e6")):
        for ending in ("bit", "bits", "bit/s", "bits/s", "bps", "b/s", *([""] if prefix else [])):
            units[prefix + ending] = Decimal(size)
    return units


def _times(millisecond: str) -> dict[str, Decimal]:
    sizes = _units(ns="1e-6", us="1e-3", ms="1", msec="1", s="1e3", sec="1e3", secs="1e3", min="6e4", h="3.6e6")
    sizes["µs"] = sizes["μs"] = Decimal("1e-3")
    return {name: size * Decimal(millisecond) for name, size in sizes.items()}


RATE_MBIT = Measure("Mbit/s", _rates(), "10mbit or 1.5 gbit")
TIME_MS = Measure("ms", _times("1"), "20 ms or 0.1 s")
TIME_US = Measure("µs", _times("1e3"), "10 us")
TIME_S = Measure("s", _times("1e-3"), "10 s or 500 ms")
WHOLE_S = Measure("s", _times("1e-3"), "10 s", whole=True)
WHOLE_MS = Measure("ms", _times("1"), "100 ms or 0.1 s", whole=True)
PERCENT = Measure("%", {"%": Decimal(1), "percent": Decimal(1), "‰": Decimal("0.1")}, "0.5 %")
WHOLE_PERCENT = Measure("%", {"%": Decimal(1), "percent": Decimal(1)}, "10 %", whole=True)
SIZE_BYTES = Measure(
    "bytes",
    _units(b="1", byte="1", bytes="1", k="1e3", kb="1e3", m="1e6", mb="1e6", g="1e9", gb="1e9",
           kib="1024", mib="1048576", gib="1073741824"),
    "64 kB or 64 KiB",
    whole=True,
)  # fmt: skip
PACKETS = Measure("packets", _units(p="1", pkt="1", pkts="1", packet="1", packets="1"), "100", whole=True)
BDP = Measure("BDP", _units(bdp="1", x="1"), "1 or 0.5")
COUNT = Measure("", {}, "", whole=True)
NUMBER = Measure("", {}, "")


def size_words(count_bytes: float, digits: int = 4) -> str:
    """An amount of data for people: "914 B", "126.6 kB", "1.25 MB", by powers of 1000 as links count.

    Sizes of packets (frames, MTU, payload) are shown exactly instead: "1514 bytes". Memory is shown in MiB.

    Args:
        count_bytes: 0 or more.
        digits: number of significant digits.
    """
    rounded = float(f"{count_bytes:.{digits}g}")
    size, unit = next(((size, unit) for size, unit in ((1e6, "MB"), (1e3, "kB")) if rounded >= size), (1.0, "B"))
    return f"{rounded / size:.{max(digits, 6)}g} {unit}"


def rate_words(rate_mbit: float, digits: int = 3) -> str:
    """A measured rate for people: "0", "12.4 kbit/s", "9.56 Mbit/s", "17.8 Gbit/s".

    Args:
        rate_mbit: 0 or more; less than 50 bit/s counts as 0.
        digits: number of significant digits.
    """
    if rate_mbit < 5e-5:
        return "0"
    rounded = float(f"{rate_mbit:.{digits}g}")
    units = ((1e3, "Gbit/s"), (1.0, "Mbit/s"), (1e-3, "kbit/s"))
    size, unit = next(((size, unit) for size, unit in units if rounded >= size), units[-1])
    return f"{rounded / size:.{max(digits, 6)}g} {unit}"
