"""One run, measured by samplers and captures, and meanwhile by iperf3, ping, ss, tc and nstat: they must agree."""

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
from frrlib.results.packets.series import rates, retransmission_mask, rtt_by_ack, rtt_by_stamp, transit, unwrapped
from frrlib.wire.plan import CapturePlan

pytestmark = [pytest.mark.lab, pytest.mark.alone]

RATE_MBIT, LIMIT_BYTES, SECONDS, HZ = 20, 120_000, 6, 100
FRAME_BYTES = 1514
#: From 3.18 on, if not before, iperf3 counts what it receives by whole blocks only: Debian 13's does, Debian 12's not.
BLOCK_BYTES = 131_072
#: In a node: run a command so often, and say the lab's clock before and after each time.
WATCH = """
import json, subprocess, sys, time
for _ in range(int(sys.argv[1])):
    before = time.monotonic()
    said = subprocess.run(sys.argv[2:], capture_output=True, text=True).stdout
    print(json.dumps([before, time.monotonic(), said]))
    time.sleep(0.4)
"""


@dataclass
class Seen:
    """What everybody told of the run.

    Attributes:
        rows: the samplers' rows by table.
        result: what `run_flows` gave.
        there, acks, behind: packets with data and their answers at the sender, and the former behind the queue.
        watched: "ss" and "tc" to times before and after, from the start of all flows, and what it said.
        pings: time of the answer, from the start of all flows, and round trip in ms.
        resent, resent_seen: by how much the sender's kernel's count of retransmissions grew, those of what iperf3 says
            to itself included; and how many of these were captured.
    """

    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    result: dict[str, Any] = field(default_factory=dict)
    there: Segments = None  # type: ignore[assignment]
    acks: Segments = None  # type: ignore[assignment]
    behind: Segments = None  # type: ignore[assignment]
    watched: dict[str, list[tuple[float, float, str]]] = field(default_factory=dict)
    pings: list[tuple[float, float]] = field(default_factory=list)
    resent: int = 0
    resent_seen: int = 0

    def column(self, table: str, name: str, **of: str) -> tuple[np.ndarray, np.ndarray]:
        """A column over time, where it is known."""
        mine = [row for row in self.rows[table] if all(row[key] == value for key, value in of.items())]
        known = [(row["time_s"], row[name]) for row in mine if row[name] is not None]
        return np.array([each[0] for each in known]), np.array([each[1] for each in known], dtype=float)


def _resent(lab: Lab) -> int:
    told = json.loads(lab["h1"].run("nstat", "-ajsz", "TcpRetransSegs"))
    return int(told["kernel"]["TcpRetransSegs"])


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Seen:
    net = Network("Agreement", wait=Wait(routes=False))
    for name in ("h1", "h2"):
        net.host(name)
    net.router("r1")
    net.link(end("h1", "10.1.0.10/24"), end("r1", "10.1.0.1/24"))
    there = Shape(rate_mbit=RATE_MBIT, delay_ms=10, queue_bytes=LIMIT_BYTES)
    net.link(end("r1", "10.2.0.1/24"), end("h2", "10.2.0.2/24"), a_to_b=there, b_to_a=Shape(delay_ms=10))
    net.flow("f", "h1", "h2", congestion_control="cubic", duration_s=SECONDS)
    told, found = Seen(rows={name: [] for name in wire.TABLES}), []
    folder: Path = tmp_path_factory.mktemp("agreement")

    def keep(message: wire.Message) -> None:
        if isinstance(message, wire.Samples):
            columns = wire.TABLES[message.table]
            told.rows[message.table] += [dict(zip(columns, row, strict=True)) for row in message.rows]

    def ask(name: str, node: str, *argv: str) -> threading.Thread:
        def run() -> None:
            found.append((name, lab.ask(wire.Execute(node, argv, 60), 90)["stdout"]))

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    (flow,) = flow_plans(net.topology)
    lab = Lab(net.topology, place="labkernel")
    lab.attach(writable=folder, listener=keep)
    with lab:
        lab.ping("h1", "h2")
        before = _resent(lab)
        watch = ("/usr/bin/python3", "-c", WATCH, "14")
        threads = [
            ask("ss", "h1", *watch, "ss", "-tinHO", "sport", "=", f":{flow.source_port}"),
            ask("tc", "r1", *watch, "tc", "-s", "-j", "qdisc", "show", "dev", "r1-eth1"),
            ask("ping", "h1", "ping", "-D", "-n", "-i", "0.05", "-c", str(20 * (SECONDS + 4)), "10.2.0.2"),
        ]
        captures = [CapturePlan("h1", "h1-eth0"), CapturePlan("r1", "r1-eth1")]
        told.result = lab.run_flows(HZ, captures)
        for thread in threads:
            thread.join()
        told.resent = _resent(lab) - before
    zero_s, unix_s = told.result["zero_time_s"], told.result["zero_unix_s"]
    for name, said in found:
        if name == "ping":
            answers = re.findall(r"^\[([\d.]+)\] .* time=([\d.]+) ms", said, re.MULTILINE)
            told.pings = [(float(at) - unix_s, float(rtt)) for at, rtt in answers]
        else:
            lines = map(json.loads, said.splitlines())
            told.watched[name] = [(begin - zero_s, end - zero_s, text) for begin, end, text in lines]
    files = [told.result["captures"][name]["file"] for name in ("h1:h1-eth0", "r1:r1-eth1")]
    here, behind = (read_capture(folder / file, unix_s).directions for file in files)
    ends = max(here, key=lambda each: here[each].payload_bytes.sum())
    assert isinstance(ends, ConnectionDirection)
    told.resent_seen = sum(
        int(np.count_nonzero(retransmission_mask(sent))) for each, sent in here.items() if each.source == ends.source
    )
    told.there, told.acks, told.behind = here[ends], here[ends.reverse], behind[ends]
    return told


