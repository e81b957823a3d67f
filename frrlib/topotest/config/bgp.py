"""BGP's part of the configuration of routers that are described in JSON."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

from frrlib.topotest.config.description import Json, addresses, listed, unless_deleted
from frrlib.topotest.interfaces import get_frr_ipv6_linklocal


def bgp(tgen: Any, routers: Json, router: str, described: Json, build: bool = False) -> Iterator[str]:
    """BGP's instances of a router.

    Args:
        tgen: the running network, source of link-local addresses.
        routers: the whole network's description, with its addresses.
        router: the router of these instances.
        described: the description of the router.
        build: whether instances without an AS number are left out; otherwise they get no number.
    """
    for instance in listed(described.get("bgp")):
        if "local_as" in instance or not build:
            yield from _instance(NeighborAddresses(tgen, routers, router), instance)


class NeighborAddresses:
    """Addresses of the neighbors in a description."""

    def __init__(self, tgen: Any, routers: Json, router: str) -> None:
        self.tgen, self.routers, self.router = tgen, routers, router

    def address(self, name: str, link: str, peer: Json, family: str) -> str:
        """The address of a neighbor, or the interface to an unnumbered one."""
        peer_link = self.routers[name]["links"][link]
        if peer.get("neighbor_type") == "unnumbered":
            return str(peer_link["peer-interface"])
        if peer.get("neighbor_type") == "link-local" or family not in peer_link:
            return str(get_frr_ipv6_linklocal(self.tgen, name, peer_link["interface"]))
        return str(peer_link[family]).partition("/")[0].lower()

    def remote_as(self, name: str, link: str) -> Any:
        """The AS number of a neighbor, in the VRF of its end of the link."""
        instances = listed(self.routers[name]["bgp"])
        vrf = self.routers[name]["links"].get(link, {}).get("vrf")
        matching = [instance for instance in instances if instance.get("vrf") == vrf] or instances
        return matching[0]["local_as"]

    def source(self, peer: Json, family: str) -> str:
        """The update source of the session; empty if the description has none."""
        key = peer.get("source_link")
        if not key:
            return ""
        link = self.routers[self.router]["links"][key]
        return str(link[family]).partition("/")[0] if key == "lo" else str(link["interface"])


def _instance(session: NeighborAddresses, instance: Json) -> Iterator[str]:
    heading = f"router bgp {instance.get('local_as', '')}".rstrip() + (
        f" vrf {instance['vrf']}" if instance.get("vrf") else ""
    )
    if instance.get("delete"):
        yield f"no {heading}"
        return
    yield from (heading, "no bgp ebgp-requires-policy")
    if instance.get("del_router_id"):
        yield "no bgp router-id"
    if instance.get("router_id"):
        yield f"bgp router-id {instance['router_id']}"
    yield from ("bgp log-neighbor-changes", "no bgp network import-check")
    for name, group in (instance.get("peer-group") or {}).items():
        yield f"neighbor {name} peer-group"
        words = ("update-source", "remote-as", "capability")
        yield from (f"neighbor {name} {word} {group[word]}" for word in words if group.get(word))
    if "aspath" in (best := instance.get("bestpath") or {}):
        yield f"{'no ' if 'delete' in best else ''}bgp bestpath as-path {best['aspath']}"
    yield from _restart_of_instance(instance.get("graceful-restart") or {})
    families = {
        name: address_family.get("unicast") or {} for name, address_family in instance.get("address_family", {}).items()
    }
    for name, unicast in families.items():
        if name in ("ipv4", "ipv6"):
            for neighbor, link, peer in peers(unicast):
                yield from _neighbor(session, instance, name, neighbor, link, peer)
    for name, unicast in families.items():
        if name in ("ipv4", "ipv6") and unicast:
            yield from (f"address-family {name} unicast", *_unicast(unicast), *_originating(session, name, unicast))
            for neighbor, link, peer in peers(unicast):
                yield from _neighbor_in_family(session, families, name, neighbor, link, peer)
            yield "exit-address-family"


def peers(unicast: Json) -> Iterator[tuple[str, str, Json]]:
    """Name, link and description of every neighbor in an address family."""
    for name, neighbor in unicast.get("neighbor", {}).items():
        for link, peer in neighbor["dest_link"].items():
            yield name, link, peer


_RESTART = ("graceful-restart", "graceful-restart-disable")


def _restart_of_instance(restart: Json) -> Iterator[str]:
    words = {"preserve-fw-state": "graceful-restart preserve-fw-state", "disable-eor": "graceful-restart disable-eor"}
    for name in (*_RESTART, *words):
        if restart.get(name) is not None:
            yield f"{'' if restart[name] else 'no '}bgp {words.get(name, name)}"
    for name, value in restart.get("timer", {}).items():
        if name != "delete" and value:
            yield unless_deleted(restart["timer"], f"bgp graceful-restart {name} {value}")


def _neighbor(
    session: NeighborAddresses, instance: Json, family: str, name: str, link: str, peer: Json
) -> Iterator[str]:
    """A neighbor's lines for all address families."""
    address = session.address(name, link, peer, family)
    prefix = f"neighbor {address}"
    if peer.get("delete"):
        yield f"no {prefix}"
        return
    number = session.remote_as(name, link)
    if "peer-group" in peer:
        yield f"{prefix} interface peer-group {peer['peer-group']}"
    elif peer.get("neighbor_type") == "unnumbered":
        yield f"{prefix} interface remote-as {number}"
    else:
        yield f"{prefix} remote-as {number}"
    if peer.get("neighbor_type") == "link-local":
        interface = session.routers[name]["links"][link]["peer-interface"]
        yield from (f"{prefix} update-source {interface}", f"{prefix} interface {interface}")
    if source := session.source(peer, family):
        yield f"{prefix} update-source {source}"
    if peer.get("disable_connected_check"):
        yield f"{prefix} disable-connected-check"
    keepalive_s, hold_s = peer.get("keepalivetimer", 3), peer.get("holddowntimer", 10)
    if int(keepalive_s) != 60 and int(hold_s) != 180:
        yield f"{prefix} timers {keepalive_s} {hold_s}"
    connect_s: Any = peer.get("connecttimer", instance.get("connecttimer", 5))
    if int(connect_s) != 120:
        yield f"{prefix} timers connect {connect_s}"
    for word in ("graceful-restart", "graceful-restart-helper", "graceful-restart-disable"):
        if peer.get(word) is not None:
            yield f"{'' if peer[word] else 'no '}{prefix} {word}"
    yield from (f"{prefix} {word} {peer[word]}" for word in ("capability", "password") if peer.get(word))
    if peer.get("no_password"):
        yield f"no {prefix} password {peer['no_password']}"
    if peer.get("ebgp_multihop", 1) > 1:
        yield from (f"{prefix} ebgp-multihop {peer['ebgp_multihop']}", f"{prefix} enforce-multihop")
    if "shutdown" in peer:  # within an address family this would leave it
        yield f"{'' if peer['shutdown'] else 'no '}{prefix} shutdown"


