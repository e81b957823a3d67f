"""The statistics specific to each queueing discipline, besides the common ones: by name, with units in the names.

The kernel's structures are those of linux/pkt_sched.h. A shorter one of another kernel has fewer statistics; the excess
of a longer one is ignored.
"""

from __future__ import annotations

import struct

from frrlib.agent.sampling import kernel_statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FEW, _MILLION = 1e-3, 8e-6
#: The layout of each kind's statistics, and the name of each number (empty: left out) with its factor. The kernel
#: stores times in µs or ns, and probabilities as shares of the largest integer.
_LAYOUTS: dict[str, tuple[str, tuple[tuple[str, float], ...]]] = {
    "codel": ("=4Ii4I", (
        ("largest_packet_bytes", 1), ("drops_in_a_row", 1), ("", 1), ("delay_ms", _FEW), ("", 1),
        ("drops_limit", 1), ("marks", 1), ("is_dropping", 1), ("marks_threshold", 1),
    )),
    "fq_codel": ("=10I", (
        ("", 1), ("largest_packet_bytes", 1), ("drops_limit", 1), ("marks", 1), ("new_flows_total", 1),
        ("new_flows", 1), ("old_flows", 1), ("marks_threshold", 1), ("memory_bytes", 1), ("drops_memory", 1),
    )),
    "pie": ("=Q8I", (
        ("drop_chance", 2.0**-64), ("delay_ms", _FEW), ("", 1), ("", 1), ("packets", 1), ("drops_early", 1),
        ("drops_limit", 1), ("most_packets", 1), ("marks", 1),
    )),
    "fq_pie": ("=9I", (
        ("packets", 1), ("drops_early", 1), ("drops_limit", 1), ("drops_memory", 1), ("marks", 1),
        ("new_flows_total", 1), ("new_flows", 1), ("old_flows", 1), ("memory_bytes", 1),
    )),
    "red": ("=4I", (("drops_early", 1), ("drops_limit", 1), ("drops_other", 1), ("marks", 1))),
    "choke": ("=5I", (
        ("drops_early", 1), ("drops_limit", 1), ("drops_other", 1), ("marks", 1), ("drops_matched", 1),
    )),
    "sfb": ("=9I", (
        ("drops_early", 1), ("drops_penalty", 1), ("drops_bucket", 1), ("drops_limit", 1), ("drops_child", 1),
        ("marks", 1), ("fullest_bin_packets", 1), ("drop_chance_most", 1 / 65535), ("drop_chance_mean", 1 / 65535),
    )),
    "fq": ("=7Qq4I3Q", (
        ("", 1), ("priority_packets", 1), ("", 1), ("throttled_total", 1), ("drops_flow_limit", 1),
        ("packets_too_long", 1), ("", 1), ("", 1), ("flows", 1), ("idle_flows", 1), ("throttled_flows", 1),
        ("release_late_ms", 1e-6), ("marks", 1), ("drops_horizon", 1), ("packets_at_horizon", 1),
    )),
    "dualpi2": ("=8Ii3I", (
        ("drop_chance", 2.0**-32), ("classic_delay_ms", _FEW), ("scalable_delay_ms", _FEW), ("classic_packets", 1),
        ("scalable_packets", 1), ("most_packets", 1), ("marks", 1), ("step_marks", 1), ("credit", 1),
        ("memory_bytes", 1), ("most_memory_bytes", 1), ("", 1),
    )),
}  # fmt: skip
#: sfq has its statistics among its options (struct tc_sfq_qopt_v1), from this byte on.
_SFQ = ("drops_chance", "drops_forced", "marks_chance", "marks_forced", "marks_chance_head", "marks_forced_head")
_SFQ_AT = 48
#: cake sends attributes, its own and those of each tin: number to name, size in bytes, and factor.
_CAKE = {2: ("capacity_estimate_mbit", 8, _MILLION), 4: ("memory_bytes", 4, 1)}
_CAKE_TINS = 10
_CAKE_TIN = {
    2: ("sent_packets", 4, 1), 3: ("sent_bytes", 8, 1), 4: ("drops", 4, 1), 6: ("ack_drops", 4, 1), 8: ("marks", 4, 1),
    11: ("backlog_bytes", 4, 1), 12: ("threshold_mbit", 8, _MILLION),
    13: ("target_ms", 4, _FEW), 14: ("interval_ms", 4, _FEW), 18: ("delay_peak_ms", 4, _FEW),
    19: ("delay_mean_ms", 4, _FEW), 20: ("delay_base_ms", 4, _FEW), 21: ("sparse_flows", 4, 1),
    22: ("bulk_flows", 4, 1), 23: ("unresponsive_flows", 4, 1),
}  # fmt: skip


