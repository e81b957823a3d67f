"""The permissions that a topology requests: to run its author's programs, and to access parts of the machine."""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.model.topology import Topology
from frrlib.model.traffic.waiting_kinds import Command


def requested_permissions(topology: Topology) -> tuple[str, ...]:
    """The permissions that a lab of this topology requests from its user, as one line for people each.

    They are the programs of its author, and parts of the machine that the lab accesses. Controllers outside of the lab
    are not included; their permission is requested separately.
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
    for file in topology.kernel_modules:
        yield f"the kernel module {file} is compiled, and the lab kernel loads it"
    for node in topology.nodes:
        for interface in getattr(node, "external_interfaces", ()):
            yield f"{node.name} gets this machine's interface {interface}"
