"""Subjects of dialogs on the document: nodes, links, flows or settings of the topology.

A subject reads its values from a topology, writes them back, and follows renames.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from frrlib.edits.changes import replace_link, set_flows
from frrlib.edits.fault_plan import set_faults
from frrlib.model.labels import with_remedy
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.forms.faults import FAULTS
from miniedit_frr.dialogs.forms.flows import FLOW, FLOWS
from miniedit_frr.dialogs.forms.link import LINK
from miniedit_frr.dialogs.forms.node import FORMS
from miniedit_frr.dialogs.forms.topology import PREFERENCES
from miniedit_frr.dialogs.parts import Tab, fields_of
from miniedit_frr.dialogs.sheets import FormContext, node_sheet, write_sheet

#: Names of the kinds of nodes, as in the toolbox.
_NAMES = {
    "host": "Host", "router": "Router", "switch": "Switch", "bridge": "LegacySwitch", "controller": "Controller",
}  # fmt: skip


class Subject(Protocol):
    """The subject of a dialog. Its values are frozen; it finds the new ones after a change of the topology."""

    @property
    def tabs(self) -> tuple[Tab, ...]:
        """The pages of its form."""

    @property
    def key(self) -> object:
        """A key that is equal for equal subjects."""

    def title(self) -> str:
        """Its name, for the title of the window."""

    def label(self) -> str:
        """The label of a change in the Edit menu."""

    def read(self, context: FormContext) -> tuple[Any, ...] | None:
        """The values; None if they were deleted."""

    def write(self, topology: Topology, old_values: Sequence[Any], new_values: Sequence[Any]) -> Topology:
        """The topology with new values.

        Raises:
            TopologyError: the topology refuses the values.
        """

    def follow(self, old: Topology, new: Topology) -> None:
        """Find the subject under its new name, after a change of the topology."""

    def path_of(self, problem: Problem) -> str | None:
        """The path of the field that a problem belongs to; "" for no particular field, None for a problem elsewhere."""


def remarks_of(problems: Iterable[Problem], path_of: Callable[[Problem], str | None]) -> dict[str, tuple[str, str]]:
    """Severity and text of the problems of a form's fields, by path. Notes appear in the list of problems only.

    Args:
        path_of: returns the path of the field that a problem belongs to; empty or None for no field of the form.
    """
    remarks: dict[str, tuple[str, str]] = {}
    for problem in problems:
        path = path_of(problem) if problem.severity in (Severity.ERROR, Severity.WARNING) else None
        if path:
            remarks.setdefault(path, (problem.severity.value, with_remedy(problem.message, problem.remedy)))
    return remarks


class Nodes:
    """Nodes of one kind, by name."""

    def __init__(self, kind: str, names: Sequence[str]) -> None:
        self.kind, self.names = kind, list(names)

    @property
    def tabs(self) -> tuple[Tab, ...]:
        return FORMS[self.kind]

    @property
    def key(self) -> object:
        return ("nodes", *self.names)

    def title(self) -> str:
        kind_name = _NAMES[self.kind]
        plural = f"{kind_name}es" if kind_name.endswith("ch") else f"{kind_name}s"
        return f"{kind_name} {self.names[0]}" if len(self.names) == 1 else f"{len(self.names)} {plural}"

    def label(self) -> str:
        return f"Change {self.names[0]}" if len(self.names) == 1 else f"Change {self.title()}"

    def read(self, context: FormContext) -> tuple[Any, ...] | None:
        nodes = [context.topology.node(name) for name in self.names]
        if any(node is None or node.kind != self.kind for node in nodes):
            return None
        return tuple(node_sheet(context, name) for name in self.names)

    def write(self, topology: Topology, old_values: Sequence[Any], new_values: Sequence[Any]) -> Topology:
        for name, was, value in zip(self.names, old_values, new_values, strict=True):
            if was != value:
                topology = write_sheet(topology, name, was, value)
        return topology

    def follow(self, old: Topology, new: Topology) -> None:
        """Detect renames: a renamed node has a new name at the same position of the list."""
        if len(old.nodes) != len(new.nodes):
            return
        old_names = {node.name for node in old.nodes}
        renamed = {
            was.name: now.name for was, now in zip(old.nodes, new.nodes, strict=True)
            if was.name != now.name and now.name not in old_names
        }  # fmt: skip
        self.names = [renamed.get(name, name) for name in self.names]

    def path_of(self, problem: Problem) -> str | None:
        if problem.node not in self.names or problem.about not in ("", "node"):
            return None
        field = problem.field
        if field in ("addresses", "interface", "mtu_bytes"):
            return "interfaces"
        if field == "ospf_cost":
            return "ospf_interfaces"
        return self._field_of(f"node.{field}") if field else ""

    def _field_of(self, path: str) -> str:
        """The path of the form's field for a path in the model: the same path, a field that covers it, or its list."""
        fields_by_path = {
            name: field.path for tab in self.tabs for field in fields_of(tab.parts) for name in field.covers
        }
        fields_by_path |= {field.path: field.path for tab in self.tabs for field in fields_of(tab.parts)}
        short = re.sub(r"\[.*?\]", "", path)
        while short.count(".") > 1 and short not in fields_by_path:
            short = short.rpartition(".")[0]
        return fields_by_path.get(short, path)


