"""Rows with forms of their own, the beginnings of protocols, groups and lines of frr.conf: all without a window."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Network
from typing import Any

import pytest

from frrlib.edits import router_groups, routing_presets
from frrlib.edits.protocol_defaults import initial_settings, with_timers_of_new_protocols
from frrlib.model.annotations import Annotation
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Router
from frrlib.model.routing import Bgp, BgpNeighbor, Isis, Ospf, OspfInterface, StaticRoute, Vrf
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.draft import Draft, row_draft
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.kinds import Entry
from miniedit_frr.dialogs.fields.lists import Rows
from miniedit_frr.dialogs.fields.quantities import Wrong
from miniedit_frr.dialogs.forms.frr_conf_lines import Line, compared, own_numbers, parts
from miniedit_frr.dialogs.forms.node import FORMS
from miniedit_frr.dialogs.parts import fields_of
from miniedit_frr.dialogs.routing_summary import summary
from miniedit_frr.dialogs.sheets import sheet, surroundings, write_sheet
from miniedit_frr.dialogs.subjects import Nodes
from tests.contents_routing import ROUTING

LAB = Topology(
    nodes=(Router(name="r1"), Router(name="r2"), Router(name="r3"), Host(name="h1")),
    links=(
        Link(id="l1", a=End(node="r1"), b=End(node="r2")),
        Link(id="l2", a=End(node="r2"), b=End(node="r3")),
        Link(id="l3", a=End(node="r1"), b=End(node="h1")),
    ),
)
AROUND = surroundings(LAB)
FIELDS = tuple(field for tab in FORMS["router"] for field in fields_of(tab.parts))


def draft_of(router: Router) -> Draft:
    topology = LAB.model_copy(update={"nodes": (router, *LAB.nodes[1:])})
    around = surroundings(topology)
    return Draft((sheet(around, router.name),), FIELDS, around)


def retyped(draft: Draft, field: Field) -> Any:
    """The content of a field's widget, typed again letter by letter: of a row all its fields, with rows in it too."""
    kind, content = draft.kind(field.path), draft.content(field.path)
    if not isinstance(kind, Rows):
        return content
    entries = []
    for entry in content or ():
        below = row_draft(kind, entry, draft.below)
        typed = {each.path: retyped(below, each) for each in kind.fields if each.is_in(entry.value)}
        fixed = {each.path for each in kind.columns if each.plain.widget == "fixed"}
        base = entry.value if kind.is_fixed or _must_stay(kind, entry.value) else kind.blank
        entries.append(Entry(base, tuple((path, text) for path, text in typed.items() if path not in fixed)))
    return tuple(entries)


def _must_stay(kind: Rows, value: Any) -> bool:
    """Parts that are switched on have initial values, so such a row is not typed from nothing."""
    return any(each.path.count(".") for each in kind.fields if each.is_in(value))


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in ROUTING.items() for value in values if value]
)
def test_whatever_is_said_can_be_typed(field: str, value: Any) -> None:
    """Every field of every protocol, written as its form shows it, gives the same settings again."""
    draft = draft_of(Router(name="r1", **{field: value}))
    shown = draft.values[0]
    contents = {each.path: retyped(draft, each) for each in FIELDS if draft.content(each.path) is not None}
    draft.put_all({path: content for path, content in contents.items() if draft.kind(path).widget != "part"})
    assert {path: draft.fault(path) for path in draft.fields if draft.fault(path)} == {}
    assert draft.values[0].node == shown.node
    after = write_sheet(draft.context.topology, "r1", shown, draft.values[0])
    assert after == draft.context.topology


def test_rows_typed_wrong_are_told_by_row_and_field_and_change_nothing() -> None:
    draft = draft_of(Router(name="r1", bgp=Bgp(asn=1)))
    rows = draft.kind("node.bgp.neighbors")
    assert isinstance(rows, Rows)
    typed = (("address", "10.0.0.2"), ("remote_as", "2"), ("hold_s", "1"))
    draft.set("node.bgp.neighbors", (Entry(rows.blank, typed[:2]), Entry(rows.blank, typed)))
    assert draft.fault("node.bgp.neighbors") == "row 2, Hold time: must be at least 3 s"
    assert draft.values == draft.originals
    draft.set("node.bgp.neighbors", (Entry(rows.blank, typed[:2]),))
    assert draft.values[0].node.bgp.neighbors == (BgpNeighbor(address=IPv4Address("10.0.0.2"), remote_as=2),)
    draft.rebase(draft.values, draft.context)
    assert not draft.is_dirty
    assert draft.edited == frozenset()


