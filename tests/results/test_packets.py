"""Series of captures, for synthetic connections with results computed by hand."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from frrlib.plots.packets import figure_bytes
from frrlib.results.layout import ResultsError
from frrlib.results.packets import series as told
from frrlib.results.packets.captures import Capture, ConnectionDirection, Segments, read_capture
from frrlib.results.packets.sequence import sequence
from frrlib.results.packets.views import captured_flow_table, captured_flows, captures, transit_table, write_tables
from frrlib.results.read import open_results
from tests.results.captured import HEADERS_BYTES, MAGICS, CapturedPacket, counts_of_tcpdump, lost_packets, write_capture

THERE = ConnectionDirection("10.0.0.1", 1000, "10.0.0.2", 2000)
#: Just below where numbers wrap, so that they do in the middle.
FIRST = 2**32 - 2500
#: Four packets of 1000 bytes 10 ms apart, answered after 30 ms, the third and fourth by one acknowledgment; then one
#: that is lost (sent at 50 ms, again at 90 ms) and one behind it, both of which are acknowledged together.
CONNECTION = (
    CapturedPacket(0.000, "a", FIRST, 1000, 1, stamp=100),
    CapturedPacket(0.010, "a", FIRST + 1000, 1000, 1, stamp=110),
    CapturedPacket(0.020, "a", FIRST + 2000, 1000, 1, stamp=120),
    CapturedPacket(0.030, "b", 1, 0, FIRST + 1000, stamp=7, echo=100),
    CapturedPacket(0.0301, "a", FIRST + 3000, 1000, 1, stamp=130),
    CapturedPacket(0.040, "b", 1, 0, FIRST + 2000, stamp=7, echo=110),
    CapturedPacket(0.050, "a", FIRST + 4000, 1000, 1, stamp=150),
    CapturedPacket(0.060, "a", FIRST + 5000, 500, 1, stamp=160),
    CapturedPacket(0.0601, "b", 1, 0, FIRST + 4000, stamp=7, echo=120),
    CapturedPacket(0.085, "b", 1, 0, FIRST + 4000, stamp=7, echo=120),
    CapturedPacket(0.090, "a", FIRST + 4000, 1000, 1, stamp=190),
    CapturedPacket(0.120, "b", 1, 0, FIRST + 5500, stamp=7, echo=190),
)


def _read(path: Path, **options: float) -> tuple[Segments, Segments]:
    captured = read_capture(path, **options).directions
    return captured[THERE], captured[THERE.reverse]


@pytest.fixture
def ends(tmp_path: Path) -> tuple[Segments, Segments]:
    """The packets of `CONNECTION`, both directions."""
    write_capture(tmp_path / "c.pcap", CONNECTION)
    return _read(tmp_path / "c.pcap", zero_unix_s=0.0)


@pytest.mark.parametrize("kind", MAGICS)
def test_packets_are_read_with_all_formats_of_times(tmp_path: Path, kind: str) -> None:
    shifted = [packet._replace(time_s=packet.time_s + 1_800_000_000.25) for packet in CONNECTION]
    write_capture(tmp_path / "c.pcap", shifted, kind)
    data, acks = _read(tmp_path / "c.pcap", zero_unix_s=1_800_000_000.0)
    assert data.time_s == pytest.approx([0.25 + packet.time_s for packet in CONNECTION if packet.by == "a"], abs=2e-6)
    assert data.payload_bytes.tolist() == [1000, 1000, 1000, 1000, 1000, 500, 1000]
    assert data.frame_bytes.tolist() == [HEADERS_BYTES + size for size in data.payload_bytes]
    assert data.stamp.tolist() == [100, 110, 120, 130, 150, 160, 190] and set(acks.payload_bytes) == {0}
    # Without a zero the file's first packet is it.
    assert _read(tmp_path / "c.pcap")[0].time_s[0] == 0


def test_other_headers_are_understood(tmp_path: Path) -> None:
    write_capture(tmp_path / "six.pcap", [CapturedPacket(1, "a", 5, 700, 1, marked=True)], ipv6=True)
    ((ends, six),) = read_capture(tmp_path / "six.pcap").directions.items()
    assert ends == ConnectionDirection("2001:db8::1", 1000, "2001:db8::2", 2000)
    assert six.frame_bytes.tolist() == [14 + 40 + 32 + 700] and six.payload_bytes.tolist() == [700]
    assert six.congested.tolist() == [True] and six.stamp.tolist() == [-1]
    write_capture(tmp_path / "tagged.pcap", [CapturedPacket(1, "a", 5, 700, 1, stamp=3, vlan=True)])
    tagged = read_capture(tmp_path / "tagged.pcap").directions[THERE]
    assert tagged.frame_bytes.tolist() == [HEADERS_BYTES + 4 + 700] and tagged.stamp.tolist() == [3]
    assert tagged.congested.tolist() == [False]


def test_a_truncated_capture_is_read(tmp_path: Path) -> None:
    path = tmp_path / "c.pcap"
    write_capture(path, CONNECTION, snap=128)
    content = path.read_bytes()

    def count(capture: Capture) -> int:
        return capture.other_packets + sum(map(len, capture.directions.values()))

    assert count(read_capture(path)) == 12 and not read_capture(path).is_torn
    for less in (1, 30, 80, 90):
        path.write_bytes(content[:-less])
        assert read_capture(path).is_torn and 11 <= count(read_capture(path)) <= 12
    for text, message in ((b"", "not a capture"), (b"time_s,flow\n" * 9, "not a capture")):
        path.write_bytes(text)
        with pytest.raises(ResultsError, match=message):
            read_capture(path)
    path.write_bytes(content[:20] + b"\x71\0\0\0" + content[24:])
    with pytest.raises(ResultsError, match=r"not a capture of an Ethernet.*one interface"):
        read_capture(path)


def test_a_capture_has_a_limit_and_is_a_regular_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_capture(path := tmp_path / "c.pcap", CONNECTION)
    monkeypatch.setattr("frrlib.results.packets.captures._MOST_PACKETS", 11)
    with pytest.raises(ResultsError, match=r"more than 11 packets.*editcap -r c\.pcap part\.pcap 1-11"):
        read_capture(path)
    os.mkfifo(pipe := tmp_path / "pipe.pcap")
    with pytest.raises(ResultsError, match="cannot be read"):
        read_capture(pipe)


def test_retransmissions_are_detected(ends: tuple[Segments, Segments]) -> None:
    data, _ = ends
    assert told.retransmission_mask(data).tolist() == [False] * 6 + [True]


def test_round_trips_by_acknowledgment(ends: tuple[Segments, Segments]) -> None:
    """The last two packets tell nothing: one was sent again, and the answer to the other waited for it."""
    times, rtt_ms = told.rtt_by_ack(*ends)
    assert times == pytest.approx([0.030, 0.040, 0.0601])
    assert rtt_ms == pytest.approx([30, 30, 30])  # of the fourth packet, which is the newest that is covered


def test_round_trips_by_timestamp(ends: tuple[Segments, Segments]) -> None:
    """An answer repeats the timestamp of the first packet that it is for; the one that was sent again has its own."""
    times, rtt_ms = told.rtt_by_stamp(*ends)
    assert times == pytest.approx([0.030, 0.040, 0.0601, 0.120])
    assert rtt_ms == pytest.approx([30, 30, 40.1, 30])


def test_bytes_in_flight(ends: tuple[Segments, Segments]) -> None:
    times, under_way = told.in_flight(*ends)
    assert times == pytest.approx([packet.time_s for packet in CONNECTION])
    assert under_way.tolist() == [1000, 2000, 3000, 2000, 3000, 2000, 3000, 3500, 1500, 1500, 1500, 0]


def test_rates_are_bytes_over_time(ends: tuple[Segments, Segments]) -> None:
    middles, passed = told.rates(ends[0], 0.05, 0.0, 0.15)
    assert middles == pytest.approx([0.025, 0.075, 0.125])
    four, three = 4 * (1000 + HEADERS_BYTES), 2500 + 3 * HEADERS_BYTES
    assert passed == pytest.approx([four * 8e-6 / 0.05, three * 8e-6 / 0.05, 0])
    assert told.rates(ends[0], 0.05, 0.0, 0.15, payload=True)[1] == pytest.approx([0.64, 0.4, 0])


def test_loss_and_transit_times_between_two_interfaces(tmp_path: Path, ends: tuple[Segments, Segments]) -> None:
    """Each packet comes 5 ms later, but for the fifth, which is lost, and the sixth, which waits 9 ms."""
    late = {packet.sequence: 0.009 if packet.sequence == FIRST + 5000 else 0.005 for packet in CONNECTION}
    behind = [packet._replace(time_s=packet.time_s + late[packet.sequence]) for packet in CONNECTION
              if packet.by == "a" and packet.stamp != 150]  # fmt: skip
    write_capture(tmp_path / "d.pcap", behind)
    at_sender = read_capture(tmp_path / "d.pcap", 0.0).directions[THERE]
    (times, took_ms), lost = told.transit(ends[0], at_sender)
    assert lost == 1 and took_ms == pytest.approx([5, 5, 5, 5, 9, 5])
    assert times == pytest.approx([0, 0.010, 0.020, 0.0301, 0.060, 0.090])


def test_wrapping_numbers_are_continued() -> None:
    numbers = np.array([2**32 - 1, 0, 5, 2**32 - 3])
    assert told.unwrapped(numbers).tolist() == [2**32 - 1, 2**32, 2**32 + 5, 2**32 - 3]
    assert told.unwrapped(np.array([3]), 2**32 - 1).tolist() == [2**32 + 3]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A results folder with two captures of one flow of 100 packets. The second capture lacks every tenth packet."""
    folder = tmp_path / "run"
    for name in ("samples", "captures"):
        (folder / name).mkdir(parents=True)
    packets = [CapturedPacket(0.5 + 0.01 * n, "a", 1 + 1000 * n, 1000, 1, stamp=100 + 10 * n) for n in range(100)]
    answers = [
        CapturedPacket(0.52 + 0.01 * n, "b", 1, 0, 1001 + 1000 * n, stamp=7, echo=100 + 10 * n) for n in range(100)
    ]
    at_host = sorted(packets + answers)
    at_router = sorted(packet._replace(time_s=packet.time_s + 0.004) for n, packet in enumerate(packets) if n % 10)
    write_capture(folder / "captures/h1.pcap", at_host)
    write_capture(folder / "captures/r1.pcap", at_router)
    flow = {"id": "f", "port": 2000, "source_port": 1000, "congestion_control": "bbr"}
    files = {where: {"file": f"captures/{where[:2]}.pcap", "captured": 1, "dropped": 0} for where in ("h1:e", "r1:e")}
    run_info = {"format_version": 3, "status": "finished", "flows": [flow], "captures": files, "zero_unix_s": 0.25}
    (folder / "run.json").write_text(json.dumps(run_info))
    return folder


