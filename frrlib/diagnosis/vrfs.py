"""The routing table of each router that an explanation is about: the main one, or a VRF.

An interface belongs to one table. So the table of a router follows from the link by which a question arrives there, and
the two ends of a link may have different ones: a VRF at a provider's router, the main table at the customer's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from frrlib.addressing.domains import broadcast_domains
from frrlib.diagnosis.explanation import Step
from frrlib.diagnosis.facts import LabFacts, Network
from frrlib.diagnosis.wiring import SharedLink, shared_links
from frrlib.errors import TopologyError
from frrlib.lab.lab import Lab
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology

_INSTANCE = re.compile(r"`(router (?:ospf|bgp \d+))`")
_STATIC = re.compile(r"`((?:no )?(?:ip|ipv6) route [^`]+)`")
_QUESTION = re.compile(r"`(miniedit-frr why (\S+) [^` ]+)`")


def has_vrfs(topology: Topology) -> bool:
    """Whether a router of a topology has VRFs."""
    return any(router.vrfs for router in topology.routers)


def facts_in_vrf(lab: Lab, node: str, vrf: str) -> LabFacts:
    """The facts about the routers that a node reaches in a VRF. Each is read in the table of the links to it.

    Args:
        node: a router, or a host; hosts have no VRFs.
        vrf: a VRF of the router; empty for its main table.

    Raises:
        TopologyError: the router has no such VRF.
    """
    facts = LabFacts(lab)
    if not vrf and not has_vrfs(facts.topology):
        return facts
    if vrf and vrf not in facts.vrf_names(node):
        names = ", ".join(facts.vrf_names(node)) or "none"
        raise TopologyError(f"has no VRF {vrf}", node=node, remedy=f"its VRFs are: {names}")
    links = shared_links(facts.topology)
    tables = {node: vrf} if isinstance(facts.topology.node(node), Router) else _routers_of_host(facts, node)
    queue = list(tables)
    while queue:
        here = queue.pop(0)
        for (router, other), shared in links.items():
            if router != here or other in tables:
                continue
            for link in shared:
                if facts.interface(here, link.a.interface).vrf == tables[here]:
                    tables[other] = facts.interface(other, link.b.interface).vrf
                    queue.append(other)
                    break
    return facts.in_tables({router: name for router, name in tables.items() if name})


def _routers_of_host(facts: LabFacts, host: str) -> dict[str, str]:
    """The routers on the networks of a host, each with the table of its interface there."""
    tables: dict[str, str] = {}
    for domain in broadcast_domains(facts.topology):
        if any(place.node.name == host for place in domain.ends):
            for place in domain.ends:
                if isinstance(place.node, Router):
                    tables.setdefault(place.node.name, facts.interface(place.node.name, place.end.interface).vrf)
    return tables


def links_read(facts: LabFacts) -> dict[tuple[str, str], tuple[SharedLink, ...]]:
    """The links that two routers share and whose interfaces are in the tables that are read, as `shared_links`."""
    links = shared_links(facts.topology)
    if not has_vrfs(facts.topology):
        return links
    return {pair: tuple(link for link in shared if _is_read(facts, link)) for pair, shared in links.items()}


def _is_read(facts: LabFacts, link: SharedLink) -> bool:
    return all(facts.interface(port.node, port.interface).vrf == facts.vrf(port.node) for port in link.ends)


def other_table_step(facts: LabFacts, router: str, network: Network) -> Step | None:
    """The fact that a router has a route in another of its tables than the one that is read; None if it has not."""
    for name in ["", *facts.vrf_names(router)] if has_vrfs(facts.topology) else []:
        if name != facts.vrf(router) and facts.in_tables({router: name}).selected(router, network):
            option = f" --vrf {name}" if name else ""
            sentence = f"{router} has {network} in {table_words(name)}, not in {table_words(facts.vrf(router))}."
            remedy = f"Ask about this table: `miniedit-frr why {router} {network}{option}`; or move an interface to it."
            return Step(router, "", sentence, remedy)
    return None


def table_words(vrf: str) -> str:
    """A routing table in words."""
    return f"the VRF {vrf}" if vrf else "its main table"


def with_vrf_commands(facts: LabFacts, steps: Iterable[Step]) -> list[Step]:
    """The steps with the VRF of each step's router in the commands of its remedy."""
    return [replace(step, remedy=_in_vrf(facts, step)) if facts.vrf(step.node) else step for step in steps]


def _in_vrf(facts: LabFacts, step: Step) -> str:
    vrf = facts.vrf(step.node)
    headings = {section.text for section in facts.sections(step.node, "bgp")}
    remedy = step.remedy.replace("`router bgp`", f"`{next(iter(headings), 'router bgp AS')}`")
    remedy = _INSTANCE.sub(rf"`\1 vrf {vrf}`", remedy)
    remedy = _STATIC.sub(lambda match: f"`{match[1]}`" if " vrf " in match[1] else f"`{match[1]} vrf {vrf}`", remedy)
    return _QUESTION.sub(rf"`\1 --vrf {vrf}`", remedy)