def test_rows_of_interfaces_stay_with_them() -> None:
    """A protocol's settings of an interface follow it when the same dialog gives it another name."""
    told = Ospf(interfaces=(OspfInterface(interface="gone", area="3"), OspfInterface(interface="r1-eth0", area="7")))
    draft = draft_of(Router(name="r1", ospf=told, isis=Isis(), vrfs=(Vrf(name="red", interfaces=("r1-eth1",)),)))
    rows = draft.content("ospf_interfaces")
    assert [row.value.called for row in rows or ()] == ["lo", "r1-eth0"]
    assert [row.value.called for row in draft.content("isis_interfaces") or ()] == ["lo", "r1-eth0"]
    draft.set(
        "interfaces", (("up", *(draft.content("interfaces") or ())[0][1:]), (draft.content("interfaces") or ())[1])
    )
    draft.set("ospf_interfaces", ((rows or ())[0], Entry((rows or ())[1].value, (("end.ospf_cost", "9"),))))
    after = write_sheet(draft.context.topology, "r1", draft.original, draft.values[0])
    router = after.node("r1")
    assert isinstance(router, Router)
    assert router.ospf is not None
    assert router.ospf.interfaces == (
        OspfInterface(interface="gone", area="3"),
        OspfInterface(interface="up", area="7"),
    )
    assert (after.links[0].a.interface, after.links[0].a.ospf_cost) == ("up", 9)
    # Automatic names count up, so the one of the other interface is another one now.
    assert router.vrfs[0].interfaces == ("r1-eth0",)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(kinds.ASN, "1.10", 65_546), (kinds.ASN, "65001", 65_001), (kinds.AS_OR_SIDE, "external", "external"),
     (kinds.OPTIONAL_ASN, "", None), (kinds.ASNS, "1 2, 3", (1, 2, 3)),
     (kinds.NETWORKS, "10.0.0.0/8 2001:db8::/32", (IPv4Network("10.0.0.0/8"), IPv6Network("2001:db8::/32"))),
     (kinds.SET_COMMUNITIES, "65001:1, no-export", ("65001:1", "no-export"))],
)  # fmt: skip
def test_how_routing_is_written(kind: kinds.Kind, text: str, value: Any) -> None:
    assert kind.read(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [(kinds.ASN, "0", "1 to 4294967295"), (kinds.ASN, "1.70000", "at most 65535"), (kinds.ASN, "AS1", "not an AS"),
     (kinds.ASN, "", "missing"), (kinds.WORD, "a b", "one word"), (kinds.KEY_16, "x" * 17, "at most 16"),
     (kinds.ISIS_AREA, "49.1", "as in 49.0001"), (kinds.SYSTEM_ID, "1", "three groups"), (kinds.VRF, "1red", "letter"),
     (kinds.SET_COMMUNITIES, "1:99999", "up to 65535")],
)  # fmt: skip
def test_what_is_wrong_in_routing_is_said_with_what_would_be_right(kind: kinds.Kind, text: str, words: str) -> None:
    with pytest.raises(Wrong, match=words):
        kind.read(text)


# --- how protocols begin ------------------------------------------------------------------------------------------


def test_a_protocol_begins_as_it_runs_elsewhere() -> None:
    running = Ospf(area="5", hello_s=7, dead_s=28, lab_timers=False, router_id=IPv4Address("1.1.1.1"))
    topology = Topology(nodes=(Router(name="r1"), Router(name="r2", ospf=running)))
    begun = initial_settings(topology, "ospf", Ospf(), is_lab=True)
    assert begun == running.model_copy(update={"router_id": None})
    alone = Topology(nodes=(Router(name="r1"),))
    assert initial_settings(alone, "ospf", Ospf(), is_lab=True).hello_s == 1
    assert initial_settings(alone, "ospf", Ospf(), is_lab=False) == Ospf(lab_timers=False)


def test_what_is_new_after_a_preset_agrees_with_what_ran() -> None:
    before = Topology(nodes=(Router(name="r1", ospf=Ospf(hello_s=5, dead_s=20)), Router(name="r2")))
    after = with_timers_of_new_protocols(before, routing_presets.ospf_everywhere(before), is_lab=True)
    told = [router.ospf for router in after.routers]
    assert [(each.hello_s, each.dead_s) for each in told if each] == [(5, 20), (5, 20)]


