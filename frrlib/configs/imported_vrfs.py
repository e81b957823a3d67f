"""VRFs of an imported configuration: a lab needs a device for each, with a table and interfaces."""

from __future__ import annotations

from frrlib.addressing.addressing import addressed
from frrlib.conf.named_vrfs import named_vrfs, without_vrf
from frrlib.conf.text import ConfigEntry
from frrlib.edits.parts import with_nodes
from frrlib.model.nodes import Router
from frrlib.model.protocols.vrf import Vrf, unused_table
from frrlib.model.topology import Topology


def with_vrfs(
    topology: Topology, old: Router, entries: tuple[ConfigEntry, ...], notes: list[str]
) -> tuple[Topology, tuple[ConfigEntry, ...]]:
    """The topology with the VRFs that a configuration names, and the entries without VRFs of interfaces.

    Args:
        topology: the topology, in which the router has no VRFs.
        old: the router before the import. A VRF of the same name keeps its table, and also its interfaces if the
            configuration names none.
        entries: the configuration.
        notes: gets a sentence for each VRF that was made or could not be made.
    """
    router = topology.node(old.name)
    assert isinstance(router, Router)
    known = {vrf.name: vrf for vrf in old.vrfs}
    drawn = {end.interface for _, end in addressed(topology).ends_at(old.name)}
    for name, interfaces in named_vrfs(entries).items():
        members = tuple(interface for interface in interfaces if interface in drawn)
        if name in known:
            members = members or tuple(interface for interface in known[name].interfaces if interface in drawn)
            vrf = Vrf(name=name, table=known[name].table, interfaces=members)
        else:
            try:
                vrf = Vrf(name=name, table=unused_table((*router.vrfs, *old.vrfs)), interfaces=members)
            except ValueError:
                notes.append(f"{old.name}: {ascii(name)[1:-1]} is no name for a VRF; its lines have no effect")
                continue
            notes.append(f"{old.name}: VRF {name} was added with table {vrf.table} and {_interface_words(members)}")
        router = router.model_copy(update={"vrfs": (*router.vrfs, vrf)})
    return with_nodes(topology, {old.name: router}), tuple(map(without_vrf, entries))


def _interface_words(interfaces: tuple[str, ...]) -> str:
    if not interfaces:
        return "no interface, since the configuration names none; choose them at VRFs of the router"
    return ", ".join(interfaces)