def _distinct_bytes(data: Segments) -> int:
    """How much of the stream passed. What the queue had dropped passes here for the first time when sent again."""
    starts = unwrapped(data.sequence)
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], (starts + data.payload_bytes)[order]
    before = np.maximum.accumulate(np.concatenate((starts[:1], ends)))[:-1]
    return int(np.maximum(0, ends - np.maximum(starts, before)).sum())


def test_nothing_was_missed(seen: Seen) -> None:
    assert seen.result["failures"] == {}
    for name, capture in seen.result["captures"].items():
        assert capture["captured"] > 1000 and capture["dropped"] == 0, name


def test_throughput_is_what_iperf3_says(seen: Seen) -> None:
    """Samples of the receiver, and packets behind the queue, within 1 % and a block of iperf3's own sum."""
    said = seen.result["flows"]["f"]["end"]["sum_received"]
    times, received = seen.column("tcp", "bytes_received", side="receiver")
    # The last sample may be as long ago as the machine once took from one to the next.
    late_bytes = np.diff(times).max() * RATE_MBIT * 125_000
    assert said["bytes"] * 0.99 - late_bytes <= received.max() <= said["bytes"] * 1.01 + BLOCK_BYTES
    first = seen.behind.select(~retransmission_mask(seen.behind))
    # iperf3 stops counting before the last bytes have come.
    assert said["bytes"] <= _distinct_bytes(seen.behind) <= 1.03 * said["bytes"] + BLOCK_BYTES
    # As rates, over the same seconds.
    begin_s, end_s = 1.0, SECONDS - 0.5
    times, counts = seen.column("tcp", "bytes_received", side="receiver")
    sampled = np.diff(np.interp([begin_s, end_s], times, counts))[0] * 8e-6 / (end_s - begin_s)
    captured = rates(first, end_s - begin_s, begin_s, end_s, payload=True)[1][0]
    # The receiver counts what is in order: at both ends of that time a hole may hold back what is queued and under way.
    held_back_mbit = (LIMIT_BYTES + RATE_MBIT * 20 * 125) * 8e-6 / (end_s - begin_s)
    assert captured == pytest.approx(sampled, abs=0.01 * sampled + held_back_mbit)


def test_round_trips_are_what_ping_and_timestamps_say(seen: Seen) -> None:
    """A ping waits in the same queue as the data, and so long."""
    times, by_ack = rtt_by_ack(seen.there, seen.acks)
    stamp_times, by_stamp = rtt_by_stamp(seen.there, seen.acks)
    pings = np.array([each for each in seen.pings if 1.0 < each[0] < SECONDS - 0.5])
    assert len(pings) > 30 and pings[:, 1].max() > 40  # there was load
    off = np.interp(pings[:, 0], times, by_ack) - pings[:, 1]
    usual_ms = np.median(pings[:, 1])
    assert abs(np.median(off)) < usual_ms / 10, np.percentile(off, [5, 50, 95])
    assert np.percentile(np.abs(off), 80) < usual_ms / 4, np.percentile(off, [5, 50, 95])
    # A timestamp lasts a millisecond, and the answer to it may be the second one.
    off = np.interp(times, stamp_times, by_stamp) - by_ack
    assert abs(np.median(off)) < usual_ms / 20
    sampled_s, smoothed = seen.column("tcp", "srtt_ms", side="sender")
    inside = (sampled_s > 1) & (sampled_s < SECONDS - 0.5)
    off = smoothed[inside] - np.interp(sampled_s[inside], times, by_ack)
    assert abs(np.median(off)) < usual_ms / 10