def test_a_preset_of_some_leaves_the_others() -> None:
    after = routing_presets.limited_to(LAB, routing_presets.ospf_everywhere(LAB), ["r2"])
    assert [router.ospf is not None for router in after.routers] == [False, True, False]


def test_groups_by_what_is_drawn() -> None:
    places = {"r1": (10.0, 10.0, "red"), "r2": (50.0, 10.0, ""), "r3": (300.0, 10.0, "red")}
    nodes = tuple(
        node.model_copy(update=dict(zip(("x", "y", "colour"), places[node.name], strict=True)))
        if node.name in places else node
        for node in LAB.nodes
    )  # fmt: skip
    shapes = (
        Annotation(id="a1", kind="rectangle", width=400, height=100),
        Annotation(id="a2", kind="ellipse", width=100, height=100),
        Annotation(id="a3", kind="note", width=1000, height=1000),
    )
    drawn = LAB.model_copy(update={"nodes": nodes, "annotations": shapes})
    assert router_groups.by_shapes(drawn) == [["r3"], ["r1", "r2"]]
    assert router_groups.by_colors(drawn) == [["r1", "r3"], ["r2"]]
    assert router_groups.by_selection(drawn, ["r2", "h1"]) == [["r2"], ["r1", "r3"]]
    assert router_groups.by_areas(drawn) == []


# --- what is shown ------------------------------------------------------------------------------------------------


def test_a_summary_of_all_routing() -> None:
    assert summary(Router(name="r")) == "none: only forwards packets"
    route = StaticRoute(prefix=IPv4Network("0.0.0.0/0"), via=IPv4Address("10.0.0.1"))
    full = Router(
        name="r", isis=Isis(lab_timers=False),
        ospf=Ospf(hello_s=1, dead_s=4, interfaces=(OspfInterface(interface="lo", area="4"),)),
        bgp=Bgp(asn=7, networks=(IPv4Network("10.0.0.0/8"),)), static_routes=(route, route), vrfs=(Vrf(name="red"),),
        frr_conf="a\nb\n",
    )  # fmt: skip
    assert summary(full).splitlines() == [
        "OSPF: area 0, 4, lab timers", "IS-IS: 49.0001, level 2, FRR default timers",
        "BGP: AS 7, 0 sessions, 1 network", "2 static routes", "VRFs: red", "2 own lines in frr.conf",
    ]  # fmt: skip


def test_what_own_lines_changed_is_at_its_place() -> None:
    base = "hostname r\n!\nrouter ospf\n network a\n ! why\n timers b\nexit\n"
    whole = "hostname r\n!\nrouter ospf\n network a\nexit\nip route c\n"
    assert compared(base, whole) == [
        Line("hostname r", 1), Line("!", 2), Line("router ospf", 3), Line(" network a", 4),
        Line(" timers b", 0, "removed"), Line("exit", 5), Line("ip route c", 6, "added"),
    ]  # fmt: skip
    assert own_numbers("!\n ip  route c\nexit\nip route c\n") == {"ip route c": 2}


def test_what_of_a_line_is_what() -> None:
    text = " no neighbor 10.0.0.1 route-map in"
    assert {(name, text[first:last]) for name, first, last in parts(text)} == {("word", "no"), ("address", "10.0.0.1")}
    assert [name for name, *_ in parts("! router ospf 10.0.0.1")] == ["comment"]
    assert [name for name, *_ in parts("router bgp 1")] == ["section"]
    assert [name for name, *_ in parts("ipv6 route 2001:db8::/32 fe80::1")] == ["address", "address"]


@pytest.mark.parametrize(
    ("field", "path"),
    [("bgp.neighbors", "node.bgp.neighbors"), ("ospf.interfaces", "ospf_interfaces"), ("isis.interfaces",
     "isis_interfaces"), ("bgp.neighbors[10.0.0.1].route_map_in", "node.bgp.neighbors"), ("vrfs.bgp.asn", "node.vrfs"),
     ("ospf_cost", "ospf_interfaces"), ("route_maps", "node.route_maps"), ("addresses", "interfaces")],
)  # fmt: skip
def test_a_problem_of_routing_finds_its_field(field: str, path: str) -> None:
    from frrlib.model.problem import error

    assert Nodes("router", ["r1"]).path_of(error("x", "r1", field, "is wrong")) == path
