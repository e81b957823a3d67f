"""The tables of the forms compared with the model: every field of the model is in a dialog."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator

import pytest

from frrlib.edits.changes import TOOLS, add_node
from frrlib.model.base import Value
from frrlib.model.flow_words import CALLED
from frrlib.model.flows import Flow
from frrlib.model.links import End, Link
from frrlib.model.nodes import Bridge, Controller, Host, Router, Switch
from frrlib.model.routing import (
    AsPathList,
    BgpNeighbor,
    BgpPeerGroup,
    BgpUnnumbered,
    CommunityList,
    IsisInterface,
    OspfInterface,
    PimInterface,
    PrefixList,
    RipInterface,
    RouteMap,
    RouteMapEntry,
    Vrf,
)
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import KINDS
from miniedit_frr.dialogs.draft import row_draft
from miniedit_frr.dialogs.fields.fields import Field
from miniedit_frr.dialogs.fields.kinds import FieldKind, RowEntry
from miniedit_frr.dialogs.fields.lists import RowsKind, TableKind
from miniedit_frr.dialogs.forms.faults import FAULTS
from miniedit_frr.dialogs.forms.flows import FLOW, FLOWS
from miniedit_frr.dialogs.forms.link import LINK
from miniedit_frr.dialogs.forms.node import FORMS
from miniedit_frr.dialogs.forms.topology import PREFERENCES
from miniedit_frr.dialogs.forms.traffic_parameters import PARAMETERS, SENTENCES
from miniedit_frr.dialogs.parts import Tab, fields_of
from miniedit_frr.dialogs.sheets import form_context
from tests.window.topologies import EVERY_KIND

AROUND = form_context(EVERY_KIND)


#: Fields that a dialog does not offer, and why.
_NOT_OFFERED = {
    "kind": "a node of one kind cannot become one of another",
    "foreign": "belongs to the file that it came from",
    "controllers": "of routers and bridges: kept for MiniEdit, without a meaning",
    "sealed": "the settings of a router that are not shown",
}


def leaves(model: type[Value], above: str = "") -> Iterator[str]:
    """Dotted paths of all fields of a model, including those of its parts. A list is one field."""
    for name, info in model.model_fields.items():
        path = f"{above}{name}"
        parts = [leaf for leaf in flat(info.annotation) if isinstance(leaf, type) and issubclass(leaf, Value)]
        yield path
        for part in parts:
            yield from (leaf for leaf in leaves(part, f"{path}."))


def flat(annotation: object) -> Iterator[object]:
    if typing.get_origin(annotation) is tuple:
        return
    arguments = typing.get_args(annotation)
    if arguments:
        for argument in arguments:
            yield from flat(argument)
    else:
        yield annotation


def kind_of(field: Field) -> FieldKind:
    """The kind of a field, also of a field whose kind depends on the context."""
    return field.kind if isinstance(field.kind, FieldKind) else field.kind(AROUND)


def offered(tabs: tuple[Tab, ...]) -> set[str]:
    """Dotted paths of the model's fields in a form, including those of parts and rows."""
    paths: set[str] = set()
    for tab in tabs:
        for field in fields_of(tab.parts):
            paths |= set(field.covers)
            kind = kind_of(field)
            if isinstance(kind, TableKind):
                paths |= {path for column in kind.columns for path in column.covers}
            if field.path == "flows" and isinstance(kind, RowsKind):
                paths |= {path for below in kind.fields for path in below.covers}
    return paths | {path[: path.rindex(".")] for path in paths if "." in path}


@pytest.mark.parametrize("model", [Host, Router, Switch, Bridge, Controller])
def test_every_field_of_a_node_is_in_its_dialog(model: type[Value]) -> None:
    expected = {
        path for path in leaves(model) if path not in _NOT_OFFERED or (model is Switch and path == "controllers")
    }
    form = {path.removeprefix("node.") for path in offered(FORMS[model.model_fields["kind"].default])}
    assert expected - form == set()


def test_every_field_of_a_link_and_its_ends_is_in_its_dialog() -> None:
    expected = {path for path in leaves(Link) if path not in _NOT_OFFERED}
    assert expected - offered(LINK) == set()


@pytest.mark.parametrize("kind", ["host", "router"])
def test_every_field_of_an_interface_is_in_its_nodes_dialog(kind: str) -> None:
    # Offloads are part of a link's behaviour, and are in its dialog.
    without = {"node", "offloads", "ospf_cost" if kind == "host" else "congestion_control"}
    expected = {f"end.{name}" for name in End.model_fields if name not in without}
    assert expected - offered(FORMS[kind]) == set()


