"""Every kind of flow in a lab kernel, compared with the values of the topology or with the kernel's counts."""

from __future__ import annotations

import json
import re
import statistics
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest

from frrlib import wire
from frrlib.errors import LabError
from frrlib.lab.lab import Lab
from frrlib.network.network import (
    Bulk,
    Cake,
    Command,
    ConstantRate,
    Network,
    OneWayDelay,
    OnOff,
    Ping,
    RequestResponse,
    Shape,
    Video,
    Voip,
    WebPage,
)
from tests.waiting import wait_for

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]

#: The one-way delay; the round trip, and the time that programs add to the shortest of several.
DELAY_MS = 20.0
RTT_MS, SLACK_MS = 2 * DELAY_MS, 1.0
LASTS_S = 2
LADDER_MBIT = (0.2, 0.5, 1.0)
LOSS_PERCENT = 10.0
SIZES = (30_000, 1000, 20_000)
RATE_MBIT, BUSY_MBIT = 2.0, 5.0


def _network() -> Network:
    net = Network("All kinds")
    net.router("r1")
    # A pair with only a delay, one that loses packets, and one with a full queue that distinguishes classes.
    for pair, shape in (
        ("q", Shape(delay_ms=DELAY_MS)),
        ("l", Shape(delay_ms=5, loss_percent=LOSS_PERCENT)),
        ("b", Shape(rate_mbit=BUSY_MBIT, delay_ms=5, queue=Cake(diffserv="diffserv4"))),
    ):
        net.host(f"{pair}1")
        net.host(f"{pair}2")
        net.link(f"{pair}1", "r1")
        net.link("r1", f"{pair}2", a_to_b=shape, b_to_a=Shape(delay_ms=shape.delay_ms))
    # Only a few at a time, since a lab kernel has one processor.
    quiet: tuple[tuple[int, str, Any], ...] = (
        (0, "ping", Ping()),
        (0, "delay", OneWayDelay()),
        (0, "kept", RequestResponse(think_ms=20)),
        (0, "call", Voip()),
        (1, "new", RequestResponse(connection="new", think_ms=20)),
        (1, "command", Command(command="ping -i 0.5 {address}", reads="pattern",
                               pattern=r"icmp_seq=(?P<number>\d+) .*time=(?P<duration_ms>[0-9.]+)")),
        (2, "curl", WebPage(sizes_bytes=SIZES, pause_s=0.1)),
        (2, "bursts", OnOff(on_s=0.5, off_s=0.5, rate_mbit=2)),
        (3, "film", Video(chunk_s=0.5, buffer_s=3, ladder_mbit=LADDER_MBIT)),
        (3, "datagram-bursts", OnOff(protocol="udp", rate_mbit=1)),
        (3, "wget", WebPage(sizes_bytes=SIZES, client="wget", connections=1, loads=1)),
        (3, "given-up", WebPage(sizes_bytes=(10**9,), client="wget", loads=1, timeout_s=0.3)),
    )  # fmt: skip
    for step, name, traffic in quiet:
        net.flow(name, "q1", "q2", start_s=step * LASTS_S, duration_s=LASTS_S, traffic=traffic)
    net.flow("rate", "l1", "l2", duration_s=LASTS_S, traffic=ConstantRate(rate_mbit=2))
    busy_s = 4 * LASTS_S
    net.flow("marked", "b1", "b2", start_s=busy_s, duration_s=2.5, ecn=True, dscp=46, traffic=Bulk(tool="own"))
    net.flow("called", "b1", "b2", start_s=busy_s, duration_s=2.5, streams=3, opened_by="destination", ecn=False)
    net.flow("sized", "b1", "b2", start_s=busy_s, size_bytes=300_000, traffic=Bulk(tool="own"))
    return net


