"""Forms and drafts without a window: every field of the model has its place, and words for what is wrong with it."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from ipaddress import IPv4Interface

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.model.base import Value
from frrlib.model.edits.changes import TOOLS, add_node
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Bridge, Controller, Host, Router, Switch
from frrlib.model.routing import Bgp, Ospf
from frrlib.model.topology import Topology
from miniedit_frr.dialogs import kinds, quantities
from miniedit_frr.dialogs.draft import Draft
from miniedit_frr.dialogs.fields import Tab, Table, fields_of
from miniedit_frr.dialogs.forms_link import LINK, equivalents
from miniedit_frr.dialogs.forms_node import FORMS
from miniedit_frr.dialogs.forms_topology import FLOWS, PREFERENCES
from miniedit_frr.dialogs.quantities import Wrong
from miniedit_frr.dialogs.sheets import Sheet, sheet, surroundings, write_sheet

TRIANGLE = Topology(
    nodes=(
        Host(name="h1"),
        Router(name="r1", ospf=Ospf(areas=(("r1-eth1", "7"),), passive=("r1-eth0",)), bgp=Bgp(asn=65_001)),
        Router(name="r2", ospf=Ospf()),
        Switch(name="s1", controllers=("c0",)),
        Bridge(name="s2"),
        Controller(name="c0"),
    ),
    links=(
        Link(id="l1", a=End(node="h1"), b=End(node="r1")),
        Link(id="l2", a=End(node="r1"), b=End(node="r2"), a_to_b=Shape(rate_mbit=10)),
        Link(id="l3", a=End(node="s1"), b=End(node="s2")),
    ),
    flows=(Flow(id="f1", source="h1", destination="r2"),),
)
AROUND = surroundings(TRIANGLE)

#: What a dialog does not offer, and why.
_NOT_OFFERED = {
    "kind": "a node of one kind cannot become one of another",
    "foreign": "belongs to the file that it came from",
    "controllers": "of routers and bridges: kept for MiniEdit, without a meaning",
}


def leaves(model: type[Value], above: str = "") -> Iterator[str]:
    """Dotted names of all fields of a model; parts are entered, lists are one field."""
    for name, info in model.model_fields.items():
        path = f"{above}{name}"
        parts = [each for each in flat(info.annotation) if isinstance(each, type) and issubclass(each, Value)]
        yield path
        for part in parts:
            yield from (each for each in leaves(part, f"{path}."))


def flat(annotation: object) -> Iterator[object]:
    if typing.get_origin(annotation) is tuple:
        return
    arguments = typing.get_args(annotation)
    if arguments:
        for each in arguments:
            yield from flat(each)
    else:
        yield annotation


def offered(tabs: tuple[Tab, ...]) -> set[str]:
    """Dotted names of the model's fields that a form has, those of parts and rows too."""
    found: set[str] = set()
    for tab in tabs:
        for field in fields_of(tab.parts):
            found |= set(field.covers)
            kind = field.kind if isinstance(field.kind, kinds.Kind | Table) else field.kind(AROUND)
            if isinstance(kind, Table):
                found |= {each for column in kind.columns for each in column.covers}
    return found | {path[: path.rindex(".")] for path in found if "." in path}


@pytest.mark.parametrize("model", [Host, Router, Switch, Bridge, Controller])
def test_every_field_of_a_node_has_a_place_in_its_dialog(model: type[Value]) -> None:
    wanted = {path for path in leaves(model) if path not in _NOT_OFFERED or (model is Switch and path == "controllers")}
    form = {path.removeprefix("node.") for path in offered(FORMS[model.model_fields["kind"].default])}
    assert wanted - form == set()


def test_every_field_of_a_link_and_its_ends_has_a_place() -> None:
    wanted = {path for path in leaves(Link) if path not in _NOT_OFFERED}
    assert wanted - offered(LINK) == set()


@pytest.mark.parametrize("kind", ["host", "router"])
def test_every_field_of_an_interface_has_a_place_in_its_nodes_dialog(kind: str) -> None:
    without = {"node"} | ({"ospf_cost"} if kind == "host" else set())
    wanted = {f"end.{name}" for name in End.model_fields if name not in without}
    assert wanted - offered(FORMS[kind]) == set()


def test_every_field_of_flows_preferences_and_waiting_has_a_place() -> None:
    # Nodes and links have dialogs of their own, notes and shapes are edited on the canvas.
    elsewhere = {"nodes", "links", "foreign", "annotations", "preferences.foreign", "wait", "preferences"}
    form = offered(FLOWS) | offered(PREFERENCES)
    assert {path for path in leaves(Topology) if path not in elsewhere} - form == set()
    assert set(Flow.model_fields) - form == set()


