"""Why two routers are not neighbors.

explanation = explain_missing_neighbor(lab, "r1", "r2", "ospf")
print(explanation.cause.sentence, explanation.cause.remedy)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from frrlib import wire
from frrlib.diagnosis import bfd, bgp, isis, ospf, rip
from frrlib.diagnosis.explanation import Explanation, Step, cause, explain
from frrlib.diagnosis.facts import LabFacts
from frrlib.diagnosis.vrfs import facts_in_vrf, has_vrfs, links_read, with_vrf_commands
from frrlib.diagnosis.wiring import SharedLink, shared_links
from frrlib.errors import TopologyError
from frrlib.lab.lab import Lab

#: The name of each protocol for people.
PROTOCOLS = {
    "ospf": "OSPF",
    "ospf6": "OSPFv3",
    "isis": "IS-IS",
    "bgp": "BGP",
    "rip": "RIP",
    "ripng": "RIPng",
    "bfd": "BFD",
}
#: The causes at a link, by protocol.
_LINK_CAUSES: dict[str, Callable[[LabFacts, SharedLink], Iterator[Step]]] = {
    "ospf": ospf.ospf_causes,
    "ospf6": ospf.ospf6_causes,
    "isis": isis.isis_causes,
    "rip": rip.rip_causes,
    "ripng": rip.ripng_causes,
}
#: The causes for which neighbors list each other and exchange no usable routes.
_DISAGREEMENTS: dict[str, Callable[[LabFacts, SharedLink], list[Step]]] = {
    "ospf": ospf.disagreements,
    "rip": rip.disagreements,
}


def explain_missing_neighbor(lab: Lab, a: str, b: str, protocol: str, vrf: str = "") -> Explanation:
    """Why two routers are not neighbors by a protocol.

    Both ends are read as they are now, not as the topology describes them. Only links come from the topology.

    Args:
        a, b: two routers with FRR.
        protocol: one of `PROTOCOLS`. Two routers are neighbors by RIP and RIPng if each receives updates of the other.
        vrf: a VRF of `a`; empty for those of its links to `b`. Of several, the first without the neighbor is explained.

    Raises:
        TopologyError: a name is wrong, or the protocol is none of these.
        LabFailed: the lab has ended, or does not reply in time.
    """
    if protocol not in PROTOCOLS:
        raise TopologyError(f"{protocol!r} is no protocol with an explanation", remedy=f"one of {', '.join(PROTOCOLS)}")
    facts = LabFacts(lab)
    for router in (a, b):
        require_router(facts, router)
    if a == b:
        raise TopologyError("is no neighbor of itself", node=a, remedy="name two routers")
    links = shared_links(facts.topology).get((a, b), ())
    shared = [facts.interface(a, link.a.interface).vrf for link in links] if has_vrfs(facts.topology) else []
    explanations = [_explain(facts_in_vrf(lab, a, name), a, b, protocol) for name in [vrf] if vrf or not shared]
    if not explanations:
        explanations = [_explain(facts_in_vrf(lab, a, name), a, b, protocol) for name in dict.fromkeys(shared)]
    # A table in which the protocol runs at neither end was hardly meant.
    return min(explanations, key=lambda known: (_is_unused(list(known.steps)), known.is_there))


def _explain(facts: LabFacts, a: str, b: str, protocol: str) -> Explanation:
    steps = with_vrf_commands(facts, neighbor_steps(facts, a, b, protocol, links_read(facts).get((a, b), ())))
    table = f" in VRF {facts.vrf(a)}" if facts.vrf(a) else ""
    subject = f"{PROTOCOLS[protocol]} neighbors {a} and {b}{table}"
    is_there = not any(step.is_cause for step in steps) and bool(_working(facts, a, b, protocol))
    unknown = (
        f"{a} and {b} are not {PROTOCOLS[protocol]} neighbors{_state_words(facts, a, b, protocol)}. No difference "
        "between the two ends was found; they may still be exchanging their first packets."
    )
    return explain(subject, steps, is_there=is_there, unknown=unknown)


def require_router(facts: LabFacts, name: str) -> None:
    """Raise TopologyError if a name is not that of a router with FRR."""
    if facts.topology.node(name) is None:
        raise TopologyError("is not in the topology", node=name)
    if name not in facts.routers:
        raise TopologyError(
            "is not a router with FRR", node=name, remedy=f"one of {', '.join(facts.routers) or 'none'}"
        )


def neighbor_steps(facts: LabFacts, a: str, b: str, protocol: str, links: tuple[SharedLink, ...]) -> list[Step]:
    """The causes for two routers that are no neighbors, or one step that says that they are.

    Args:
        links: the links that both share, seen from `a`.
    """
    if protocol == "bgp":
        if up := _working(facts, a, b, protocol):
            return [_up_step(up[0], a, b, protocol)]
        causes = list(bgp.bgp_causes(facts, a, b, links))
        return causes or [*_down_by_bfd(facts, a, b, protocol, links), *_lost_packets(facts, a, b, links)]
    if protocol == "bfd":
        return _bfd_steps(facts, a, b, links)
    if not links:
        sentence = f"{a} and {b} share no link, so they cannot be {PROTOCOLS[protocol]} neighbors."
        return [cause(a, "", sentence, f"Add a link between {a} and {b}, or ask about routers that share a link.")]
    by_link = {link: link_steps(facts, link, protocol) for link in links}
    without_cause = [steps for steps in by_link.values() if not any(step.is_cause for step in steps)]
    if up_steps := [step for steps in without_cause for step in steps]:
        return up_steps
    # Of several parallel links, the one with the fewest causes is the most likely to have been meant.
    return min((steps for steps in by_link.values()), key=lambda steps: (_is_unused(steps), len(steps)))


def _is_unused(steps: list[Step]) -> bool:
    """Whether the protocol runs at no end of a link."""
    return sum("does not run on" in step.sentence and bool(step.interface) for step in steps) == 2


def link_steps(facts: LabFacts, link: SharedLink, protocol: str) -> list[Step]:
    """The causes for the two ends of one link, or a step that says that they are neighbors."""
    up = [event for event in _working(facts, link.a.node, link.b.node, protocol) if _is_at(facts, event, link)]
    if up:
        disagreements = _DISAGREEMENTS[protocol](facts, link) if protocol in _DISAGREEMENTS else []
        return disagreements or [_up_step(up[0], link.a.node, link.b.node, protocol)]
    if causes := list(_LINK_CAUSES[protocol](facts, link)):
        return causes
    a, b = link.a.node, link.b.node
    return [*_down_by_bfd(facts, a, b, protocol, (link,)), *_lost_packets(facts, a, b, (link,))]


def _bfd_steps(facts: LabFacts, a: str, b: str, links: tuple[SharedLink, ...]) -> list[Step]:
    """As `neighbor_steps`, for BFD. A protocol that uses BFD starts a session only with its own neighbors."""
    if up := _working(facts, a, b, "bfd"):
        return [_up_step(up[0], a, b, "bfd")]
    causes = list(bfd.bfd_causes(facts, a, b, links))
    missing = {step.node for step in causes if "has no BFD session" in step.sentence}
    users = [bfd.bfd_users(facts, *pair, links) for pair in ((a, b), (b, a))]
    for protocol in users[0].keys() & users[1].keys() if missing else ():
        steps = neighbor_steps(facts, a, b, protocol, links)
        if any(step.is_cause for step in steps):
            name = PROTOCOLS[protocol]
            sentence = f"{name} starts BFD sessions with its neighbors, but {a} and {b} are not {name} neighbors."
            return [Step(a, "", sentence), *steps]
    return causes or list(_lost_packets(facts, a, b, links))


def _down_by_bfd(facts: LabFacts, a: str, b: str, protocol: str, links: tuple[SharedLink, ...]) -> Iterator[Step]:
    """The causes that a BFD session is down which a protocol uses; nothing if it uses none, or the session is up."""
    users = [protocol in bfd.bfd_users(facts, *pair, links) for pair in ((a, b), (b, a))]
    down = bfd.down_sessions(facts, a, b, links) if any(users) else []
    if not down:
        return
    name = PROTOCOLS[protocol]
    sentence = f"The BFD session of {down[0].router} with {down[0].peer} is down, so {name} gives up the neighbor."
    yield Step(down[0].router, "", sentence)
    yield from bfd.bfd_causes(facts, a, b, links)


def _is_at(facts: LabFacts, event: wire.AdjacencyEvent, link: SharedLink) -> bool:
    """Whether a neighbor of the link's first end is at this link; ripd names only its address."""
    if event.interface:
        return event.interface == link.a.interface
    return event.address in [str(address.ip) for address in facts.interface(link.b.node, link.b.interface).addresses]


