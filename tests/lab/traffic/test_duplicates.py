"""Packets that arrive twice, and percentiles of single packets, compared with the kernels' counts and a formula."""

from __future__ import annotations

import numpy as np
import pytest

from frrlib.formats.mn import dumps
from frrlib.lab.lab import Lab
from frrlib.model.impairments import Impairments
from frrlib.model.traffic.kinds import ConstantRate, Ping
from frrlib.network.network import Network, Shape, Wait
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.series import flow_samples, series
from frrlib.results.statistics.summary import Summary, summarize
from frrlib.results.statistics.table import summary_text
from frrlib.run.run import RunOutcome, RunSettings, measure

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]

SHARE_PERCENT, SECONDS = 5.0, 4.0
#: Duplicates that no sample of the flow counts: in its last window of 40 packets, and on the tool's control connection.
MAX_UNSAMPLED = 8
DELAY_MS, JITTER_MS = 30.0, 10.0

Counters = dict[str, dict[str, int]]


def _counters(lab: Lab, node: str) -> dict[str, int]:
    """The counters of a node's kernel, as "Icmp.InEchoReps"."""
    lines = lab[node].run("cat", "/proc/net/snmp", "/proc/net/netstat").splitlines()
    counts: dict[str, int] = {}
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        prefix, *columns = names.split()
        numbers = map(int, values.split()[1:])
        counts |= {f"{prefix[:-1]}.{name}": number for name, number in zip(columns, numbers, strict=True)}
    return counts


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Results, Summary, Counters]:
    """A run over a link that duplicates packets and over one with jitter, and the kernels' counters after it."""
    net = Network("Duplicates", wait=Wait(ping_count=20))
    for name in ("h1", "h2", "h3", "h4"):
        net.host(name)
    duplicating = Impairments(duplicate_percent=SHARE_PERCENT)
    net.link("h1", "h2", a_to_b=Shape(rate_mbit=10, delay_ms=5, impairments=duplicating), b_to_a=Shape(delay_ms=5))
    net.link("h3", "h4", a_to_b=Shape(delay_ms=DELAY_MS, jitter_ms=JITTER_MS), b_to_a=Shape(delay_ms=1))
    net.flow("tcp", "h1", "h2", duration_s=SECONDS)
    net.flow("echo", "h1", "h2", duration_s=SECONDS, traffic=Ping(interval_ms=20))
    net.flow("overtaken", "h3", "h4", size_bytes=300_000)
    net.flow("udp", "h3", "h4", duration_s=SECONDS, traffic=ConstantRate(rate_mbit=5, payload_bytes=500))
    outcome = RunOutcome(tmp_path_factory.mktemp("duplicates") / "run")
    lab, counters = Lab(net.topology, virtual_time=True), {}

    def read_counters() -> None:
        counters.update({name: _counters(lab, name) for name in ("h1", "h2", "h4")})

    settings = RunSettings(virtual_time=True, seed=3)
    measure(lab, dumps(net.topology), outcome, settings, lambda _: None, linger=read_counters, figure=False)
    assert outcome.failures == []
    results = open_results(outcome.folder)
    return results, summarize(results), counters


def test_duplicates_of_tcp_equal_the_kernels_count(run: tuple[Results, Summary, Counters]) -> None:
    results, summary, counters = run
    flow = summary.flow("tcp")
    (samples,) = (flow_ for flow_ in flow_samples(results) if flow_.id == "tcp")
    assert flow.duplicate_packets == series(samples.sender, "duplicate_packets")[1].max()
    assert flow.duplicate_packets and flow.duplicate_packets > 50
    assert 0 <= counters["h1"]["TcpExt.TCPDSACKRecv"] - flow.duplicate_packets <= MAX_UNSAMPLED
    assert 0 <= counters["h2"]["TcpExt.TCPDSACKOldSent"] - flow.duplicate_packets <= MAX_UNSAMPLED
    assert flow.out_of_order_packets == 0 and f"{flow.duplicate_packets}" in summary_text(summary)


def test_reordered_packets_are_those_of_the_receiving_kernel(run: tuple[Results, Summary, Counters]) -> None:
    results, summary, counters = run
    reordered = summary.flow("overtaken").out_of_order_packets
    (flow,) = (flow for flow in flow_samples(results) if flow.id == "overtaken")
    increases = np.diff(series(flow.receiver, "out_of_order_packets")[1])
    # The host also counts what arrives between the last sample and the end of the flow, and the messages of the tool.
    assert reordered and 0 <= counters["h4"]["TcpExt.TCPOFOQueue"] - reordered <= increases.max() + 12


def test_replies_that_arrive_twice_are_counted(run: tuple[Results, Summary, Counters]) -> None:
    _, summary, counters = run
    (echo,) = (app for app in summary.apps if app.flow == "echo")
    (first_ping,) = (ping for ping in summary.pings if ping.source == "h1")
    assert echo.duplicates and echo.failed == 0
    assert first_ping.duplicates is not None and (first_ping.sent, first_ping.received) == (20, 20)
    counted = echo.count + echo.duplicates + first_ping.received + first_ping.duplicates
    # The ping that resolves hardware addresses has a reply, too. This one and the last ones may be duplicated.
    assert 1 <= counters["h1"]["Icmp.InEchoReps"] - counted <= 4
    text = summary_text(summary)
    assert f"{echo.duplicates} duplicate" in text


def test_percentiles_of_datagrams_are_those_of_single_packets(run: tuple[Results, Summary, Counters]) -> None:
    """netem's jitter is uniform, so 95 % of the delays are below the delay and nine tenths of the jitter."""
    _, summary, _ = run
    (udp,) = (app for app in summary.apps if app.flow == "udp")
    assert not udp.are_means
    assert udp.median_ms == pytest.approx(DELAY_MS, abs=0.6)
    assert udp.p95_ms == pytest.approx(DELAY_MS + 0.9 * JITTER_MS, abs=0.4)
    assert "means" not in summary_text(summary)