@pytest.fixture(scope="module")
def measured() -> SimpleNamespace:
    """One run of all flows: rows by table and flow, the result of the run, and output of the kernel."""
    tables: dict[str, list[dict[str, Any]]] = {}
    started: list[str] = []

    def keep(message: wire.Message) -> None:
        if isinstance(message, wire.Samples):
            names = wire.TABLES[message.table]
            tables.setdefault(message.table, []).extend(dict(zip(names, row, strict=True)) for row in message.rows)
        elif isinstance(message, wire.FlowEvent) and message.what == "start":
            started.append(message.flow)

    with (
        Lab(_network().topology, place="labkernel", listener=keep, virtual_time=True) as lab,
        ThreadPoolExecutor() as beside,
    ):
        for pair in "qlb":
            lab.ping(f"{pair}1", f"{pair}2", count=1)  # this resolves the hardware addresses
        run = beside.submit(lab.run_flows)
        wait_for(lambda: "marked" in started or run.done(), "the marked flow")
        assert "marked" in started, run.result()
        sockets = lab["b1"].run("sh", "-c", "for n in 1 2 3 4 5 6; do ss -tinoH; sleep 0.3; done")
        result = run.result()
        datagrams = lab["l2"].run("cat", "/proc/net/snmp")
        classes = json.loads(lab["r1"].run("tc", "-s", "-j", "qdisc", "show"))
        processes = lab["q1"].run("ps", "-eo", "args")
    assert result["failures"] == {}
    return SimpleNamespace(
        tables=tables, result=result, sockets=sockets, datagrams=datagrams, classes=classes, processes=processes
    )


def _rows(measured: SimpleNamespace, table: str, flow: str, **values: Any) -> list[dict[str, Any]]:
    rows = [row for row in measured.tables[table] if row["flow"] == flow]
    return [row for row in rows if all(row[name] == value for name, value in values.items())]


def _times_ms(measured: SimpleNamespace, flow: str, subject: str) -> list[float]:
    rows = _rows(measured, "app", flow, what=subject)
    assert rows and all(row["outcome"] == "" for row in rows), rows
    return [row["duration_ms"] for row in rows]


def test_probes_take_the_requested_delay(measured: SimpleNamespace) -> None:
    echoes = [row["rtt_ms"] for row in _rows(measured, "probe", "ping")]
    assert len(echoes) == LASTS_S / 0.2 and min(echoes) == pytest.approx(RTT_MS, abs=SLACK_MS) and min(echoes) >= RTT_MS
    delays = [row["delay_ms"] for row in _rows(measured, "probe", "delay")]
    assert len(delays) == LASTS_S / 0.05 and DELAY_MS <= min(delays) < DELAY_MS + SLACK_MS


def test_a_request_takes_one_round_trip_and_a_connection_another(measured: SimpleNamespace) -> None:
    on_kept_connection, on_new_connection = (
        _times_ms(measured, "kept", "request"),
        _times_ms(measured, "new", "request"),
    )
    assert RTT_MS <= min(on_kept_connection) < RTT_MS + SLACK_MS
    assert 2 * RTT_MS <= min(on_new_connection) < 2 * RTT_MS + 2 * SLACK_MS
    # The requests follow each other until the flow ends.
    assert sum(on_kept_connection) + 20 * (len(on_kept_connection) - 1) <= LASTS_S * 1e3 + max(on_kept_connection)