def _bracket(series: tuple[np.ndarray, np.ndarray], begin_s: float, end_s: float) -> tuple[float, float]:
    """The least and the most of the samples from the one before to the one after. Whatever does not only grow may have
    been anything while nobody took samples, since the machine stood still."""
    times, values = series
    first = max(0, int(np.searchsorted(times, begin_s)) - 1)
    last = min(times.size - 1, int(np.searchsorted(times, end_s)))
    part = values[first : last + 1]
    stood_still = np.diff(times[first : last + 1]).max(initial=0.0) > 3 / HZ
    if stood_still and np.diff(values).min() < 0:
        return -np.inf, np.inf
    return float(part.min()), float(part.max())


def _in_time(seen: Seen, name: str) -> list[tuple[float, float, str]]:
    found = [each for each in seen.watched[name] if each[0] > 0.5 and each[1] < SECONDS and each[2].strip()]
    assert len(found) >= 2
    return found


def test_windows_are_what_ss_says_at_that_time(seen: Seen) -> None:
    columns = {
        "cwnd": ("cwnd_packets", 2),
        "bytes_acked": ("bytes_acked", 0),
        "bytes_sent": ("bytes_sent", 0),
        "delivered": ("delivered_packets", 0),
        "rtt": ("srtt_ms", 1),
        "unacked": ("in_flight_packets", 4),
    }
    for begin_s, end_s, said in _in_time(seen, "ss"):
        for word, (column, slack) in columns.items():
            if word == "unacked" and ("sacked" in said or "lost" in said or "retrans" in said):
                continue
            number = re.search(rf"\b{word}:([\d.]+)", said)
            low, high = _bracket(seen.column("tcp", column, side="sender"), begin_s, end_s)
            assert number and low - slack <= float(number[1]) <= high + slack, (word, low, high, said)


def _around(times: np.ndarray, begin_s: float, end_s: float) -> tuple[int, int]:
    """The last sample before and the first one after."""
    return int(np.searchsorted(times, begin_s)) - 1, int(np.searchsorted(times, end_s))


def test_queues_are_what_tc_says_at_that_time(seen: Seen) -> None:
    fullest = 0
    times, backlogs = seen.column("queue", "backlog_bytes")
    _, sent = seen.column("queue", "sent_bytes")
    for begin_s, end_s, said in _in_time(seen, "tc"):
        root = next(each for each in json.loads(said) if each.get("root"))
        for word, column in (
            ("bytes", "sent_bytes"), ("packets", "sent_packets"), ("drops", "drops"), ("overlimits", "overlimits"),
        ):  # fmt: skip
            low, high = _bracket(seen.column("queue", column), begin_s, end_s)
            assert low <= root[word] <= high, (word, low, high, root)
        # However many came at once between two samples: what is in a queue leaves it by being sent only.
        before, after = _around(times, begin_s, end_s)
        least = backlogs[before] - (root["bytes"] - sent[before])
        most = backlogs[after] + (sent[after] - root["bytes"])
        assert least <= root["backlog"] <= most, (least, most, root)
        fullest = max(fullest, root["backlog"])
    assert fullest > 20_000


def test_retransmissions_are_what_nstat_and_iperf3_say(seen: Seen) -> None:
    _, sampled = seen.column("tcp", "retransmits", side="sender")
    times = seen.there.time_s[retransmission_mask(seen.there)]
    captured, in_time = len(times), int(np.count_nonzero(times <= SECONDS))
    said = seen.result["flows"]["f"]["end"]["sum_sent"]["retransmits"]
    # iperf3 asks when its time is over; what is under way then may be lost, and sent again after that.
    assert 0 < in_time <= said <= captured
    assert in_time <= sampled.max() <= captured
    # The kernel counts what ends a connection, too, if that was lost.
    assert 0 <= seen.resent - seen.resent_seen <= 1
    assert seen.resent_seen >= captured


def test_the_way_through_the_queue_is_as_long_as_the_queue(seen: Seen) -> None:
    """Packets tell how long they waited; what was in the queue then, at the link's rate, says the same."""
    (times, took_ms), lost = transit(seen.there, seen.behind)
    sampled_s, backlog = seen.column("queue", "backlog_bytes")
    inside = (times > 1) & (times < SECONDS - 0.5)
    expected_ms = np.interp(times[inside], sampled_s, backlog) * 8e-3 / RATE_MBIT
    # A machine that stands still for a moment makes packets wait longer, and none shorter.
    assert np.median(took_ms[inside]) > 0.9 * np.median(expected_ms) > 10
    _, drops = seen.column("queue", "drops")
    assert lost == drops.max()  # whatever was lost was lost there
