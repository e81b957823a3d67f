"""A router's settings as FRR's configuration: which daemons, and their text.

The whole configuration is one `frr.conf`, as FRR keeps it; `per_daemon` cuts it into the part that each daemon reads
at its start, so that all of them start side by side and none needs vtysh.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface

from frrlib.model.links import Link
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology

#: In which order the daemons are listed; zebra comes first, since all others talk to it.
_ORDER = ("zebra", "staticd", "ospfd", "ospf6d", "bgpd", "isisd", "ripd", "ripngd", "bfdd", "pimd", "ldpd")


def daemons(router: Router) -> tuple[str, ...]:
    """The daemons that a router needs, zebra first; empty where nothing of FRR runs on it."""
    if not router.runs_frr:
        return ()
    needed: set[str] = {"zebra", *router.daemons}
    needed |= {"ospfd"} if router.ospf else set()
    needed |= {"bgpd"} if router.bgp else set()
    needed |= {"staticd"} if router.static_routes else set()
    lines = _lines(router.frr_conf)
    needed |= {daemon for start, daemon in _SECTIONS if any(line.startswith(start) for line in lines)}
    return tuple(sorted(needed, key=lambda name: (_ORDER.index(name) if name in _ORDER else len(_ORDER), name)))


def frr_conf(topology: Topology, router: Router) -> str:
    """The router's `frr.conf`.

    Args:
        topology: with names and addresses filled in (`addressing.addressed`).
        router: one of its routers.
    """
    blocks = [["frr defaults traditional", f"hostname {router.name}"]]
    blocks += [[_static(route.prefix.version, str(route.prefix), str(route.via))] for route in router.static_routes]
    if router.ospf:
        blocks += [*_ospf_interfaces(topology, router), _ospf(topology, router)]
    if router.bgp:
        blocks.append(_bgp(topology, router))
    if router.frr_conf.strip():
        blocks.append(_lines(router.frr_conf))
    return "\n!\n".join("\n".join(block) for block in blocks if block) + "\n!\n"


def per_daemon(text: str, names: tuple[str, ...]) -> dict[str, str]:
    """`frr.conf` cut into `DAEMON.conf` for each of `names`: every line goes to the daemons that know it.

    A section is cut by its first line; only what stands below `interface` is cut line by line.
    """
    parts: dict[str, list[str]] = {name: [] for name in names}
    section: tuple[str, ...] = ()
    in_interface = False
    for line in text.splitlines():
        if line and not line.startswith((" ", "\t", "!", "exit")):
            section, in_interface = _takers(line, names), line.startswith("interface ")
        takers = _takers_of(_INTERFACE_LINES, line.strip(), names) if in_interface and line.startswith(" ") else section
        for name in takers:
            parts[name].append(line)
    return {f"{name}.conf": "\n".join(lines) + "\n" for name, lines in parts.items()}


#: First words of a section to the daemon that reads it. What is listed nowhere goes to zebra.
_SECTIONS = (
    ("router bgp", "bgpd"),
    ("bgp ", "bgpd"),
    ("router ospf6", "ospf6d"),
    ("router ospf", "ospfd"),
    ("router isis", "isisd"),
    ("router ripng", "ripngd"),
    ("router rip", "ripd"),
    ("router eigrp", "eigrpd"),
    ("router babel", "babeld"),
    ("mpls ldp", "ldpd"),
    ("bfd", "bfdd"),
    ("ip route ", "staticd"),
    ("ipv6 route ", "staticd"),
    ("ip pim", "pimd"),
)
#: The same for lines below `interface`.
_INTERFACE_LINES = (
    ("ip ospf", "ospfd"),
    ("ipv6 ospf6", "ospf6d"),
    ("ip router isis", "isisd"),
    ("ipv6 router isis", "isisd"),
    ("isis ", "isisd"),
    ("ip rip", "ripd"),
    ("ipv6 ripng", "ripngd"),
    ("ip pim", "pimd"),
    ("ip igmp", "pimd"),
)
#: First words of lines that every daemon takes.
_COMMON = ("frr ", "hostname ", "log ", "service ", "password ", "enable ", "line vty", "interface ")
#: First words of what the routing protocols share, and zebra and staticd do not know.
_SHARED = ("ip prefix-list", "ipv6 prefix-list", "access-list", "ipv6 access-list", "route-map", "key chain")


def _takers(line: str, names: tuple[str, ...]) -> tuple[str, ...]:
    if line.startswith(_COMMON):
        return names
    if line.startswith(_SHARED):
        return tuple(name for name in names if name not in ("zebra", "staticd")) or names[:1]
    return _takers_of(_SECTIONS, line, names)


def _takers_of(table: tuple[tuple[str, str], ...], line: str, names: tuple[str, ...]) -> tuple[str, ...]:
    daemon = next((daemon for start, daemon in table if line.startswith(start)), "zebra")
    return (daemon,) if daemon in names else ()


def router_id(topology: Topology, router: Router, asked: IPv4Address | None) -> IPv4Address | None:
    """The router id that the router will have: the asked one, else the lowest loopback, else the lowest address."""
    if asked is not None:
        return asked
    loopbacks = [address.ip for address in router.loopbacks if isinstance(address, IPv4Interface)]
    others = [a.ip for _, end in topology.ends_at(router.name) for a in end.addresses if isinstance(a, IPv4Interface)]
    return min(loopbacks or others, default=None)


#: React at once: a lab's network is small and meant to be watched.
_LAB_TIMERS = [" timers throttle spf 10 50 500", " timers throttle lsa all 0", " timers lsa min-arrival 0"]


def _ospf(topology: Topology, router: Router) -> list[str]:
    ospf = router.ospf
    assert ospf is not None
    lines = ["router ospf"]
    identity = router_id(topology, router, ospf.router_id)
    lines += [f" ospf router-id {identity}"] if identity else []
    lines += _LAB_TIMERS if ospf.lab_timers else []
    lines += [f" passive-interface {name}" for name in _passive(topology, router)]
    return [*lines, "exit"]


def _ospf_interfaces(topology: Topology, router: Router) -> list[list[str]]:
    """A section per interface that takes part; the area stands at the interface, so that no two lines can disagree."""
    ospf = router.ospf
    assert ospf is not None
    areas, passive = dict(ospf.areas), _passive(topology, router)
    blocks: list[list[str]] = []
    if any(isinstance(address, IPv4Interface) for address in router.loopbacks):
        blocks.append(["interface lo", f" ip ospf area {areas.get('lo', ospf.area)}", "exit"])
    for link, end in topology.ends_at(router.name):
        if not any(isinstance(address, IPv4Interface) for address in end.addresses):
            continue
        lines = [f"interface {end.interface}", f" ip ospf area {areas.get(end.interface, ospf.area)}"]
        if end.interface not in passive:
            lines += [f" ip ospf hello-interval {ospf.hello_s}", f" ip ospf dead-interval {ospf.dead_s}"]
            if ospf.point_to_point and _joins_two_routers(topology, link):
                lines.append(" ip ospf network point-to-point")
        lines += [f" ip ospf cost {end.ospf_cost}"] if end.ospf_cost else []
        blocks.append([*lines, "exit"])
    return blocks


def _passive(topology: Topology, router: Router) -> tuple[str, ...]:
    """Interfaces without another router behind them, and those that the drawing names."""
    assert router.ospf is not None
    alone = [
        end.interface
        for link, end in topology.ends_at(router.name)
        if getattr(topology.node(link.other(router.name).node), "kind", "host") == "host"
    ]
    return tuple(dict.fromkeys([*alone, *router.ospf.passive]))


def _joins_two_routers(topology: Topology, link: Link) -> bool:
    return all(isinstance(topology.node(end.node), Router) for end in link.ends)


def _bgp(topology: Topology, router: Router) -> list[str]:
    bgp = router.bgp
    assert bgp is not None
    lines = [f"router bgp {bgp.asn}"]
    identity = router_id(topology, router, bgp.router_id)
    lines += [f" bgp router-id {identity}"] if identity else []
    # RFC 8212: without a policy an eBGP session exchanges nothing; a drawn session is meant to.
    lines += [] if bgp.requires_policy else [" no bgp ebgp-requires-policy"]
    lines += [" no bgp default ipv4-unicast", f" coalesce-time {bgp.coalesce_ms}"]
    for neighbor in bgp.neighbors:
        lines.append(f" neighbor {neighbor.address} remote-as {neighbor.remote_as}")
        lines += [f" neighbor {neighbor.address} description {neighbor.description}"] if neighbor.description else []
        lines.append(f" neighbor {neighbor.address} timers connect {bgp.connect_retry_s}")
    for version, family in ((4, "ipv4"), (6, "ipv6")):
        networks = [f"  network {network}" for network in bgp.networks if network.version == version]
        active = [f"  neighbor {n.address} activate" for n in bgp.neighbors if n.address.version == version]
        if networks or active:
            lines += [f" address-family {family} unicast", *networks, *active, " exit-address-family"]
    return [*lines, "exit"]


def _static(version: int, prefix: str, via: str) -> str:
    return f"{'ip' if version == 4 else 'ipv6'} route {prefix} {via}"


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").splitlines()]
