"""The subject of a dialog on the drawing: nodes, links, flows or preferences; how it is read, written and followed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

from frrlib.edits.changes import replace_link, set_flows
from frrlib.edits.fault_plan import set_faults
from frrlib.edits.new_names import result_ids
from frrlib.model.labels import with_remedy
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology
from miniedit_frr.dialogs.forms.faults import FAULTS
from miniedit_frr.dialogs.forms.flows import FLOW, FLOWS
from miniedit_frr.dialogs.forms.link import LINK
from miniedit_frr.dialogs.forms.node import FORMS
from miniedit_frr.dialogs.forms.topology import PREFERENCES
from miniedit_frr.dialogs.parts import Tab, fields_of
from miniedit_frr.dialogs.sheets import Surroundings, sheet, write_sheet

#: Common names of the kinds; a bridge is called as by the tool.
_CALLED = {
    "host": "Host", "router": "Router", "switch": "Switch", "bridge": "LegacySwitch", "controller": "Controller",
}  # fmt: skip


class Subject(Protocol):
    """The subject of a dialog. Its values are frozen; it finds them again after the drawing has changed."""

    @property
    def tabs(self) -> tuple[Tab, ...]:
        """The pages of its form."""

    @property
    def key(self) -> object:
        """A key that is equal for dialogs about the same subject."""

    def title(self) -> str:
        """Its name, for the window's title."""

    def label(self) -> str:
        """The name of a change of it in the Edit menu."""

    def read(self, around: Surroundings) -> tuple[Any, ...] | None:
        """The values; None where they are gone."""

    def write(self, topology: Topology, before: Sequence[Any], after: Sequence[Any]) -> Topology:
        """The drawing with other values. Raises TopologyError where it refuses them."""

    def follow(self, before: Topology, after: Topology) -> None:
        """The drawing has changed: find the subject under its new name."""

    def path_of(self, problem: Problem) -> str | None:
        """The field that a problem is about; "" for none in particular, None for a problem of something else."""