def test_rows_of_lists_have_all_fields_of_their_values() -> None:
    """A row is made from its cells alone, so a field without a column could not be kept."""
    for tabs in (*FORMS.values(), FLOWS):
        for field in (each for tab in tabs for each in fields_of(tab.parts)):
            kind = field.kind if isinstance(field.kind, kinds.Kind | Table) else field.kind(AROUND)
            if isinstance(kind, Table) and isinstance(kind.make, type):
                columns = {each for column in kind.columns for each in column.covers}
                assert columns == set(kind.make.model_fields), field.path


def test_every_tool_draws_what_has_a_dialog() -> None:
    for tool in TOOLS:
        topology, name = add_node(Topology(), tool, 0, 0)
        node = topology.node(name)
        assert node is not None
        assert FORMS[node.kind]


# --- how values are written ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "text", "value"),
    [
        (quantities.RATE_MBIT, "10mbit", 10.0), (quantities.RATE_MBIT, "1.5 gbit", 1500.0),
        (quantities.RATE_MBIT, "500kbit", 0.5), (quantities.RATE_MBIT, "12", 12.0),
        (quantities.RATE_MBIT, "100 Mbit/s", 100.0), (quantities.RATE_MBIT, "64 Kbps", 0.064),
        (quantities.TIME_MS, "20 ms", 20.0), (quantities.TIME_MS, "0.1s", 100.0), (quantities.TIME_MS, "5us", 0.005),
        (quantities.TIME_S, "500 ms", 0.5), (quantities.TIME_S, "2 min", 120.0),
        (quantities.SIZE_BYTES, "64 kB", 64_000), (quantities.SIZE_BYTES, "64 KiB", 65_536),
        (quantities.SIZE_BYTES, "1.5 MB", 1_500_000), (quantities.PERCENT, "0.5 %", 0.5), (quantities.BDP, "2x", 2.0),
    ],
)  # fmt: skip
def test_numbers_with_units(measure: quantities.Measure, text: str, value: float) -> None:
    assert measure.read(text) == value
    assert measure.read(measure.show(value)) == value