def test_flows_are_read_at_every_interface(run: Path) -> None:
    results = open_results(run)
    captured, warnings = captured_flows(results)
    assert warnings == [] and [(view.interface, view.flow) for view in captured] == [("h1:e", "f"), ("r1:e", "f")]
    assert captured[0].span == pytest.approx((0.25, 1.24))
    rows = [
        dict(zip(captured_flow_table(captured).headings, row, strict=True))
        for row in captured_flow_table(captured).rows
    ]
    assert (rows[0]["RTT min"], rows[0]["median"], rows[0]["stamps"], rows[0]["kB"]) == ("20.0", "20.0", "20.0", "2")
    assert rows[0]["Mbit/s"] == f"{100 * (1000 + HEADERS_BYTES) * 8e-6 / 0.99:.2f}"
    (step,) = transit_table(captured).rows
    assert step[:6] == ("f", "h1:e", "r1:e", "10", "4.00", "4.00")


def test_streams_of_a_flow_have_their_names_in_the_samples(run: Path) -> None:
    run_info = json.loads((run / "run.json").read_text())
    run_info["flows"][0] |= {"streams": 3, "source_port": 998}
    (run / "run.json").write_text(json.dumps(run_info))
    assert {view.flow for view in captured_flows(open_results(run))[0]} == {"f/3"}
    run_info["flows"] = []
    (run / "run.json").write_text(json.dumps(run_info))
    assert {view.flow for view in captured_flows(open_results(run))[0]} == {"10.0.0.1:1000>10.0.0.2:2000"}


