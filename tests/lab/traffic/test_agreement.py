"""One run, measured by samplers and captures, and by iperf3, ping, ss, tc and nstat meanwhile. All must agree."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.model.links import Shape
from frrlib.network.network import Network, Wait, end
from frrlib.render.plan import flow_plans
from frrlib.results.packets.captures import ConnectionDirection, Segments, read_capture
from frrlib.results.packets.sequence import sequence
from frrlib.results.packets.series import rates, retransmission_mask, rtt_by_ack, rtt_by_stamp, transit, unwrapped
from frrlib.wire.plan import CapturePlan
from tests.results.captured import counts_of_tcpdump

pytestmark = [pytest.mark.lab, pytest.mark.alone]

RATE_MBIT, LIMIT_BYTES, SECONDS, HZ = 20, 120_000, 6, 100
FRAME_BYTES = 1514
#: iperf3 counts received bytes only by whole blocks, at the latest since 3.18: in Debian 13, but not in Debian 12.
BLOCK_BYTES = 131_072
#: A script for a node: it runs a command this number of times, and prints the lab's clock before and after each.
WATCH = """
import json, subprocess, sys, time
for _ in range(int(sys.argv[1])):
    before = time.monotonic()
    said = subprocess.run(sys.argv[2:], capture_output=True, text=True).stdout
    print(json.dumps([before, time.monotonic(), said]))
    time.sleep(0.4)
