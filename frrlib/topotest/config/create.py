"""The `create_...` functions of tests: they configure routers from a description in JSON at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

from frrlib.topotest.config import bgp, ospf
from frrlib.topotest.config import routers as configuring
from frrlib.topotest.config.description import Json, addresses, listed
from frrlib.topotest.config.entry import enter_lines

generate_ips = addresses


def _part(tgen: Any, described: Json, part: Callable[[str, Json], Iterable[str]]) -> Any:
    return enter_lines(tgen, {name: list(part(name, router)) for name, router in described.items()})


def create_static_routes(tgen: Any, input_dict: Json, build: bool = False) -> Any:
    """Configure `static_routes` of routers."""
    return _part(tgen, input_dict, configuring.static_routes)


def create_prefix_lists(tgen: Any, input_dict: Json, build: bool = False) -> Any:
    """Configure `prefix_lists` of routers; the numbers that they get are written into the description."""
    return _part(tgen, input_dict, configuring.prefix_lists)


def create_bgp_community_lists(tgen: Any, input_dict: Json, build: bool = False) -> Any:
    """Configure `bgp_community_lists` of routers."""
    return _part(tgen, input_dict, configuring.community_lists)


def create_route_maps(tgen: Any, input_dict: Json, build: bool = False) -> Any:
    """Configure `route_maps` of routers."""
    return _part(tgen, input_dict, configuring.route_maps)


def delete_route_maps(tgen: Any, input_dict: Json) -> Any:
    """Remove route maps: router to {"route_maps": names}."""
    return enter_lines(
        tgen,
        {
            name: [f"no route-map {route_map}" for route_map in description["route_maps"]]
            for name, description in input_dict.items()
        },
    )


def create_interfaces_cfg(tgen: Any, topo: Json, build: bool = False) -> Any:
    """Configure the interfaces of `links` of routers."""
    return _part(tgen, topo, configuring.interfaces)


def create_vrf_cfg(tgen: Any, topo: Json, input_dict: Json | None = None, build: bool = False) -> Any:
    """Make the VRFs of routers in the kernel, put their interfaces into them, and configure them in FRR."""
    described = input_dict or topo
    make_vrfs(tgen, described)
    return _part(tgen, described, configuring.vrfs)


def make_vrfs(tgen: Any, described: Json) -> None:
    """Make or remove the VRFs of routers in the kernel, and put interfaces into them."""
    for name, router in described.items():
        lines = []
        for vrf in router.get("vrfs", []):
            if vrf.get("delete"):
                lines.append(f"ip link del {vrf['name']}")
            elif vrf.get("id"):
                command = f"ip link add {vrf['name']} type vrf table {vrf['id']} && ip link set {vrf['name']} up"
                lines.append(f"[ -e /sys/class/net/{vrf['name']} ] || {{ {command}; }}")
        for key, link in router.get("links", {}).items():
            interface = key if link.get("type") == "loopback" else link.get("interface")
            for vrf in listed(link.get("vrf")):  # the kernel leaves `lo` where it is
                target = "nomaster" if link.get("delete") else f"master {vrf}"
                lines.append(f"ip link set {interface} {target}; ip link set {interface} up")
        if lines:
            tgen.net[name].cmd_status("\n".join(lines))


def create_router_bgp(
    tgen: Any, topo: Json | None = None, input_dict: Json | None = None, build: bool = False, load_config: bool = True
) -> Any:
    """Configure `bgp` of routers; without `input_dict` of the whole network."""
    network = topo or tgen.json_topo
    routers = network.get("routers", network)
    description = deepcopy(input_dict or routers)
    lines = {name: list(bgp.bgp(tgen, routers, name, router, build)) for name, router in description.items()}
    return enter_lines(tgen, lines) if load_config else lines


def create_router_ospf(
    tgen: Any, topo: Json | None = None, input_dict: Json | None = None, build: bool = False, load_config: bool = True
) -> Any:
    """Configure `ospf` and `ospf6` of routers; without `input_dict` of the whole network."""
    network = topo or tgen.json_topo
    description = deepcopy(input_dict or network.get("routers", network))
    lines = {name: list(ospf.ospf(router)) for name, router in description.items()}
    return enter_lines(tgen, lines) if load_config else lines


def config_ospf_interface(
    tgen: Any, topo: Json | None = None, input_dict: Json | None = None, build: bool = False, load_config: bool = True
) -> Any:
    """Configure the OSPF settings in `links` of routers, including keys for authentication."""
    network = topo or tgen.json_topo
    routers = network.get("routers", network)
    lines: dict[str, list[str]] = {}
    for name, router in (input_dict or routers).items():
        for key, link in router.get("links", {}).items():
            interface_lines = [*ospf.ospf_of_interface(link, link.get("ospf", {}))]
            interface_lines += ospf.authentication_of_interface(link)
            if interface_lines:
                interface = link.get("interface") or routers[name]["links"][key]["interface"]
                lines.setdefault(name, []).extend([f"interface {interface}", *interface_lines])
    return enter_lines(tgen, lines) if load_config else lines
