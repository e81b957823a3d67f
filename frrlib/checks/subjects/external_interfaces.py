"""Interfaces of this machine that are moved into the lab."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.checks.facts import Facts
from frrlib.checks.kinds import CheckSubject, error, note
from frrlib.checks.subjects.structure import DUPLICATE_INTERFACE, ILLEGAL_INTERFACE
from frrlib.model.names import interface_name_fault
from frrlib.model.nodes import Host, Switch
from frrlib.model.problem import Problem

SUBJECT = CheckSubject()
EXTERNAL_INTERFACE = SUBJECT.kind(
    "external-interface",
    "An interface of this machine is moved into the lab.",
    "Only root can do this, and this machine cannot use the interface while the lab runs.",
    "Run the lab in the place `root`.",
)


@SUBJECT.rule(ILLEGAL_INTERFACE, DUPLICATE_INTERFACE, EXTERNAL_INTERFACE)
def external_interfaces(facts: Facts) -> Iterator[Problem]:
    """An interface of this machine belongs to one node at most."""
    owners: dict[str, str] = {}
    for node in facts.nodes.values():
        if not isinstance(node, Host | Switch):
            continue
        for name in node.external_interfaces:
            if fault := interface_name_fault(name):
                yield error(ILLEGAL_INTERFACE, node.name, "external_interfaces", f"{name!r} {fault}")
            elif name in facts.interface_names(node.name):
                message = f"{node.name} already has an interface named {name}"
                remedy = "rename the interface of the node"
                yield error(DUPLICATE_INTERFACE, node.name, "external_interfaces", message, remedy)
            elif name in owners:
                message = f"{name} already belongs to {owners[name]}"
                remedy = "use an interface of this machine at one node only"
                yield error(DUPLICATE_INTERFACE, node.name, "external_interfaces", message, remedy)
            else:
                message = f"the interface {name} of this machine is moved into the lab, which only root can do"
                remedy = "run the lab in the place root"
                yield note(EXTERNAL_INTERFACE, node.name, "external_interfaces", message, remedy)
            owners.setdefault(name, node.name)
