"""Statistics of queueing disciplines and interfaces, compared with `tc` and the kernel's files after all traffic."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from frrlib import wire
from frrlib.lab.lab import Lab
from frrlib.model.flows import Flow
from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from frrlib.place.confinement.file_tree import CODE
from frrlib.wire.events import TABLES
from tests.disciplines import BOTH, QUEUES
from tests.lab.traffic.test_disciplines import pairs

pytestmark = [pytest.mark.lab]

NAMES = ("codel", "fq_codel", "pie", "red", "choke", "sfb", "fq", "sfq", "cake", "pfifo")
#: For each kind, our name of a statistic and that of `tc -j`. A number after a name is the divisor of `tc`'s value.
SAME: dict[str, dict[str, Any]] = {
    "codel": {
        "marks": "ecn_mark", "drops_in_a_row": "count", "drops_limit": "drop_overlimit", "delay_ms": ("ldelay", 1000),
        "largest_packet_bytes": "maxpacket",
    },
    "fq_codel": {
        "marks": "ecn_mark", "drops_limit": "drop_overlimit", "new_flows_total": "new_flow_count",
        "new_flows": "new_flows_len", "old_flows": "old_flows_len", "largest_packet_bytes": "maxpacket",
    },
    "pie": {
        "marks": "ecn_mark", "packets": "pkts_in", "drops_early": "dropped", "drops_limit": "overlimit",
        "most_packets": "maxq",
    },
    "red": {"marks": "marked", "drops_early": "early", "drops_limit": "pdrop", "drops_other": "other"},
    "choke": {"marks": "marked", "drops_early": "early", "drops_limit": "pdrop", "drops_matched": "matched"},
    "sfb": {
        "marks": "marked", "drops_early": "earlydrop", "drops_penalty": "penaltydrop", "drops_bucket": "bucketdrop",
        "drops_limit": "queuedrop", "drops_child": "childdrop",
    },
    "fq": {"flows": "flows", "idle_flows": "inactive", "throttled_flows": "throttled", "priority_packets": "highprio"},
}  # fmt: skip
TIN = {
    "sent_bytes": "sent_bytes", "sent_packets": "sent_packets", "drops": "drops", "marks": "ecn_mark",
    "ack_drops": "ack_drops", "backlog_bytes": "backlog_bytes", "target_ms": ("target_us", 1000),
    "interval_ms": ("interval_us", 1000), "delay_peak_ms": ("peak_delay_us", 1000),
    "threshold_mbit": ("threshold_rate", 125_000),
}  # fmt: skip


def _topology() -> Topology:
    topology = pairs([Shape(rate_mbit=9, queue_packets=100, queue=QUEUES[name]) for name in NAMES])
    flows = (Flow(id=name, source=f"a{n}", destination=f"b{n}", duration_s=1) for n, name in enumerate(NAMES))
    return topology.model_copy(update={"flows": tuple(flows)})


@pytest.fixture(scope="module")
def sampled(is_virtual: bool) -> Iterator[tuple[Lab, dict[str, list[dict[str, Any]]]]]:
    rows: dict[str, list[dict[str, Any]]] = {name: [] for name in TABLES}

    def keep(message: wire.Message) -> None:
        if isinstance(message, wire.Samples):
            rows[message.table] += [dict(zip(TABLES[message.table], row, strict=True)) for row in message.rows]

    with Lab(_topology(), place="labkernel", virtual_time=is_virtual) as lab:
        lab.attach(listener=keep)
        result = lab.run_flows(100)
        assert result["failures"] == {}
        yield lab, rows


def _last(rows: list[dict[str, Any]], direction: str) -> dict[tuple[str, str], float]:
    return {(row["discipline"], row["statistic"]): row["value"] for row in rows if row["direction"] == direction}


def _agree(ours: float, tcs: dict[str, Any], key: str | tuple[str, float]) -> bool:
    name, over = (key, 1.0) if isinstance(key, str) else key
    # `tc` omits some statistics that are 0, and fractions of a byte a second.
    return ours == pytest.approx(tcs.get(name, 0) / over, abs=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_statistics_of_a_discipline_equal_those_of_tc(sampled: Any, name: str, is_virtual: bool) -> None:
    lab, rows = sampled
    number = NAMES.index(name)
    ours, qdiscs = json.loads(lab[f"a{number}"].run("/usr/bin/python3", "-I", "-c", BOTH, CODE))
    (mine, counts, _), tcs = ours[name], next(qdisc for qdisc in qdiscs if qdisc["kind"] == name)
    assert counts[:5] == [tcs[key] for key in ("backlog", "qlen", "bytes", "packets", "drops")]
    assert counts[6:] == [tcs["overlimits"], tcs["requeues"]] and tcs["packets"] > 100
    for word, key in SAME.get(name, {}).items():
        assert _agree(mine[word], tcs, key), (word, mine, tcs)
    if name == "cake":
        assert tcs["memory_used"] == mine["memory_bytes"] > 0
        for index, tin in enumerate(tcs["tins"]):
            for word, key in TIN.items():
                assert _agree(mine[f"tin{index}_{word}"], tin, key), (word, tin)
        assert sum(tin["sent_bytes"] for tin in tcs["tins"]) > 100_000
    # The sampler has all of them, with counts of the end of the flows. Hosts exchange other packets afterwards.
    last = _last(rows["aqm"], f"l{number}:a{number}-b{number}")
    last_values = {word: value for (kind, word), value in last.items() if kind == name}
    assert set(mine) <= set(last_values)
    for word, value in mine.items():
        if "drops" in word or "marks" in word:
            assert value - (10 if is_virtual else 100) <= last_values[word] <= value
    if name != "cake":
        assert last_values["drops"] == tcs["drops"] and last_values["backlog_packets"] <= (20 if is_virtual else 100)


def test_samples_of_queues_count_marked_packets(sampled: Any, is_virtual: bool) -> None:
    """Also those of a discipline below its shaper."""
    _, rows = sampled
    for number, name in enumerate(NAMES[:-1]):
        direction = f"l{number}:a{number}-b{number}"
        last = [row for row in rows["queue"] if row["direction"] == direction][-1]
        marks = [value for (_, word), value in _last(rows["aqm"], direction).items() if "marks" in word]
        if name in ("codel", "fq_codel"):
            marks = [_last(rows["aqm"], direction)[name, "marks"]]
        # A packet may arrive between the two readings; in real time, several.
        assert last["marks"] == pytest.approx(sum(marks), abs=4 if is_virtual else 20), name


def test_samples_of_interfaces_equal_the_kernels_file(sampled: Any) -> None:
    lab, rows = sampled
    for number in (0, len(NAMES) - 1):
        node, name = f"a{number}", f"a{number}-eth0"
        last = [row for row in rows["interface"] if (row["node"], row["interface"]) == (node, name)][-1]
        (line,) = (line for line in lab[node].run("cat", "/proc/net/dev").splitlines() if f"{name}:" in line)
        words = [int(word) for word in line.partition(":")[2].split()]
        named = ("rx_bytes", "rx_packets", "rx_errors", "rx_drops"), ("tx_bytes", "tx_packets", "tx_errors", "tx_drops")
        for names, counts in zip(named, (words[:4], words[8:12]), strict=True):
            grown = [count - last[statistic] for statistic, count in zip(names, counts, strict=True)]
            # Hosts request each other's hardware addresses, and announce themselves, at any time.
            assert 0 <= grown[0] < 2000 and 0 <= grown[1] < 20 and grown[2:] == [0, 0]
        assert last["tx_bytes"] > 100_000


def test_disciplines_are_read_once_in_each_tenth_of_a_second(sampled: Any) -> None:
    _, rows = sampled
    times = sorted({row["time_s"] for row in rows["aqm"] if row["direction"] == "l0:a0-b0"})
    tenths = [int(10 * time_s + 1e-3) for time_s in times[:-1]]  # the last one is that at the end
    assert tenths == sorted(set(tenths)) and len(times) > 5