def _fields(layout: str, names: tuple[tuple[str, float], ...]) -> tuple[tuple[str, struct.Struct, int, float], ...]:
    """Name, format, offset and factor of the named numbers."""
    count = "".join(letter * int(number or 1) for number, letter in _parts(layout))
    fields, at = [], 0
    for letter, (name, factor) in zip(count, names, strict=True):
        form = struct.Struct(f"={letter}")
        if name:
            fields.append((name, form, at, factor))
        at += form.size
    return tuple(fields)


def _parts(layout: str) -> Iterator[tuple[str, str]]:
    digits = ""
    for letter in layout.removeprefix("="):
        if letter.isdigit():
            digits += letter
        else:
            yield digits, letter
            digits = ""


_FIELDS = {kind: _fields(*layout) for kind, layout in _LAYOUTS.items()}
_MARKS = {kind: field for kind, fields in _FIELDS.items() for field in fields if field[0] == "marks"}
#: Kinds that report the number of marked packets.
MARKING = frozenset({*_MARKS, "cake", "sfq"})


def statistics(qdisc: kernel_statistics.QdiscStatistics) -> list[tuple[str, float]]:
    """All specific statistics of a discipline, by name; empty for kinds without any."""
    data = qdisc.own_statistics
    if qdisc.kind == "cake":
        return _cake(data)
    if qdisc.kind == "sfq":
        words = qdisc.options[_SFQ_AT : _SFQ_AT + 4 * len(_SFQ)]
        return [(name, word) for name, (word,) in zip(_SFQ, struct.iter_unpack("=I", words), strict=False)]
    return [
        (name, _scale(form.unpack_from(data, at)[0], factor))
        for name, form, at, factor in _FIELDS.get(qdisc.kind, ())
        if at + form.size <= len(data)
    ]


def marks(qdisc: kernel_statistics.QdiscStatistics) -> int | None:
    """The number of marked packets; None if the kind does not report it."""
    if qdisc.kind in ("cake", "sfq"):
        counts = [number for name, number in statistics(qdisc) if "marks" in name]
        return int(sum(counts)) if counts else None
    if qdisc.kind not in _MARKS:
        return 0 if qdisc.kind in ("pfifo", "bfifo", "pfifo_fast") else None
    _, form, at, _ = _MARKS[qdisc.kind]
    return int(form.unpack_from(qdisc.own_statistics, at)[0]) if len(qdisc.own_statistics) >= at + form.size else None


def _cake(data: bytes) -> list[tuple[str, float]]:
    values = kernel_statistics.attributes(data)
    statistics = _named(values, _CAKE, "")
    for number, tin in kernel_statistics.attributes(values.get(_CAKE_TINS, b"")).items():
        statistics += _named(kernel_statistics.attributes(tin), _CAKE_TIN, f"tin{number - 1}_")
    return statistics


def _named(values: dict[int, bytes], names: dict[int, tuple[str, int, float]], prefix: str) -> list[tuple[str, float]]:
    return [
        (prefix + name, _scale(int.from_bytes(values[number][:size], "little"), factor))
        for number, (name, size, factor) in names.items()
        if number in values
    ]


def _scale(number: int, factor: float) -> float:
    """Scale a number. Integers stay integers, so that counts are written without a decimal point."""
    return number if factor == 1 else round(number * factor, 9)