def remarks_of(problems: Iterable[Problem], path_of: Callable[[Problem], str | None]) -> dict[str, tuple[str, str]]:
    """The problems on a form's fields, by path: severity and words. Notes are left to the list.

    Args:
        path_of: the field that a problem is about; empty or None for none of the form's.
    """
    remarks: dict[str, tuple[str, str]] = {}
    for problem in problems:
        path = path_of(problem) if problem.severity in (Severity.ERROR, Severity.WARNING) else None
        if path:
            remarks.setdefault(path, (problem.severity.value, with_remedy(problem.why, problem.right)))
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
        called = _CALLED[self.kind]
        plural = f"{called}es" if called.endswith("ch") else f"{called}s"
        return f"{called} {self.names[0]}" if len(self.names) == 1 else f"{len(self.names)} {plural}"

    def label(self) -> str:
        return f"Change {self.names[0]}" if len(self.names) == 1 else f"Change {self.title()}"

    def read(self, around: Surroundings) -> tuple[Any, ...] | None:
        nodes = [around.topology.node(name) for name in self.names]
        if any(node is None or node.kind != self.kind for node in nodes):
            return None
        return tuple(sheet(around, name) for name in self.names)

    def write(self, topology: Topology, before: Sequence[Any], after: Sequence[Any]) -> Topology:
        for name, was, value in zip(self.names, before, after, strict=True):
            if was != value:
                topology = write_sheet(topology, name, was, value)
        return topology

    def follow(self, before: Topology, after: Topology) -> None:
        """A node that has another name and stands where it stood in the list was renamed."""
        if len(before.nodes) != len(after.nodes):
            return
        known = {node.name for node in before.nodes}
        renamed = {
            was.name: now.name for was, now in zip(before.nodes, after.nodes, strict=True)
            if was.name != now.name and now.name not in known
        }  # fmt: skip
        self.names = [renamed.get(name, name) for name in self.names]

    def path_of(self, problem: Problem) -> str | None:
        if problem.node not in self.names:
            return None
        field = problem.field
        if field in ("addresses", "interface", "mtu_bytes"):
            return "interfaces"
        if field == "ospf_cost":
            return "ospf_interfaces"
        return self._found(f"node.{field}") if field else ""

    def _found(self, path: str) -> str:
        """The field that a path belongs to: itself, the one that covers it, or the list that has it in a row."""
        known = {name: field.path for tab in self.tabs for field in fields_of(tab.parts) for name in field.covers}
        known |= {field.path: field.path for tab in self.tabs for field in fields_of(tab.parts)}
        short = re.sub(r"\[.*?\]", "", path)
        while short.count(".") > 1 and short not in known:
            short = short.rpartition(".")[0]
        return known.get(short, path)


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

    def read(self, around: Surroundings) -> tuple[Any, ...] | None:
        links = [around.topology.link(each) for each in self.ids]
        found = tuple(link for link in links if link is not None)
        if len(found) < len(links):
            return None
        self._ends = f"{found[0].a.node} - {found[0].b.node}"
        return found

    def write(self, topology: Topology, before: Sequence[Any], after: Sequence[Any]) -> Topology:
        for link_id, was, value in zip(self.ids, before, after, strict=True):
            if was != value:
                topology = replace_link(topology, link_id, value)
        return topology

    def follow(self, before: Topology, after: Topology) -> None:
        if len(before.links) != len(after.links):
            return
        known = {link.id for link in before.links}
        pairs = zip(before.links, after.links, strict=True)
        renamed = {was.id: now.id for was, now in pairs if was.id != now.id and now.id not in known}
        self.ids = [renamed.get(each, each) for each in self.ids]

    def path_of(self, problem: Problem) -> str | None:
        if problem.node not in self.ids:
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

    def read(self, around: Surroundings) -> tuple[Any, ...] | None:
        flows = {flow.id: flow for flow in around.topology.flows}
        return tuple(flows[each] for each in self.ids) if all(each in flows for each in self.ids) else None

    def write(self, topology: Topology, before: Sequence[Any], after: Sequence[Any]) -> Topology:
        changed = dict(zip(self.ids, after, strict=True))
        return set_flows(topology, [changed.get(flow.id, flow) for flow in topology.flows])

    def follow(self, before: Topology, after: Topology) -> None:
        """A flow that has another name and stands where it stood in the list was renamed."""
        if len(before.flows) != len(after.flows):
            return
        known = {flow.id for flow in before.flows}
        pairs = zip(before.flows, after.flows, strict=True)
        renamed = {was.id: now.id for was, now in pairs if was.id != now.id and now.id not in known}
        self.ids = [renamed.get(each, each) for each in self.ids]

    def path_of(self, problem: Problem) -> str | None:
        if not {problem.node, problem.node.rpartition(".")[0]} & set(self.ids):
            return None
        return "until" if problem.field in ("duration_s", "size_bytes") else problem.field


class Whole:
    """Settings of the whole drawing: its preferences, its faults, or its flows and what a run waits for."""

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

    def read(self, around: Surroundings) -> tuple[Any, ...] | None:
        self._flows = {name for flow in around.topology.flows for name in (flow.id, *result_ids(flow))}
        return (around.topology,)

    def write(self, topology: Topology, before: Sequence[Any], after: Sequence[Any]) -> Topology:
        (value,) = after
        if self._name == "flows":
            return set_flows(topology.model_copy(update={"wait": value.wait}), value.flows)
        if self._name == "faults":
            return set_faults(topology, value.faults)
        names = {field.path.partition(".")[0] for tab in self.tabs for field in fields_of(tab.parts)}
        return topology.model_copy(update={name: getattr(value, name) for name in names})

    def follow(self, before: Topology, after: Topology) -> None:
        return

    def path_of(self, problem: Problem) -> str | None:
        if self._name == "faults":
            return "faults" if problem.field.partition(".")[0] == "faults" else None
        if self._name != "flows":
            return None
        return "flows" if problem.field == "flows" or problem.node in self._flows else None
