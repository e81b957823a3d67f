"""Renaming a node leaves the addresses and identifiers of all nodes as they were."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.addressing.addressing import addressed
from frrlib.checks.check import check
from frrlib.edits import changes, clipboard, generators
from frrlib.errors import TopologyError
from frrlib.formats import mn
from frrlib.model.links import End, Link
from frrlib.model.nodes import Bridge, Host, Node, Router, Switch
from frrlib.model.openflow import datapath_id
from frrlib.model.routing import Ospf
from frrlib.model.topology import Topology
from frrlib.render.frr import router_id
from miniedit_frr.document.document import Document
from tests.example_counts import examples
from tests.random_edits import EDITS, edited
from tests.strategies.basics import names
from tests.strategies.topologies import topologies


def identifiers(topology: Topology) -> Iterator[tuple[object, ...]]:
    """All that a lab derives for the nodes and links of a topology, by their position and without their names."""
    filled = addressed(topology)
    for link in filled.links:
        for end in link.ends:
            yield link.id, end.addresses, end.mac
    for node in filled.nodes:
        match node:
            case Router():
                yield node.loopbacks, router_id(filled, node, None)
            case Host():
                yield (node.default_route,)
            case Switch():
                yield (_datapath_id(node),)


def _datapath_id(switch: Switch) -> int | str | None:
    try:
        return datapath_id(switch)
    except ValueError as problem:
        return str(problem)


def small(kind: type[Node] = Router) -> Topology:
    """Two hosts and a node of a kind at a switch."""
    nodes = (Host(name="h1"), Host(name="h2"), kind(name="r1"), Switch(name="s1"))
    links = tuple(
        Link(id=f"l{n}", a=End(node=node.name), b=End(node="s1")) for n, node in enumerate(nodes[:3], start=1)
    )
    return Topology(nodes=nodes, links=links)


@pytest.mark.parametrize("old", ["h1", "h2", "r1", "s1"])
@pytest.mark.parametrize("kind", [Router, Host, Bridge])
def test_a_rename_changes_no_address(old: str, kind: type[Node]) -> None:
    topology = small(kind)
    for name in ("web", "h7", "r9", "s4"):
        assert list(identifiers(changes.rename(topology, old, name))) == list(identifiers(topology))


def test_the_numbers_in_addresses_are_those_of_the_first_names() -> None:
    topology = changes.rename(changes.rename(small(), "h1", "web"), "s1", "core")
    assert [str(*link.a.addresses) for link in addressed(topology).links] == [
        "10.100.1.101/24", "10.100.1.102/24", "10.100.1.1/24",
    ]  # fmt: skip
    switch = topology.node("core")
    assert isinstance(switch, Switch) and datapath_id(switch) == 1


@settings(max_examples=examples(60), deadline=None)
@given(topology=topologies(), data=st.data())
def test_no_rename_in_any_topology_changes_an_identifier(topology: Topology, data: st.DataObject) -> None:
    if not topology.nodes:
        return
    before = list(identifiers(topology))
    used = {end.node for link in topology.links for end in link.ends}  # also those of missing nodes
    for _ in range(3):
        old = data.draw(st.sampled_from([node.name for node in topology.nodes]))
        new = data.draw(names)
        if new in used:
            continue
        try:
            topology = changes.rename(topology, old, new)
        except TopologyError:
            continue
        used |= {new}
        assert list(identifiers(topology)) == before


def test_renames_among_random_edits_change_no_identifier() -> None:
    chance = random.Random(5)
    topology, count = small(), 0
    for seed in range(120):
        edit = chance.choice(sorted({"rename", "node", "link", "copy", "delete"} & set(EDITS)))
        after = edited(topology, "rename" if seed % 2 else edit, seed)
        if seed % 2 and after != topology:
            assert list(identifiers(after)) == list(identifiers(topology))
            count += 1
        topology = after
    assert count > 10


def test_renaming_back_restores_the_topology() -> None:
    topology = generators.grid(3, 3, hosts=1)
    for name in ("core", "r77", "r1"):
        after = changes.rename(topology, "r1", name)
        after = changes.rename(changes.rename(after, name, "elsewhere"), "elsewhere", "r1")
        assert after == topology


def test_undo_restores_the_topology() -> None:
    document = Document(small())
    document.apply("Rename h1", changes.rename(document.topology, "h1", "web"))
    document.undo()
    assert document.topology == small()
    document.redo()
    assert list(identifiers(document.topology)) == list(identifiers(small()))


def test_a_swap_of_names_changes_no_address() -> None:
    topology = small()
    for old, new in (("h1", "spare"), ("h2", "h1"), ("spare", "h2")):
        topology = changes.rename(topology, old, new)
    assert list(identifiers(topology)) == list(identifiers(small()))


def test_files_keep_the_addresses_of_renamed_nodes() -> None:
    topology = changes.rename(changes.rename(small(), "h1", "web"), "s1", "core")
    assert mn.loads(mn.dumps(topology)).topology == topology


def test_new_nodes_and_copies_have_addresses_of_their_own() -> None:
    topology = changes.rename(small(), "s1", "core")
    for node in topology.nodes:
        topology = changes.rename(topology, node.name, f"{node.name}-renamed")
    grown, name = changes.add_node(topology, "switch", 0, 0)
    assert name != "s1"
    copied, new_names = clipboard.duplicate(grown, [node.name for node in grown.nodes], 0, 0)
    assert not {node.address_name for node in grown.nodes} & {
        node.address_name for node in copied.nodes if node.name in new_names.values()
    }
    assert not [problem for problem in check(copied) if problem.kind == "duplicate-address"]


def test_a_part_pasted_elsewhere_keeps_its_addresses() -> None:
    topology = changes.rename(small(), "s1", "core")
    pasted, _ = clipboard.merge(Topology(), topology)
    assert list(identifiers(pasted)) == list(identifiers(topology))


def test_a_thousand_nodes_keep_their_identifiers() -> None:
    nodes = tuple(Router(name=f"r{n}", ospf=Ospf()) for n in range(1, 1001))
    links = tuple(Link(id=f"l{n}", a=End(node=f"r{n}"), b=End(node=f"r{n + 1}")) for n in range(1, 1000))
    topology = Topology(nodes=nodes, links=links)
    after = changes.rename(changes.rename(topology, "r500", "middle"), "r7", "seven")
    assert addressed(after).links == tuple(
        link.model_copy(update={
            side: getattr(link, side).model_copy(update={
                "node": new, "interface": getattr(link, side).interface.replace(old, new),
            })
            for side in "ab" for old, new in (("r500", "middle"), ("r7", "seven")) if getattr(link, side).node == old
        })
        for link in addressed(topology).links
    )  # fmt: skip