def test_every_field_of_flows_preferences_and_waiting_is_in_a_dialog() -> None:
    # Nodes and links have dialogs of their own, notes and shapes are edited on the canvas.
    elsewhere = {"nodes", "links", "foreign", "annotations", "preferences.foreign", "wait", "preferences"}
    form = offered(FLOWS) | offered(FAULTS) | offered(PREFERENCES)
    assert {path for path in leaves(Topology) if path not in elsewhere} - form == set()
    assert set(Flow.model_fields) - form == set()


def test_every_setting_of_flows_and_traffic_has_a_field_and_a_help_text() -> None:
    for tabs in (FLOW, FLOWS):
        assert set(leaves(Flow)) - offered(tabs) == set()
    for field in (candidate for tab in FLOW for candidate in fields_of(tab.parts)):
        assert field.help, field.path
    assert set(SENTENCES) == set(CALLED) == set(KINDS)
    for parameter in PARAMETERS:
        kinds_with_parameter = {kind for kind, model in KINDS.items() if parameter.name in model.model_fields}
        assert kinds_with_parameter >= {*parameter.usual, *parameter.help_by_kind}, parameter.name
        # An optional field describes its default.
        may = {
            kind for kind in kinds_with_parameter if KINDS[kind].model_fields[parameter.name].default in (None, "", ())
        }
        assert may == set(parameter.usual), parameter.name


def test_rows_of_lists_have_all_fields_of_their_values() -> None:
    """A row is made from its cells only, so a field without a column would be lost."""
    for tabs in (*FORMS.values(), FLOWS):
        for field in (candidate for tab in tabs for candidate in fields_of(tab.parts)):
            kind = kind_of(field)
            if isinstance(kind, TableKind) and isinstance(kind.make, type):
                columns = {path for column in kind.columns for path in column.covers}
                assert columns == set(kind.make.model_fields), field.path


#: Fields that the form of a row does not offer, by its class, and why.
_NOT_IN_ROWS = {
    BgpPeerGroup: {"peer_group"},  # a group is in no group
}


#: Protocols whose rows are interfaces, and their fields without a meaning there.
_INTERFACES = {
    "ospf": (OspfInterface, set()),
    "ospf6": (OspfInterface, {"key", "key_id"}),  # OSPFv3 has no keys
    "isis": (IsisInterface, set()),
    "rip": (RipInterface, set()),
    "ripng": (RipInterface, {"key", "key_id"}),  # nor has RIPng
    "pim": (PimInterface, set()),
}  # fmt: skip


def all_rows(fields: Iterable[Field]) -> Iterator[tuple[Field, RowsKind]]:
    """Every list of kind `RowsKind`, including lists within rows."""
    for field in fields:
        kind = kind_of(field)
        if isinstance(kind, RowsKind):
            yield field, kind
            yield from all_rows(kind.fields)


def test_the_form_of_a_row_has_all_fields_of_its_value() -> None:
    lists = list(all_rows(field for tab in FORMS["router"] for field in fields_of(tab.parts)))
    assert {type(rows.blank) for _, rows in lists} >= {
        BgpNeighbor, BgpUnnumbered, BgpPeerGroup, RouteMap, RouteMapEntry, PrefixList, CommunityList, AsPathList, Vrf
    }  # fmt: skip
    for field, rows in lists:
        if not rows.is_fixed:
            form = {path for below in rows.fields for path in below.covers}
            form |= {path[: path.rindex(".")] for path in form if "." in path}
            expected = set(leaves(type(rows.blank))) - _NOT_IN_ROWS.get(type(rows.blank), set())
            assert expected - form == set(), field.path


@pytest.mark.parametrize("protocol", _INTERFACES)
def test_rows_of_interfaces_have_all_fields(protocol: str) -> None:
    model, meaningless = _INTERFACES[protocol]
    field = next(field for tab in FORMS["router"] for field in fields_of(tab.parts)
                 if field.path == f"{protocol}_interfaces")  # fmt: skip
    rows = kind_of(field)
    assert isinstance(rows, RowsKind)
    form = {path.removeprefix("settings.") for below in rows.fields for path in below.covers}
    assert set(model.model_fields) - {"interface"} - meaningless - form == set()


def test_every_field_has_a_help_text_and_new_rows_are_valid() -> None:
    for tab in FORMS["router"]:
        for field in fields_of(tab.parts):
            kind = kind_of(field)
            assert field.help or kind.widget == "part" or field.path in ("node.y", "node.frr_conf"), field.path
    for _, rows in all_rows(field for tab in FORMS["router"] for field in fields_of(tab.parts)):
        if not rows.is_fixed:
            draft = row_draft(rows, RowEntry(rows.blank, tuple((rows.new(AROUND, None, ()) or {}).items())), AROUND)
            assert set(draft.edits) <= set(draft.fields)


def test_every_node_tool_draws_a_node_with_a_dialog() -> None:
    for tool in TOOLS:
        topology, name = add_node(Topology(), tool, 0, 0)
        node = topology.node(name)
        assert node is not None
        assert FORMS[node.kind]
