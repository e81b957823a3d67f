"""Queueing disciplines as arguments of `tc`, and the expected output of `tc -d -j -r qdisc show`.

A table has a row for each parameter: the field of the value, its key in the output, its arguments, and the expected
output. `tc` prints times in microseconds unless the row differs, and rates in bytes per second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from frrlib.model.queues import (
    AnyDiscipline,
    Bfifo,
    Cake,
    Choke,
    Codel,
    DualPi2,
    Fq,
    FqCodel,
    FqPie,
    Pfifo,
    Pie,
    Red,
    Sfb,
    Sfq,
)

#: The expected value of an option: a number with its tolerance, a word, or whether a flag is set; None for an option
#: that is printed only if it is off.
Expected = tuple[float, float] | str | bool | None
#: The largest exponent of RED's weight that tc accepts without a warning.
_LARGEST_EXPONENT = 9
#: Tick of the slowest usual kernels (100 Hz), in microseconds.
_TICK_US = 10_000
#: CoDel keeps times in units of 1.024 us.
_CODEL_US = 2.0
#: DualPI2 keeps gains in units of 1/256; they are truncated twice, when set and when read back.
_GAIN = 2 / 256


class _Row(NamedTuple):
    """A parameter: `words(value)` is its arguments, `expected(value)` the expected output at `key`."""

    field: str
    key: str
    words: Callable[[Any], str]
    expected: Callable[[Any], Expected]


def _whole(field: str, word: str, key: str | None = None) -> _Row:
    return _Row(field, key or word, lambda n: f"{word} {n}", lambda n: (float(n), 0.0))


def _time(field: str, word: str, slack_us: float = 1.0, key: str | None = None, size_us: float = 1e3) -> _Row:
    return _Row(field, key or word, lambda t: f"{word} {round(t * size_us)}us", lambda t: (t * size_us, slack_us))


def _rate(field: str, word: str) -> _Row:
    return _Row(field, word, lambda r: f"{word} {rate_words(r)}", lambda r: (r * 125_000, max(1.0, r * 0.125)))


def _share(field: str, word: str, slack: float) -> _Row:
    return _Row(field, word, lambda p: f"{word} {p:.9g}", lambda p: (p, slack))


def _flag(field: str, on: str, off: str = "", key: str | None = None) -> _Row:
    return _Row(field, key or on, lambda is_on: on if is_on else off, bool)


def _either(field: str, key: str, words: tuple[str, str], output: tuple[str, str]) -> _Row:
    """A setting that is on or off, with two words each for the arguments and the output, on first."""
    return _Row(field, key, lambda is_on: words[not is_on], lambda is_on: output[not is_on])


def _word(
    field: str, key: str, words: Mapping[str, str] | None = None, output: Mapping[str, str] | None = None
) -> _Row:
    return _Row(field, key, lambda v: (words or {}).get(v, v), lambda v: (output or {}).get(v, v))


_CODEL = (
    _time("target_ms", "target", _CODEL_US),
    _time("interval_ms", "interval", _CODEL_US),
    _flag("ecn", "ecn", "noecn"),
    _time("ce_threshold_ms", "ce_threshold", _CODEL_US),
)
_PIE = (
    _time("target_ms", "target"),
    _time("tupdate_ms", "tupdate", _TICK_US),
    _whole("alpha", "alpha"),
    _whole("beta", "beta"),
    _flag("ecn", "ecn", "noecn"),
    _flag("bytemode", "bytemode", "nobytemode"),
    _flag("dq_rate_estimator", "dq_rate_estimator", "no_dq_rate_estimator"),
)
_SHARED = (_whole("flows", "flows"), _whole("quantum_bytes", "quantum"), _whole("memory_limit_bytes", "memory_limit"))

_TABLE: dict[type[AnyDiscipline], tuple[_Row, ...]] = {
    Pfifo: (),
    Bfifo: (),
    Fq: (
        _whole("flow_limit_packets", "flow_limit"),
        _whole("buckets", "buckets"),
        _whole("orphan_mask", "orphan_mask"),
        _whole("quantum_bytes", "quantum"),
        _whole("initial_quantum_bytes", "initial_quantum"),
        _rate("maxrate_mbit", "maxrate"),
        _rate("low_rate_threshold_mbit", "low_rate_threshold"),
        _time("refill_delay_ms", "refill_delay", _TICK_US),
        _time("ce_threshold_ms", "ce_threshold"),
        _Row("timer_slack_us", "timer_slack", lambda t: f"timer_slack {round(t)}us", lambda t: (t * 1e3, 1e3)),
        _time("horizon_ms", "horizon"),
        _flag("horizon_drop", "horizon_drop", "horizon_cap"),
        _Row("pacing", "pacing", lambda on: "pacing" if on else "nopacing", lambda on: None if on else False),
    ),
    Codel: _CODEL,
    FqCodel: (*_CODEL, *_SHARED, _whole("drop_batch_packets", "drop_batch")),
    Pie: _PIE,
    FqPie: (*_PIE, *_SHARED, _whole("ecn_prob_percent", "ecn_prob")),
    Cake: (
        _word("diffserv", "diffserv"),
        _word("isolation", "flowmode"),
        _time("rtt_ms", "rtt"),
        _flag("nat", "nat", "nonat"),
        _flag("wash", "wash", "nowash"),
        _word("ack_filter", "ack-filter",
              {"no": "no-ack-filter", "yes": "ack-filter", "aggressive": "ack-filter-aggressive"},
              {"no": "disabled", "yes": "enabled"}),
        _flag("split_gso", "split-gso", "no-split-gso", "split_gso"),
        _whole("overhead_bytes", "overhead"),
        _whole("mpu_bytes", "mpu"),
        _word("link_layer", "atm"),
    ),
    Red: (
        _flag("ecn", "ecn"),
        _flag("harddrop", "harddrop"),
        _flag("adaptive", "adaptive"),
        _flag("nodrop", "nodrop"),
    ),
    Sfq: (
        _whole("quantum_bytes", "quantum"),
        _whole("perturb_s", "perturb"),
        _whole("flows", "flows"),
        _whole("divisor", "divisor"),
        _whole("depth_packets", "depth"),
        _flag("headdrop", "headdrop"),
    ),
    Choke: (_flag("ecn", "ecn"),),
    Sfb: (
        _Row("rehash_s", "rehash", lambda s: f"rehash {round(s * 1e3)}", lambda s: (s * 1e6, 1e3)),
        _Row("db_s", "db", lambda s: f"db {round(s * 1e3)}", lambda s: (s * 1e6, 1e3)),
        _whole("max_packets", "max"),
        _whole("target_packets", "target"),
        _share("increment", "increment", 1 / 65_535),
        _share("decrement", "decrement", 1 / 65_535),
        _whole("penalty_rate_packets_s", "penalty_rate"),
        _whole("penalty_burst_packets", "penalty_burst"),
    ),
    DualPi2: (
        _time("target_ms", "target"),
        _time("tupdate_ms", "tupdate"),
        _share("alpha", "alpha", _GAIN),
        _share("beta", "beta", _GAIN),
        _whole("coupling_factor", "coupling_factor", "coupling"),
        _time("step_thresh_ms", "step_thresh", key="step-thresh-us"),
        _whole("min_qlen_step_packets", "min_qlen_step", "min-qlen-step"),
        _whole("classic_protection_percent", "classic_protection", "c-protection"),
        _either("any_ect", "ecn-mask", ("any_ect", "l4s_ect"), ("any-ect", "l4s-ect")),
        _either("drop_on_overload", "drop-overload", ("drop_on_overload", "overflow"), ("drop", "overflow")),
        _either("drop_early", "drop-early", ("drop_enqueue", "drop_dequeue"), ("drop-enqueue", "drop-dequeue")),
        _flag("split_gso", "split_gso", "no_split_gso", "split-gso"),
        _whole("memory_limit_bytes", "memlimit", "memory-limit"),
    ),
}  # fmt: skip


def queue_arguments(
    queue: AnyDiscipline, rate_mbit: float, limit_bytes: int | None, frame_bytes: int
) -> tuple[str, dict[str, Expected]]:
    """The arguments of a discipline, and the expected options by key.

    Args:
        queue: the discipline.
        rate_mbit: rate of the link, for disciplines that use it.
        limit_bytes: limit of the queue; None for the kernel's default.
        frame_bytes: a full frame of the interface, for disciplines that count packets.
    """
    words: list[str] = []
    expected: dict[str, Expected] = {}
    for part, expected_part in _limits(queue, rate_mbit, limit_bytes, frame_bytes):
        words.append(part)
        expected |= expected_part
    for row in _TABLE[type(queue)]:
        value = getattr(queue, row.field)
        if value is not None and (part := row.words(value)):
            words.append(part)
            expected[row.key] = row.expected(value)
    return " ".join(words), expected


def packets(limit_bytes: int, frame_bytes: int) -> int:
    """A limit in bytes as a number of full frames, rounded up and at least 1."""
    return max(1, math.ceil(limit_bytes / frame_bytes))


def _limits(
    queue: AnyDiscipline, rate_mbit: float, limit_bytes: int | None, frame_bytes: int
) -> Iterator[tuple[str, dict[str, Expected]]]:
    """The limit in the discipline's unit, and for RED and CHOKe the thresholds that follow from it."""
    match queue:
        case Cake():
            row = _rate("", "bandwidth")
            yield row.words(rate_mbit), {row.key: row.expected(rate_mbit)}
            if limit_bytes is not None:
                yield f"memlimit {limit_bytes}b", {"memlimit": (float(limit_bytes), 0.0)}
        case Red():
            yield _early_drop(early_drop_values(queue, limit_bytes or 0, frame_bytes), rate_mbit, "b")
        case Choke():
            yield _early_drop(early_drop_values(queue, limit_bytes or 0, frame_bytes), rate_mbit, "")
        case Bfifo() if limit_bytes is not None:
            yield f"limit {limit_bytes}b", {"limit": (float(limit_bytes), 0.0)}
        case _ if limit_bytes is not None:
            limit = packets(limit_bytes, frame_bytes)
            yield f"limit {limit}", {"limit": (float(limit), 0.0)}


