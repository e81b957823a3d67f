"""The track as values: lanes, begins and ends of entries, the course of values, the thing under the pointer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from frrlib.checks.check import check
from frrlib.edits.fault_plan import set_faults
from frrlib.edits.schedule import ScheduleKey
from frrlib.model.fault_words import parse, parse_planned
from frrlib.model.flows import Flow
from frrlib.model.interface_names import with_names
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Host, Router
from frrlib.model.routing import Ospf
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from frrlib.render.faults import fault_plans
from miniedit_frr.editor.scenario import flow_colors
from miniedit_frr.track.builder import EMPTY_CONTEXT, SceneContext, build_scene
from miniedit_frr.track.course import row_top
from miniedit_frr.track.layout import fitted, layout_of
from miniedit_frr.track.remarks import remarks_of
from miniedit_frr.track.scene import Entry, Row, Scene
from miniedit_frr.track.suggestions import all_words, suggestions
from tests.example_counts import examples
from tests.strategies.topologies import topologies

SHAPE = Shape(rate_mbit=20, delay_ms=10)
LAB = Topology(
    nodes=(Host(name="h1"), Router(name="r1", ospf=Ospf()), Router(name="r2", ospf=Ospf()), Host(name="h2")),
    links=(
        Link(id="l1", a=End(node="h1"), b=End(node="r1")),
        Link(id="l2", a=End(node="r1"), b=End(node="r2"), a_to_b=SHAPE, b_to_a=SHAPE),
        Link(id="l3", a=End(node="r2"), b=End(node="h2")),
    ),
    flows=(
        Flow(id="f1", source="h1", destination="h2", duration_s=20),
        Flow(id="f2", source="h2", destination="h1", congestion_control="bbr", start_s=4, duration_s=None,
             size_bytes=2_000_000, count=2),
    ),
)  # fmt: skip


def with_plan(*words: str, topology: Topology = LAB) -> Topology:
    return set_faults(topology, [parse_planned(topology, fault_words) for fault_words in words])


def rows(scene: Scene) -> dict[tuple[str, str], Row]:
    return {(lane.key.name, row.key): row for lane in scene.lanes for row in lane.rows}


def entry(scene: Scene, number: int) -> Entry:
    entry_found = scene.entry(ScheduleKey("fault", number))
    assert entry_found is not None
    return entry_found


def test_only_nodes_and_links_with_a_plan_have_a_lane() -> None:
    scene = build_scene(with_plan("1 link-down l2 2s", "2 kill r2 ospfd", "3 freeze h1 1s", "4 flap r2-eth1 2 1s",
                             "5 partition r1,h1 1s"))  # fmt: skip
    assert [(lane.key, lane.title) for lane in scene.lanes] == [
        (Key("flow", "f1"), "f1"), (Key("flow", "f2"), "f2"), (Key("link", "l2"), "r1 - r2"),
        (Key("link", "l3"), "r2 - h2"), (Key("node", "h1"), "h1"), (Key("node", "r2"), "r2"),
        (Key("partition", ""), "Partitions"),
    ]  # fmt: skip
    assert scene.keys() == {
        ScheduleKey("flow", 0),
        ScheduleKey("flow", 1),
        *(ScheduleKey("fault", n) for n in range(5)),
    }
    assert entry(scene, 3).form == "teeth" and (entry(scene, 3).from_s, entry(scene, 3).until_s) == (4, 6)


def test_flows_have_the_colors_of_figures() -> None:
    controls: list[list[str]] = []

    def colours(names: list[str]) -> list[str]:
        controls.append(list(names))
        return flow_colors(names)

    topology = LAB.model_copy(update={"flows": (*LAB.flows, LAB.flows[0].model_copy(update={"id": "f3"}))})
    scene = build_scene(topology, SceneContext({}, {}, colours, {}))  # type: ignore[arg-type]
    assert controls == [["cubic", "bbr", "bbr", "cubic"]]
    looks = flow_colors(controls[0])
    assert [entry.color for entry in scene.entries()] == [looks[0], looks[1], looks[3]]
    assert [entry.form for entry in scene.entries()] == ["bar", "open", "bar"]


@pytest.mark.parametrize(
    ("words", "until_s", "form"),
    [
        (("1 link-down l2",), None, "open"),
        (("1 link-down l2", "5 link-up l2"), 5, "bar"),
        (("1 link-down l2", "5 link-up l1"), None, "open"),
        (("1 freeze r1", "3 thaw r1"), 3, "bar"),
        (("1 kill r1 ospfd", "3 restart r1 zebra", "7 restart r1 ospfd"), 7, "bar"),
        (("1 stop r1 ospfd 4s", "2 cont r1 ospfd"), 5, "bar"),
        (("1 partition r1", "6 heal"), 6, "bar"),
        (("1 power-cycle r1",), 2, "bar"),
        (("1 set l2 rate=5", "4 set l2 delay=3ms", "8 set l2 rate=7"), 8, "line"),
    ],
)
def test_a_fault_without_a_duration_lasts_until_another_fault_ends_it(
    words: tuple[str, ...], until_s: float, form: str
) -> None:
    scene = build_scene(with_plan(*words))
    first = entry(scene, 0)
    assert (first.until_s, first.form) == (until_s or scene.until_s, form)


def test_overlapping_entries_are_on_different_lines() -> None:
    row = rows(build_scene(with_plan("1 link-down l1 5s", "2 flap r1-eth0 2 1s", "7 link-down l1 1s")))["l1", ""]
    assert [entry.line for entry in row.entries] == [0, 1, 0] and row.lines == 2


PLANS = [
    ("2 vary l2 rate=square:5:10:4s 9s",),
    ("1 vary l2 rate=ramp:2:18::0.5s 6s", "12 set l2 rate=3"),
    ("3 set l2 rate=7", "5 set l2 rate=9", "8 vary l2 rate=trace:0/1,1.5/4:3s 7s"),
    ("2 vary l2 rate=sine:5:15:8s:0.5s 10s", "4 set l2 rate=1"),
]


@pytest.mark.parametrize("words", PLANS)
def test_the_drawn_rate_equals_the_rate_of_the_tc_commands(words: tuple[str, ...]) -> None:
    topology = with_plan(*words)
    line = rows(build_scene(topology))["l2", "rate_mbit>"].steps
    rates_of_tc: dict[float, list[float]] = {}
    for plan in fault_plans(with_names(topology)):
        lines = [command for tc in plan.tc for command in tc.lines if "rate " in command]
        rates_of_tc[plan.time_s] = [
            _mbit(command.split("rate ")[1].split()[0]) for command in lines
        ]  # the last one of a moment
    assert len(rates_of_tc) > 2
    for time_s, rates in rates_of_tc.items():
        value = next(value for at, value in reversed(line) if at <= time_s + 1e-9)
        assert rates == [pytest.approx(value, rel=1e-6)] * len(rates), time_s


def _mbit(text: str) -> float:
    for unit, factor in (("mbit", 1.0), ("kbit", 1e-3), ("bit", 1e-6)):
        if text.endswith(unit):
            return float(text.removesuffix(unit)) * factor
    raise AssertionError(text)


def test_problems_are_attached_to_their_entries() -> None:
    topology = with_plan(
        "1 loss l2 30% 2s", "15 loss l2 30% 9s", "25 loss l2 30% 1s", "3 link-down l9", "4 kill r1 bgpx"
    )
    fixed = (topology.flows[0], Flow(id="f2", source="h1", destination="h2", duration_s=2.5))
    topology = topology.model_copy(update={"flows": fixed})
    severities = {key: severity for key, (severity, _) in remarks_of(topology, check(topology)).items()}
    at = {fault.time_s: ScheduleKey("fault", number) for number, fault in enumerate(topology.faults)}
    assert severities == {at[15]: "warning", at[25]: "warning", at[3]: "error", ScheduleKey("flow", 1): "error"}
    scene = build_scene(
        topology, SceneContext({}, remarks_of(topology, check(topology)), EMPTY_CONTEXT.choose_colors, {})
    )
    (missing,) = [candidate for candidate in scene.entries() if candidate.key == at[3]]
    assert missing.reason.startswith("there is no link l9")


def test_the_pointer_finds_ends_levels_and_whole_entries() -> None:
    scene = build_scene(with_plan("2 vary l2 rate=square:5:20:4s 8s", "12 link-down l2 2s"))
    layout = layout_of(scene, fitted(1000, scene.until_s, 1.0))
    axis = layout.axis
    band = next(candidate for candidate in layout.bands if candidate.row.has_values)
    high, low = layout.y_of(band, 20), layout.y_of(band, 5)

    def part(time_s: float, y: float) -> tuple[int, str] | None:
        hit = layout.hit(axis.x_of(time_s), y)
        return (hit.entry.key.number, hit.part) if hit else None

    assert part(4, high) == (0, "high") and part(4, low + 2) == (0, "low")
    assert part(4, (high + low) / 2) == (0, "body") and part(10, (high + low) / 2) == (0, "end")
    assert part(15, high) is None
    events = next(
        candidate for candidate in layout.bands if candidate.lane == band.lane and not candidate.row.has_values
    )
    middle = (events.top + events.bottom) / 2
    assert part(13, middle) == (1, "body") and part(14, middle) == (1, "end") and part(11, middle) is None


@pytest.mark.parametrize(("width", "snap_s"), [(1000, 0.1), (8_000, 0.1), (40_000, 0.01), (400_000, 0.001)])
def test_drags_snap_finer_where_seconds_are_wider(width: int, snap_s: float) -> None:
    axis = fitted(width, 20.0, 1.0)
    assert axis.snap_s == snap_s
    assert axis.snapped(3.14159) == pytest.approx(round(3.14159 / snap_s) * snap_s)
    assert axis.snapped(3.14159, free=True) == 3.142


def test_zooming_keeps_the_moment_under_the_pointer() -> None:
    axis = fitted(1000, 20.0, 1.0)
    x = axis.x_of(13.0)
    near = axis.zoomed(3, x, 20.0)
    assert near.x_of(13.0) == pytest.approx(x) and near.scale == pytest.approx(3 * axis.scale)
    assert near.zoomed(1 / 3, x, 20.0).begin_s == pytest.approx(0)


def test_every_offered_fault_passes_the_check() -> None:
    offered = [(key, words) for key in (Key("link", "l1"), Key("link", "l2"), Key("node", "r1"), Key("node", "h1"))
            for words in all_words(suggestions(LAB, key, 3.0, 20.0))]  # fmt: skip
    assert len(offered) > 40
    for _, words in offered:
        topology = set_faults(LAB, [parse(LAB, words.split(), 3.0)])
        assert not [problem for problem in check(topology) if problem.field.startswith("faults")], words


def test_the_end_of_a_fault_is_found_by_time_in_any_order() -> None:
    earlier, later = parse(LAB, ["link-up", "l1"], 1.0), parse(LAB, ["link-up", "l1"], 5.0)
    topology = LAB.model_copy(update={"flows": (), "faults": (later, parse(LAB, ["link-down", "l1"], 3.0), earlier)})
    (down,) = [candidate for candidate in build_scene(topology).entries() if candidate.key == ScheduleKey("fault", 1)]
    assert (down.from_s, down.until_s) == (3.0, 5.0)


@settings(max_examples=examples(40))
@given(topologies())
def test_any_plan_has_a_track(topology: Topology) -> None:
    scene = build_scene(topology, SceneContext({}, remarks_of(topology, ()), flow_colors, {}))  # type: ignore[arg-type]
    assert scene.keys() == {
        *(ScheduleKey("flow", number) for number in range(len(topology.flows))),
        *(ScheduleKey("fault", number) for number in range(len(topology.faults))),
    }
    assert all(0 <= drawn_entry.from_s <= drawn_entry.until_s + 1e-9 for drawn_entry in scene.entries())
    layout = layout_of(scene, fitted(900, scene.until_s, 1.0))
    for band in layout.bands:
        for drawn_entry in band.row.entries:
            box = layout.box(drawn_entry, band)
            assert band.top <= box.top <= box.bottom <= band.bottom


@pytest.mark.parametrize(("loss_percent", "top"), [(5e-324, 1), (1e-8, 1.2e-8), (0.9, 1), (50, 60), (99, 100)])
def test_the_top_of_a_row_is_above_all_its_values(loss_percent: float, top: float) -> None:
    assert row_top([loss_percent], "loss_percent") == pytest.approx(top)