def test_datagrams_equal_the_kernels_count_and_the_others_were_lost_in_the_link(measured: SimpleNamespace) -> None:
    last = _rows(measured, "datagram", "rate")[-1]
    sent = -(-LASTS_S * 2e6 // (8 * 1200))
    names, values = (line.split() for line in measured.datagrams.splitlines() if line.startswith("Udp:"))
    kernel = dict(zip(names, values, strict=True))
    assert last["sent_packets"] == sent
    assert last["received_packets"] == int(kernel["InDatagrams"]) and last["received_bytes"] == 1200 * last[
        "received_packets"
    ]  # fmt: skip
    drops = [row["drops"] for row in measured.tables["cable"] if row["direction"].endswith("r1-l2")]
    lost = last["lost_packets"]
    assert lost == sent - last["received_packets"]
    # The link also loses some address requests. On a busy machine, its first sample is taken after some losses.
    assert lost <= max(drops)
    assert max(drops) - min(drops) <= lost + 5
    # Four standard deviations of this number of draws.
    assert last["lost_packets"] == pytest.approx(sent * LOSS_PERCENT / 100, abs=4 * (sent * 0.1 * 0.9) ** 0.5)
    assert min(row["delay_ms"] or 1e9 for row in _rows(measured, "datagram", "rate")) == pytest.approx(5, abs=SLACK_MS)


def test_speech_is_a_packet_every_twenty_milliseconds(measured: SimpleNamespace) -> None:
    last = _rows(measured, "datagram", "call")[-1]
    assert (last["sent_packets"], last["lost_packets"]) == (LASTS_S / 0.02, 0)
    assert last["received_bytes"] == last["sent_packets"] * (12 + 160)
    report = measured.result["flows"]["call"]
    assert DELAY_MS <= report["delay_min_ms"] < DELAY_MS + SLACK_MS and report["late_packets"] < 50


def test_bursts_have_the_requested_length_and_size(measured: SimpleNamespace) -> None:
    bursts = _rows(measured, "app", "bursts", what="burst")
    assert [row["number"] for row in bursts] == list(range(LASTS_S))
    assert all(row["time_s"] >= 2 * LASTS_S + row["number"] for row in bursts)
    assert all(row["size_bytes"] == 2e6 / 8 * 0.5 for row in bursts)
    assert _rows(measured, "datagram", "datagram-bursts")[-1]["sent_packets"] == -(-1e6 // (8 * 1200))


def test_a_page_is_served_by_nginx_and_loaded_completely(measured: SimpleNamespace) -> None:
    pages = _rows(measured, "app", "curl", what="page")
    assert len(pages) >= 2 and all(row["size_bytes"] == sum(SIZES) and not row["outcome"] for row in pages)
    # The connection takes a round trip, the request another, and 30 kB exceed the first window of ten packets.
    assert 3 * RTT_MS <= min(row["duration_ms"] for row in pages) < 6 * RTT_MS
    objects = _rows(measured, "app", "curl", what="object")
    assert len(objects) == len(SIZES) * len(pages)
    assert all(row["size_bytes"] == SIZES[row["number"]] and row["duration_ms"] >= 2 * RTT_MS for row in objects)
    # The files follow each other, and the first one waits for a connection. wget measures without waits: the bytes
    # after the first window of the first file, and each other file at once.
    (page_ms,), (received_ms,) = (_times_ms(measured, "wget", subject) for subject in ("page", "receiving"))
    assert page_ms >= (1 + len(SIZES) + 1) * RTT_MS
    # wget reads its clock first when data arrives, so late data, on a busy machine, seems to take less time.
    assert RTT_MS * 0.5 <= received_ms < page_ms - 3 * RTT_MS
    (given_up,) = _rows(measured, "app", "given-up")
    assert given_up["outcome"] == "unfinished" and 300 <= given_up["duration_ms"] < 2000 * LASTS_S
    assert "nginx" not in measured.processes, "nginx must end with the flow"


def test_a_video_has_chunks_of_the_ladders_rates(measured: SimpleNamespace) -> None:
    ladder = {int(rate * 125_000 * 0.5) for rate in LADDER_MBIT}
    chunks = _rows(measured, "app", "film", what="chunk")
    assert {row["size_bytes"] for row in chunks} <= ladder and chunks[0]["size_bytes"] == min(ladder)
    assert len(chunks) > 3 and not _rows(measured, "app", "film", what="stall")


def test_output_of_a_command_becomes_rows(measured: SimpleNamespace) -> None:
    rows = _rows(measured, "app", "command")
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1)) and len(rows) >= 2
    assert min(row["duration_ms"] for row in rows) == pytest.approx(RTT_MS, abs=SLACK_MS)


def test_ecn_is_negotiated_for_marked_flows_only_and_classes_are_separate(measured: SimpleNamespace) -> None:
    # `ss` prints a line for the ends, and one for the state of the connection.
    details_by_port = {
        int(port): details for port, details in re.findall(r":(\d+) +\S+:\d+\b.*\n(.*)", measured.sockets)
    }
    with_marks = {port for port, details in details_by_port.items() if re.search(r"\becn\b", details)}
    assert len(details_by_port) >= 4 and len(with_marks) == 1
    cake = next(qdisc for qdisc in measured.classes if qdisc["kind"] == "cake")
    voice = cake["tins"][3]  # expedited forwarding is the last of diffserv4
    assert voice["sent_packets"] > 50 and voice["ecn_mark"] > 0
    assert cake["tins"][1]["ecn_mark"] == 0 and cake["tins"][1]["sent_packets"] > 50


