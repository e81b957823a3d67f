"""Texts of values in dialogs: units, addresses, and error messages."""

from __future__ import annotations

import pytest

from frrlib.model.links import Shape
from miniedit_frr.dialogs.fields import kinds, quantities
from miniedit_frr.dialogs.fields.quantities import InvalidQuantity
from miniedit_frr.dialogs.forms.queue import equivalents


@pytest.mark.parametrize(
    ("measure", "text", "value"),
    [
        (quantities.RATE_MBIT, "10mbit", 10.0), (quantities.RATE_MBIT, "1.5 gbit", 1500.0),
        (quantities.RATE_MBIT, "500kbit", 0.5), (quantities.RATE_MBIT, "12", 12.0),
        (quantities.RATE_MBIT, "100 Mbit/s", 100.0), (quantities.RATE_MBIT, "64 Kbps", 0.064),
        (quantities.TIME_MS, "20 ms", 20.0), (quantities.TIME_MS, "0.1s", 100.0), (quantities.TIME_MS, "5us", 0.005),
        (quantities.TIME_S, "500 ms", 0.5), (quantities.TIME_S, "2 min", 120.0),
        (quantities.SIZE_BYTES, "64 kB", 64_000), (quantities.SIZE_BYTES, "64 KiB", 65_536),
        (quantities.SIZE_BYTES, "1.5 MB", 1_500_000), (quantities.PERCENT, "0.5 %", 0.5), (quantities.BDP, "2x", 2.0),
    ],
)  # fmt: skip
def test_numbers_with_units_are_read_and_shown(measure: quantities.Measure, text: str, value: float) -> None:
    assert measure.read(text) == value
    assert measure.read(measure.show(value)) == value


@pytest.mark.parametrize(
    ("measure", "text", "words"),
    [
        (quantities.RATE_MBIT, "fast", "not a number"), (quantities.RATE_MBIT, "10 ms", "'ms' is not a unit here"),
        (quantities.TIME_MS, "0,5", "write 0.5"), (quantities.TIME_MS, "", "not a number"),
        (quantities.SIZE_BYTES, "0.3", "whole number of bytes"), (quantities.TIME_MS, "1 2", "not"),
    ],
)  # fmt: skip
def test_invalid_quantities_are_reported(measure: quantities.Measure, text: str, words: str) -> None:
    with pytest.raises(InvalidQuantity, match=words):
        measure.read(text)


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        (kinds.INTERFACE, "10.0.0.1", r"10\.0\.0\.1: the prefix length is missing; expected such as 10\.0\.0\.1/24"),
        (kinds.INTERFACE, "2001:db8::1", r"missing; expected such as 2001:db8::1/64"),
        (kinds.INTERFACE, "10.0.0.1/33", "the prefix length of IPv4 must be 0 to 32"),
        (kinds.INTERFACE, "10.0.0.300/24", "300 is too large"),
        (kinds.INTERFACE, "10.0.1/24", "four numbers, this one has 3"),
        (kinds.INTERFACE, "h1", "is not an address; expected such as"),
        (kinds.INTERFACES, "10.0.0.1/24, 10.0.0.2", "10.0.0.2: the prefix length is missing"),
        (kinds.IP, "10.0.0.1/24", "without prefix length: 10.0.0.1"),
        (kinds.IP, "", "missing"),
        (kinds.NETWORK, "10.0.0.1/24", "the network is 10.0.0.0/24"),
        (kinds.ROUTER_ID, "2001:db8::1", "form of an IPv4 address"),
        (kinds.MAC, "02:00", "six pairs"),
        (kinds.MAC, "01:00:00:00:00:01", "first byte must be even"),
        (kinds.DPID, "xyz", "hexadecimal"),
        (kinds.CORES, "a", "numbers of processors"),
        (kinds.AREA, "1.2", "must be a number or a dotted number"),
        (kinds.PORT, "70000", "1 to 65535"),
        (kinds.PATH, "var/run", "as in /var/run"),
        (kinds.INTERFACE_NAME, "averyverylongname0", "the kernel takes 15"),
        (kinds.CONGESTION_CONTROL, "BBR", "lowercase"),
    ],
)  # fmt: skip
def test_error_messages_describe_the_valid_form(kind: kinds.TextKind, text: str, words: str) -> None:
    with pytest.raises(InvalidQuantity, match=words):
        kind.read(text)


def test_a_number_with_any_selectable_unit_is_read() -> None:
    kind = kinds.measured({"ms": quantities.TIME_MS, "bytes": quantities.SIZE_BYTES}, none="usual")
    assert kind.read("20 ms") == kind.read("0.02s") == ("ms", 20.0)
    assert kind.read("64 kB") == kind.read("64000 bytes") == ("bytes", 64_000)
    assert kind.read("usual") is kind.read("") is None
    for text in ("20", "x ms", "20 miles"):
        with pytest.raises(InvalidQuantity):
            kind.read(text)


def test_a_queue_limit_is_converted_to_all_units() -> None:
    shape = Shape(rate_mbit=10, delay_ms=20, queue_packets=100)
    text = equivalents(shape, Shape(delay_ms=20), 1514)
    # 100 frames of 1514 bytes are 151400 bytes; at 10 Mbit/s they take 121.12 ms; 10 Mbit/s times 40 ms is 50000 bytes.
    for part in ("151.4 kB", "100 full frames", "121.1 ms", "3.03 BDP"):
        assert part in text
    assert equivalents(Shape(), Shape(), 1514) == "no rate, no queue"
