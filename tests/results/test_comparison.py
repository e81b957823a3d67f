"""Comparison of runs: differences, repetitions, tables for people and for pandas."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from frrlib.formats import mn
from frrlib.model.links import Shape
from frrlib.model.protocols.ospf import Ospf
from frrlib.model.queues import Codel, FqCodel, Pfifo
from frrlib.model.topology import Topology
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.statistics.comparison import (
    METRICS,
    comparison_csv,
    comparison_json,
    comparison_table,
    group_statistics,
)
from frrlib.results.statistics.differences import fields_of, groups, short_names, sort_key, varied_fields
from frrlib.variation.assignment import Setting
from frrlib.variation.points import Point, vary
from tests.examples.data import two_as_bgp
from tests.results.conftest import Make, receiver, sender


def with_topology(folder: Path, delay_ms: float, queue_packets: int, control: str = "cubic", x: float = 0) -> Results:
    """The run of a folder, as if it had run this topology."""
    shape = Shape(rate_mbit=10, delay_ms=delay_ms, queue_packets=queue_packets)
    original = two_as_bgp()
    links = tuple(
        link.model_copy(update={"a_to_b": shape, "b_to_a": shape}) if link.is_shaped else link
        for link in original.links
    )
    flows = tuple(flow.model_copy(update={"congestion_control": control}) for flow in original.flows)
    nodes = tuple(node.model_copy(update={"x": node.x + x}) for node in original.nodes)
    topology = original.model_copy(update={"links": links, "flows": flows, "nodes": nodes})
    (folder / "topology.mn").write_text(mn.dumps(topology))
    return open_results(folder)


def a_run(make: Make, name: str, mbit: float) -> Path:
    """A run of one flow with this rate over 5 s."""
    rows = [receiver(t / 10, "f", mbit * 125_000 * t / 10) for t in range(51)]
    rows += [sender(t / 10, "f", 10, 30 + mbit, 20, 0, "cubic") for t in range(51)]
    return make(rows, name=name, title="A sweep")


@pytest.fixture
def sweep(make: Make) -> list[Results]:
    """Two delays and two queues, each combination twice. Each run has its own goodput."""
    cells = [(delay, queue) for delay in (5, 20) for queue in (10, 100)]
    return [
        with_topology(
            a_run(make, f"d{delay}-q{queue}-{repetition}", delay / 10 + queue / 100 + repetition),
            delay,
            queue,
            x=repetition,
        )
        for delay, queue in cells
        for repetition in (1, 2)
    ]


def _recorded(run: Results, facts: dict[str, str], place: str = "") -> Results:
    changed = {"facts": {**run.info.facts, **facts}, "place": place or run.info.place}
    return replace(run, info=run.info.model_copy(update=changed))


@pytest.mark.parametrize(
    ("facts", "changed"), [({"kernel": "6.12.1-lab"}, "kernel"), ({"kernel_digest": "0" * 64}, "kernel_file")]
)
def test_runs_in_different_kernels_are_not_repetitions(make: Make, facts: dict[str, str], changed: str) -> None:
    runs = [with_topology(a_run(make, name, 5), 5, 100) for name in ("one", "two", "other")]
    runs = [_recorded(run, {"kernel": "6.1.0", "kernel_digest": "1" * 64}) for run in runs]
    runs[2] = _recorded(runs[2], facts)
    rows = group_statistics(runs)
    assert sorted(len(row.statistics) for row in rows) == [1, 2]
    assert {name for row in rows for name in row.group.values} == {changed}


def test_runs_in_different_places_are_not_repetitions(make: Make) -> None:
    runs = [with_topology(a_run(make, name, 5), 5, 100) for name in ("one", "other")]
    runs = [_recorded(run, {}, place) for run, place in zip(runs, ("namespace", "labkernel"), strict=True)]
    assert [row.group.values for row in group_statistics(runs)] == [{"place": "labkernel"}, {"place": "namespace"}]


def test_a_default_that_a_file_omits_is_a_value(make: Make) -> None:
    runs = [with_topology(a_run(make, control, 5), 5, 100, control=control) for control in ("cubic", "bbr")]
    assert "congestion_control" not in json.loads(runs[0].topology_text)["miniedit_frr"]["flows"][0]  # it is the usual
    ((name, values),) = [(name, [fields_of(run)[name] for run in runs]) for name in varied_fields(runs)]
    assert name.endswith("congestion_control")
    assert values == ["cubic", "bbr"]
    assert {group.label for group in groups(runs)} == {"congestion control cubic", "congestion control bbr"}


def test_positions_and_titles_are_not_differences(sweep: list[Results]) -> None:
    names = varied_fields(sweep)
    assert names == ["links.r1-r2.a_to_b.delay_ms", "links.r1-r2.a_to_b.queue_packets"]
    assert list(short_names(names).values()) == ["delay_ms", "queue_packets"]
    assert varied_fields(sweep[:2]) == []  # nodes that were moved make no other experiment


def test_repetitions_are_one_group_in_the_order_of_the_values(sweep: list[Results]) -> None:
    sweep_groups = groups(sweep[::-1])
    assert [tuple(group.values.values()) for group in sweep_groups] == [
        (5.0, 10.0), (5.0, 100.0), (20.0, 10.0), (20.0, 100.0),
    ]  # fmt: skip
    assert all(len(group.runs) == 2 for group in sweep_groups)
    assert sweep_groups[0].label == "delay 5 ms, queue 10 packets"


def test_fields_with_equal_last_names_get_distinct_names() -> None:
    assert short_names(["links.a-b.delay", "links.b-c.delay", "flows.f.start_s"]) == {
        "links.a-b.delay": "a-b.delay", "links.b-c.delay": "b-c.delay", "flows.f.start_s": "start_s",
    }  # fmt: skip
    assert sorted(["20ms", "5ms", "100ms", "none"], key=sort_key) == ["5ms", "20ms", "100ms", "none"]


def test_congestion_control_of_a_flow_is_a_field(make: Make) -> None:
    runs = [with_topology(a_run(make, name, 5), 20, 10, name) for name in ("bbr", "reno")]
    assert [name.rpartition(".")[2] for name in varied_fields(runs)] == ["congestion_control"]
    assert [group.label for group in groups(runs)] == ["congestion control bbr", "congestion control reno"]


def test_a_queue_in_products_is_one_field(make: Make) -> None:
    runs = []
    for name, products in (("small", 0.5), ("large", 4.0)):
        folder = a_run(make, name, 5)
        topology = two_as_bgp()
        shape = Shape(rate_mbit=10, delay_ms=20, queue_bdp=products)
        links = [
            link.model_copy(update={"a_to_b": shape, "b_to_a": shape}) for link in topology.links if link.is_shaped
        ]
        changed = (topology.links[0], *links, topology.links[2])
        (folder / "topology.mn").write_text(mn.dumps(topology.model_copy(update={"links": changed})))
        runs.append(open_results(folder))
    assert fields_of(runs[0])["links.r1-r2.a_to_b.rate_mbit"] == 10
    assert [name.rpartition(".")[2] for name in varied_fields(runs)] == ["queue_bdp"]
    assert [group.label for group in groups(runs)] == ["queue 0.5 BDP", "queue 4 BDP"]


def drawn_as(folder: Path, topology: Topology, values: Mapping[str, str]) -> Results:
    """The run of a folder, as if it had run this drawing with some fields set."""
    settings = tuple(Setting(path=path, text=text) for path, text in values.items())
    (folder / "topology.mn").write_text(mn.dumps(vary(topology, Point(settings=settings)).topology))
    return open_results(folder)


def test_disciplines_differ_by_name_unless_a_parameter_differs_too(make: Make) -> None:
    queues = (Pfifo(), Codel(), FqCodel(), FqCodel(target_ms=20.0))
    runs = []
    for number, queue in enumerate(queues):
        run = with_topology(a_run(make, f"q{number}", 1), 5, 10)
        topology = mn.loads(run.topology_text).topology
        shape = next(link.a_to_b for link in topology.links if link.is_shaped).model_copy(update={"queue": queue})
        links = tuple(
            link.model_copy(update={"a_to_b": shape, "b_to_a": shape}) if link.is_shaped else link
            for link in topology.links
        )
        (run.folder / "topology.mn").write_text(mn.dumps(topology.model_copy(update={"links": links})))
        runs.append(open_results(run.folder))
    assert [name.rpartition(".")[2] for name in varied_fields(runs[:3])] == ["queue"]
    assert [group.label for group in groups(runs[:3])] == ["queue codel", "queue fq_codel", "queue pfifo"]
    assert [name.rpartition(".")[2] for name in varied_fields(runs)] == ["queue", "target_ms"]


def test_an_omitted_field_has_its_default_value(make: Make) -> None:
    """Of links and nodes, too: a queue with a limit and without, a discipline, and a host's settings."""
    altered = ({}, {"link:r1-r2.queue": "50 packets", "host:h1.cc": "bbr"}, {"link:r1-r2.queue": "fq_codel"})
    runs = [drawn_as(a_run(make, str(number), 5), two_as_bgp(), values) for number, values in enumerate(altered)]
    tables = [fields_of(run) for run in runs]
    link = "links.r1-r2.a_to_b"
    assert [table[f"{link}.queue_packets"] for table in tables] == ["none", 50, "none"]
    assert [table[f"{link}.queue"] for table in tables] == ["none", "none", "fq_codel"]
    assert [table["nodes.h1.congestion_control"] for table in tables] == ["", "bbr", ""]
    assert {group.label for group in groups(runs[::2])} == {"queue none", "queue fq_codel"}


