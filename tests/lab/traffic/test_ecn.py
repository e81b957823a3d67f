"""ECN and DCTCP in the kernel: sockets as `ss` shows them, and the share of marks of RFC 8257."""

from __future__ import annotations

import re
import statistics
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.network.network import Codel, Network, Shape, TcpTuning, Wait, end
from tests.waiting import wait_for

pytestmark = [pytest.mark.lab]

FIRST_PORT = 40001
#: Flows from s1 by ID: their settings, and the congestion control and ECN that `ss` must show at the sender.
FLOWS: dict[str, tuple[dict[str, Any], str, bool]] = {
    "by-flow": ({"congestion_control": "dctcp"}, "dctcp", True),
    "off": ({"congestion_control": "dctcp", "ecn": False}, "dctcp", True),
    "reversed": ({"congestion_control": "dctcp", "opened_by": "destination"}, "dctcp", True),
    "by-link": ({"congestion_control": ""}, "dctcp", True),
    "by-host": ({"congestion_control": "", "destination": "d3"}, "dctcp", True),
    "link-differs": ({"congestion_control": "dctcp", "destination": "d4"}, "dctcp", True),
    "cubic": ({"congestion_control": "cubic", "ecn": True, "destination": "d4"}, "cubic", True),
    "plain": ({"congestion_control": "cubic"}, "cubic", False),
    "refused": ({"congestion_control": "cubic", "ecn": True, "destination": "d2"}, "cubic", False),
    "not-refused": ({"congestion_control": "dctcp", "destination": "d2"}, "dctcp", True),
}
ALONE_S, LASTS_S = 3.0, 12.0


def _network() -> Network:
    """s1 sends to d1, to d2, which refuses ECN, to d3 and to d4. Its own congestion control is DCTCP, as is that of its
    link to the router of d1 and d2; that of its link to d4 is CUBIC."""
    net = Network("ECN", wait=Wait(routes=False, ping_count=1))
    net.host("s1", congestion_control="dctcp")
    net.router("r1")
    net.host("d1")
    net.host("d2", tcp=TcpTuning(ecn="off"))
    net.link(end("s1", congestion_control="dctcp"), "r1", both=Shape(delay_ms=5))
    marking = Shape(rate_mbit=20, queue=Codel(ecn=True, ce_threshold_ms=1))
    for name in ("d1", "d2"):
        net.link("r1", name, both=marking)
    net.host("d3")
    net.host("d4")
    net.link("s1", "d3", both=Shape(delay_ms=5))
    net.link(end("s1", congestion_control="cubic"), "d4", both=Shape(delay_ms=5))
    for name, (fields, _, _) in FLOWS.items():
        net.flow(name, "s1", fields.get("destination", "d1"), duration_s=2,
                 **{field: value for field, value in fields.items() if field != "destination"})  # fmt: skip
    net.flow("alone", "s1", "d1", congestion_control="dctcp", start_s=ALONE_S, duration_s=LASTS_S)
    return net


@pytest.fixture(scope="module")
def measured() -> SimpleNamespace:
    """One run of all flows: the rows of the table of TCP, and the sockets of s1."""
    rows: list[dict[str, Any]] = []
    started: list[str] = []

    def keep(message: wire.Message) -> None:
        if isinstance(message, wire.Samples) and message.table == "tcp":
            rows.extend(dict(zip(wire.TABLES["tcp"], row, strict=True)) for row in message.rows)
        elif isinstance(message, wire.FlowEvent) and message.what == "start":
            started.append(message.flow)

    with (
        Lab(_network().topology, place="labkernel", listener=keep, virtual_time=True) as lab,
        ThreadPoolExecutor() as beside,
    ):
        run = beside.submit(lab.run_flows)
        wait_for(lambda: set(FLOWS) <= set(started) or run.done(), "the flows")
        sockets = lab["s1"].run("sh", "-c", "sleep 0.3; ss -tinoOH")
        result = run.result()
    assert result["failures"] == {}
    return SimpleNamespace(rows=rows, sockets=sockets)


@pytest.mark.parametrize("name", FLOWS)
def test_sockets_have_the_congestion_control_and_ecn_of_the_flow(measured: SimpleNamespace, name: str) -> None:
    """`ss` names the fallback of a DCTCP that found no ECN "dctcp-reno"."""
    _, control, has_ecn = FLOWS[name]
    port = FIRST_PORT + list(FLOWS).index(name)
    (line,) = [line for line in measured.sockets.splitlines() if re.search(rf":{port}\s", line)]
    words = set(line.split())
    assert ({"dctcp", "dctcp-reno", "cubic"} & words, "ecn" in words) == ({control}, has_ecn), line
    assert "fallback_mode" not in line


def test_alpha_is_the_mean_share_of_marked_packets(measured: SimpleNamespace) -> None:
    """RFC 8257, section 3.3: alpha is the moving average of the share of marked data, window by window. Its mean over
    time is that share, except for the difference between the means over windows and over packets."""
    rows = [row for row in measured.rows if (row["flow"], row["side"]) == ("alone", "sender")]
    late_rows = [row for row in rows if ALONE_S + 4 < row["time_s"] < ALONE_S + LASTS_S - 0.5]
    first, last = late_rows[0], late_rows[-1]
    marked, delivered = (last[name] - first[name] for name in ("delivered_ce_packets", "delivered_packets"))
    alpha = statistics.fmean(row["dctcp_alpha"] for row in late_rows)
    assert 0 < marked < delivered
    assert alpha == pytest.approx(marked / delivered, rel=0.25)


def test_a_mark_reduces_the_window_by_half_of_alpha(measured: SimpleNamespace) -> None:
    """RFC 8257, section 3.3: cwnd = cwnd * (1 - alpha / 2). Reno would halve it."""
    rows = [row for row in measured.rows if (row["flow"], row["side"]) == ("alone", "sender")]
    late_rows = [row for row in rows if ALONE_S + 4 < row["time_s"] < ALONE_S + LASTS_S - 0.5]
    shares = [
        (row["ssthresh_packets"] / before["cwnd_packets"], 1 - before["dctcp_alpha"] / 2)
        for before, row in pairwise(late_rows)
        if row["ssthresh_packets"] != before["ssthresh_packets"]
    ]
    assert len(shares) > 10
    assert statistics.median(measured for measured, _ in shares) == pytest.approx(
        statistics.median(expected for _, expected in shares), abs=0.05
    )