def _unicast(unicast: Json) -> Iterator[str]:
    """The lines of an address family that do not belong to a single neighbor."""
    for entry in unicast.get("advertise_networks", []):
        for prefix in addresses(entry["network"], entry.get("no_of_network")):
            yield unless_deleted(entry, f"network {ip_network(prefix, strict=False)}")
    if paths := unicast.get("maximum_paths"):
        for name, words in (("ibgp", "maximum-paths ibgp"), ("ebgp", "maximum-paths")):
            yield from [unless_deleted(paths, f"{words} {paths[name]}")] if paths.get(name) else []
    for entry in unicast.get("aggregate_address", []):
        words = (" as-set" if entry.get("as_set") else "") + (" summary-only" if entry.get("summary") else "")
        yield unless_deleted(entry, f"aggregate-address {entry['network']}{words}")
    for entry in unicast.get("redistribute") or []:
        attributes = entry.get("attribute") or ""
        attributes = (
            " ".join(f"{key} {value}" for key, value in attributes.items())
            if isinstance(attributes, dict)
            else attributes
        )
        yield unless_deleted(entry, f"redistribute {entry['redist_type']} {attributes}".rstrip())
    if distance := unicast.get("distance"):
        values = " ".join(str(distance[name]) for name in ("ebgp", "ibgp", "local"))
        yield "no distance bgp" if distance.get("delete") else f"distance bgp {values}"
    if imported := unicast.get("import"):
        yield unless_deleted(imported, f"import vrf {imported['vrf']}")


def _originating(session: NeighborAddresses, family: str, unicast: Json) -> Iterator[str]:
    """The neighbors that get a default route."""
    for name, entry in unicast.get("default_originate", {}).items():
        link = entry.get("dest_link") or entry.get("add_type") or session.router
        address = session.address(name, link, {}, family)
        mapped = f" route-map {entry['route_map']}" if entry.get("route_map") else ""
        yield unless_deleted(entry, f"neighbor {address} default-originate{mapped}")


def _neighbor_in_family(
    session: NeighborAddresses, families: Json, family: str, name: str, link: str, peer: Json
) -> Iterator[str]:
    """The lines of an address family about a neighbor.

    If the neighbor is activated in another family, the following lines go to that family, as FRR's tests expect.
    """
    if peer.get("delete"):
        return
    within = family
    address = session.address(name, link, peer, family)
    prefix = f"neighbor {address}"
    if family == "ipv6":
        yield f"{prefix} activate"
    elif peer.get("activate") is None and link in families.get("ipv6", {}).get("neighbor", {}).get(name, {}).get(
        "dest_link", {}
    ):
        ipv6_address = session.address(name, link, families["ipv6"]["neighbor"][name]["dest_link"][link], "ipv6")
        yield from [f"no neighbor {ipv6_address} activate"] if ipv6_address != address else []
    for word, no in (("activate", ""), ("deactivate", "no ")):
        if peer.get(word) is not None:
            within = peer[word]
            yield from (*_change_family(within), f"{no}{prefix} activate")
    if peer.get("next_hop_self") is not None:
        yield f"{'' if peer['next_hop_self'] is True else 'no '}{prefix} next-hop-self"
    if peer.get("send_community"):
        yield f"{prefix} send-community"
    if peer.get("no_send_community"):
        yield f"no {prefix} send-community {peer['no_send_community']}"
    if peer.get("capability") and family == "ipv6":
        within = "ipv4"
        yield from (*_change_family(within), f"{prefix} activate")
    for word, no in (("allowas_in", ""), ("no_allowas_in", "no ")):
        yield from [f"{no}{prefix} allowas-in {peer[word]}"] if word in peer else []
    for key, word in (("prefix_lists", "prefix-list"), ("route_maps", "route-map")):
        for policy in peer.get(key) or []:
            yield unless_deleted(policy, f"{prefix} {word} {policy['name']} {policy.get('direction', 'in')}")
    if allowed := peer.get("allowas-in"):
        yield unless_deleted(allowed, f"{prefix} allowas-in {allowed['number_occurences']}")
    if within != family:
        yield from _change_family(family)


def _change_family(family: str) -> tuple[str, str]:
    """The lines that change from one address family to another."""
    return "exit-address-family", f"address-family {family} unicast"