def test_pandas_reads_the_tables_of_packets(run: Path) -> None:
    results = open_results(run)
    bins, trips = (pd.read_csv(path) for path in write_tables(results, captured_flows(results)[0], 0.1))
    mine = bins[bins["interface"] == "h1:e"]
    assert mine["time_s"].iloc[0] == pytest.approx(0.25) and mine["in_flight_bytes"].iloc[5] in (2000, 3000)
    assert (mine["rate_mbit"] * 0.1 / 8e-6).sum() == pytest.approx(100 * (1000 + HEADERS_BYTES), rel=1e-4)
    assert set(trips[trips["interface"] == "h1:e"].groupby("by").size()) == {100}
    assert trips["rtt_ms"].median() == pytest.approx(20)
    assert figure_bytes(results, captured_flows(results)[0], 0.1, "svg").startswith(b"<?xml")


def test_missing_captures_are_reported(run: Path) -> None:
    run_info = json.loads((run / "run.json").read_text())
    run_info["captures"]["h1:e"]["dropped"] = 12
    del run_info["captures"]["r1:e"], run_info["zero_unix_s"]
    (run / "run.json").write_text(json.dumps(run_info))
    (run / "captures/r1.pcap").write_bytes((run / "captures/r1.pcap").read_bytes()[:-3])
    results = open_results(run)
    assert list(captures(results)) == ["h1:e", "r1"]
    captured, warnings = captured_flows(results)
    assert len(captured) == 2 and captured[0].span[0] == 0
    text = "\n".join(warnings)
    assert (
        "the start of the flows was not recorded" in text
        and "h1:e" in text
        and "12 packets" in text
        and "r1: the file ends" in text
    )
    shutil.rmtree(run / "captures")
    with pytest.raises(ResultsError, match="--capture NODE:INTERFACE"):
        captured_flows(replace(results, info=results.info.model_copy(update={"captures": {}})))


