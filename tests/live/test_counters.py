"""The counters of an interface from `ip` and `tc`, and the load between two readings."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from frrlib.results.layout import QueueInfo
from miniedit_frr.live.counters import COMMAND, CounterLoads, parse_counters


def _said(time_s: float, sent: int, received: int = 0, drops: int = 0, backlog: int = 0) -> str:
    """As a node says it whose one interface has a shaper with a queue below it."""
    stats = {"tx": {"bytes": sent, "dropped": 1}, "rx": {"bytes": received, "dropped": 0}}
    below = {"dev": "r1-eth0", "drops": drops, "backlog": backlog}
    qdiscs: list[dict[str, Any]] = [
        {"kind": "htb", "root": True, **below}, {"kind": "pfifo", **below}, {"kind": "noqueue", "dev": "lo"},
    ]  # fmt: skip
    links = [{"ifname": "r1-eth0", "stats64": stats}]
    return f"{time_s:.9f}\n{json.dumps(links)}\n\n{json.dumps(qdiscs)}\n"


def test_two_readings_give_a_load() -> None:
    counters = CounterLoads({("r1", "r1-eth0"): QueueInfo(rate_mbit=10.0, limit_bytes=50_000)})
    counters.take("r1", parse_counters(_said(100.0, sent=1_000_000)))
    assert counters.sent("r1", "r1-eth0") is None
    counters.take("r1", parse_counters(_said(102.0, sent=3_000_000, received=500_000, drops=10, backlog=25_000)))
    load = counters.sent("r1", "r1-eth0")
    assert load is not None
    assert load.rate_mbit == pytest.approx(8.0)  # 2 MB in 2 s
    assert load.share == pytest.approx(0.8)
    assert load.fill == pytest.approx(0.5)
    assert load.delay_ms == pytest.approx(20.0)  # 25 kB at 10 Mbit/s
    assert load.drops == pytest.approx(5.0)  # of both disciplines the same ones
    assert counters.received_mbit("r1", "r1-eth0") == pytest.approx(2.0)
    assert counters.sent("r2", "r2-eth0") is None


def test_a_reading_at_the_same_time_changes_nothing() -> None:
    counters = CounterLoads({})
    for time_s, sent in ((1.0, 0), (2.0, 125_000), (2.0, 125_000)):
        counters.take("r1", parse_counters(_said(time_s, sent=sent)))
    load = counters.sent("r1", "r1-eth0")
    assert load is not None
    assert load.rate_mbit == pytest.approx(1.0)
    assert load.limit_mbit is None
    assert load.fill is None


@pytest.mark.parametrize("output", ["", "no time\n[]\n", "1.0\n{}\n[", "sh: ip: not found"])
def test_malformed_output_is_rejected(output: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        parse_counters(output)


@pytest.mark.skipif(not (shutil.which("ip") and shutil.which("tc")), reason="iproute2 is not here")
def test_the_output_of_this_machine_can_be_parsed() -> None:
    output = subprocess.run(COMMAND, capture_output=True, text=True, check=True).stdout
    with open("/sys/class/net/lo/statistics/tx_bytes", encoding="ascii") as now:
        assert 0 <= parse_counters(output)["lo"].sent_bytes <= int(now.read())
