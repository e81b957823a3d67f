"""The timeline of faults, from results folders written by hand."""

from __future__ import annotations

import io
import json
import math
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from frrlib import wire
from frrlib.plots.timeline import figure, figure_bytes
from frrlib.results.read import open_results
from frrlib.results.timeline import fault_timeline, longest_gap
from frrlib.results.writer import Writer
from miniedit_frr.terminal import timeline as story

STORED = Path(__file__).parents[1] / "data" / "results-v1"
ZERO_S = 1000.0


def _sample(time_s: float, received: float) -> list[object]:
    row: dict[str, object] = dict.fromkeys(wire.TABLES["tcp"])
    row |= {
        "time_s": time_s,
        "flow": "f",
        "side": "receiver",
        "bytes_received": received,
        "congestion_control": "cubic",
    }
    return list(row.values())


def _adjacency(router: str, neighbor: str, state: str, at_s: float, protocol: str = "ospf") -> wire.AdjacencyEvent:
    up = state in ("Full", "up")
    return wire.AdjacencyEvent(router, protocol, neighbor, state, up, ZERO_S + at_s, f"{router}-eth0")


def _run(folder: Path, *, bfd: bool = False, title: str = "Reroute") -> Path:
    """A flow of 10 s at 1 MB/s; at 3 s its link dies unseen, at 5.5 s it goes on another way, at 8 s the link is back.

    With `bfd` the loss is noticed after 0.2 s and the flow continues after 0.25 s.
    """
    noticed_s, on_s = (3.2, 3.25) if bfd else (5.0, 5.5)
    with Writer.create(folder, "{}", {}, title=title) as writer:
        writer.set_zero_time(ZERO_S)
        times = np.arange(0, 10.001, 0.01)
        counts = 1e6 * np.where(times < 3, times, np.where(times < on_s, 3, times - (on_s - 3)))
        writer.add(wire.Samples("tcp", [_sample(float(t), float(c)) for t, c in zip(times, counts, strict=True)]))
        for router, neighbor in (("r1", "r2"), ("r2", "r1")):
            writer.add(_adjacency(router, neighbor, "Full", -5))
            if bfd:
                writer.add(_adjacency(router, neighbor, "up", -5, "bfd"))
        messages: list[wire.Message] = [
            wire.FlowEvent("f", "start", 0.0),
            wire.FaultEvent("loss", "l1", ZERO_S + 3, "all packets are lost"),
            wire.RoutingNote("r1", "ospf", "timer", "dead timer expired (r1-eth0)", ZERO_S + noticed_s),
            _adjacency("r1", "r2", "gone", noticed_s + 0.001),
            wire.RoutingNote("r1", "ospf", "spf", "shortest paths, run 7", ZERO_S + noticed_s + 0.01, 0.002),
            wire.RouteEvent("r1", "10.2.0.0/24", True, ZERO_S + noticed_s + 0.02, ("10.9.0.3 r1-eth1",), "ospf"),
            wire.RouteEvent("r1", "10.3.0.0/24", True, ZERO_S + noticed_s + 0.021, ("10.9.0.3 r1-eth1",), "ospf"),
            wire.RouteEvent("r3", "10.2.0.0/24", True, ZERO_S + noticed_s + 0.1, ("10.8.0.3 r3-eth1",), "ospf"),
            wire.FaultEvent("loss-over", "l1", ZERO_S + 8),
            _adjacency("r1", "r2", "Init", 8.1),
            _adjacency("r1", "r2", "Full", 8.5),
            wire.DaemonExit("r3", "ospfd", -9, "log", ZERO_S + 9),
            wire.FlowEvent("f", "end", 10.1),
        ]  # fmt: skip
        for message in messages:
            writer.add(message)
    return folder


def test_events_have_both_times_and_their_texts(tmp_path: Path) -> None:
    events = open_results(_run(tmp_path / "run")).events
    fault = next(event for event in events if event.kind == "fault")
    assert (fault.time_s, fault.lab_time_s, fault.subject, fault.what) == (3.0, 1003.0, "l1", "loss")
    route = next(event for event in events if event.kind == "route")
    assert (route.text, route.detail) == ("10.2.0.0/24", "ospf via 10.9.0.3 r1-eth1")
    lost = next(event for event in events if event.kind == "adjacency" and event.what == "down")
    assert (lost.text, lost.detail) == ("ospf r2", "gone; at r1-eth0")
    spf = next(event for event in events if event.what == "spf")
    assert (spf.text, spf.detail) == ("ospf shortest paths, run 7", "took 2 ms")
    assert [event.what for event in events if event.kind == "daemon"] == ["died"]


