"""Sets and reads interfaces of routers, in FRR and in the kernel."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

from frrlib.topotest.config.description import listed


def interface_set_status(node: Any, ifacename: str, ifaceaction: bool = False, vrf_name: str | None = None) -> None:
    """Set an interface up or down in FRR."""
    interface = f"interface {ifacename}" + (f" vrf {vrf_name}" if vrf_name else "")
    node.vtysh_cmd(f"configure terminal\n{interface}\n{'no ' if ifaceaction else ''}shutdown")


def shutdown_bringup_interface(tgen: Any, dut: str, intf_name: str, ifaceaction: bool = False) -> None:
    """Set an interface up or down in FRR."""
    interface_set_status(tgen.routers()[dut], intf_name, ifaceaction)


def interface_status(tgen: Any, topo: Any, input_dict: Mapping[str, Mapping[str, Any]]) -> bool:
    """Set interfaces of routers up or down: router to {"interface_list": [...], "status": "up"}."""
    for name, description in input_dict.items():
        for interface in description["interface_list"]:
            shutdown_bringup_interface(tgen, name, interface, description.get("status", "up") == "up")
    return True


def get_frr_ipv6_linklocal(tgen: Any, router: str, intf: str | None = None, vrf: str | None = None) -> Any:
    """The link-local address of an interface according to FRR; without one, pairs of interface and address."""
    command = f"show interface vrf {vrf}" if vrf else "show interface"
    for _ in range(60):
        addresses: list[list[str]] = []
        name = ""
        for line in tgen.routers()[router].vtysh_cmd(command).splitlines():
            if match := re.match(r"Interface (\S+) is", line):
                name = match[1]
            elif match := re.search(r"inet6 (fe80:[^/]+)/", line):
                addresses.append([name, match[1]])
        if addresses and intf is None:
            return addresses
        for interface, address in addresses:
            if interface == intf:
                return address
        time.sleep(0.25)
    return f"{router}: no link-local address on {intf or 'any interface'}"


def create_interface_in_kernel(
    tgen: Any,
    dut: str,
    name: str,
    ip_addr: str,
    vrf: str | None = None,
    netmask: str | None = None,
    create: bool = True,
) -> None:
    """Make an interface with one address of this family that is not its link-local one, in a VRF if one is named."""
    node = tgen.net[dut]
    if create:
        node.cmd_status(f"ip link show {name} >/dev/null 2>&1 || ip link add {name} type dummy")
    length = f"/{netmask}" if netmask and "/" not in ip_addr else ""
    family = "-6" if ":" in ip_addr else "-4"
    node.cmd_raises(f"ip {family} addr flush {name} scope global")
    node.cmd_raises(f"ip {family} addr add {ip_addr}{length} dev {name}; ip link set {name} up")
    if vrf:
        node.cmd_raises(f"ip link set {name} master {vrf}")


def addKernelRoute(  # noqa: N802
    tgen: Any, router: str, intf: str, group_addr_range: Any, next_hop: str | None = None, src: Any = None,
    del_action: Any = None,
) -> bool:  # fmt: skip
    """Add a route to a router's kernel, or remove it."""
    for prefix in listed(group_addr_range):
        family = "-6 " if ":" in prefix else ""
        via = f" via {next_hop}" if next_hop else ""
        device = f" dev {intf}" if intf else ""
        tgen.net[router].cmd_status(f"ip {family}route {'del' if del_action else 'add'} {prefix}{via}{device}")
    return True