def test_a_protocol_of_some_routers_only_is_a_value(make: Make) -> None:
    topology = two_as_bgp()
    nodes = tuple(node.model_copy(update={"ospf": Ospf()}) if node.name == "r1" else node for node in topology.nodes)
    spoken = topology.model_copy(update={"nodes": nodes})
    runs = [drawn_as(a_run(make, str(number), 5), variant, {}) for number, variant in enumerate((topology, spoken))]
    assert [group.values for group in groups(runs)] == [{"nodes.r1.ospf": "none"}, {"nodes.r1.ospf": "set"}]


def test_runs_without_a_topology_are_compared(make: Make) -> None:
    folders = [a_run(make, name, 5) for name in ("one", "two")]
    for folder in folders:
        (folder / "topology.mn").write_text("not json")
    assert len(groups([open_results(folder) for folder in folders])) == 1


def test_rows_have_means_and_intervals(sweep: list[Results]) -> None:
    rows = group_statistics(sweep)
    goodput = rows[0].metric("goodput_mbit")
    # 1.6 and 2.6 Mbit/s: s = 0.7071, t of one degree 12.706, sqrt(2)
    assert goodput is not None and goodput.half is not None
    assert goodput.mean == pytest.approx(2.1, rel=0.01) and goodput.half == pytest.approx(12.706 * 0.5, rel=0.02)
    table = comparison_table(rows)
    assert table.headings[:4] == ("delay ms", "queue packets", "n", METRICS["goodput_mbit"].title)
    assert [row[:3] for row in table.rows] == [("5", "10", "2"), ("5", "100", "2"), ("20", "10", "2"),
                                               ("20", "100", "2")]  # fmt: skip
    assert table.rows[0][3] == "2.1 [0.0, 8.5]"  # no goodput is negative


def test_pandas_reads_the_table(sweep: list[Results]) -> None:
    frame = pd.read_csv(io.StringIO(comparison_csv(group_statistics(sweep))))
    assert len(frame) == 8 and set(frame["delay_ms"]) == {5, 20}
    means = frame.groupby(["delay_ms", "queue_packets"])["goodput_mbit"].mean()
    assert means[20, 100] == pytest.approx(4.5, rel=0.01)
    assert frame["rtt_p50_ms"].notna().all() and frame["completion_s"].isna().all()
    assert len(json.loads(json.dumps(comparison_json(group_statistics(sweep)), allow_nan=False))) == 8
