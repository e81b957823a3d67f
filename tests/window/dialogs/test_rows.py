"""Rows with forms, initial settings of protocols, groups, and lines of frr.conf, without a window."""

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
from miniedit_frr.dialogs.draft import FormDraft, row_draft
from miniedit_frr.dialogs.fields import kinds
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.kinds import RowEntry
from miniedit_frr.dialogs.fields.lists import RowsKind
from miniedit_frr.dialogs.fields.quantities import InvalidQuantity
from miniedit_frr.dialogs.forms.frr_conf_lines import ConfLine, compare, line_parts, own_line_numbers
from miniedit_frr.dialogs.forms.node import FORMS
from miniedit_frr.dialogs.parts import fields_of
from miniedit_frr.dialogs.routing_summary import routing_summary
from miniedit_frr.dialogs.sheets import form_context, node_sheet, write_sheet
from miniedit_frr.dialogs.subjects import Nodes
from tests.contents.routing import ROUTING

LAB = Topology(
    nodes=(Router(name="r1"), Router(name="r2"), Router(name="r3"), Host(name="h1")),
    links=(
        Link(id="l1", a=End(node="r1"), b=End(node="r2")),
        Link(id="l2", a=End(node="r2"), b=End(node="r3")),
        Link(id="l3", a=End(node="r1"), b=End(node="h1")),
    ),
)
AROUND = form_context(LAB)
FIELDS = tuple(field for tab in FORMS["router"] for field in fields_of(tab.parts))


def draft_of(router: Router) -> FormDraft:
    topology = LAB.model_copy(update={"nodes": (router, *LAB.nodes[1:])})
    context = form_context(topology)
    return FormDraft((node_sheet(context, router.name),), FIELDS, context)


def retype(draft: FormDraft, field: Field) -> Any:
    """The content of a field's widget, retyped; for rows, all their fields, including rows within them."""
    kind, content = draft.kind(field.path), draft.content(field.path)
    if not isinstance(kind, RowsKind):
        return content
    entries = []
    for entry in content or ():
        below = row_draft(kind, entry, draft.row_context)
        edits = {
            field_of_row.path: retype(below, field_of_row)
            for field_of_row in kind.fields
            if field_of_row.is_in(entry.value)
        }
        fixed = {field_of_row.path for field_of_row in kind.columns if field_of_row.plain.widget == "fixed"}
        base = entry.value if kind.is_fixed or _must_stay(kind, entry.value) else kind.blank
        entries.append(RowEntry(base, tuple((path, text) for path, text in edits.items() if path not in fixed)))
    return tuple(entries)


def _must_stay(kind: RowsKind, value: Any) -> bool:
    """Whether a row has enabled parts. Their initial values cannot be typed from an empty row."""
    return any(field.path.count(".") for field in kind.fields if field.is_in(value))


@pytest.mark.parametrize(
    ("field", "value"), [(field, value) for field, values in ROUTING.items() for value in values if value]
)
def test_all_settings_of_routing_can_be_typed(field: str, value: Any) -> None:
    """Retyping every field of every protocol, as its form shows it, results in the same settings."""
    draft = draft_of(Router(name="r1", **{field: value}))
    old_sheet = draft.values[0]
    contents = {
        form_field.path: retype(draft, form_field)
        for form_field in FIELDS
        if draft.content(form_field.path) is not None
    }
    draft.put_all({path: content for path, content in contents.items() if draft.kind(path).widget != "part"})
    assert {path: draft.fault(path) for path in draft.fields if draft.fault(path)} == {}
    assert draft.values[0].node == old_sheet.node
    topology = write_sheet(draft.context.topology, "r1", old_sheet, draft.values[0])
    assert topology == draft.context.topology


def test_invalid_rows_are_reported_and_change_nothing() -> None:
    draft = draft_of(Router(name="r1", bgp=Bgp(asn=1)))
    rows = draft.kind("node.bgp.neighbors")
    assert isinstance(rows, RowsKind)
    edits = (("address", "10.0.0.2"), ("remote_as", "2"), ("hold_s", "1"))
    draft.set("node.bgp.neighbors", (RowEntry(rows.blank, edits[:2]), RowEntry(rows.blank, edits)))
    assert draft.fault("node.bgp.neighbors") == "row 2, Hold time: must be at least 3 s"
    assert draft.values == draft.originals
    draft.set("node.bgp.neighbors", (RowEntry(rows.blank, edits[:2]),))
    assert draft.values[0].node.bgp.neighbors == (BgpNeighbor(address=IPv4Address("10.0.0.2"), remote_as=2),)
    draft.rebase(draft.values, draft.context)
    assert not draft.is_dirty
    assert draft.edited == frozenset()


