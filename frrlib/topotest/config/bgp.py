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
        tgen: the running network, which knows link-local addresses.
        routers: the whole network's description, with its addresses.
        router: whose instances these are.
        described: what to configure.
        build: whether instances without an AS number are left out instead of being told without it.
    """
    for instance in listed(described.get("bgp")):
        if "local_as" in instance or not build:
            yield from _instance(NeighborAddresses(tgen, routers, router), instance)


class NeighborAddresses:
    """Addresses of neighbours, as a description names them."""

    def __init__(self, tgen: Any, routers: Json, router: str) -> None:
        self.tgen, self.routers, self.router = tgen, routers, router

    def address(self, name: str, link: str, peer: Json, family: str) -> str:
        """The address of a neighbour, or the interface that leads to it where it is known by that."""
        there = self.routers[name]["links"][link]
        if peer.get("neighbor_type") == "unnumbered":
            return str(there["peer-interface"])
        if peer.get("neighbor_type") == "link-local" or family not in there:
            return str(get_frr_ipv6_linklocal(self.tgen, name, there["interface"]))
        return str(there[family]).partition("/")[0].lower()

    def remote_as(self, name: str, link: str) -> Any:
        """The AS number of a neighbour, in the VRF of its end of the link."""
        instances = listed(self.routers[name]["bgp"])
        vrf = self.routers[name]["links"].get(link, {}).get("vrf")
        fitting = [each for each in instances if each.get("vrf") == vrf] or instances
        return fitting[0]["local_as"]

    def source(self, peer: Json, family: str) -> str:
        """Where the session comes from, empty where nothing is said of it."""
        key = peer.get("source_link")
        if not key:
            return ""
        link = self.routers[self.router]["links"][key]
        return str(link[family]).partition("/")[0] if key == "lo" else str(link["interface"])


def _instance(session: NeighborAddresses, given: Json) -> Iterator[str]:
    heading = f"router bgp {given.get('local_as', '')}".rstrip() + (f" vrf {given['vrf']}" if given.get("vrf") else "")
    if given.get("delete"):
        yield f"no {heading}"
        return
    yield from (heading, "no bgp ebgp-requires-policy")
    if given.get("del_router_id"):
        yield "no bgp router-id"
    if given.get("router_id"):
        yield f"bgp router-id {given['router_id']}"
    yield from ("bgp log-neighbor-changes", "no bgp network import-check")
    for name, group in (given.get("peer-group") or {}).items():
        yield f"neighbor {name} peer-group"
        words = ("update-source", "remote-as", "capability")
        yield from (f"neighbor {name} {word} {group[word]}" for word in words if group.get(word))
    if "aspath" in (best := given.get("bestpath") or {}):
        yield f"{'no ' if 'delete' in best else ''}bgp bestpath as-path {best['aspath']}"
    yield from _restart_of_instance(given.get("graceful-restart") or {})
    families = {name: each.get("unicast") or {} for name, each in given.get("address_family", {}).items()}
    for name, unicast in families.items():
        if name in ("ipv4", "ipv6"):
            for neighbour, link, peer in peers(unicast):
                yield from _neighbour(session, given, name, neighbour, link, peer)
    for name, unicast in families.items():
        if name in ("ipv4", "ipv6") and unicast:
            yield from (f"address-family {name} unicast", *_unicast(unicast), *_originating(session, name, unicast))
            for neighbour, link, peer in peers(unicast):
                yield from _neighbour_in(session, families, name, neighbour, link, peer)
            yield "exit-address-family"


def peers(unicast: Json) -> Iterator[tuple[str, str, Json]]:
    """Name, link and description of every neighbour in an address family."""
    for name, given in unicast.get("neighbor", {}).items():
        for link, peer in given["dest_link"].items():
            yield name, link, peer


_RESTART = ("graceful-restart", "graceful-restart-disable")


def _restart_of_instance(given: Json) -> Iterator[str]:
    words = {"preserve-fw-state": "graceful-restart preserve-fw-state", "disable-eor": "graceful-restart disable-eor"}
    for name in (*_RESTART, *words):
        if given.get(name) is not None:
            yield f"{'' if given[name] else 'no '}bgp {words.get(name, name)}"
    for name, value in given.get("timer", {}).items():
        if name != "delete" and value:
            yield unless_deleted(given["timer"], f"bgp graceful-restart {name} {value}")


def _neighbour(session: NeighborAddresses, given: Json, family: str, name: str, link: str, peer: Json) -> Iterator[str]:
    """A neighbour's lines for all address families."""
    address = session.address(name, link, peer, family)
    about = f"neighbor {address}"
    if peer.get("delete"):
        yield f"no {about}"
        return
    number = session.remote_as(name, link)
    if "peer-group" in peer:
        yield f"{about} interface peer-group {peer['peer-group']}"
    elif peer.get("neighbor_type") == "unnumbered":
        yield f"{about} interface remote-as {number}"
    else:
        yield f"{about} remote-as {number}"
    if peer.get("neighbor_type") == "link-local":
        interface = session.routers[name]["links"][link]["peer-interface"]
        yield from (f"{about} update-source {interface}", f"{about} interface {interface}")
    if source := session.source(peer, family):
        yield f"{about} update-source {source}"
    if peer.get("disable_connected_check"):
        yield f"{about} disable-connected-check"
    keepalive_s, hold_s = peer.get("keepalivetimer", 3), peer.get("holddowntimer", 10)
    if int(keepalive_s) != 60 and int(hold_s) != 180:
        yield f"{about} timers {keepalive_s} {hold_s}"
    connect_s: Any = peer.get("connecttimer", given.get("connecttimer", 5))
    if int(connect_s) != 120:
        yield f"{about} timers connect {connect_s}"
    for word in ("graceful-restart", "graceful-restart-helper", "graceful-restart-disable"):
        if peer.get(word) is not None:
            yield f"{'' if peer[word] else 'no '}{about} {word}"
    yield from (f"{about} {word} {peer[word]}" for word in ("capability", "password") if peer.get(word))
    if peer.get("no_password"):
        yield f"no {about} password {peer['no_password']}"
    if peer.get("ebgp_multihop", 1) > 1:
        yield from (f"{about} ebgp-multihop {peer['ebgp_multihop']}", f"{about} enforce-multihop")
    if "shutdown" in peer:  # within an address family this would leave it
        yield f"{'' if peer['shutdown'] else 'no '}{about} shutdown"