def test_a_folder_of_the_first_format_has_no_details_and_needs_none() -> None:
    results = open_results(STORED)
    assert not any("detail" in warning for warning in results.warnings)
    assert {event.detail for event in results.events} == {""}
    assert all(math.isnan(chapter.detected_s) for chapter in fault_timeline(results).chapters)


def test_moments_of_a_timeline_are_in_order(tmp_path: Path) -> None:
    story = fault_timeline(open_results(_run(tmp_path / "run")))
    (chapter,) = story.chapters
    assert (chapter.fault, chapter.target, chapter.time_s) == ("loss", "l1", 3.0)
    assert [moment.what for moment in chapter.moments] == [
        "fault", "flow stops", "detected", "neighbor lost", "spf", "route", "route", "flow continues", "cleared",
        "note", "neighbor back", "daemon",
    ]  # fmt: skip
    routes = [moment for moment in chapter.moments if moment.what == "route"]
    assert routes[0].text == "added 10.2.0.0/24 and 1 more, ospf via 10.9.0.3 r1-eth1"
    assert chapter.detected_s == pytest.approx(2.0)
    assert chapter.detected_by == "ospf's timer"
    assert chapter.neighbor_s == pytest.approx(2.001)
    assert chapter.spf_s == pytest.approx(2.01)
    assert (chapter.first_route_s, chapter.last_route_s) == (pytest.approx(2.02), pytest.approx(2.1))
    assert chapter.back_s == pytest.approx(5.5)
    (gap,) = chapter.gaps
    assert gap.lasted_s == pytest.approx(2.5, abs=0.03)
    assert gap.to_s == pytest.approx(5.5, abs=0.02)
    assert set(story.routers) == {"r1", "r2", "r3"}


def test_events_of_bfd_come_first(tmp_path: Path) -> None:
    with Writer.create(tmp_path / "run", "{}", {}) as writer:
        writer.set_zero_time(ZERO_S)
        for message in (
            _adjacency("r1", "r2", "up", -5, "bfd"),
            _adjacency("r1", "r2", "Full", -5),
            wire.FaultEvent("loss", "l1", ZERO_S + 1),
            _adjacency("r1", "r2", "down", 1.25, "bfd"),
            wire.RoutingNote("r1", "ospf", "down", "BFD session went down (r1-eth0)", ZERO_S + 1.26),
            _adjacency("r1", "r2", "gone", 1.26),
        ):
            writer.add(message)
    (chapter,) = fault_timeline(open_results(tmp_path / "run")).chapters
    assert (chapter.detected_by, chapter.detected_s) == ("bfd", pytest.approx(0.25))
    assert chapter.neighbor_s == pytest.approx(0.26)  # of those that route by it


def test_detection_by_bfd_is_not_attributed_to_the_timer(tmp_path: Path) -> None:
    (chapter,) = fault_timeline(open_results(_run(tmp_path / "run", bfd=True))).chapters
    assert chapter.detected_by == "bfd"
    assert chapter.gaps[0].lasted_s == pytest.approx(0.25, abs=0.03)


def test_parts_of_a_larger_fault_do_not_begin_a_chapter(tmp_path: Path) -> None:
    with Writer.create(tmp_path / "run", "{}", {}) as writer:
        writer.set_zero_time(0.0)
        for fault, target in (("partition", "r1"), ("link-down", "l1"), ("link-down", "l3"), ("healed", ""),
                              ("flap", "r1:r1-eth0"), ("interface-down", "r1:r1-eth0"), ("interface-up", "r1:r1-eth0"),
                              ("link-down", "l1")):  # fmt: skip
            writer.add(wire.FaultEvent(fault, target, 1.0))
    story = fault_timeline(open_results(tmp_path / "run"))
    assert [chapter.fault for chapter in story.chapters] == ["partition", "flap", "link-down"]


TIMES = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])


