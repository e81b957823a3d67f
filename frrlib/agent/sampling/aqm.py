"""The statistics specific to each queueing discipline, beside those common to all: by name, with units in the names.

The kernel's structures are those of linux/pkt_sched.h. One that a kernel sends shorter gives what it has; one that is
longer has more than was asked.
"""

from __future__ import annotations

import struct

from frrlib.agent.sampling import kernel_statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_FEW, _MILLION = 1e-3, 8e-6
#: Kind to how its statistics are laid out, and of each number its name (empty: it is left out) and by what it is to be
#: multiplied. Times are kept in µs or ns by the kernel, chances as shares of the largest integer.
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
#: sfq tells among its options (struct tc_sfq_qopt_v1), from this byte on.
_SFQ = ("drops_chance", "drops_forced", "marks_chance", "marks_forced", "marks_chance_head", "marks_forced_head")
_SFQ_AT = 48
#: cake sends attributes, its own and those of each tin: number to name, bytes, and by what to multiply.
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
    """Name, format, offset and factor of the numbers that are told."""
    count = "".join(letter * int(number or 1) for number, letter in _parts(layout))
    found, at = [], 0
    for letter, (name, factor) in zip(count, names, strict=True):
        one = struct.Struct(f"={letter}")
        if name:
            found.append((name, one, at, factor))
        at += one.size
    return tuple(found)


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
#: Kinds that tell how many packets they marked.
MARKING = frozenset({*_MARKS, "cake", "sfq"})


def statistics(described: kernel_statistics.QdiscStatistics) -> list[tuple[str, float]]:
    """All that a discipline tells of itself, by name; nothing for one that tells nothing."""
    own = described.own
    if described.kind == "cake":
        return _cake(own)
    if described.kind == "sfq":
        words = described.options[_SFQ_AT : _SFQ_AT + 4 * len(_SFQ)]
        return [(name, word) for name, (word,) in zip(_SFQ, struct.iter_unpack("=I", words), strict=False)]
    return [
        (name, _scaled(one.unpack_from(own, at)[0], factor))
        for name, one, at, factor in _FIELDS.get(described.kind, ())
        if at + one.size <= len(own)
    ]


def marks(described: kernel_statistics.QdiscStatistics) -> int | None:
    """The number of packets that it marked; None if its kind does not tell."""
    if described.kind in ("cake", "sfq"):
        told = [number for name, number in statistics(described) if "marks" in name]
        return int(sum(told)) if told else None
    if described.kind not in _MARKS:
        return 0 if described.kind in ("pfifo", "bfifo", "pfifo_fast") else None
    _, one, at, _ = _MARKS[described.kind]
    return int(one.unpack_from(described.own, at)[0]) if len(described.own) >= at + one.size else None


def _cake(own: bytes) -> list[tuple[str, float]]:
    told = kernel_statistics.attributes(own)
    found = _named(told, _CAKE, "")
    for number, tin in kernel_statistics.attributes(told.get(_CAKE_TINS, b"")).items():
        found += _named(kernel_statistics.attributes(tin), _CAKE_TIN, f"tin{number - 1}_")
    return found


def _named(told: dict[int, bytes], names: dict[int, tuple[str, int, float]], before: str) -> list[tuple[str, float]]:
    return [
        (before + name, _scaled(int.from_bytes(told[number][:size], "little"), factor))
        for number, (name, size, factor) in names.items()
        if number in told
    ]


def _scaled(number: int, factor: float) -> float:
    """Whole numbers stay whole, so that counts are written without a point."""
    return number if factor == 1 else round(number * factor, 9)
