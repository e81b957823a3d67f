"""A drawing's demands on the user who runs it: its own programs, and parts of the machine that it is shown or given."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.model.topology import Topology
from frrlib.model.traffic.waiting_kinds import Command


def requested_permissions(topology: Topology) -> tuple[str, ...]:
    """The actions of a lab of this drawing that its author wrote as a program, or that reach into the machine; a line
    each, for people, with the words of the drawing as they are.

    Controllers outside of the lab are not among them: they are asked for by themselves.
    """
    return tuple(dict.fromkeys(_all(topology)))


def _all(topology: Topology) -> Iterator[str]:
    for node in topology.nodes:
        for when, command in (("begins", node.start_command), ("ends", node.stop_command)):
            if command:
                yield f"{node.name} runs when the lab {when}: {command}"
    for flow in topology.flows:
        if isinstance(flow.traffic, Command):
            for where, command in ((flow.source, flow.traffic.command), (flow.destination, flow.traffic.server)):
                if command:
                    yield f"{where} runs for the flow {flow.id}: {command}"
    for folder in topology.shown_folders:
        yield f"the lab reads the folder {folder}"
    for folder in topology.copied_folders:
        yield f"the lab has a copy of the folder {folder}"
    for node in topology.nodes:
        for interface in getattr(node, "external_interfaces", ()):
            yield f"{node.name} gets this machine's interface {interface}"