def test_settings_stay_with_their_interfaces() -> None:
    """The settings of a protocol for an interface are kept when the same dialog renames the interface."""
    ospf = Ospf(interfaces=(OspfInterface(interface="gone", area="3"), OspfInterface(interface="r1-eth0", area="7")))
    draft = draft_of(Router(name="r1", ospf=ospf, isis=Isis(), vrfs=(Vrf(name="red", interfaces=("r1-eth1",)),)))
    rows = draft.content("ospf_interfaces")
    assert [row.value.called for row in rows or ()] == ["lo", "r1-eth0"]
    assert [row.value.called for row in draft.content("isis_interfaces") or ()] == ["lo", "r1-eth0"]
    draft.set(
        "interfaces", (("up", *(draft.content("interfaces") or ())[0][1:]), (draft.content("interfaces") or ())[1])
    )
    draft.set("ospf_interfaces", ((rows or ())[0], RowEntry((rows or ())[1].value, (("end.ospf_cost", "9"),))))
    topology = write_sheet(draft.context.topology, "r1", draft.original, draft.values[0])
    router = topology.node("r1")
    assert isinstance(router, Router)
    assert router.ospf is not None
    assert router.ospf.interfaces == (
        OspfInterface(interface="gone", area="3"),
        OspfInterface(interface="up", area="7"),
    )
    assert (topology.links[0].a.interface, topology.links[0].a.ospf_cost) == ("up", 9)
    # Automatic names count up, so the one of the other interface is another one now.
    assert router.vrfs[0].interfaces == ("r1-eth0",)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [(kinds.ASN, "1.10", 65_546), (kinds.ASN, "65001", 65_001), (kinds.AS_OR_SIDE, "external", "external"),
     (kinds.OPTIONAL_ASN, "", None), (kinds.ASNS, "1 2, 3", (1, 2, 3)),
     (kinds.NETWORKS, "10.0.0.0/8 2001:db8::/32", (IPv4Network("10.0.0.0/8"), IPv6Network("2001:db8::/32"))),
     (kinds.SET_COMMUNITIES, "65001:1, no-export", ("65001:1", "no-export"))],
)  # fmt: skip
def test_texts_of_routing_values_are_read(kind: kinds.TextKind, text: str, value: Any) -> None:
    assert kind.read(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "words"),
    [(kinds.ASN, "0", "1 to 4294967295"), (kinds.ASN, "1.70000", "at most 65535"), (kinds.ASN, "AS1", "not an AS"),
     (kinds.ASN, "", "missing"), (kinds.WORD, "a b", "one word"), (kinds.KEY_16, "x" * 17, "at most 16"),
     (kinds.ISIS_AREA, "49.1", "as in 49.0001"), (kinds.SYSTEM_ID, "1", "three groups"), (kinds.VRF, "1red", "letter"),
     (kinds.SET_COMMUNITIES, "1:99999", "up to 65535")],
)  # fmt: skip
def test_errors_in_routing_describe_the_valid_form(kind: kinds.TextKind, text: str, words: str) -> None:
    with pytest.raises(InvalidQuantity, match=words):
        kind.read(text)


# --- how protocols begin ------------------------------------------------------------------------------------------


def test_a_protocol_starts_with_the_settings_of_other_routers() -> None:
    running = Ospf(area="5", hello_s=7, dead_s=28, lab_timers=False, router_id=IPv4Address("1.1.1.1"))
    topology = Topology(nodes=(Router(name="r1"), Router(name="r2", ospf=running)))
    begun = initial_settings(topology, "ospf", Ospf(), is_lab=True)
    assert begun == running.model_copy(update={"router_id": None})
    alone = Topology(nodes=(Router(name="r1"),))
    assert initial_settings(alone, "ospf", Ospf(), is_lab=True).hello_s == 1
    assert initial_settings(alone, "ospf", Ospf(), is_lab=False) == Ospf(lab_timers=False)