@pytest.mark.parametrize(
    ("measure", "text", "words"),
    [
        (quantities.RATE_MBIT, "fast", "not a number"), (quantities.RATE_MBIT, "10 ms", "'ms' is not a unit here"),
        (quantities.TIME_MS, "0,5", "write 0.5"), (quantities.TIME_MS, "", "not a number"),
        (quantities.SIZE_BYTES, "0.3", "whole number of bytes"), (quantities.TIME_MS, "1 2", "not"),
    ],
)  # fmt: skip
def test_what_is_no_quantity_is_told(measure: quantities.Measure, text: str, words: str) -> None:
    with pytest.raises(Wrong, match=words):
        measure.read(text)


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [
        (kinds.INTERFACE, "10.0.0.1", r"10\.0\.0\.1: a prefix length is missing, as in 10\.0\.0\.1/24"),
        (kinds.INTERFACE, "2001:db8::1", r"missing, as in 2001:db8::1/64"),
        (kinds.INTERFACE, "10.0.0.1/33", "a prefix length of IPv4 is 0 to 32"),
        (kinds.INTERFACE, "10.0.0.300/24", "300 is more than 255"),
        (kinds.INTERFACE, "10.0.1/24", "four numbers, this has 3"),
        (kinds.INTERFACE, "h1", "not an address such as"),
        (kinds.INTERFACES, "10.0.0.1/24, 10.0.0.2", "10.0.0.2: a prefix length is missing"),
        (kinds.IP, "10.0.0.1/24", "only 10.0.0.1"),
        (kinds.IP, "", "missing"),
        (kinds.NETWORK, "10.0.0.1/24", "the network is 10.0.0.0/24"),
        (kinds.ROUTER_ID, "2001:db8::1", "form of an IPv4 address"),
        (kinds.MAC, "02:00", "six pairs"),
        (kinds.MAC, "01:00:00:00:00:01", "first byte must be even"),
        (kinds.DPID, "xyz", "hexadecimal"),
        (kinds.CORES, "a", "numbers of processors"),
        (kinds.AREA, "1.2", "a number or four"),
        (kinds.PORT, "70000", "1 to 65535"),
        (kinds.PATH, "var/run", "as in /var/run"),
        (kinds.INTERFACE_NAME, "averyverylongname0", "the kernel takes 15"),
        (kinds.CONGESTION_CONTROL, "BBR", "small letters"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_what_would_be_right(kind: kinds.Kind, text: str, words: str) -> None:
    with pytest.raises(Wrong, match=words):
        kind.read(text)


def test_measures_that_can_be_chosen() -> None:
    kind = kinds.measured({"ms": quantities.TIME_MS, "bytes": quantities.SIZE_BYTES}, none="usual")
    assert kind.read("20 ms") == kind.read("0.02s") == ("ms", 20.0)
    assert kind.read("64 kB") == kind.read("64000 bytes") == ("bytes", 64_000)
    assert kind.read("usual") is kind.read("") is None
    for text in ("20", "x ms", "20 miles"):
        with pytest.raises(Wrong):
            kind.read(text)


def test_a_queue_limit_in_all_its_measures() -> None:
    shape = Shape(rate_mbit=10, delay_ms=20, queue_packets=100)
    text = equivalents(shape, Shape(delay_ms=20))
    # 100 frames of 1514 bytes are 151400 bytes; at 10 Mbit/s they take 121.12 ms; 10 Mbit/s times 40 ms is 50000 bytes.
    for part in ("151\u202f400 bytes", "100 full frames", "121.1 ms", "3.03 BDP"):
        assert part in text
    assert equivalents(Shape(), Shape()) == "no rate, no queue"


# --- drafts -------------------------------------------------------------------------------------------------------


def draft_of(tabs: tuple[Tab, ...], *values: object) -> Draft:
    return Draft(values, [field for tab in tabs for field in fields_of(tab.parts)], AROUND)


@pytest.mark.parametrize("name", ["h1", "r1", "r2", "s1", "s2", "c0"])
def test_filling_in_what_is_shown_changes_nothing(name: str) -> None:
    value = sheet(AROUND, name)
    draft = draft_of(FORMS[value.node.kind], value)
    for path in draft.fields:
        content = draft.content(path)
        assert content is not None
        draft.put_all({path: content})
        assert not draft.fault(path), (path, content)
    assert draft.values == (value,)
    assert not draft.is_dirty
    assert write_sheet(TRIANGLE, name, value, draft.values[0]) == TRIANGLE


_ODD = st.one_of(
    st.text(max_size=12),
    st.text(alphabet="0123456789./:,- eE%xkmgbits", max_size=14),
    st.sampled_from(["1e999999999", "-1", "nan", "inf", "1e-400", "²", "10.0.0.1/24/8", "::1%eth0/64", "\0", "0x10"]),
)


@settings(max_examples=200, deadline=None)
@given(odd=_ODD)
def test_whatever_is_typed_is_taken_or_told(odd: str) -> None:
    for tabs, value in ((FORMS["host"], sheet(AROUND, "h1")), (FORMS["router"], sheet(AROUND, "r1")),
                        (LINK, TRIANGLE.links[1]), (FLOWS, TRIANGLE), (PREFERENCES, TRIANGLE)):  # fmt: skip
        draft = draft_of(tabs, value)
        for path in draft.fields:
            kind = draft.kind(path)
            if isinstance(kind, Table):
                rows = draft.content(path) or (("",) * len(kind.columns),)
                draft.put_all({path: tuple(tuple(odd for _ in row) for row in rows)})
            elif kind.widget not in ("part", "flag"):
                draft.put_all({path: odd})
            if draft.fault(path):
                assert len(draft.fault(path)) > 5
            draft.clear()
        assert draft.values == (value,)


def test_several_values_at_once() -> None:
    one, two = (link.model_copy(update={"a_to_b": Shape(rate_mbit=rate, loss_percent=1)}) for link, rate in
                zip(TRIANGLE.links[:2], (10, 20), strict=True))  # fmt: skip
    draft = draft_of(LINK, one, two)
    assert draft.content("a_to_b.rate_mbit") is None
    assert draft.content("a_to_b.loss_percent") == "1"
    draft.set("a_to_b.delay_ms", "5 ms")
    assert [value.a_to_b for value in draft.values] == [
        Shape(rate_mbit=10, delay_ms=5, loss_percent=1), Shape(rate_mbit=20, delay_ms=5, loss_percent=1)
    ]  # fmt: skip
    draft.set("a_to_b.rate_mbit", "1gbit")
    assert {value.a_to_b.rate_mbit for value in draft.values} == {1000.0}
    draft.clear()
    assert draft.values == (one, two)


def test_values_that_change_underneath_take_the_changes_again() -> None:
    (link,) = TRIANGLE.links[1:2]
    draft = draft_of(LINK, link)
    draft.set("a_to_b.delay_ms", "7")
    draft.set("b_to_a.loss_percent", "x")
    moved = link.model_copy(update={"up": False})
    draft.rebase((moved,))
    assert draft.values[0].a_to_b.delay_ms == 7
    assert draft.values[0].up is False
    assert draft.content("b_to_a.loss_percent") == "x"
    assert "not a number" in draft.fault("b_to_a.loss_percent")


def test_what_is_typed_and_taken_back_is_no_change() -> None:
    draft = draft_of(LINK, TRIANGLE.links[0])
    draft.set("a_to_b.delay_ms", "7")
    assert draft.is_dirty
    draft.set("a_to_b.delay_ms", "0")
    assert not draft.is_dirty


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [("a_to_b.delay_ms", "70 s", "at most 60000 ms"), ("a_to_b.rate_mbit", "0", "more than 0 Mbit/s"),
     ("a_to_b.loss_percent", "101", "at most 100 %"), ("a.mtu_bytes", "100", "at least 576"),
     ("a.mtu_bytes", "1.5", "whole number")],
)  # fmt: skip
def test_bounds_of_the_model_are_said_with_their_unit(path: str, text: str, words: str) -> None:
    draft = draft_of(LINK, TRIANGLE.links[0])
    draft.set(path, text)
    assert words in draft.fault(path)
    assert draft.values == (TRIANGLE.links[0],)


def test_a_queue_limit_takes_the_place_of_another() -> None:
    link = TRIANGLE.links[1].model_copy(update={"a_to_b": Shape(rate_mbit=10, queue_packets=5)})
    draft = draft_of(LINK, link)
    assert draft.content("a_to_b.queue") == "5 packets"
    draft.set("a_to_b.queue", "64 kB")
    assert draft.values[0].a_to_b == Shape(rate_mbit=10, queue_bytes=64_000)
    draft.set("a_to_b.queue", "usual")
    assert draft.values[0].a_to_b == Shape(rate_mbit=10)


def test_a_router_with_areas_and_names() -> None:
    before = sheet(AROUND, "r1")
    draft = draft_of(FORMS["router"], before)
    rows = draft.content("ospf_interfaces")
    assert isinstance(rows, tuple)
    assert [row[:1] + row[2:] for row in rows] == [
        ("lo", "", "", ""), ("r1-eth0", "", "", "1"), ("r1-eth1", "7", "", "")
    ]  # fmt: skip
    draft.set("ospf_interfaces", (rows[0], rows[1], (*rows[2][:2], "8", "20", "1")))
    names = draft.content("interfaces")
    assert isinstance(names, tuple)
    draft.set("interfaces", (names[0], ("wan", *names[1][1:])))
    after = write_sheet(TRIANGLE, "r1", before, draft.values[0])
    router = after.node("r1")
    assert isinstance(router, Router)
    assert router.ospf is not None
    assert router.ospf.areas == (("wan", "8"),)
    assert router.ospf.passive == ("r1-eth0", "wan")
    assert after.links[1].a == End(node="r1", interface="wan", ospf_cost=20)


def test_a_renamed_router_keeps_what_ospf_was_told() -> None:
    before = sheet(AROUND, "r1")
    after = write_sheet(TRIANGLE, "r1", before, Sheet(
        node=before.node.model_copy(update={"name": "core"}), interfaces=before.interfaces))  # fmt: skip
    router = after.node("core")
    assert isinstance(router, Router)
    assert router.ospf is not None
    assert (router.ospf.areas, router.ospf.passive) == ((("core-eth1", "7"),), ("core-eth0",))


def test_rows_are_made_from_their_cells() -> None:
    draft = draft_of(FORMS["host"], sheet(AROUND, "h1"))
    draft.set("node.vlan_interfaces", (("10.0.1.1", "5"), ("10.0.2.1/24", "9999")))
    faults = draft.cell_faults("node.vlan_interfaces")
    assert "as in 10.0.1.1/24" in faults[0, 0]
    assert "at most 4094" in faults[1, 1]
    draft.set("node.vlan_interfaces", (("10.0.1.1/24", "5"),))
    assert draft.values[0].node.vlan_interfaces[0].address == IPv4Interface("10.0.1.1/24")
