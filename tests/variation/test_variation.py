"""Any field of a topology can be set by its path, and errors are reported before a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from frrlib.network import Network
from frrlib.variation.assignment import Setting, set_field
from frrlib.variation.axes import Axis, parse_axis, parse_zip, read_list, with_first_row
from frrlib.variation.points import Point, checked, count, points, vary

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DRAWING = mn.load(EXAMPLES / "two-as-bgp.mn").topology


def after(path: str, text: str, topology: Topology = DRAWING) -> Topology:
    return vary(topology, Point(settings=(Setting(path=path, text=text),))).topology


def bottleneck(topology: Topology) -> Any:
    link = topology.link("l2")
    assert link is not None and (link.a.node, link.b.node) == ("r1", "r2")
    return link


def texts(axis: Axis) -> list[str]:
    return [row[0] for row in axis.rows]


# --- paths of fields ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["l2", "r1-r2", "r2-r1", "r?-r?", "*2-r1"])
def test_a_link_is_its_id_or_its_ends_and_both_directions(name: str) -> None:
    link = bottleneck(after(f"link:{name}.rate_mbit", "33"))
    assert (link.a_to_b.rate_mbit, link.b_to_a.rate_mbit) == (33, 33)


@pytest.mark.parametrize(("name", "changed"), [("r1>r2", "a_to_b"), ("r2>r1", "b_to_a")])
def test_one_direction_of_a_link(name: str, changed: str) -> None:
    link = bottleneck(after(f"link:{name}.delay", "7ms"))
    opposite = {"a_to_b": "b_to_a", "b_to_a": "a_to_b"}[changed]
    assert getattr(link, changed).delay_ms == 7
    assert getattr(link, opposite) == getattr(bottleneck(DRAWING), opposite)


def test_fields_of_link_ends_belong_to_the_sending_end() -> None:
    assert [end.mtu_bytes for end in bottleneck(after("link:r1-r2.mtu", "1400")).ends] == [1400, 1400]
    assert [end.mtu_bytes for end in bottleneck(after("link:r2>r1.mtu", "1400")).ends] == [None, 1400]
    assert [end.mtu_bytes for end in bottleneck(after("link:l2.b.mtu_bytes", "1400")).ends] == [None, 1400]


def test_a_name_that_means_links_between_different_nodes_is_refused() -> None:
    network = Network("Hyphens")
    for name in ("h1-1", "r1", "h1", "1-r1"):
        network.host(name)
    network.link("h1-1", "r1", both=Shape(rate_mbit=1))
    network.link("h1", "1-r1", both=Shape(rate_mbit=1))
    first, second = network.topology.links
    with pytest.raises(TopologyError) as refused:
        after("link:h1-1-r1.rate_mbit", "3", network.topology)
    assert refused.value.remedy == f"use an id: {first.id} (h1-1 to r1) or {second.id} (h1 to 1-r1)"
    assert after(f"link:{first.id}.rate_mbit", "3", network.topology).links[1] == second
    changed = after("link:h1*r1.rate_mbit", "3", network.topology)
    assert [link.a_to_b.rate_mbit for link in changed.links] == [3, 3]


def test_patterns_name_several_objects() -> None:
    assert {flow.congestion_control for flow in after("flow:*.cc", "reno").flows} == {"reno"}
    assert [flow.congestion_control for flow in after("flow:b*.cc", "reno").flows] == ["cubic", "reno"]
    assert {host.tcp.sack for host in after("host:*.tcp.sack", "off").hosts} == {False}


def test_fields_are_set_where_they_exist() -> None:
    r1 = after("node:*.bgp.asn", "65001").node("r1")
    assert r1 is not None and r1.kind == "router" and r1.bgp is not None and r1.bgp.asn == 65001


def test_entries_of_lists_are_counted_from_one() -> None:
    by_number, by_star = (after(f"router:*.bgp.neighbors.{which}.hold_s", "9") for which in ("1", "*"))
    assert by_number == by_star
    assert [router.bgp.neighbors[0].hold_s for router in by_number.routers if router.bgp] == [9, 9]


def test_kernel_parameters_are_set_or_added() -> None:
    first = after("kernel:tcp_bbr3.beta", "200")
    assert [str(parameter) for parameter in first.kernel_parameters] == ["tcp_bbr3.beta=200"]
    second = after("kernel:tcp_bbr3.headroom", "10", first)
    both = after("kernel:tcp_bbr3.*", "7", second)
    assert [str(parameter) for parameter in both.kernel_parameters] == ["tcp_bbr3.beta=7", "tcp_bbr3.headroom=7"]
    assert texts(parse_axis(DRAWING, "kernel:tcp_bbr3.beta=128:230:51")) == ["128", "179", "230"]
    setting = Setting(path="kernel:tcp_bbr3.beta", text="200")
    assert set_field(DRAWING, setting).column == "kernel:tcp_bbr3.beta"


def test_fields_of_the_topology_itself() -> None:
    assert after("wait.timeout_s", "2 min").wait.timeout_s == 120
    assert after("title", "Another one").title == "Another one"


# --- texts of values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [("2bdp", "queue_bdp", 2), ("40", "queue_packets", 40), ("40 packets", "queue_packets", 40),
     ("64kB", "queue_bytes", 64_000), ("50ms", "queue_ms", 50)],
)  # fmt: skip
def test_the_unit_selects_the_field_of_a_queue_limit(text: str, field: str, value: float) -> None:
    shape = bottleneck(after("link:r1-r2.queue", text)).a_to_b
    limits = ("queue_bdp", "queue_packets", "queue_bytes", "queue_ms")
    assert {name: getattr(shape, name) for name in limits} == dict.fromkeys(limits) | {field: value}


def test_a_queue_may_also_be_a_discipline_and_then_its_parameters() -> None:
    axes = []
    topology = DRAWING
    for text in ("link:r1-r2.queue=codel,pie", "link:r1-r2.queue.target_ms=5ms,10ms"):
        axes.append(parse_axis(topology, text))
        topology = with_first_row(topology, axes[-1])
    queues = [bottleneck(checked(DRAWING, point).topology).a_to_b.queue for point in points(axes)]
    assert [(queue.kind, queue.target_ms) for queue in queues] == [("codel", 5), ("codel", 10), ("pie", 5), ("pie", 10)]


def test_units_are_those_of_dialogs() -> None:
    assert bottleneck(after("link:r1-r2.rate", "1.5 gbit")).a_to_b.rate_mbit == 1500
    assert [flow.duration_s for flow in after("flow:*.duration", "500 ms").flows] == [0.5, 0.5]
    assert [flow.size_bytes for flow in after("flow:*.size", "3 MB").flows] == [3_000_000] * 2
    assert [flow.duration_s for flow in after("flow:*.size", "3 MB").flows] == [None, None]
    assert [host.tcp.buffer_bdp for host in after("host:*.buffer", "2bdp").hosts] == [2, 2]


def test_none_clears_a_field() -> None:
    without = after("link:r1-r2.queue_bdp", "none")
    assert bottleneck(without).a_to_b.queue_bdp is None
    assert bottleneck(after("link:r1-r2.offloads", "on")).a.offloads is True


@pytest.mark.parametrize(
    ("range_text", "values"),
    [("10:50:10", [10, 20, 30, 40, 50]), ("50:10:-20", [50, 30, 10]), ("10:25:10", [10, 20]),
     ("1:1000:x10", [1, 10, 100, 1000]), ("10:1000:log3", [10, 100, 1000]), ("0.5:1.5:lin3", [0.5, 1, 1.5]),
     ("1,5:7:1,9", [1, 5, 6, 7, 9]), ("0.1:0.5:0.1", [0.1, 0.2, 0.3, 0.4, 0.5])],
)  # fmt: skip
def test_ranges_are_expanded(range_text: str, values: list[float]) -> None:
    axis = parse_axis(DRAWING, f"link:r1-r2.rate={range_text}")
    assert [bottleneck(after("link:r1-r2.rate", text)).a_to_b.rate_mbit for text in texts(axis)] == values


def test_ranges_keep_their_unit() -> None:
    axis = parse_axis(DRAWING, "link:r1-r2.queue=1bdp:4bdp:x2")
    assert [bottleneck(after("link:r1-r2.queue", text)).a_to_b.queue_bdp for text in texts(axis)] == [1, 2, 4]
    axis = parse_axis(DRAWING, "link:r1-r2.delay=10ms:0.03s:10")
    assert [bottleneck(after("link:r1-r2.delay", text)).a_to_b.delay_ms for text in texts(axis)] == [10, 20, 30]


def test_a_value_with_a_comma_is_quoted() -> None:
    assert texts(parse_axis(DRAWING, 'title="one, two",three')) == ["one, two", "three"]


# --- combinations -----------------------------------------------------------------------------------------------------


def test_points_of_a_grid_a_zip_and_a_list() -> None:
    grid = parse_axis(DRAWING, "flow:*.cc=cubic,bbr")
    zipped = parse_zip(DRAWING, "link:r1-r2.rate=10,20; link:r1-r2.delay=40,20")
    table = read_list(DRAWING, "host:h1.tcp.sack, wait.ping_count\non, 1\noff, 2\n\non, 3\n", "runs.csv")
    axes = (grid, zipped, table)
    texts_of_points = [tuple(setting.text for setting in point.settings) for point in points(axes)]
    assert len(texts_of_points) == count(axes) == 2 * 2 * 3
    assert texts_of_points[0] == ("cubic", "10", "40", "on", "1")
    assert texts_of_points[-1] == ("bbr", "20", "20", "on", "3")
    assert len(set(texts_of_points)) == len(texts_of_points)


def test_columns_have_the_fields_own_name_and_plain_numbers() -> None:
    settings = (Setting(path="link:r1-r2.rate", text="1 gbit"), Setting(path="link:r1-r2.queue", text="2bdp"),
            Setting(path="flow:*.cc", text="bbr"))  # fmt: skip
    assert vary(DRAWING, Point(settings=settings)).cells == {
        "link:r1-r2.rate_mbit": 1000.0, "link:r1-r2.queue_bdp": 2.0, "flow:*.congestion_control": "bbr",
    }  # fmt: skip


@pytest.mark.parametrize("file", sorted(EXAMPLES.glob("*.mn")), ids=lambda file: file.stem)
def test_the_current_value_changes_nothing(file: Path) -> None:
    topology = mn.load(file).topology
    assert vary(topology, Point()).topology == topology
    for link in topology.links:
        for field in ("rate_mbit", "jitter_ms", "shaper", "queue_ms", "queue_bdp"):
            setting = Setting(path=f"link:{link.id}.a_to_b.{field}", text=str(getattr(link.a_to_b, field)))
            assert set_field(topology, setting).topology == topology


# --- errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("link:r1-r3.rate=1", "link:r1-r3: the link does not exist; did you mean r1-r2"),
        ("link:r1-r2.rat=1", "a link has no field 'rat'; did you mean rate?"),
        ("flow:f9.cc=bbr", "the flow does not exist; there are cubic, bbr"),
        ("flo:*.cc=bbr", "'flo' is not a kind of object; did you mean flow?"),
        ("router:*.ospf.hello_s=1", "router r1 has no ospf"),
        ("wait.timout_s=1", "did you mean timeout_s"),
        ("host:h1=x", "has no field; such as host:h1.congestion_control"),
        ("nodes.0.name=x", "has no object; such as node:NAME.FIELD"),
        ("router:r1.bgp.neighbors.7.hold_s=1", "'7' matches none of the 1 entries of neighbors"),
        ("link:r1-r2.rate", "has no values"),
        ("link:r1-r2.rate=10,10", "10 is listed twice"),
        ("link:r1-r2.rate=10:1:5", "never reaches its end"),
        ("link:r1-r2.rate=1:10:x1", "never reaches its end"),
        ("link:r1-r2.rate=0:10:log3", "not both ends are above 0"),
        ("link:r1-r2.rate=1:2:1e-9", "more than 10000 values"),
        ("host:h1.buffer=much", "'much' is not a size"),
        ('title="a', "is not a list"),
    ],
)
def test_invalid_axes_are_rejected_with_a_valid_form(text: str, message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        parse_axis(DRAWING, text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("link:r1-r2.rate", "-4", "link:r1-r2.rate: '-4' must be greater than 0"),
        ("link:r1-r2.rate", "fast", "is not a number; expected one such as 10mbit"),
        ("link:r1-r2.queue", "fifo", "is not one of its kinds; choose from pfifo"),
        ("link:r1-r2.queue", "3 apples", "is not one of its kinds"),
        ("host:h1.tcp.ecn", "sometimes", "must be 'off', 'on' or 'answer'"),
        ("router:r1.bgp.asn", "1.5", "is not a whole number"),
        ("flow:*.duration", "none", "duration_s or size_bytes"),
    ],
)
def test_invalid_values_are_rejected_with_their_path(path: str, text: str, message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        after(path, text)
    assert message in str(caught.value) and path in str(caught.value)


def test_errors_of_the_topology_name_the_point() -> None:
    point = Point(settings=(Setting(path="link:r1-r2.delay", text="0"),))
    with pytest.raises(TopologyError, match=r"at link:r1-r2.delay=0: l2.a_to_b.queue_bdp: is given in bandwidth-delay"):
        checked(DRAWING, point)


def test_settings_of_the_same_field_are_rejected() -> None:
    axes = [parse_axis(DRAWING, axis) for axis in ("flow:*.cc=reno", "flow:bbr.cc=cubic")]
    with pytest.raises(TopologyError, match="both set flow bbr congestion_control"):
        vary(DRAWING, next(points(axes)))
    with pytest.raises(TopologyError, match="varies in two ways"):
        next(points([axes[0], axes[0]]))


def test_a_zip_needs_the_same_number_of_values_for_each_field() -> None:
    with pytest.raises(TopologyError, match=r"link:r1-r2.rate 2, link:r1-r2.delay 1 values"):
        parse_zip(DRAWING, "link:r1-r2.rate=1,2; link:r1-r2.delay=3")
    with pytest.raises(TopologyError, match="has one field"):
        parse_zip(DRAWING, "link:r1-r2.rate=1,2")


@pytest.mark.parametrize(
    ("text", "message"),
    [("flow:*.cc\n", "has no runs"), ("flow:*.cc,title\nbbr\n", "line 2: runs.csv: has 1 values for 2 fields"),
     ("flow:*.ccc\nbbr\n", "did you mean cc"), ("title\nx\nx\n", "x is listed twice in 'runs.csv'"),
     ("title,title\nx,y\n", "title is listed twice")],
)  # fmt: skip
def test_invalid_lists_are_rejected(text: str, message: str) -> None:
    with pytest.raises(TopologyError) as caught:
        read_list(DRAWING, text, "runs.csv")
    assert message in str(caught.value)