def _working(facts: LabFacts, a: str, b: str, protocol: str) -> list[wire.AdjacencyEvent]:
    """The neighbors of `a` that are `b` and up, if `b` has a neighbor that is up and may be `a`."""
    if facts.is_stopped(a) or facts.is_stopped(b):
        return []
    events, reverse_events = (_events(facts, *pair, protocol) for pair in ((a, b), (b, a)))
    return [event for event in events if event.up] if any(event.up for event in reverse_events) else []


def _events(facts: LabFacts, router: str, peer: str, protocol: str) -> list[wire.AdjacencyEvent]:
    addresses = facts.addresses(peer)
    return [
        event
        for event in facts.adjacencies(router)
        if event.protocol == protocol and event.vrf == facts.vrf(router)
        and (event.neighbor == peer or any(word in addresses for word in event.address.split()))
    ]  # fmt: skip


def _up_step(event: wire.AdjacencyEvent, a: str, b: str, protocol: str) -> Step:
    place = f" on {event.interface}" if event.interface else ""
    return Step(a, event.interface, f"{a} and {b} are {PROTOCOLS[protocol]} neighbors{place} ({event.state}).")


def _state_words(facts: LabFacts, a: str, b: str, protocol: str) -> str:
    if facts.is_stopped(a):
        return ""
    states = [event.state for event in _events(facts, a, b, protocol)]
    return f" (state at {a}: {states[0]})" if states else ""


def _lost_packets(facts: LabFacts, a: str, b: str, links: tuple[SharedLink, ...]) -> Iterator[Step]:
    """A cause if pings between the two ends of a link are lost although all settings agree."""
    for link in links:
        for address in facts.interface(b, link.b.interface).of_version(4)[:1]:
            if not facts.answers_ping(a, str(address.ip)):
                sentence = f"{b} does not answer pings from {a} to {address.ip}, though both interfaces are up."
                remedy = (
                    f"Look for packet loss (`miniedit-frr fault`, `miniedit-frr link {link.a.link}`) and for filters "
                    f"(`nft list ruleset`) at {a} and {b}."
                )
                yield cause(a, link.a.interface, sentence, remedy)