class Links:
    """Links, by id."""

    def __init__(self, ids: Sequence[str], ends: str = "") -> None:
        self.ids, self._ends = list(ids), ends
        self.tabs: tuple[Tab, ...] = LINK

    @property
    def key(self) -> object:
        return ("links", *self.ids)

    def title(self) -> str:
        return f"Link {self._ends or self.ids[0]}" if len(self.ids) == 1 else f"{len(self.ids)} Links"

    def label(self) -> str:
        return f"Change {self.title()}"

    def read(self, context: FormContext) -> tuple[Any, ...] | None:
        found_links = [context.topology.link(link_id) for link_id in self.ids]
        links = tuple(link for link in found_links if link is not None)
        if len(links) < len(found_links):
            return None
        self._ends = f"{links[0].a.node} - {links[0].b.node}"
        return links

    def write(self, topology: Topology, old_values: Sequence[Any], new_values: Sequence[Any]) -> Topology:
        for link_id, was, value in zip(self.ids, old_values, new_values, strict=True):
            if was != value:
                topology = replace_link(topology, link_id, value)
        return topology

    def follow(self, old: Topology, new: Topology) -> None:
        if len(old.links) != len(new.links):
            return
        old_ids = {link.id for link in old.links}
        pairs = zip(old.links, new.links, strict=True)
        renamed = {was.id: now.id for was, now in pairs if was.id != now.id and now.id not in old_ids}
        self.ids = [renamed.get(link_id, link_id) for link_id in self.ids]

    def path_of(self, problem: Problem) -> str | None:
        if problem.node not in self.ids or problem.about not in ("", "link"):
            return None
        above, _, last = problem.field.rpartition(".")
        if last.startswith("queue_"):
            return f"{above}.queue_limit"
        return "a.mtu_bytes" if problem.field == "mtu_bytes" else problem.field


class Flows:
    """Flows, by id."""

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids = list(ids)
        self.tabs: tuple[Tab, ...] = FLOW

    @property
    def key(self) -> object:
        return ("flows", *self.ids)

    def title(self) -> str:
        return f"Flow {self.ids[0]}" if len(self.ids) == 1 else f"{len(self.ids)} Flows"

    def label(self) -> str:
        return f"Change {self.title()}"

    def read(self, context: FormContext) -> tuple[Any, ...] | None:
        flows = {flow.id: flow for flow in context.topology.flows}
        return tuple(flows[flow_id] for flow_id in self.ids) if all(flow_id in flows for flow_id in self.ids) else None

    def write(self, topology: Topology, old_values: Sequence[Any], new_values: Sequence[Any]) -> Topology:
        changed = dict(zip(self.ids, new_values, strict=True))
        return set_flows(topology, [changed.get(flow.id, flow) for flow in topology.flows])

    def follow(self, old: Topology, new: Topology) -> None:
        """Detect renames: a renamed flow has a new id at the same position of the list."""
        if len(old.flows) != len(new.flows):
            return
        old_ids = {flow.id for flow in old.flows}
        pairs = zip(old.flows, new.flows, strict=True)
        renamed = {was.id: now.id for was, now in pairs if was.id != now.id and now.id not in old_ids}
        self.ids = [renamed.get(flow_id, flow_id) for flow_id in self.ids]

    def path_of(self, problem: Problem) -> str | None:
        is_named = {problem.node, problem.node.rpartition(".")[0]} & set(self.ids)
        if not is_named or problem.about not in ("", "flow"):
            return None
        return "until" if problem.field in ("duration_s", "size_bytes") else problem.field


class TopologySettings:
    """Settings of the topology: its preferences, its planned faults, or its flows and their start conditions."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._flows: set[str] = set()
        self.tabs: tuple[Tab, ...] = {"flows": FLOWS, "faults": FAULTS, "preferences": PREFERENCES}[name]

    @property
    def key(self) -> object:
        return self._name

    def title(self) -> str:
        return {"flows": "Flows", "faults": "Faults", "preferences": "Topology Preferences"}[self._name]

    def label(self) -> str:
        return f"Change {self.title().removeprefix('Topology ')}"

    def read(self, context: FormContext) -> tuple[Any, ...] | None:
        self._flows = {name for flow in context.topology.flows for name in (flow.id, *flow.result_ids)}
        return (context.topology,)

    def write(self, topology: Topology, old_values: Sequence[Any], new_values: Sequence[Any]) -> Topology:
        (value,) = new_values
        if self._name == "flows":
            return set_flows(topology.model_copy(update={"wait": value.wait}), value.flows)
        if self._name == "faults":
            return set_faults(topology, value.faults)
        names = {field.path.partition(".")[0] for tab in self.tabs for field in fields_of(tab.parts)}
        return topology.model_copy(update={name: getattr(value, name) for name in names})

    def follow(self, old: Topology, new: Topology) -> None:
        return

    def path_of(self, problem: Problem) -> str | None:
        if self._name == "faults":
            return "faults" if problem.field.partition(".")[0] == "faults" else None
        if self._name != "flows":
            return None
        is_of_flow = problem.node in self._flows and problem.about in ("", "flow")
        return "flows" if problem.field == "flows" or is_of_flow else None
