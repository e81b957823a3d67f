"""A link with two different directions: datagrams and TCP get the values of each direction."""

from __future__ import annotations

from typing import Any

import pytest

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.network.network import Network, Shape
from frrlib.verify.links import check_links

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]

DOWN, UP = Shape(rate_mbit=50, delay_ms=10), Shape(rate_mbit=5, delay_ms=40)
#: A full frame of 1514 bytes carries 1448 bytes of TCP: without the headers of Ethernet, IP and TCP and its timestamps.
GOODPUT = 1448 / 1514
LASTS_S, BEGINS_S, SETTLED_S = 3, 3.5, 1.0


def _rates_mbit(rows: list[dict[str, Any]]) -> dict[str, float]:
    """The rate of each flow at its receiver in the last seconds, when its window fills the link."""
    rates = {}
    for name in {row["flow"] for row in rows}:
        flow_rows = [row for row in rows if row["flow"] == name and row["side"] == "receiver" and row["bytes_received"]]
        settled_rows = [row for row in flow_rows if row["time_s"] >= flow_rows[0]["time_s"] + SETTLED_S]
        # The last sample may belong to a connection that is ending.
        first, last = settled_rows[0], max(settled_rows, key=lambda row: row["bytes_received"])
        lasted_s = last["time_s"] - first["time_s"]
        rates[name] = (last["bytes_received"] - first["bytes_received"]) * 8e-6 / lasted_s
    return rates


def test_both_directions_are_measured_as_requested_and_tcp_fills_each() -> None:
    net = Network("There and back")
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2", a_to_b=DOWN, b_to_a=UP)
    net.flow("down", "h1", "h2", congestion_control="cubic", duration_s=LASTS_S)
    net.flow("up", "h2", "h1", congestion_control="cubic", start_s=BEGINS_S, duration_s=LASTS_S)
    rows: list[dict[str, Any]] = []

    def keep_samples(message: wire.Message) -> None:
        if isinstance(message, wire.Samples) and message.table == "tcp":
            rows.extend(dict(zip(wire.TABLES["tcp"], row, strict=True)) for row in message.rows)

    with Lab(net.topology, place="labkernel", listener=keep_samples, virtual_time=True) as lab:
        checks = {(check.direction, check.quantity): check for check in check_links(lab)}
        result = lab.run_flows()
        ping = lab.ping("h2", "h1", count=10)
    assert result["failures"] == {}
    for rtt_ms in (checks["h1 - h2", "base RTT"].measured, min(ping["rtt_ms"])):
        assert rtt_ms is not None and 50 <= rtt_ms < 50.5
    rates = _rates_mbit(rows)
    for name, direction, shape in (("down", "h1 -> h2", DOWN), ("up", "h2 -> h1", UP)):
        rate_mbit = shape.rate_mbit or 0.0
        assert checks[direction, "rate"].measured == pytest.approx(rate_mbit, rel=0.001)
        assert checks[direction, "loss"].is_true
        queue = checks[direction, "queue"]  # its highest fill, read a hundred times a second
        assert queue.measured is not None and 0.97 * queue.high <= queue.measured <= queue.high
        assert rates[name] == pytest.approx(GOODPUT * rate_mbit, rel=0.02), rates