"""


@dataclass
class MeasuredRun:
    """One run, as measured by all programs.

    Attributes:
        rows: the samplers' rows by table.
        result: the result of `run_flows`.
        capture, source_port, unix_s: the file of the packets at the sender, the port from which the data is sent, and
            the time of day at the start of all flows.
        sent, acks, behind: packets with data at the sender, their acknowledgments, and the data behind the queue.
        outputs: for "ss" and "tc", the times before and after each call, from the start of all flows, and its output.
        pings: time of each reply, from the start of all flows, and its round trip in ms.
        resent, resent_captured: growth of the kernel's count of retransmissions at the sender, including those of
            iperf3's control connection; and the number of them that were captured.
    """

    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    result: dict[str, Any] = field(default_factory=dict)
    capture: Path = Path()
    source_port: int = 0
    unix_s: float = 0.0
    sent: Segments = None  # type: ignore[assignment]
    acks: Segments = None  # type: ignore[assignment]
    behind: Segments = None  # type: ignore[assignment]
    outputs: dict[str, list[tuple[float, float, str]]] = field(default_factory=dict)
    pings: list[tuple[float, float]] = field(default_factory=list)
    resent: int = 0
    resent_captured: int = 0

    def column(self, table: str, name: str, **of: str) -> tuple[np.ndarray, np.ndarray]:
        """The times and values of a column, without empty cells."""
        rows = [row for row in self.rows[table] if all(row[key] == value for key, value in of.items())]
        points = [(row["time_s"], row[name]) for row in rows if row[name] is not None]
        return np.array([time_s for time_s, _ in points]), np.array([value for _, value in points], dtype=float)


def _resent(lab: Lab) -> int:
    counters = json.loads(lab["h1"].run("nstat", "-ajsz", "TcpRetransSegs"))
    return int(counters["kernel"]["TcpRetransSegs"])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> MeasuredRun:
    net = Network("Agreement", wait=Wait(routes=False))
    for name in ("h1", "h2"):
        net.host(name)
    net.router("r1")
    net.link(end("h1", "10.1.0.10/24"), end("r1", "10.1.0.1/24"))
    shape = Shape(rate_mbit=RATE_MBIT, delay_ms=10, queue_bytes=LIMIT_BYTES)
    net.link(end("r1", "10.2.0.1/24"), end("h2", "10.2.0.2/24"), a_to_b=shape, b_to_a=Shape(delay_ms=10))
    net.flow("f", "h1", "h2", congestion_control="cubic", duration_s=SECONDS)
    run, printed = MeasuredRun(rows={name: [] for name in wire.TABLES}), []
    folder: Path = tmp_path_factory.mktemp("agreement")

    def keep(message: wire.Message) -> None:
        if isinstance(message, wire.Samples):
            columns = wire.TABLES[message.table]
            run.rows[message.table] += [dict(zip(columns, row, strict=True)) for row in message.rows]

    def ask(name: str, node: str, *argv: str) -> threading.Thread:
        def run() -> None:
            printed.append((name, lab.ask(wire.Execute(node, argv, 60), 90)["stdout"]))

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    (flow,) = flow_plans(net.topology)
    lab = Lab(net.topology, place="labkernel")
    lab.attach(writable=folder, listener=keep)
    with lab:
        lab.ping("h1", "h2")
        resent_before = _resent(lab)
        watch = ("/usr/bin/python3", "-c", WATCH, "14")
        threads = [
            ask("ss", "h1", *watch, "ss", "-tinHO", "sport", "=", f":{flow.source_port}"),
            ask("tc", "r1", *watch, "tc", "-s", "-j", "qdisc", "show", "dev", "r1-eth1"),
            ask("ping", "h1", "ping", "-D", "-n", "-i", "0.05", "-c", str(20 * (SECONDS + 4)), "10.2.0.2"),
        ]
        captures = [CapturePlan("h1", "h1-eth0"), CapturePlan("r1", "r1-eth1")]
        run.result = lab.run_flows(HZ, captures)
        for thread in threads:
            thread.join()
        run.resent = _resent(lab) - resent_before
    zero_s, unix_s = run.result["zero_time_s"], run.result["zero_unix_s"]
    for name, output in printed:
        if name == "ping":
            answers = re.findall(r"^\[([\d.]+)\] .* time=([\d.]+) ms", output, re.MULTILINE)
            run.pings = [(float(at) - unix_s, float(rtt)) for at, rtt in answers]
        else:
            lines = map(json.loads, output.splitlines())
            run.outputs[name] = [(begin - zero_s, end - zero_s, text) for begin, end, text in lines]
    files = [run.result["captures"][name]["file"] for name in ("h1:h1-eth0", "r1:r1-eth1")]
    at_sender, behind = (read_capture(folder / file, unix_s).directions for file in files)
    ends = max(at_sender, key=lambda direction: at_sender[direction].payload_bytes.sum())
    assert isinstance(ends, ConnectionDirection)
    run.capture, run.source_port, run.unix_s = folder / files[0], ends.source_port, unix_s
    run.resent_captured = sum(
        int(np.count_nonzero(retransmission_mask(sent)))
        for direction, sent in at_sender.items()
        if direction.source == ends.source
    )
    run.sent, run.acks, run.behind = at_sender[ends], at_sender[ends.reverse], behind[ends]
    return run


def _distinct_bytes(data: Segments) -> int:
    """The number of bytes of the stream that passed. A segment that the queue dropped passes only when it is sent
    again."""
    starts = unwrapped(data.sequence)
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], (starts + data.payload_bytes)[order]
    covered_until = np.maximum.accumulate(np.concatenate((starts[:1], ends)))[:-1]
    return int(np.maximum(0, ends - np.maximum(starts, covered_until)).sum())


def test_nothing_was_missed(run: MeasuredRun) -> None:
    assert run.result["failures"] == {}
    for name, capture in run.result["captures"].items():
        assert capture["captured"] > 1000 and capture["dropped"] == 0, name


def test_throughput_equals_that_of_iperf3(run: MeasuredRun) -> None:
    """Samples of the receiver, and packets behind the queue, are within 1 % and a block of iperf3's own sum."""
    iperf3 = run.result["flows"]["f"]["end"]["sum_received"]
    times, received = run.column("tcp", "bytes_received", side="receiver")
    # The last sample may be as old as the longest time between two samples.
    late_bytes = np.diff(times).max() * RATE_MBIT * 125_000
    assert iperf3["bytes"] * 0.99 - late_bytes <= received.max() <= iperf3["bytes"] * 1.01 + BLOCK_BYTES
    first_transmissions = run.behind.select(~retransmission_mask(run.behind))
    # iperf3 stops counting before the last bytes arrive.
    assert iperf3["bytes"] <= _distinct_bytes(run.behind) <= 1.03 * iperf3["bytes"] + BLOCK_BYTES
    # The same as rates, over the same seconds.
    begin_s, end_s = 1.0, SECONDS - 0.5
    times, counts = run.column("tcp", "bytes_received", side="receiver")
    sampled = np.diff(np.interp([begin_s, end_s], times, counts))[0] * 8e-6 / (end_s - begin_s)
    captured = rates(first_transmissions, end_s - begin_s, begin_s, end_s, payload=True)[1][0]
    # The receiver counts bytes in order. At both ends of that time a hole may hold back queued and traveling bytes.
    held_back_mbit = (LIMIT_BYTES + RATE_MBIT * 20 * 125) * 8e-6 / (end_s - begin_s)
    assert captured == pytest.approx(sampled, abs=0.01 * sampled + held_back_mbit)


