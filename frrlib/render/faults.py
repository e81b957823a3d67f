"""Faults as what the agent carries out: every interface, process and `tc` command spelt out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from frrlib.checks.rules.faults import cut_links, refuse_wrong
from frrlib.errors import TopologyError
from frrlib.model.fault_words import limits_text, settings_of
from frrlib.model.faults import ENDED_BY, OF_DAEMONS, OF_INTERFACES, OF_LINKS, Fault, LinkValues
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.render import frr, hosts, tc
from frrlib.wire.plan import FaultPlan, TcPlan
from frrlib.wire.replies import ChangeReply

#: Shapes of links as they are now, both directions, by id; of those that are as drawn there is none.
Shapes = Mapping[str, tuple[Shape, Shape]]
#: Handles of what is put in the place of a queue while packets get lost.
_DEAD, _LOSSY = "66:", "67:"
#: How long a router that is power-cycled is without power, where the fault does not say.
POWER_OFF_S = 1.0
_UNCABLED = "draw the link with a delay or loss, be it 0.001 ms, or plan the fault in the drawing"


def fault_plan(topology: Topology, fault: Fault, shapes: Shapes | None = None) -> FaultPlan:
    """The instructions for the agent to make a fault.

    Args:
        topology: with names and addresses filled in.
        fault: what is to happen.
        shapes: of links that are no longer as drawn.

    Raises:
        TopologyError: the fault names what is not there, or its link cannot do that.
    """
    refuse_wrong(topology, fault)
    if fault.course is not None:
        right = "plan it beside the flows, or change the value once (set)"
        raise TopologyError("depends on the clock of a run", node=fault.target, field="course", right=right)
    if fault.kind == "loss" and not fault.loss_percent:
        return FaultPlan(ENDED_BY["loss"], fault.target, fault.time_s, links=(fault.target,))
    lasts_s = fault.duration_s or (POWER_OFF_S if fault.kind == "power-cycled" else 0.0)
    said: dict[str, Any] = {
        "fault": fault.kind, "target": fault.target, "time_s": fault.time_s, "duration_s": lasts_s,
        "ended_by": ENDED_BY.get(fault.kind, ""), "text": _text(fault),
    }  # fmt: skip
    if fault.kind in OF_LINKS:
        said["links"] = (fault.target,)
    elif fault.kind == "partition":
        said["links"] = tuple(link.id for link in cut_links(topology, fault))
    else:
        said["node"] = fault.node
    if fault.kind in OF_INTERFACES:
        said |= {"interface": fault.part, "times": fault.times, "period_s": fault.period_s}
    elif fault.kind in OF_DAEMONS:
        said["daemon"] = _daemon(topology, fault)
    elif fault.kind in ("loss", "link-values"):
        said |= _in_the_cable(topology, fault, shapes or {})
    return FaultPlan(**said)


def fault_plans(topology: Topology) -> tuple[FaultPlan, ...]:
    """The drawing's own faults in the order of their times, each knowing what those before have made of its link.

    Raises:
        TopologyError: as `fault_plan`.
    """
    shapes: dict[str, tuple[Shape, Shape]] = {}
    plans = []
    moments = [moment for fault in topology.faults for moment in _moments(topology, fault)]
    for fault in sorted(moments, key=lambda each: each.time_s):
        plans.append(fault_plan(topology, fault, shapes))
        if fault.kind == "link-values":
            shapes[fault.target] = shapes_after(topology, fault, shapes)
    return tuple(plans)


def _moments(topology: Topology, fault: Fault) -> Iterator[Fault]:
    """A fault; of a value that varies each of its changes, and that it is at last as it was drawn."""
    if fault.course is None:
        yield fault
        return
    yield from fault.changes
    link = topology.link(fault.target)
    for _, receiver, shape in link.directions if link is not None else ():
        if fault.towards in ("", receiver.node):
            drawn = LinkValues.model_validate({fault.course.value: getattr(shape, fault.course.value) or 0.0})
            yield Fault(
                kind="link-values", target=fault.target, towards=receiver.node, time_s=fault.ends_s, values=drawn
            )


def shapes_after(topology: Topology, fault: Fault, shapes: Shapes) -> tuple[Shape, Shape]:
    """Both directions of a link, a to b first, after a change of its values."""
    link = topology.link(fault.target)
    assert link is not None and fault.values is not None
    a_to_b, b_to_a = shapes.get(link.id, (link.a_to_b, link.b_to_a))
    values = fault.values
    return (
        a_to_b if fault.towards == link.a.node else values.changed(a_to_b),
        b_to_a if fault.towards == link.b.node else values.changed(b_to_a),
    )


def cabled_by_faults(topology: Topology) -> frozenset[str]:
    """Ids of the links that must pass the cable room for the faults that are planned."""
    return frozenset(fault.target for fault in topology.faults if fault.needs_cable)


def is_cabled(topology: Topology, link: Link) -> bool:
    """Whether a link passes the cable room."""
    return any(shape.needs_cable_room for _, _, shape in link.directions) or link.id in cabled_by_faults(topology)


def value_differences(topology: Topology, plan: FaultPlan, result: ChangeReply) -> list[str]:
    """How the kernel's read-back after a change of a link's values differs from what was asked; one sentence each.

    Args:
        result: as `wire.MakeFault` says; without a read-back there are none.
    """
    link = topology.link(plan.target)
    if plan.fault != "link-values" or link is None or "qdiscs" not in result:
        return []
    shapes = shapes_of(plan.values)
    read_back, cables = result.get("qdiscs", {}), result.get("cables", {})
    said: list[str] = []
    for (sender, shape, back), name in zip(_directions(link, shapes), ("b", "a"), strict=True):
        asked = tc.queue_qdiscs(sender, shape, back)
        said += [f"{sender.node}: {text}" for text in tc.differences(asked, read_back.get(sender.node, ()))]
        in_cable = tc.cable(cables.get(name, "?"), shape)
        # A direction that never had anything to delay or lose has nothing there.
        there = {(each.get("dev"), each.get("kind")) for each in read_back.get("", ())}
        if is_cabled(topology, link) and (shape.needs_cable_room or (in_cable.dev, in_cable.kind) in there):
            said += tc.differences([in_cable], read_back.get("", ()))
    return said


def shapes_text(shapes: tuple[Shape, Shape]) -> str:
    """Both directions of a link as text that the agent keeps for the next change."""
    return "\n".join(shape.model_dump_json(exclude_defaults=True) for shape in shapes)


def shapes_of(text: str) -> tuple[Shape, Shape]:
    """The two shapes that `shapes_text` has written."""
    a_to_b, b_to_a = (Shape.model_validate_json(line) for line in text.splitlines())
    return a_to_b, b_to_a


def _text(fault: Fault) -> str:
    """The effect of a fault in the cable, for people; the agent reports that of all others."""
    if fault.kind != "loss":
        return settings_of(fault)
    share = "all packets" if fault.loss_percent == 100 else f"{fault.loss_percent:g} % of the packets"
    lasts = f" for {fault.duration_s:g} s" if fault.duration_s else ""
    return f"{share}{f' towards {fault.towards}' if fault.towards else ''} are lost{lasts}"


# --- what happens in the cable --------------------------------------------------------------------------------------


def _in_the_cable(topology: Topology, fault: Fault, shapes: Shapes) -> dict[str, Any]:
    link = topology.link(fault.target)
    assert link is not None
    before = shapes.get(link.id, (link.a_to_b, link.b_to_a))
    cabled = is_cabled(topology, link)
    if fault.kind == "loss":
        there, back = [], []
        for (sender, shape, way_back), name in zip(_directions(link, before), ("b", "a"), strict=True):
            receiver = link.b if sender is link.a else link.a
            if fault.towards in ("", receiver.node):
                lost = _loss(link, sender, (shape, way_back), f"{{{name}}}" if cabled else "", fault.loss_percent)
                paced = tuple(qdisc.command for qdisc in hosts.pacing_qdiscs(topology, sender, shape))
                there.append(lost[0])
                back.append(TcPlan(sender.node, paced) if paced and not cabled else lost[1])
        return {"tc": tuple(there), "tc_back": tuple(back)}
    after = shapes_after(topology, fault, shapes)
    if not cabled and any(shape.needs_cable_room for shape in after):
        why = "cannot get delay or loss while it runs: it is a plain cable"
        raise TopologyError(why, node=link.id, right=_UNCABLED)
    return {
        "tc": tuple(_values(link, before, after, cabled)),
        "values": shapes_text(after),
        "limits": limits_text(_new_limits(link, before, after, fault.towards)),
    }


def _directions(link: Link, shapes: tuple[Shape, Shape]) -> tuple[tuple[End, Shape, Shape], tuple[End, Shape, Shape]]:
    """Each direction as (from, its shape, the shape of the way back), a to b first."""
    return (link.a, *shapes), (link.b, shapes[1], shapes[0])


def _loss(link: Link, sender: End, shapes: tuple[Shape, Shape], cable: str, percent: float) -> tuple[TcPlan, TcPlan]:
    """The commands that make one direction lose packets, and those that end it."""
    shape, dev = shapes[0], sender.interface
    if cable:
        lossy = shape.model_copy(update={"loss_percent": percent})
        return (
            TcPlan("", (tc.cable(cable, lossy).command,), link.id),
            TcPlan("", (tc.cable(cable, shape).command,), link.id),
        )
    own = tc.own_commands(dev, shape)
    queue = tc.queue_qdiscs(sender, *shapes)
    if percent < 100 and own:
        why = f"has tc commands of its own, beside which {percent:g} % of its packets cannot be lost"
        raise TopologyError(why, node=link.id, right="plan the fault in the topology, or apply it to all packets")
    if own:
        dead = f"qdisc replace dev {dev} root handle {_DEAD} blackhole"
        return TcPlan(sender.node, (dead,)), TcPlan(sender.node, (f"qdisc delete dev {dev} root", *own))
    if percent < 100 and queue:
        why = f"has a rate and neither delay nor loss, so {percent:g} % of its packets cannot be lost"
        raise TopologyError(why, node=link.id, right=_UNCABLED)
    if queue:
        leaf = queue[-1]
        where = "root" if leaf.parent == "root" else f"parent {leaf.parent}"
        dead = f"qdisc replace dev {dev} {where} handle {_DEAD} blackhole"
        return TcPlan(sender.node, (dead,)), TcPlan(sender.node, (leaf.command,))
    handle, words = (_DEAD, "blackhole") if percent == 100 else (_LOSSY, f"netem loss random {percent:.9g}%")
    lost = f"qdisc replace dev {dev} root handle {handle} {words}"
    return TcPlan(sender.node, (lost,)), TcPlan(sender.node, (f"qdisc delete dev {dev} root",))


def _values(link: Link, before: tuple[Shape, Shape], after: tuple[Shape, Shape], cabled: bool) -> Iterator[TcPlan]:
    """The commands that give a link its new values."""
    pairs = zip(_directions(link, before), _directions(link, after), ("b", "a"), strict=True)
    for (sender, *was), (_, shape, back), name in pairs:
        old, new = tc.queue_qdiscs(sender, *was), tc.queue_qdiscs(sender, shape, back)
        if old != new:
            yield TcPlan(sender.node, tuple(_changes(old, new)))
        in_cable = tc.cable(f"{{{name}}}", shape)
        if cabled and in_cable != tc.cable(f"{{{name}}}", was[0]):
            yield TcPlan("", (in_cable.command,), link.id)


def _new_limits(
    link: Link, before: tuple[Shape, Shape], after: tuple[Shape, Shape], towards: str
) -> dict[str, int | None]:
    """The queue limits in bytes of the directions that a fault sets, by the node to which they lead.

    A limit in bandwidth-delay products also follows the delay of the opposite direction.

    Args:
        towards: the node of the fault; empty for both directions.
    """
    limits = {}
    for (sender, *was), (_, shape, back) in zip(_directions(link, before), _directions(link, after), strict=True):
        receiver = link.other(sender.node).node
        if towards in ("", receiver) or tc.queue_qdiscs(sender, *was) != tc.queue_qdiscs(sender, shape, back):
            has_queue = shape.rate_mbit is not None
            limits[receiver] = shape.stated_limit_bytes(back, sender.frame_bytes) if has_queue else None
    return limits


def _changes(old: Sequence[tc.Qdisc], new: Sequence[tc.Qdisc]) -> Iterator[str]:
    """The commands that turn an interface's old qdiscs into the new ones. `replace` with the same handle and kind
    changes a qdisc in place and keeps its packets. One that cannot change in place is left alone, or made anew."""
    if [qdisc.kind for qdisc in old] != [qdisc.kind for qdisc in new]:
        if old:
            yield f"qdisc delete dev {old[0].dev} root"
        yield from (qdisc.command for qdisc in new)
        return
    for was, qdisc in zip(old, new, strict=True):
        if tc.is_fixed(qdisc):
            if was == qdisc:
                continue
            yield f"qdisc delete dev {was.dev} parent {was.parent} handle {was.handle}"
        # Also what is below a changed shaper and is itself as before: tbf hands its own limit down to a FIFO.
        yield qdisc.command


def _daemon(topology: Topology, fault: Fault) -> str:
    router = topology.node(fault.node)
    assert isinstance(router, Router)
    there = frr.daemons(router)
    if fault.part not in there:
        why = f"{router.name} has no {fault.part or 'daemon of no name'}"
        raise TopologyError(why, node=fault.target, field="target", right=f"one of {', '.join(there)}")
    return fault.part