@pytest.mark.skipif(not shutil.which("tcpdump"), reason="tcpdump is not installed")
def test_tcpdump_reads_the_captures_of_these_tests(tmp_path: Path) -> None:
    write_capture(tmp_path / "c.pcap", CONNECTION)
    argv = ["tcpdump", "-n", "-S", "-tt", "-r", str(tmp_path / "c.pcap")]
    lines = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(lines) == 12
    assert f"10.0.0.1.1000 > 10.0.0.2.2000: Flags [.], seq {FIRST}:{FIRST + 1000}, ack 1" in lines[0]
    assert "TS val 100 ecr 0" in lines[0] and "length 1000" in lines[0]


@pytest.mark.parametrize("first", [1_000_000, 2**32 - 2500])
def test_losses_are_seen_in_sequence_numbers(tmp_path: Path, first: int) -> None:
    write_capture(tmp_path / "c.pcap", lost_packets(first))
    numbers = sequence(*_read(tmp_path / "c.pcap", zero_unix_s=0.0))
    assert numbers.starts.tolist() == [0, 1000, 2000, 3000, 4000, 5000, 6000, 1000, 3000, 4000]
    assert numbers.sent_s[numbers.is_resent] == pytest.approx([0.091, 0.095, 0.1])
    assert numbers.acknowledged.tolist() == [1000] * 5 + [3000, 7000, 7000]
    assert numbers.acked_s[numbers.is_duplicate] == pytest.approx([0.051, 0.0701, 0.0902])
    blocks = list(zip(numbers.sacks.starts.tolist(), numbers.sacks.ends.tolist(), strict=True))
    assert blocks == [(2000, 3000), (4000, 5000), (2000, 3000), (4000, 7000), (2000, 3000), (4000, 7000)]
    assert (numbers.duplicates.starts.tolist(), numbers.duplicates.ends.tolist()) == ([4000], [5000])
    if first < 2**31 and shutil.which("tcpdump"):
        theirs = counts_of_tcpdump(tmp_path / "c.pcap", 1000)
        assert theirs.resent == pytest.approx(numbers.sent_s[numbers.is_resent])
        assert theirs.duplicates == pytest.approx(numbers.acked_s[numbers.is_duplicate])
        assert theirs.blocks == blocks and theirs.acknowledged == 7000


def test_a_duplicate_within_other_blocks_is_reported(tmp_path: Path) -> None:
    """The first block of an acknowledgment reports a duplicate above it if the second one contains it (RFC 2883)."""
    data = [CapturedPacket(0.01 * n, "a", 1 + 1000 * n, 1000, 1, stamp=100) for n in range(4)]
    ack = CapturedPacket(0.1, "b", 1, 0, 1, stamp=7, sack=((2001, 3001), (1001, 4001)))
    write_capture(tmp_path / "c.pcap", [*data, ack])
    numbers = sequence(*_read(tmp_path / "c.pcap", zero_unix_s=0.0))
    assert numbers.duplicates.starts.tolist() == [2000] and numbers.sacks.starts.tolist() == [1000]