@pytest.mark.parametrize(
    ("counts", "span", "last_s", "gap"),
    [
        ([0, 1, 2, 2, 2, 5], (2.5, 5.0), 5.0, (2.0, 5.0, 3.0)),  # from before the span into it
        ([0, 1, 2, 3, 3, 3], (2.5, 5.0), 6.0, (3.0, math.nan, 3.0)),  # and never on again
        ([0, 1, 2, 3, 4, 5], (1.5, 4.5), 5.0, (1.0, 2.0, 1.0)),  # no gap but that between samples
    ],
)
def test_the_longest_gap(
    counts: list[float], span: tuple[float, float], last_s: float, gap: tuple[float, float, float]
) -> None:
    longest = longest_gap((TIMES, np.array(counts, dtype=float)), *span, last_s)
    assert longest is not None
    np.testing.assert_allclose(longest, gap)


def test_a_gap_before_a_fault_is_not_attributed_to_it(tmp_path: Path) -> None:
    with Writer.create(tmp_path / "run", "{}", {}) as writer:
        writer.set_zero_time(ZERO_S)
        # Arrives until 3 s, from 5 s to 7 s, and from 8 s on.
        moves = [at_s / 100 for at_s in range(1001) if at_s <= 300 or 500 <= at_s <= 700 or at_s >= 800]
        writer.add(wire.Samples("tcp", [_sample(at_s, 1e4 * number) for number, at_s in enumerate(moves)]))
        writer.add(wire.FlowEvent("f", "start", 0.0))
        writer.add(wire.FaultEvent("loss", "l1", ZERO_S + 4))
        writer.add(wire.FlowEvent("f", "end", 10.0))
    (chapter,) = fault_timeline(open_results(tmp_path / "run")).chapters
    (gap,) = chapter.gaps
    assert (gap.from_s, gap.to_s) == (pytest.approx(7.0), pytest.approx(8.0))


def test_loss_of_carrier_is_detected_by_removed_routes(tmp_path: Path) -> None:
    with Writer.create(tmp_path / "run", "{}", {}) as writer:
        writer.set_zero_time(ZERO_S)
        for message in (
            _adjacency("r1", "r2", "Full", -5),
            wire.FaultEvent("link-down", "l1", ZERO_S + 1),
            wire.RouteEvent("r1", "10.2.0.0/24", False, ZERO_S + 1.004, (), "ospf"),
            wire.RoutingNote("r1", "ospf", "down", "its interface went down (r1-eth0)", ZERO_S + 1.01),
            _adjacency("r1", "r2", "gone", 1.01),
        ):
            writer.add(message)
    (chapter,) = fault_timeline(open_results(tmp_path / "run")).chapters
    assert (chapter.detected_by, chapter.detected_s) == ("carrier", pytest.approx(0.004))
    assert [moment.what for moment in chapter.moments] == ["fault", "detected", "neighbor lost"]
    assert chapter.moments[-1].text.endswith("its interface went down")


def test_two_runs_are_printed_side_by_side(tmp_path: Path) -> None:
    slow = fault_timeline(open_results(_run(tmp_path / "slow", title="Without")))
    fast = fault_timeline(open_results(_run(tmp_path / "fast", bfd=True, title="With BFD")))
    out = io.StringIO()
    console = Console(file=out, width=100)
    story.print_timeline(console, slow)
    story.print_comparison(console, [slow, fast])
    lines = out.getvalue().splitlines()
    detected = next(line.split() for line in lines if line.startswith("detected  "))
    assert detected == ["detected", "2000", "200", "10.0"]
    assert any(line.startswith("detected by") and line.split()[-1] == "bfd" for line in lines)
    assert any("flow continues" in line and "after 2510 ms" in line for line in lines)
    content = json.loads(json.dumps(story.timeline_json(slow)))
    assert content["chapters"][0]["detected_s"] == pytest.approx(2.0)


def test_the_figure_has_a_lane_for_each_router_and_a_line_for_each_fault(tmp_path: Path) -> None:
    results = open_results(_run(tmp_path / "run"))
    flows, lanes = figure(results).axes
    assert [label.get_text() for label in lanes.get_yticklabels()] == ["r1", "r2", "r3"]
    marks = [line.get_xdata()[0] for line in flows.lines if len(line.get_xdata()) == 2]
    assert {3.0, 8.0} <= set(marks)
    assert figure_bytes(results, "svg").lstrip().startswith(b"<?xml")
