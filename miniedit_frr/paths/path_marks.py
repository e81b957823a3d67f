"""The course of a path of packets on the canvas, with its marks there, and in words."""

from __future__ import annotations

from frrlib.lab.path import LabPath, TracerouteHop, describe_difference, is_asymmetric
from frrlib.picture.scene import Key
from miniedit_frr.canvas.routing_signs import Sign

#: What ends a path, in a word or two for a sign on the canvas: what its sentence holds, and the sign.
_SHORT = (
    ("has no route", "no route"), ("blackhole", "blackhole"), ("unreachable", "unreachable"),
    ("prohibit", "prohibited"), ("does not forward", "no forwarding"), ("does not reach", "link is down"),
    ("finds nobody", "no neighbor"), ("reverse path", "reverse path"), ("no next hop", "dead next hop"),
)  # fmt: skip
#: How many equal paths are told in words.
_MOST_TOLD = 3
#: What the kernel's words for who has set a route mean.
_PROTOCOLS = {"kernel": "connected", "boot": "by hand"}


def keys_of(path: LabPath) -> set[Key]:
    """The nodes and links of all ways of a path, with the switches that they pass unseen."""
    found = {Key("node", stop.node) for stop in path.stops}
    for stop in path.stops:
        for hop in stop.hops:
            found |= {Key("link", link) for link in hop.links} | {Key("node", switch) for switch in hop.switches}
    return found


def signs_of(path: LabPath) -> dict[str, Sign]:
    """Node to the sign that tells why packets go no farther there, of all where some do not."""
    found = {node: Sign(next((sign for word, sign in _SHORT if word in why), "dead end"), "down")
             for node, why in path.ends.items()}  # fmt: skip
    for loop in path.loops:
        found.setdefault(loop[-1], Sign("loop", "down"))
    return found


def lines_of(
    there: LabPath,
    back: LabPath | None,
    hops: tuple[TracerouteHop, ...] | None = None,
    hops_back: tuple[TracerouteHop, ...] | None = None,
) -> list[str]:
    """A path there and back in words, and whether traceroutes have seen the same.

    Args:
        hops, hops_back: what they have seen; None where they are not known yet.
    """
    lines = _lines("Forward", there, hops)
    if hops is not None and back is not None and not back.arrives and describe_difference(there, hops):
        lines.append("    (routers on the path may have no route back to the sender)")
    lines += _lines("Return", back, hops_back) if back is not None else []
    if back is None:
        lines.append("No replying node is known.")
    elif there.arrives and back.arrives and is_asymmetric(there, back):
        lines.append("The return path differs (dashed).")
    return lines


def _lines(word: str, path: LabPath, hops: tuple[TracerouteHop, ...] | None) -> list[str]:
    ways, count = path.ways(), path.way_count
    many = f" {count} equal-cost paths" if count > 1 else ""
    vrf = f" from VRF {path.vrf}" if path.vrf else ""
    protocols = dict.fromkeys(stop.protocol for stop in path.stops if stop.protocol and not stop.is_end)
    routes = ", ".join(_PROTOCOLS.get(protocol, protocol) for protocol in protocols)
    lines = [f"{word}{vrf}:{many}" if many or vrf else "", *(" → ".join(way) for way in ways[:_MOST_TOLD])]
    if not lines[0]:
        lines[:2] = [f"{word}: {lines[1]}"]
    if count > _MOST_TOLD:
        lines.append(f"… and {count - _MOST_TOLD} more; all are shown on the drawing")
    lines += [f"✗ {trouble}" for trouble in path.troubles()]
    if hops is not None:
        difference = describe_difference(path, hops)
        lines.append(f"✗ {difference}" if difference else "✓ traceroute agrees")
    if labels := [f"{stop.node} pushes {hop.labels}" for stop in path.stops for hop in stop.hops if hop.labels]:
        lines.append(f"MPLS labels: {', '.join(labels)}")
    return [f"{lines[0]}  (routes: {routes})" if routes else lines[0], *(f"    {line}" for line in lines[1:])]
