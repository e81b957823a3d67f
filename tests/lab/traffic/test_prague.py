"""TCP Prague (`kernel/congestion/tcp_prague.c`) in a kernel with AccECN and DualPI2, such as Linux 7.2."""

from __future__ import annotations

import re
import statistics
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.network.network import DualPi2, Network, Shape, Wait
from frrlib.place.labkernel import find_kernel

pytestmark = [pytest.mark.lab]

FILE = Path(__file__).resolve().parents[3] / "kernel" / "congestion" / "tcp_prague.c"
RATE_MBIT, DELAY_MS = 20, 10
LASTS_S, SETTLED_S = 20.0, 5.0
#: A full packet: 1448 bytes of data in a frame of 1514.
GOODPUT_MBIT = RATE_MBIT * 1448 / 1514


class Measurement(NamedTuple):
    """The samples of each sender after the start, and the statistics of the queue by name."""

    rows: dict[str, list[dict[str, Any]]]
    statistics: dict[str, list[float]]

    def rate_mbit(self, flow: str) -> float:
        """The goodput of a flow."""
        first, last = self.rows[flow][0], self.rows[flow][-1]
        return float((last["bytes_acked"] - first["bytes_acked"]) * 8e-6 / (last["time_s"] - first["time_s"]))


def _measure(*others: str) -> Measurement:
    """Prague beside flows of other congestion controls at DualPI2 with its defaults."""
    configuration = subprocess.run([find_kernel(), "--showconfig"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"Linux/\S+ (\d+)\.", configuration)
    if version is None or int(version[1]) < 7 or "CONFIG_NET_SCH_DUALPI2=y" not in configuration:
        pytest.skip("the lab kernel in use lacks AccECN or DualPI2")
    net = Network("Prague", wait=Wait(routes=False, ping_count=1), kernel_modules=(str(FILE),))
    net.host("h1")
    net.router("r1")
    net.host("h2")
    net.link("h1", "r1", both=Shape(delay_ms=DELAY_MS))
    net.link("r1", "h2", a_to_b=Shape(rate_mbit=RATE_MBIT, queue=DualPi2()))
    for control in ("prague", *others):
        net.flow(control, "h1", "h2", congestion_control=control, duration_s=LASTS_S)
    measured = Measurement({}, {})

    def keep(message: wire.Message) -> None:
        if not isinstance(message, wire.Samples) or message.table not in ("tcp", "aqm"):
            return
        for row in (dict(zip(wire.TABLES[message.table], values, strict=True)) for values in message.rows):
            if row["time_s"] > SETTLED_S and message.table == "aqm":
                measured.statistics.setdefault(row["statistic"], []).append(row["value"])
            elif row["time_s"] > SETTLED_S and row["side"] == "sender":
                measured.rows.setdefault(row["flow"], []).append(row)

    with Lab(net.topology, place="labkernel", listener=keep, virtual_time=True) as lab:
        assert lab.run_flows()["failures"] == {}
    return measured


def test_alone_it_fills_the_link_with_a_short_queue_and_no_loss() -> None:
    """The low-latency queue stays near the step threshold of 1 ms, which is 5 % of the round trip."""
    measured = _measure()
    rows = measured.rows["prague"]
    assert {row["congestion_control"] for row in rows} == {"prague"} and all(row["ecn"] for row in rows)
    assert measured.rate_mbit("prague") == pytest.approx(GOODPUT_MBIT, rel=0.03)
    assert 2 * DELAY_MS < statistics.fmean(row["srtt_ms"] for row in rows) < 2 * DELAY_MS + 2
    assert rows[-1]["retransmits"] == 0
    # Its data are ECT(1), so only the handshake and the pings use the classic queue.
    names = measured.statistics
    assert names["classic_packets"][-1] < 20 < 1000 < names["scalable_packets"][-1]


def test_beside_reno_both_get_similar_rates_and_different_delays() -> None:
    """RFC 9332, section 1: the coupling balances both kinds of flows; the delay of one is not that of the other."""
    measured = _measure("reno")
    rates = [measured.rate_mbit(flow) for flow in ("prague", "reno")]
    assert max(rates) < 2 * min(rates) and sum(rates) == pytest.approx(GOODPUT_MBIT, rel=0.03)
    delays = {kind: statistics.fmean(measured.statistics[f"{kind}_delay_ms"]) for kind in ("scalable", "classic")}
    assert delays["scalable"] < 1 and delays["classic"] == pytest.approx(15, abs=5)
