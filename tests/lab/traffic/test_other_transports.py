"""The flows of other programs over MPTCP and QUIC that docs/flows.md has, compared with the kernel's counts."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.model.flows import Flow
from frrlib.model.traffic.kinds import Command
from frrlib.network.network import Network, Shape, Wait, end

pytestmark = [pytest.mark.lab]

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "flows.md").read_text(encoding="utf-8")
MPTCP = Path("/proc/sys/net/mptcp/enabled")
RATES_MBIT = (4, 2)
QUIC_MBIT, QUIC_DELAY_MS = 4.0, 20.0
COUNTERS = {"MPTcpExtMPCapableSYNACKRX": "1", "MPTcpExtMPJoinSynAckRx": "1"}


def _flow(name: str) -> Flow:
    (text,) = re.findall(rf'^```json\n(\{{"id": "{name}".*?)\n```', PAGE, re.DOTALL | re.MULTILINE)
    return Flow.model_validate_json(text)


def _start_command(host: str) -> str:
    (command,) = re.findall(rf"^(ip mptcp .*?) +# {host}$", PAGE, re.MULTILINE)
    return str(command)


def _network(flow: Flow) -> Network:
    """Two hosts with a flow, still without links."""
    net = Network("Other transports", wait=Wait(routes=False, ping_count=0))
    for host in ("h1", "h2"):
        net.host(host, start_command=_start_command(host) if flow.id == "mptcp" else "")
    net.flow(flow.id, "h1", "h2", start_s=flow.start_s, duration_s=flow.duration_s, traffic=flow.traffic)
    return net


def _measured(net: Network, place: str, *command: str) -> tuple[dict[str, list[dict[str, Any]]], str]:
    """The rows of the flow's run by table, and what a command at its source prints after it."""
    tables: dict[str, list[dict[str, Any]]] = {"app": [], "queue": []}

    def keep(message: wire.Message) -> None:
        if isinstance(message, wire.Samples):
            names = wire.TABLES[message.table]
            tables.setdefault(message.table, []).extend(dict(zip(names, row, strict=True)) for row in message.rows)

    with Lab(net.topology, place=place, listener=keep, virtual_time=place == "labkernel") as lab:
        assert lab.run_flows()["failures"] == {}
        return tables, lab["h1"].run(*command)


def test_a_program_over_mptcp_uses_two_links() -> None:
    """The kernel counts one further subflow, and both links carry a part of the data."""
    if not MPTCP.exists() or MPTCP.read_text(encoding="ascii").strip() != "1":
        pytest.skip("the kernel of this machine lacks MPTCP, or it is turned off")
    net = _network(_flow("mptcp"))
    for number, rate_mbit in enumerate(RATES_MBIT, 1):
        shape = Shape(qdiscs=(f"root handle 1: tbf rate {rate_mbit}mbit burst 5k limit 50k",))
        net.link(end("h1", f"10.{number}.0.1/24"), end("h2", f"10.{number}.0.2/24"), a_to_b=shape)
    tables, counts = _measured(net, "namespace", "nstat", "-asz", *COUNTERS)
    (transfer,) = tables["app"]
    assert dict(line.split()[:2] for line in counts.splitlines()[1:]) == COUNTERS
    sent_bytes = {row["direction"]: row["sent_bytes"] for row in tables["queue"]}
    assert min(sent_bytes.values()) > 0.1 * transfer["size_bytes"]
    assert len(sent_bytes) == 2 and sum(sent_bytes.values()) > transfer["size_bytes"]


@pytest.mark.usefixtures("virtual_time")
def test_a_program_over_quic_reports_window_and_rtt() -> None:
    flow = _flow("quic")
    assert isinstance(flow.traffic, Command) and flow.duration_s is not None
    missing = [name for name in ("gtlsclient", "gtlsserver") if not shutil.which(name, path="/usr/bin:/usr/sbin")]
    if missing:
        pytest.skip(f"{', '.join(missing)} of Debian's ngtcp2 are not installed")
    net = _network(flow)
    net.link(
        "h1", "h2", a_to_b=Shape(rate_mbit=QUIC_MBIT, delay_ms=QUIC_DELAY_MS), b_to_a=Shape(delay_ms=QUIC_DELAY_MS)
    )
    tables, _ = _measured(net, "labkernel", "true")
    sent_bytes = tables["queue"][-1]["sent_bytes"]
    assert 0.8 * QUIC_MBIT < sent_bytes * 8e-6 / flow.duration_s < QUIC_MBIT
    # The base RTT is that of the link; the window exceeds the path and fills its queue.
    rows = [row for row in tables["app"] if row["time_s"] > 1]
    assert min(row["duration_ms"] for row in rows) >= 2 * QUIC_DELAY_MS
    bdp_bytes = QUIC_MBIT * 125 * 2 * QUIC_DELAY_MS
    assert max(row["size_bytes"] for row in rows) > bdp_bytes
