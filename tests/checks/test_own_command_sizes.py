"""Sizes in custom tc commands compared with a full frame, and the frame sizes of their shapers."""

from __future__ import annotations

import pytest

from frrlib.checks.own_command_sizes import (
    DelayLimit,
    UndersizedLimit,
    delay_limits,
    frame_accounting,
    undersized_limits,
    with_size,
)

ATM_TBF = "root handle 1: stab linklayer atm overhead -4 tbf rate 840kbit burst 1696 limit 400000"


@pytest.mark.parametrize(
    ("lines", "frame_bytes", "expected"),
    [
        (("root tbf rate 1mbit burst 1514b limit 100kb",), 1514, []),
        (("root tbf rate 1mbit burst 1513b limit 100kb",), 1514, [(0, "burst", "bucket", 1513, 1514)]),
        (("root tbf rate 1mbit buffer 5kb/8 limit 100kb",), 9014, [(0, "buffer", "bucket", 5120, 9014)]),
        (("root tbf rate 1mbit maxburst 40kbit limit 100kb",), 9014, [(0, "maxburst", "bucket", 5120, 9014)]),
        # The peak rate has a separate bucket, and its usual size of 1500 bytes is smaller than a frame.
        (
            ("root tbf rate 1mbit burst 9kb limit 100kb peakrate 2mbit mtu 1500",),
            1514,
            [(0, "mtu", "bucket", 1500, 1514)],
        ),
        ((ATM_TBF,), 1514, []),  # 32 cells of 53 bytes
        ((ATM_TBF,), 1544, [(0, "burst", "bucket", 1696, 33 * 53)]),
        # tbf's own queue is used until another qdisc replaces it, which applies the size table above it.
        (("root handle 1: tbf rate 1mbit burst 2kb limit 1kb",), 1514, [(0, "limit", "limit", 1024, 1514)]),
        (("root handle 1: tbf rate 1mbit burst 2kb limit 1kb", "parent 1:1 pfifo limit 10"), 1514, []),
        (
            ("root handle 1: stab overhead 24 htb default 1", "class parent 1: classid 1:1 htb rate 1mbit",
             "parent 1:1 bfifo limit 1520"),
            1514,
            [(2, "limit", "limit", 1520, 1538)],
        ),
        (("root cake bandwidth 1mbit memlimit 1000b",), 1514, [(0, "memlimit", "memory", 1000, 1514)]),
        (("root netem delay 10ms limit 10",), 1514, []),
        (("root tbf rate 1mbit burst . limit 9kb",), 1514, []),  # tc refuses it
    ],
)  # fmt: skip
def test_sizes_below_a_full_frame_are_found(
    lines: tuple[str, ...], frame_bytes: int, expected: list[tuple[int, str, str, int, int]]
) -> None:
    assert list(undersized_limits(lines, frame_bytes)) == [UndersizedLimit(*fields) for fields in expected]
    fixed = list(lines)
    for undersized in undersized_limits(lines, frame_bytes):
        fixed[undersized.line] = with_size(fixed[undersized.line], undersized.word, undersized.needs_bytes)
    assert list(undersized_limits(fixed, frame_bytes)) == []


@pytest.mark.parametrize(
    ("lines", "charged_bytes"),
    [
        (("root fq maxrate 10mbit",), 1514),
        (("root tbf rate 1mbit burst 9kb limit 9kb overhead 24",), 1538),
        (("root handle 1: htb default 1",
          "class parent 1: classid 1:1 htb rate 1mbit overhead 10 linklayer atm mpu 96",
          "parent 1:1 pfifo"), 32 * 53),
        (("root cake bandwidth 1mbit atm overhead 40",), 33 * 53),
        (("root cake bandwidth 1mbit ptm overhead 30",), 1554),
        ((ATM_TBF,), 32 * 53),
        (("root handle 1: stab overhead 24 htb", "class parent 1: classid 1:1 htb rate 2mbit overhead 4",
          "parent 1:1 handle 2: pfifo"), 1514 + 24 + 4),
    ],
)  # fmt: skip
def test_charged_bytes_of_custom_shapers(lines: tuple[str, ...], charged_bytes: int) -> None:
    assert frame_accounting(lines).charged_bytes(1514) == charged_bytes


def test_a_delay_limits_the_rate_by_the_packets_that_it_holds() -> None:
    """1000 frames of 1514 bytes in 0.1 s are 121.12 Mbit/s, and 100 ms at 1 Gbit/s are 12.5 MB, 8256.3 frames."""
    (limit,) = delay_limits(("root netem delay 100ms 5ms loss 1%",))
    assert limit == DelayLimit(0, 1000, 100.0)
    assert limit.rate_mbit(1514) == pytest.approx(121.12)
    assert limit.packets_at(1000, 1514) == 8257
    lines = ("root handle 1: tbf rate 1mbit burst 9kb limit 9kb", "parent 1:1 netem limit 50 delay 0.2s")
    assert list(delay_limits(lines)) == [DelayLimit(1, 50, 200.0)]
    for text, delay_ms in (("20msec", 20.0), ("500", 0.5), ("30usecs", 0.03)):
        assert [limit.delay_ms for limit in delay_limits((f"root netem delay {text}",))] == [pytest.approx(delay_ms)]
    assert not list(delay_limits(("root netem delay 0ms", "root netem loss 1%", "root fq")))