def _unicast(given: Json) -> Iterator[str]:
    """The lines of an address family that concern no single neighbour."""
    for each in given.get("advertise_networks", []):
        for prefix in addresses(each["network"], each.get("no_of_network")):
            yield unless_deleted(each, f"network {ip_network(prefix, strict=False)}")
    if paths := given.get("maximum_paths"):
        for name, words in (("ibgp", "maximum-paths ibgp"), ("ebgp", "maximum-paths")):
            yield from [unless_deleted(paths, f"{words} {paths[name]}")] if paths.get(name) else []
    for each in given.get("aggregate_address", []):
        words = (" as-set" if each.get("as_set") else "") + (" summary-only" if each.get("summary") else "")
        yield unless_deleted(each, f"aggregate-address {each['network']}{words}")
    for each in given.get("redistribute") or []:
        more = each.get("attribute") or ""
        more = " ".join(f"{key} {value}" for key, value in more.items()) if isinstance(more, dict) else more
        yield unless_deleted(each, f"redistribute {each['redist_type']} {more}".rstrip())
    if distance := given.get("distance"):
        values = " ".join(str(distance[name]) for name in ("ebgp", "ibgp", "local"))
        yield "no distance bgp" if distance.get("delete") else f"distance bgp {values}"
    if imported := given.get("import"):
        yield unless_deleted(imported, f"import vrf {imported['vrf']}")


def _originating(session: NeighborAddresses, family: str, given: Json) -> Iterator[str]:
    """To whom a default route is told."""
    for name, each in given.get("default_originate", {}).items():
        link = each.get("dest_link") or each.get("add_type") or session.router
        address = session.address(name, link, {}, family)
        mapped = f" route-map {each['route_map']}" if each.get("route_map") else ""
        yield unless_deleted(each, f"neighbor {address} default-originate{mapped}")


def _neighbour_in(
    session: NeighborAddresses, families: Json, family: str, name: str, link: str, peer: Json
) -> Iterator[str]:
    """The lines of an address family about a neighbour.

    Where the neighbour is activated in another family, what follows is said there: so FRR's tests mean it.
    """
    if peer.get("delete"):
        return
    within = family
    address = session.address(name, link, peer, family)
    about = f"neighbor {address}"
    if family == "ipv6":
        yield f"{about} activate"
    elif peer.get("activate") is None and link in families.get("ipv6", {}).get("neighbor", {}).get(name, {}).get(
        "dest_link", {}
    ):
        other = session.address(name, link, families["ipv6"]["neighbor"][name]["dest_link"][link], "ipv6")
        yield from [f"no neighbor {other} activate"] if other != address else []
    for word, no in (("activate", ""), ("deactivate", "no ")):
        if peer.get(word) is not None:
            within = peer[word]
            yield from (*_entering(within), f"{no}{about} activate")
    if peer.get("next_hop_self") is not None:
        yield f"{'' if peer['next_hop_self'] is True else 'no '}{about} next-hop-self"
    if peer.get("send_community"):
        yield f"{about} send-community"
    if peer.get("no_send_community"):
        yield f"no {about} send-community {peer['no_send_community']}"
    if peer.get("capability") and family == "ipv6":
        within = "ipv4"
        yield from (*_entering(within), f"{about} activate")
    for word, no in (("allowas_in", ""), ("no_allowas_in", "no ")):
        yield from [f"{no}{about} allowas-in {peer[word]}"] if word in peer else []
    for key, word in (("prefix_lists", "prefix-list"), ("route_maps", "route-map")):
        for each in peer.get(key) or []:
            yield unless_deleted(each, f"{about} {word} {each['name']} {each.get('direction', 'in')}")
    if allowed := peer.get("allowas-in"):
        yield unless_deleted(allowed, f"{about} allowas-in {allowed['number_occurences']}")
    if within != family:
        yield from _entering(family)


def _entering(family: str) -> tuple[str, str]:
    """From one address family to another."""
    return "exit-address-family", f"address-family {family} unicast"
