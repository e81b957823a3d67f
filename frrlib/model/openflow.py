"""The effective settings of switches and controllers, which follow MiniEdit."""

from __future__ import annotations

import re
from contextlib import suppress
from ipaddress import IPv4Address, ip_address, ip_interface

from frrlib.model.base import Address
from frrlib.model.nodes import Controller, Switch
from frrlib.model.topology import OpenFlowVersions, Topology

#: Controllers that the lab runs itself.
OWN = ("ref", "ovsc")
#: Maximum number of switches of Open vSwitch's test controller.
SWITCHES_PER_PROGRAM = 16
#: Open vSwitch's name of each version, by field of `OpenFlowVersions`.
PROTOCOLS = {"of10": "OpenFlow10", "of11": "OpenFlow11", "of12": "OpenFlow12", "of13": "OpenFlow13"}


def datapath_id(switch: Switch) -> int | None:
    """The stated datapath ID, or the first number in the original name, as in Mininet.

    None without either, or if that number is 0.

    Raises:
        ValueError: the datapath ID is invalid: not 1 to 16 hexadecimal digits, or 0.
    """
    text = switch.dpid.replace(":", "")
    if not text:
        digits = re.search(r"[0-9]+", switch.address_name)
        return (int(digits[0]) % 2**64 or None) if digits else None
    if not re.fullmatch(r"[0-9a-fA-F]{1,16}", text) or not int(text, 16):
        raise ValueError(f"{switch.dpid!r} is not a datapath ID")
    return int(text, 16)


def protocols(versions: OpenFlowVersions) -> tuple[str, ...]:
    """The OpenFlow versions as Open vSwitch names them; empty for all that it supports."""
    return tuple(name for field, name in PROTOCOLS.items() if getattr(versions, field))


def kind_of(topology: Topology, switch: Switch) -> str:
    """The kind of a switch: "ovs", "ivs", "user" or "userns"; "default" stands for the kind in the preferences."""
    return topology.preferences.switch_type if switch.switch_type == "default" else switch.switch_type


def listening_port(topology: Topology, switch: Switch) -> int | None:
    """The port at which a switch listens for `ovs-ofctl`: its own, or one counted up from that of the preferences.

    Raises:
        ValueError: the port is invalid.
    """
    if switch.dpctl_port.strip():
        return _port(switch.dpctl_port)
    first = topology.preferences.dpctl.strip()
    switches = [node.name for node in topology.switches]
    return _port(str(_port(first) + switches.index(switch.address_name))) if first and switch.name in switches else None


def _port(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,5}", text.strip()) or not 1 <= int(text) <= 65_535:
        raise ValueError(f"{text!r} is not a port from 1 to 65535")
    return int(text)


def management_address(switch: Switch) -> Address | None:
    """The address of the switch itself; None for none. The default prefix length is that of the address's class, as
    in `ifconfig`.

    Raises:
        ValueError: the address is invalid.
    """
    text = switch.management_address.strip()
    if not text:
        return None
    address = ip_interface(text)
    if "/" in text or not isinstance(address.ip, IPv4Address):
        return address
    first = int(text.split(".")[0])
    return ip_interface(f"{text}/{8 if first < 128 else 16 if first < 192 else 24}")


def controllers_of(topology: Topology, switch: Switch) -> tuple[Controller, ...]:
    """The controllers of a switch, in its order, each once."""
    nodes = (topology.node(name) for name in dict.fromkeys(switch.controllers))
    return tuple(node for node in nodes if isinstance(node, Controller))


def switches_of(topology: Topology, controller: Controller) -> tuple[str, ...]:
    """Names of the switches that name a controller, in their order."""
    return tuple(switch.name for switch in topology.switches if controller.name in switch.controllers)


def own_addresses(topology: Topology, controller: Controller) -> tuple[str, ...]:
    """The loopback addresses of a controller that the lab runs itself: one for each of its processes.

    The number of processes depends on its switches. Controllers with the same port have different addresses.
    """
    first = 1
    for node in topology.nodes:
        if not isinstance(node, Controller) or node.controller_type not in OWN or node.port != controller.port:
            continue
        count = max(1, -(-len(switches_of(topology, node)) // SWITCHES_PER_PROGRAM))
        if node.name == controller.name:
            return tuple(str(IPv4Address("127.0.0.0") + first + number) for number in range(count))
        first += count
    return ("127.0.0.1",)


def targets(topology: Topology, controller: Controller) -> tuple[str, ...]:
    """A controller's addresses in Open vSwitch's form ("tcp:127.0.0.1:6633"), one for each of its processes."""
    is_own = controller.controller_type in OWN
    addresses = own_addresses(topology, controller) if is_own else (controller.address.strip(),)
    hosts = (f"[{address}]" if ":" in address else address for address in addresses)
    return tuple(f"{controller.protocol}:{address}:{controller.port}" for address in hosts)


def target(topology: Topology, controller: Controller, switch: Switch) -> str:
    """The address at which a switch connects to one of its controllers."""
    all_targets, users = targets(topology, controller), switches_of(topology, controller)
    position = users.index(switch.address_name) if switch.name in users else 0
    return all_targets[min(position // SWITCHES_PER_PROGRAM, len(all_targets) - 1)]


def outside(topology: Topology) -> dict[str, tuple[str, ...]]:
    """The controllers outside of the lab: their names by "ADDRESS:PORT".

    A controller is outside if a switch uses it, the lab does not run it, no node has its address, and it has no start
    command.

    Args:
        topology: with all addresses.
    """
    inside = {address.ip for link in topology.links for end in link.ends for address in end.addresses}
    names_by_place: dict[str, tuple[str, ...]] = {}
    for controller in topology.nodes:
        if not isinstance(controller, Controller) or controller.controller_type in OWN or controller.start_command:
            continue
        address = controller.address.strip()
        with suppress(ValueError):
            if switches_of(topology, controller) and ip_address(address) not in inside:
                where = f"[{address}]:{controller.port}" if ":" in address else f"{address}:{controller.port}"
                names_by_place[where] = (*names_by_place.get(where, ()), controller.name)
    return names_by_place


def is_collector(text: str) -> bool:
    """Whether a text is the address and port of a collector, such as "10.0.0.9:6343"."""
    host, colon, port = text.strip().rpartition(":")
    try:
        ip_interface(host.strip("[]"))
        _port(port)
    except ValueError:
        return False
    return bool(colon) and "/" not in host


def asks_for_openflow(topology: Topology, switch: Switch) -> bool:
    """Whether a switch has settings that a plain bridge cannot have."""
    return bool(
        switch.controllers
        or switch.dpid
        or switch.dpctl_port
        or switch.management_address
        or topology.preferences.dpctl
        or (switch.sflow and topology.preferences.sflow.target)
        or (switch.netflow and topology.preferences.netflow.target)
    )