def test_streams_are_separate_connections_and_fill_the_link_together(measured: SimpleNamespace) -> None:
    streams = [_rows(measured, "tcp", f"called/{number}", side="receiver") for number in (1, 2, 3)]
    received = [max(row["bytes_received"] for row in rows) for rows in streams]
    total_of_iperf3 = measured.result["flows"]["called"]["end"]["sum_received"]["bytes"]
    assert (
        all(received) and 0.9 * total_of_iperf3 < sum(received) <= total_of_iperf3
    )  # the last samples are taken before the last bytes arrive
    (transfer,) = _rows(measured, "app", "sized")
    assert transfer["size_bytes"] == 300_000 and transfer["duration_ms"] > 300_000 * 8e-3 / BUSY_MBIT
    total = sum(
        measured.result["flows"][name]["end"]["sum_received"]["bytes"] for name in ("marked", "called", "sized")
    )
    assert 0 < total < 5 * BUSY_MBIT * 1e6 / 8


def test_our_sender_has_the_rate_of_iperf3() -> None:
    net = Network("Two senders")
    net.host("h1")
    net.router("r1")
    net.host("h2")
    net.link("h1", "r1")
    slow = Shape(rate_mbit=RATE_MBIT, delay_ms=5, queue_packets=100)
    net.link("r1", "h2", a_to_b=slow, b_to_a=Shape(delay_ms=5))
    net.flow("iperf3", "h1", "h2", duration_s=3, traffic=Bulk(tool="iperf3"))
    net.flow("own", "h1", "h2", start_s=4, duration_s=3, traffic=Bulk(tool="own"))
    rows: list[dict[str, Any]] = []

    def keep(message: wire.Message) -> None:
        if isinstance(message, wire.Samples) and message.table == "tcp":
            rows.extend(dict(zip(wire.TABLES["tcp"], row, strict=True)) for row in message.rows)

    with Lab(net.topology, place="labkernel", listener=keep, virtual_time=True) as lab:
        lab.ping("h1", "h2", count=1)
        assert lab.run_flows()["failures"] == {}
    rates = {}
    for name in ("iperf3", "own"):
        flow_rows = [
            row for row in rows if (row["flow"], row["side"]) == (name, "receiver") and row["bytes_received"] > 100
        ]
        settled_rows = [row for row in flow_rows if 0.5 <= row["time_s"] - flow_rows[0]["time_s"] <= 2.7]
        growth_bytes = settled_rows[-1]["bytes_received"] - settled_rows[0]["bytes_received"]
        rates[name] = growth_bytes * 8e-6 / (settled_rows[-1]["time_s"] - settled_rows[0]["time_s"])
    assert rates["own"] == pytest.approx(rates["iperf3"], rel=0.01)
    assert statistics.mean(rates.values()) == pytest.approx(RATE_MBIT * 1448 / 1514, rel=0.02)


def test_a_missing_program_is_reported_before_anything_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    from frrlib.agent.traffic import own_senders
    from frrlib.errors import PlaceError
    from frrlib.wire.plan import FlowPlan

    monkeypatch.setattr(own_senders, "_PATH", "/nowhere")
    page = FlowPlan("web", "h1", "h2", "10.0.0.2", 1, 1, "", kind="web-page", settings={"client": "curl"})
    with pytest.raises(PlaceError, match="nginx is not installed, but flow web needs it") as error:
        own_senders.check_programs(page)
    assert error.value.remedy == "sudo apt-get install nginx"
    assert own_senders.is_own(FlowPlan("f", "h1", "h2", "10.0.0.2", 1, 1, "")), "without iperf3, our own sender is used"
    with pytest.raises(LabError, match="iperf3 is not installed"):
        own_senders.check_programs(FlowPlan("f", "h1", "h2", "10.0.0.2", 1, 1, "", tool="iperf3"))