def test_round_trips_equal_those_of_ping_and_timestamps(run: MeasuredRun) -> None:
    """A ping waits in the same queue as the data, for the same time."""
    times, by_ack = rtt_by_ack(run.sent, run.acks)
    stamp_times, by_stamp = rtt_by_stamp(run.sent, run.acks)
    pings = np.array([ping for ping in run.pings if 1.0 < ping[0] < SECONDS - 0.5])
    assert len(pings) > 30 and pings[:, 1].max() > 40  # there was load
    off = np.interp(pings[:, 0], times, by_ack) - pings[:, 1]
    usual_ms = np.median(pings[:, 1])
    assert abs(np.median(off)) < usual_ms / 10, np.percentile(off, [5, 50, 95])
    assert np.percentile(np.abs(off), 80) < usual_ms / 4, np.percentile(off, [5, 50, 95])
    # A timestamp has a resolution of a millisecond, and the second acknowledgment may be the one that echoes it.
    off = np.interp(times, stamp_times, by_stamp) - by_ack
    assert abs(np.median(off)) < usual_ms / 20
    sampled_s, smoothed = run.column("tcp", "srtt_ms", side="sender")
    inside = (sampled_s > 1) & (sampled_s < SECONDS - 0.5)
    off = smoothed[inside] - np.interp(sampled_s[inside], times, by_ack)
    assert abs(np.median(off)) < usual_ms / 10


def _bracket(series: tuple[np.ndarray, np.ndarray], begin_s: float, end_s: float) -> tuple[float, float]:
    """The lowest and highest sample, from the last before the interval to the first after it.

    The bounds are infinite for a value that can fall, if the machine stood still and no samples were taken.
    """
    times, values = series
    first = max(0, int(np.searchsorted(times, begin_s)) - 1)
    last = min(times.size - 1, int(np.searchsorted(times, end_s)))
    part = values[first : last + 1]
    stood_still = np.diff(times[first : last + 1]).max(initial=0.0) > 3 / HZ
    if stood_still and np.diff(values).min() < 0:
        return -np.inf, np.inf
    return float(part.min()), float(part.max())


def _outputs_during_the_flow(run: MeasuredRun, name: str) -> list[tuple[float, float, str]]:
    outputs = [
        (begin_s, end_s, text)
        for begin_s, end_s, text in run.outputs[name]
        if begin_s > 0.5 and end_s < SECONDS and text.strip()
    ]
    assert len(outputs) >= 2
    return outputs


def test_windows_equal_those_of_ss_at_that_time(run: MeasuredRun) -> None:
    columns = {
        "cwnd": ("cwnd_packets", 2),
        "bytes_acked": ("bytes_acked", 0),
        "bytes_sent": ("bytes_sent", 0),
        "delivered": ("delivered_packets", 0),
        "rtt": ("srtt_ms", 1),
        "unacked": ("in_flight_packets", 4),
    }
    for begin_s, end_s, output in _outputs_during_the_flow(run, "ss"):
        for word, (column, slack) in columns.items():
            if word == "unacked" and ("sacked" in output or "lost" in output or "retrans" in output):
                continue
            number = re.search(rf"\b{word}:([\d.]+)", output)
            low, high = _bracket(run.column("tcp", column, side="sender"), begin_s, end_s)
            assert number and low - slack <= float(number[1]) <= high + slack, (word, low, high, output)


