"""Faults as plans for the agent, with every interface, process and `tc` command written out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from frrlib.checks.subjects.faults import cut_links, refuse_invalid_fault
from frrlib.errors import TopologyError
from frrlib.model.fault_words import limits_text, settings_of
from frrlib.model.faults import ENDED_BY, OF_DAEMONS, OF_INTERFACES, OF_LINKS, Fault, LinkValues
from frrlib.model.links import End, Link, Shape
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.render import frr, hosts, tc
from frrlib.wire.plan import FaultPlan, TcPlan
from frrlib.wire.replies import ChangeReply

#: Present shapes of both directions by link ID; links with the shapes of the topology are missing.
Shapes = Mapping[str, tuple[Shape, Shape]]
#: Handles of the qdiscs that replace a queue while packets are lost.
_DEAD, _LOSSY = "66:", "67:"
#: Default time without power of a router that is power-cycled.
POWER_OFF_S = 1.0
_ENABLE_NAMESPACE = "set a delay or loss of the link (0.001 ms is enough), or plan the fault, before the lab starts"


def fault_plan(topology: Topology, fault: Fault, shapes: Shapes | None = None) -> FaultPlan:
    """The plan by which the agent injects a fault.

    Args:
        topology: with names and addresses filled in.
        fault: the fault.
        shapes: present shapes of links that differ from the topology.

    Raises:
        TopologyError: the target does not exist, or its link does not support the fault.
    """
    refuse_invalid_fault(topology, fault)
    if fault.course is not None:
        remedy = "plan it beside the flows, or change the value once (set)"
        raise TopologyError("depends on the clock of a run", node=fault.target, field="course", remedy=remedy)
    if fault.kind == "loss" and not fault.loss_percent:
        return FaultPlan(ENDED_BY["loss"], fault.target, fault.time_s, links=(fault.target,))
    lasts_s = fault.duration_s or (POWER_OFF_S if fault.kind == "power-cycled" else 0.0)
    fields: dict[str, Any] = {
        "fault": fault.kind, "target": fault.target, "time_s": fault.time_s, "duration_s": lasts_s,
        "ended_by": ENDED_BY.get(fault.kind, ""), "text": _text(fault),
    }  # fmt: skip
    if fault.kind in OF_LINKS:
        fields["links"] = (fault.target,)
    elif fault.kind == "partition":
        fields["links"] = tuple(link.id for link in cut_links(topology, fault))
    else:
        fields["node"] = fault.node
    if fault.kind in OF_INTERFACES:
        fields |= {"interface": fault.part, "times": fault.times, "period_s": fault.period_s}
    elif fault.kind in OF_DAEMONS:
        fields["daemon"] = _daemon(topology, fault)
    elif fault.kind in ("loss", "link-values"):
        fields |= _packet_fault(topology, fault, shapes or {})
    return FaultPlan(**fields)


def fault_plans(topology: Topology) -> tuple[FaultPlan, ...]:
    """The planned faults of a topology in the order of their times, with earlier changes of links taken into account.

    Raises:
        TopologyError: as `fault_plan`.
    """
    shapes: dict[str, tuple[Shape, Shape]] = {}
    plans = []
    moments = [moment for fault in topology.faults for moment in _moments(topology, fault)]
    for fault in sorted(moments, key=lambda moment: moment.time_s):
        plans.append(fault_plan(topology, fault, shapes))
        if fault.kind == "link-values":
            shapes[fault.target] = shapes_after(topology, fault, shapes)
    return tuple(plans)


def _moments(topology: Topology, fault: Fault) -> Iterator[Fault]:
    """The single faults of a planned one; a varied value is split into its changes and the final reset."""
    if fault.course is None:
        yield fault
        return
    yield from fault.changes
    link = topology.link(fault.target)
    for _, receiver, shape in link.directions if link is not None else ():
        if fault.towards in ("", receiver.node):
            restored = LinkValues.model_validate({fault.course.value: getattr(shape, fault.course.value) or 0.0})
            yield Fault(
                kind="link-values", target=fault.target, towards=receiver.node, time_s=fault.ends_s, values=restored
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


def links_through_namespace(topology: Topology) -> frozenset[str]:
    """IDs of the links that must pass through the link namespace for planned faults."""
    return frozenset(fault.target for fault in topology.faults if fault.needs_link_namespace)


def passes_link_namespace(topology: Topology, link: Link) -> bool:
    """Whether a link passes through the link namespace."""
    return any(shape.needs_link_namespace for _, _, shape in link.directions) or link.id in links_through_namespace(
        topology
    )


def value_differences(topology: Topology, plan: FaultPlan, result: ChangeReply) -> list[str]:
    """The kernel's deviations from the requested values of a link after a change, one sentence each.

    Args:
        result: the result of `wire.MakeFault`; without a read-back there are no deviations.
    """
    link = topology.link(plan.target)
    if plan.fault != "link-values" or link is None or "qdiscs" not in result:
        return []
    shapes = shapes_of(plan.values)
    read_back, cables = result.get("qdiscs", {}), result.get("cables", {})
    sentences: list[str] = []
    for (sender, shape, reverse), name in zip(_directions(link, shapes), ("b", "a"), strict=True):
        requested = tc.queue_qdiscs(sender, shape, reverse)
        sentences += [f"{sender.node}: {text}" for text in tc.differences(requested, read_back.get(sender.node, ()))]
        in_cable = tc.netem_qdisc(cables.get(name, "?"), shape)
        # A direction that never delayed or lost packets has no qdisc in the link namespace.
        present = {(entry.get("dev"), entry.get("kind")) for entry in read_back.get("", ())}
        if passes_link_namespace(topology, link) and (
            shape.needs_link_namespace or (in_cable.dev, in_cable.kind) in present
        ):
            sentences += tc.differences([in_cable], read_back.get("", ()))
    return sentences


def shapes_text(shapes: tuple[Shape, Shape]) -> str:
    """Both shapes of a link as text, which the agent stores for the next change."""
    return "\n".join(shape.model_dump_json(exclude_defaults=True) for shape in shapes)


def shapes_of(text: str) -> tuple[Shape, Shape]:
    """Parse a text of `shapes_text`."""
    a_to_b, b_to_a = (Shape.model_validate_json(line) for line in text.splitlines())
    return a_to_b, b_to_a


def _text(fault: Fault) -> str:
    """The effect of a fault on packets, for people; the agent reports the effects of all other faults."""
    if fault.kind != "loss":
        return settings_of(fault)
    share = "all packets" if fault.loss_percent == 100 else f"{fault.loss_percent:g} % of the packets"
    lasts = f" for {fault.duration_s:g} s" if fault.duration_s else ""
    return f"{share}{f' towards {fault.towards}' if fault.towards else ''} are lost{lasts}"


# --- faults on packets ----------------------------------------------------------------------------------------------


def _packet_fault(topology: Topology, fault: Fault, shapes: Shapes) -> dict[str, Any]:
    link = topology.link(fault.target)
    assert link is not None
    old_shapes = shapes.get(link.id, (link.a_to_b, link.b_to_a))
    in_namespace = passes_link_namespace(topology, link)
    if fault.kind == "loss":
        start_commands, end_commands = [], []
        for (sender, shape, reverse), name in zip(_directions(link, old_shapes), ("b", "a"), strict=True):
            receiver = link.b if sender is link.a else link.a
            if fault.towards in ("", receiver.node):
                commands = _loss_commands(
                    link, sender, (shape, reverse), f"{{{name}}}" if in_namespace else "", fault.loss_percent
                )
                paced = tuple(qdisc.command for qdisc in hosts.pacing_qdiscs(topology, sender, shape))
                start_commands.append(commands[0])
                end_commands.append(TcPlan(sender.node, paced) if paced and not in_namespace else commands[1])
        return {"tc": tuple(start_commands), "tc_back": tuple(end_commands)}
    new_shapes = shapes_after(topology, fault, shapes)
    if not in_namespace and any(shape.needs_link_namespace for shape in new_shapes):
        reason = "cannot get delay or loss while it runs: it is a plain cable"
        raise TopologyError(reason, node=link.id, remedy=_ENABLE_NAMESPACE)
    return {
        "tc": tuple(_value_commands(link, old_shapes, new_shapes, in_namespace)),
        "tc_back": tuple(_restoring_commands(link, old_shapes, new_shapes)),
        "values": shapes_text(new_shapes),
        "limits": limits_text(_new_limits(link, old_shapes, new_shapes, fault.towards)),
    }


def _directions(link: Link, shapes: tuple[Shape, Shape]) -> tuple[tuple[End, Shape, Shape], tuple[End, Shape, Shape]]:
    """Each direction as (sending end, its shape, shape of the reverse direction), a to b first."""
    return (link.a, *shapes), (link.b, shapes[1], shapes[0])


def _loss_commands(
    link: Link, sender: End, shapes: tuple[Shape, Shape], cable: str, percent: float
) -> tuple[TcPlan, TcPlan]:
    """The commands that start the loss of packets in one direction, and those that end it."""
    shape, dev = shapes[0], sender.interface
    if cable:
        lossy = shape.model_copy(update={"loss_percent": percent})
        return (
            TcPlan("", (tc.netem_qdisc(cable, lossy).command,), link.id),
            TcPlan("", (tc.netem_qdisc(cable, shape).command,), link.id),
        )
    custom = tc.own_commands(dev, shape)
    queue = tc.queue_qdiscs(sender, *shapes)
    if percent < 100 and custom:
        reason = f"has tc commands of its own, beside which {percent:g} % of its packets cannot be lost"
        raise TopologyError(reason, node=link.id, remedy="plan the fault in the topology, or apply it to all packets")
    if custom:
        dead = f"qdisc replace dev {dev} root handle {_DEAD} blackhole"
        return TcPlan(sender.node, (dead,)), TcPlan(sender.node, (f"qdisc delete dev {dev} root", *custom))
    if percent < 100 and queue:
        reason = f"has a rate and neither delay nor loss, so {percent:g} % of its packets cannot be lost"
        raise TopologyError(reason, node=link.id, remedy=_ENABLE_NAMESPACE)
    if queue:
        leaf = queue[-1]
        where = "root" if leaf.parent == "root" else f"parent {leaf.parent}"
        dead = f"qdisc replace dev {dev} {where} handle {_DEAD} blackhole"
        return TcPlan(sender.node, (dead,)), TcPlan(sender.node, (leaf.command,))
    handle, words = (_DEAD, "blackhole") if percent == 100 else (_LOSSY, f"netem loss random {percent:.9g}%")
    lost = f"qdisc replace dev {dev} root handle {handle} {words}"
    return TcPlan(sender.node, (lost,)), TcPlan(sender.node, (f"qdisc delete dev {dev} root",))


def _value_commands(
    link: Link, old_shapes: tuple[Shape, Shape], new_shapes: tuple[Shape, Shape], in_namespace: bool
) -> Iterator[TcPlan]:
    """The commands that give a link its new values."""
    pairs = zip(_directions(link, old_shapes), _directions(link, new_shapes), ("b", "a"), strict=True)
    for (sender, *old_pair), (_, shape, reverse), name in pairs:
        old, new = tc.queue_qdiscs(sender, *old_pair), tc.queue_qdiscs(sender, shape, reverse)
        if old != new:
            yield TcPlan(sender.node, tuple(_qdisc_changes(old, new)))
        in_cable = tc.netem_qdisc(f"{{{name}}}", shape)
        if in_namespace and in_cable != tc.netem_qdisc(f"{{{name}}}", old_pair[0]):
            yield TcPlan("", (in_cable.command,), link.id)


def _restoring_commands(
    link: Link, old_shapes: tuple[Shape, Shape], new_shapes: tuple[Shape, Shape]
) -> Iterator[TcPlan]:
    """The commands that make the old qdiscs anew after the kernel has refused one of the new ones."""
    for (sender, *old_pair), (_, *new_pair) in zip(
        _directions(link, old_shapes), _directions(link, new_shapes), strict=True
    ):
        old, new = tc.queue_qdiscs(sender, *old_pair), tc.queue_qdiscs(sender, *new_pair)
        if [qdisc.kind for qdisc in old] != [qdisc.kind for qdisc in new]:
            dev = sender.interface
            # A root is needed to be deleted, and the refused command may have been the one that adds it.
            clear = (f"qdisc replace dev {dev} root handle {_DEAD} blackhole", f"qdisc delete dev {dev} root")
            yield TcPlan(sender.node, (*clear, *(qdisc.command for qdisc in old)))


def _new_limits(
    link: Link, old_shapes: tuple[Shape, Shape], new_shapes: tuple[Shape, Shape], towards: str
) -> dict[str, int | None]:
    """The queue limits in bytes that a fault changes, by the destination node of the direction.

    A limit in bandwidth-delay products also follows the delay of the reverse direction.

    Args:
        towards: the node of the fault; empty for both directions.
    """
    limits = {}
    for (sender, *old_pair), (_, shape, reverse) in zip(
        _directions(link, old_shapes), _directions(link, new_shapes), strict=True
    ):
        receiver = link.other(sender.node).node
        if towards in ("", receiver) or tc.queue_qdiscs(sender, *old_pair) != tc.queue_qdiscs(sender, shape, reverse):
            has_queue = shape.rate_mbit is not None
            limits[receiver] = shape.stated_limit_bytes(reverse, sender.frame_bytes) if has_queue else None
    return limits


def _qdisc_changes(old: Sequence[tc.RequestedQdisc], new: Sequence[tc.RequestedQdisc]) -> Iterator[str]:
    """The commands that turn an interface's old qdiscs into the new ones. `replace` with the same handle and kind
    changes a qdisc in place and keeps its packets. A qdisc that cannot change in place is left alone or recreated.
    The shaper stays while another queue is put below it, since packets would pass unshaped without it."""
    if [(qdisc.parent, qdisc.handle) for qdisc in old] != [(qdisc.parent, qdisc.handle) for qdisc in new] or any(
        a.kind != b.kind and a.parent == "root" for a, b in zip(old, new, strict=True)
    ):
        if old:
            yield f"qdisc delete dev {old[0].dev} root"
        yield from (qdisc.command for qdisc in new)
        return
    for old_qdisc, qdisc in zip(old, new, strict=True):
        if tc.is_fixed(qdisc) and old_qdisc == qdisc:
            continue
        if tc.is_fixed(qdisc) or old_qdisc.kind != qdisc.kind:
            yield f"qdisc delete dev {old_qdisc.dev} parent {old_qdisc.parent} handle {old_qdisc.handle}"
        # Unchanged qdiscs below a changed shaper are replaced, too: tbf passes its own limit down to a FIFO.
        yield qdisc.command


def _daemon(topology: Topology, fault: Fault) -> str:
    router = topology.node(fault.node)
    assert isinstance(router, Router)
    daemons = frr.daemons(router)
    if fault.part not in daemons:
        reason = f"{router.name} has no {fault.part or 'daemon of no name'}"
        raise TopologyError(reason, node=fault.target, field="target", remedy=f"one of {', '.join(daemons)}")
    return fault.part