def test_new_settings_after_a_preset_match_existing_ones() -> None:
    old = Topology(nodes=(Router(name="r1", ospf=Ospf(hello_s=5, dead_s=20)), Router(name="r2")))
    new = with_timers_of_new_protocols(old, routing_presets.ospf_everywhere(old), is_lab=True)
    settings = [router.ospf for router in new.routers]
    assert [(ospf.hello_s, ospf.dead_s) for ospf in settings if ospf] == [(5, 20), (5, 20)]


def test_a_preset_of_some_routers_leaves_the_others_unchanged() -> None:
    topology = routing_presets.limited_to(LAB, routing_presets.ospf_everywhere(LAB), ["r2"])
    assert [router.ospf is not None for router in topology.routers] == [False, True, False]


def test_routers_are_grouped_by_shapes_colors_selection_and_areas() -> None:
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
    topology = LAB.model_copy(update={"nodes": nodes, "annotations": shapes})
    assert router_groups.by_shapes(topology) == [["r3"], ["r1", "r2"]]
    assert router_groups.by_colors(topology) == [["r1", "r3"], ["r2"]]
    assert router_groups.by_selection(topology, ["r2", "h1"]) == [["r2"], ["r1", "r3"]]
    assert router_groups.by_areas(topology) == []


# --- what is shown ------------------------------------------------------------------------------------------------


def test_the_summary_describes_all_routing_of_a_router() -> None:
    assert routing_summary(Router(name="r")) == "none: only forwards packets"
    route = StaticRoute(prefix=IPv4Network("0.0.0.0/0"), via=IPv4Address("10.0.0.1"))
    full = Router(
        name="r", isis=Isis(lab_timers=False),
        ospf=Ospf(hello_s=1, dead_s=4, interfaces=(OspfInterface(interface="lo", area="4"),)),
        bgp=Bgp(asn=7, networks=(IPv4Network("10.0.0.0/8"),)), static_routes=(route, route), vrfs=(Vrf(name="red"),),
        frr_conf="a\nb\n",
    )  # fmt: skip
    assert routing_summary(full).splitlines() == [
        "OSPF: area 0, 4, lab timers", "IS-IS: 49.0001, level 2, FRR default timers",
        "BGP: AS 7, 0 sessions, 1 network", "2 static routes", "VRFs: red", "2 own lines in frr.conf",
    ]  # fmt: skip


def test_changes_by_own_lines_are_shown_in_place() -> None:
    base = "hostname r\n!\nrouter ospf\n network a\n ! why\n timers b\nexit\n"
    merged = "hostname r\n!\nrouter ospf\n network a\nexit\nip route c\n"
    assert compare(base, merged) == [
        ConfLine("hostname r", 1), ConfLine("!", 2), ConfLine("router ospf", 3), ConfLine(" network a", 4),
        ConfLine(" timers b", 0, "removed"), ConfLine("exit", 5), ConfLine("ip route c", 6, "added"),
    ]  # fmt: skip
    assert own_line_numbers("!\n ip  route c\nexit\nip route c\n") == {"ip route c": 2}


def test_lines_of_frr_conf_are_split_into_parts() -> None:
    text = " no neighbor 10.0.0.1 route-map in"
    assert {(name, text[first:last]) for name, first, last in line_parts(text)} == {
        ("word", "no"),
        ("address", "10.0.0.1"),
    }
    assert [name for name, *_ in line_parts("! router ospf 10.0.0.1")] == ["comment"]
    assert [name for name, *_ in line_parts("router bgp 1")] == ["section"]
    assert [name for name, *_ in line_parts("ipv6 route 2001:db8::/32 fe80::1")] == ["address", "address"]


@pytest.mark.parametrize(
    ("field", "path"),
    [("bgp.neighbors", "node.bgp.neighbors"), ("ospf.interfaces", "ospf_interfaces"), ("isis.interfaces",
     "isis_interfaces"), ("bgp.neighbors[10.0.0.1].route_map_in", "node.bgp.neighbors"), ("vrfs.bgp.asn", "node.vrfs"),
     ("ospf_cost", "ospf_interfaces"), ("route_maps", "node.route_maps"), ("addresses", "interfaces")],
)  # fmt: skip
def test_a_problem_of_routing_finds_its_field(field: str, path: str) -> None:
    from frrlib.model.problem import error

    assert Nodes("router", ["r1"]).path_of(error("x", "r1", field, "is wrong")) == path