def _around(times: np.ndarray, begin_s: float, end_s: float) -> tuple[int, int]:
    """The indices of the last sample before the interval and of the first one after it."""
    return int(np.searchsorted(times, begin_s)) - 1, int(np.searchsorted(times, end_s))


def test_queues_equal_those_of_tc_at_that_time(run: MeasuredRun) -> None:
    fullest = 0
    times, backlogs = run.column("queue", "backlog_bytes")
    _, sent = run.column("queue", "sent_bytes")
    for begin_s, end_s, output in _outputs_during_the_flow(run, "tc"):
        root = next(qdisc for qdisc in json.loads(output) if qdisc.get("root"))
        for word, column in (
            ("bytes", "sent_bytes"), ("packets", "sent_packets"), ("drops", "drops"), ("overlimits", "overlimits"),
        ):  # fmt: skip
            low, high = _bracket(run.column("queue", column), begin_s, end_s)
            assert low <= root[word] <= high, (word, low, high, root)
        # Packets leave a queue only by being sent, however many arrive at once between two samples.
        last_before, first_after = _around(times, begin_s, end_s)
        least = backlogs[last_before] - (root["bytes"] - sent[last_before])
        most = backlogs[first_after] + (sent[first_after] - root["bytes"])
        assert least <= root["backlog"] <= most, (least, most, root)
        fullest = max(fullest, root["backlog"])
    assert fullest > 20_000


def test_retransmissions_equal_those_of_nstat_and_iperf3(run: MeasuredRun) -> None:
    _, sampled = run.column("tcp", "retransmits", side="sender")
    times = run.sent.time_s[retransmission_mask(run.sent)]
    captured, in_time = len(times), int(np.count_nonzero(times <= SECONDS))
    iperf3 = run.result["flows"]["f"]["end"]["sum_sent"]["retransmits"]
    # iperf3 reads the count when its time is over. Packets that travel then may be lost, and sent again later.
    assert 0 < in_time <= iperf3 <= captured
    assert in_time <= sampled.max() <= captured
    # The kernel also counts the segment that ends a connection, if it was lost.
    assert 0 <= run.resent - run.resent_captured <= 1
    assert run.resent_captured >= captured


def test_sequence_numbers_equal_those_of_tcpdump(run: MeasuredRun) -> None:
    numbers, theirs = sequence(run.sent, run.acks), counts_of_tcpdump(run.capture, run.source_port, run.unix_s)
    assert numbers.sent_s[~numbers.is_resent] == pytest.approx(theirs.data, abs=2e-6)
    assert numbers.sent_s[numbers.is_resent] == pytest.approx(theirs.resent, abs=2e-6)
    assert len(theirs.resent) > 0 and len(theirs.duplicates) > 3
    assert numbers.acked_s[numbers.is_duplicate] == pytest.approx(theirs.duplicates, abs=2e-6)
    assert list(zip(numbers.sacks.starts.tolist(), numbers.sacks.ends.tolist(), strict=True)) == theirs.blocks
    assert numbers.acknowledged.max() == theirs.acknowledged


def test_the_delay_in_the_queue_follows_from_its_length(run: MeasuredRun) -> None:
    """The delays of packets equal the length of the queue at that time, divided by the link's rate."""
    (times, took_ms), lost = transit(run.sent, run.behind)
    sampled_s, backlog = run.column("queue", "backlog_bytes")
    inside = (times > 1) & (times < SECONDS - 0.5)
    expected_ms = np.interp(times[inside], sampled_s, backlog) * 8e-3 / RATE_MBIT
    # A machine that stands still for a moment makes packets wait longer, and none shorter.
    assert np.median(took_ms[inside]) > 0.9 * np.median(expected_ms) > 10
    _, drops = run.column("queue", "drops")
    assert lost == drops.max()  # no packet was lost elsewhere