class EarlyDropValues(NamedTuple):
    """All values of RED or CHOKe, as set or as they follow from the limit of the queue.

    Attributes:
        limit: the limit of the queue, in bytes for RED and in packets for CHOKe, as both thresholds.
        lower, upper: the thresholds of the average queue.
        avpkt_bytes: average packet.
        burst_packets: burst that the average does not follow.
        probability: drop probability at the upper threshold.
        weight_exponent: the weight of the average, as in `ewma`.
    """

    limit: int
    lower: int
    upper: int
    avpkt_bytes: int
    burst_packets: int
    probability: float
    weight_exponent: int


def early_drop_values(queue: Red | Choke, limit_bytes: int, frame_bytes: int) -> EarlyDropValues:
    """The values with which RED or CHOKe is installed; thresholds and burst that are not set follow from the limit.

    Args:
        queue: the discipline.
        limit_bytes: limit of the queue.
        frame_bytes: a full frame of the interface.
    """
    avpkt_bytes = int(queue.effective("avpkt_bytes"))
    # With a lower threshold of one packet no average follows a burst: tc would compute a weight of almost 0.
    if isinstance(queue, Red):
        limit, min_size, max_size = limit_bytes, queue.min_bytes, queue.max_bytes
        packet_size, smallest = avpkt_bytes, 1
    else:
        limit, min_size, max_size = packets(limit_bytes, frame_bytes), queue.min_packets, queue.max_packets
        packet_size, smallest = 1, 2
    upper = max_size or (3 * min_size if min_size else max(smallest + 1, limit // 4))
    lower = min_size or max(1, min(upper - 1, max(smallest, upper // 3)))
    burst_packets = queue.burst_packets or _burst(lower, upper, packet_size)
    return EarlyDropValues(
        limit, lower, upper, avpkt_bytes, burst_packets, queue.effective("probability"),
        ewma(burst_packets, lower / packet_size),
    )  # fmt: skip


def _early_drop(values: EarlyDropValues, rate_mbit: float, unit: str) -> tuple[str, dict[str, Expected]]:
    """The arguments and the expected options of RED or CHOKe; `unit` is the suffix of the limit and the thresholds."""
    return (
        f"limit {values.limit}{unit} min {values.lower}{unit} max {values.upper}{unit} avpkt {values.avpkt_bytes} "
        f"burst {values.burst_packets} probability {values.probability:.9g} bandwidth {rate_words(rate_mbit)}",
        {
            "limit": (float(values.limit), 0.0),
            "min": (float(values.lower), 0.0),
            "max": (float(values.upper), 0.0),
            "probability": (values.probability, 1e-6),
            "ewma": (float(values.weight_exponent), 0.0),
        },
    )


def _burst(low: int, high: int, step: int) -> int:
    """The burst in packets that RED's average follows: (2 low + high) / 3, or less if the weight would be rejected.

    tc warns for a weight of 2^-10 or less. The kernel rejects a weight that does not fit into 32 bits together with the
    thresholds.

    Args:
        low, high: the thresholds.
        step: the bytes of a packet if the thresholds are in bytes, else 1.
    """
    least = max(1, math.ceil(low / step))
    burst = max(least, math.ceil((2 * low + high) / (3 * step)))
    while burst > least and ewma(burst, low / step) > min(_LARGEST_EXPONENT, 31 - high.bit_length()):
        burst = (burst + least) // 2
    return burst


def ewma(burst_packets: int, min_packets: float) -> int:
    """RED's weight of the average, as the exponent of two that tc computes; 0 if no weight fits.

    With this weight a burst into an empty queue raises the average to the lower threshold (Floyd, Jacobson, 1993, 11).
    """
    beyond = burst_packets + 1 - min_packets
    if beyond < 1:
        return 0
    for exponent in range(1, 32):
        weight = 2.0**-exponent
        if beyond <= (1 - (1 - weight) ** burst_packets) / weight:
            return exponent
    return 0


def rate_words(rate_mbit: float) -> str:
    """The rate as an argument of tc, exact to one bit per second."""
    bits = round(rate_mbit * 1e6)
    for unit, size in (("gbit", 10**9), ("mbit", 10**6), ("kbit", 10**3)):
        if bits % size == 0:
            return f"{bits // size}{unit}"
    return f"{bits}bit"
