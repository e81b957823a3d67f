"""A path of packets as nodes and links on the canvas, as signs, and as text."""

from __future__ import annotations

from frrlib.lab.path import LabPath, TracerouteHop, describe_difference, is_asymmetric
from frrlib.picture.scene import Key
from miniedit_frr.canvas.routing_signs import Sign

#: Reasons for the end of a path: a part of the sentence, and the short text of the sign on the canvas.
_SHORT = (
    ("has no route", "no route"), ("blackhole", "blackhole"), ("unreachable", "unreachable"),
    ("prohibit", "prohibited"), ("does not forward", "no forwarding"), ("does not reach", "link is down"),
    ("finds no node", "no neighbor"), ("reverse path", "reverse path"), ("no next hop", "dead next hop"),
)  # fmt: skip
#: Maximum number of equal-cost paths in the text.
_MOST_TOLD = 3
#: Common names of the kernel's protocols of routes.
_PROTOCOLS = {"kernel": "connected", "boot": "by hand"}


def keys_of(path: LabPath) -> set[Key]:
    """The nodes and links of all branches of a path, including switches, which do not appear as hops."""
    keys = {Key("node", stop.node) for stop in path.stops}
    for stop in path.stops:
        for hop in stop.hops:
            keys |= {Key("link", link) for link in hop.links} | {Key("node", switch) for switch in hop.switches}
    return keys


def signs_of(path: LabPath) -> dict[str, Sign]:
    """The signs at the nodes where packets stop, with the reason."""
    signs = {node: Sign(next((sign for word, sign in _SHORT if word in reason), "dead end"), "down")
             for node, reason in path.ends.items()}  # fmt: skip
    for loop in path.loops:
        signs.setdefault(loop[-1], Sign("loop", "down"))
    return signs


def lines_of(
    forward: LabPath,
    backward: LabPath | None,
    hops: tuple[TracerouteHop, ...] | None = None,
    backward_hops: tuple[TracerouteHop, ...] | None = None,
) -> list[str]:
    """The forward and the return path as text, and whether traceroutes agree.

    Args:
        hops, backward_hops: the hops of the traceroutes; None if they are not known yet.
    """
    lines = _lines("Forward", forward, hops)
    if hops is not None and backward is not None and not backward.arrives and describe_difference(forward, hops):
        lines.append("    (routers on the path may have no route back to the sender)")
    lines += _lines("Return", backward, backward_hops) if backward is not None else []
    if backward is None:
        lines.append("No replying node is known.")
    elif forward.arrives and backward.arrives and is_asymmetric(forward, backward):
        lines.append("The return path differs (dashed).")
    return lines


def _lines(direction: str, path: LabPath, hops: tuple[TracerouteHop, ...] | None) -> list[str]:
    node_paths, count = path.branches(), path.branch_count
    many = f" {count} equal-cost paths" if count > 1 else ""
    vrf = f" from VRF {path.vrf}" if path.vrf else ""
    protocols = dict.fromkeys(stop.protocol for stop in path.stops if stop.protocol and not stop.is_end)
    routes = ", ".join(_PROTOCOLS.get(protocol, protocol) for protocol in protocols)
    lines = [
        f"{direction}{vrf}:{many}" if many or vrf else "",
        *(" → ".join(nodes) for nodes in node_paths[:_MOST_TOLD]),
    ]
    if not lines[0]:
        lines[:2] = [f"{direction}: {lines[1]}"]
    if count > _MOST_TOLD:
        lines.append(f"… and {count - _MOST_TOLD} more; all are shown on the drawing")
    lines += [f"✗ {trouble}" for trouble in path.troubles()]
    if hops is not None:
        difference = describe_difference(path, hops)
        lines.append(f"✗ {difference}" if difference else "✓ traceroute agrees")
    if labels := [f"{stop.node} pushes {hop.labels}" for stop in path.stops for hop in stop.hops if hop.labels]:
        lines.append(f"MPLS labels: {', '.join(labels)}")
    return [f"{lines[0]}  (routes: {routes})" if routes else lines[0], *(f"    {line}" for line in lines[1:])]
