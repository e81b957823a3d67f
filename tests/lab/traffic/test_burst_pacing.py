"""Bursts at a rate that the socket or the application paces, read from the kernel by `ss` and by its samples."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.network.network import Network, OnOff, Shape
from tests.waiting import wait_for

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]

RATE_MBIT, LASTS_S = 2.0, 3.0
SOURCES = {"socket": "h1", "application": "h2"}


@pytest.fixture(scope="module")
def measured() -> SimpleNamespace:
    """Samples and bytes of both flows, and the output of `ss` in both sources while they send."""
    net = Network("Paced bursts")
    net.router("r1")
    for host in ("h1", "h2", "h3"):
        net.host(host)
        net.link(host, "r1", a_to_b=Shape(delay_ms=10), b_to_a=Shape(delay_ms=10))
    for pacer, source in SOURCES.items():
        traffic = OnOff(on_s=LASTS_S, off_s=1, rate_mbit=RATE_MBIT, paced_by=pacer)  # type: ignore[arg-type]
        net.flow(pacer, source, "h3", duration_s=LASTS_S, traffic=traffic)
    rows: list[dict[str, Any]] = []
    started: set[str] = set()

    def keep(message: wire.Message) -> None:
        if isinstance(message, wire.Samples) and message.table in ("tcp", "app"):
            rows.extend(
                {"table": message.table, **dict(zip(wire.TABLES[message.table], row, strict=True))}
                for row in message.rows
            )
        elif isinstance(message, wire.FlowEvent) and message.what == "start":
            started.add(message.flow)

    with (
        Lab(net.topology, place="labkernel", listener=keep, virtual_time=True) as lab,
        ThreadPoolExecutor() as beside,
    ):
        for source in SOURCES.values():
            lab.ping(source, "h3", count=1)
        run = beside.submit(lab.run_flows)
        wait_for(lambda: len(started) == len(SOURCES) or run.done(), "the start of both flows")
        command = "for n in 1 2 3 4; do sleep 0.2; ss -tinH state established; done"
        sockets = {pacer: lab[source].run("sh", "-c", command) for pacer, source in SOURCES.items()}
        result = run.result()
    assert result["failures"] == {}
    return SimpleNamespace(rows=rows, sockets=sockets)


def test_only_the_socket_has_a_pacing_limit(measured: SimpleNamespace) -> None:
    limits = {pacer: set(re.findall(r" pacing_rate \w+\.?\w*/(\d+)bps", measured.sockets[pacer])) for pacer in SOURCES}
    assert limits == {"socket": {f"{RATE_MBIT * 1e6:.0f}"}, "application": set()}, measured.sockets
    assert " pacing_rate " in measured.sockets["application"]


def test_samples_of_a_pacing_application_are_limited_by_it(measured: SimpleNamespace) -> None:
    assert " app_limited" in measured.sockets["application"]
    marks = [
        row["app_limited"]
        for row in measured.rows
        if row["table"] == "tcp" and row["flow"] == "application" and row["side"] == "sender" and row["time_s"] > 0.5
    ]
    assert marks and all(marks)


def test_both_write_the_same_bytes(measured: SimpleNamespace) -> None:
    sizes = {row["flow"]: row["size_bytes"] for row in measured.rows if row["table"] == "app"}
    assert sizes == dict.fromkeys(SOURCES, RATE_MBIT * 1e6 / 8 * LASTS_S)
