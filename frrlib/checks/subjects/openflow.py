"""Rules on OpenFlow switches and their controllers.

All switches of a lab are in one Open vSwitch and, with the lab's controllers, in one network namespace. Therefore their
listening ports and interface names must be unique.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address

from frrlib.checks.facts import Facts, Rule
from frrlib.model import openflow
from frrlib.model.base import IpAddress
from frrlib.model.nodes import Controller, Switch
from frrlib.model.problem import Problem, error, note, warning

#: Settings of sFlow that are numbers: field to minimum.
_SFLOW_LEAST = {"sampling": 1, "header": 1, "polling": 0}
_KINDS = {"ivs": "an Indigo switch", "user": "the reference user switch", "userns": "the reference user switch"}


def _switches(facts: Facts) -> Iterator[Switch]:
    return (node for node in facts.nodes.values() if isinstance(node, Switch))


def _controllers(facts: Facts) -> Iterator[Controller]:
    return (node for node in facts.nodes.values() if isinstance(node, Controller))


def named_controllers(facts: Facts) -> Iterator[Problem]:
    """The controllers of a switch exist."""
    for node in facts.drawn.nodes:
        if not isinstance(node, Switch):
            continue
        for name in node.controllers:
            found = facts.nodes.get(name)
            if not isinstance(found, Controller):
                message = f"{name} is a {found.kind}" if found else f"there is no controller {name}"
                yield error(
                    "no-controller", node.name, "controllers", message, f"draw {name}, or remove it from the list"
                )
        if not node.controllers:
            message = "the switch has no controller, so it forwards like a bridge"
            yield note("no-controller", node.name, "controllers", message)


def datapath_ids(facts: Facts) -> Iterator[Problem]:
    """Datapath IDs of switches are hexadecimal, of up to 64 bits, and unique."""
    seen: dict[int, str] = {}
    for node in facts.drawn.nodes:
        if not isinstance(node, Switch):
            continue
        try:
            value = openflow.datapath_id(node)
        except ValueError as problem:
            yield error("illegal-dpid", node.name, "dpid", str(problem), "enter 1 to 16 hexadecimal digits, and not 0")
            continue
        if value is None:
            message = "the name of the switch has no number from which to derive a datapath ID"
            yield warning("no-dpid", node.name, "dpid", message, "enter a datapath ID, such as 1")
        elif seen.setdefault(value, node.name) != node.name:
            make = error if node.dpid else warning
            message = f"{seen[value]} also has the datapath ID {value:x}"
            yield make("duplicate-dpid", node.name, "dpid", message, "enter another datapath ID")


def listening_ports(facts: Facts) -> Iterator[Problem]:
    """TCP ports of switches (dpctl) are unique and differ from the ports of the lab's own controllers."""
    seen: dict[int, str] = {}
    for controller in _controllers(facts):
        if controller.controller_type in openflow.OWN:
            seen.setdefault(controller.port, controller.name)
    for switch in _switches(facts):
        try:
            port = openflow.listening_port(facts.drawn, switch)
        except ValueError as problem:
            field = "dpctl_port" if switch.dpctl_port.strip() else "preferences.dpctl"
            yield error("illegal-port", switch.name if field == "dpctl_port" else "", field, str(problem))
            continue
        if port is not None:
            seen.setdefault(port, switch.name)
            if seen[port] != switch.name:
                message = f"{seen[port]} also listens on port {port}, but only one of them can"
                yield warning("duplicate-port", switch.name, "dpctl_port", message, "choose another port")


def interfaces(facts: Facts) -> Iterator[Problem]:
    """Names of the switches' interfaces are unique in the lab, since all are in one network namespace."""
    seen = {switch.name: switch.name for switch in _switches(facts)}
    for switch in _switches(facts):
        for name in facts.interface_names(switch.name):
            if name != switch.name and seen.setdefault(name, switch.name) != switch.name:
                message = (
                    f"{seen[name]} also has an interface named {name}, and all switches share one network namespace"
                )
                yield error("duplicate-interface", switch.name, "interface", message, "choose another name")


def management_addresses(facts: Facts) -> Iterator[Problem]:
    """Addresses of the switches themselves."""
    for switch in _switches(facts):
        try:
            address = openflow.management_address(switch)
        except ValueError:
            text = f"{switch.management_address!r} is not an address"
            right = "enter an address such as 10.0.0.100/24"
            yield error("illegal-address", switch.name, "management_address", text, right)
            continue
        if address is not None and address.ip in facts.owners:
            message = f"{facts.owners[address.ip][0]} also has the address {address.ip}"
            yield warning("duplicate-address", switch.name, "management_address", message, "choose another address")


def kinds(facts: Facts) -> Iterator[Problem]:
    """Kinds of MiniEdit's switches that Open vSwitch replaces."""
    for switch in _switches(facts):
        kind = openflow.kind_of(facts.drawn, switch)
        if kind in _KINDS:
            message = f"{_KINDS[kind]} is selected, but the switch runs as Open vSwitch"
            yield note("switch-type", switch.name, "switch_type", message)


def collectors(facts: Facts) -> Iterator[Problem]:
    """Switches that report their traffic have a collector."""
    preferences = facts.drawn.preferences
    sflow, netflow = preferences.sflow, preferences.netflow
    for field, target in (("sflow", sflow.target), ("netflow", netflow.target)):
        if not target.strip():
            for name in [switch.name for switch in _switches(facts) if getattr(switch, field)]:
                message = f"{field} is on, but the preferences have no target for it, so nothing is sent"
                yield note("no-collector", name, field, message, "enter a target, such as 10.0.0.9:6343")
        elif not openflow.is_collector(target):
            message = f"{target!r} is not an address and a port"
            right = "enter a target such as 10.0.0.9:6343"
            yield error("illegal-target", "", f"preferences.{field}.target", message, right)
    numbers = [(f"sflow.{key}", getattr(sflow, key), least) for key, least in _SFLOW_LEAST.items()]
    for field, value, least in (*numbers, ("netflow.active_timeout", netflow.active_timeout, -1)):
        if value.strip() and not (re.fullmatch(r"-?[0-9]{1,9}", value.strip()) and int(value) >= least):
            message = f"{value!r} is not a whole number of at least {least}"
            yield error("illegal-number", "", f"preferences.{field}", message, f"enter a whole number from {least}")


def versions(facts: Facts) -> Iterator[Problem]:
    """The OpenFlow versions that are offered."""
    if any(_switches(facts)) and not openflow.protocols(facts.drawn.preferences.openflow):
        message = "no OpenFlow version is selected, so Open vSwitch offers all versions that it supports"
        yield note("no-openflow-version", "", "preferences.openflow", message)


def controller_addresses(facts: Facts) -> Iterator[Problem]:
    """Remote controllers are at 127.0.0.1 in the lab or in a network of a switch."""
    for controller in _controllers(facts):
        if controller.controller_type in openflow.OWN:
            address = openflow.own_addresses(facts.drawn, controller)[0]
            if address != "127.0.0.1":
                message = f"another controller uses the same port, so this one listens on {address}"
                yield note("shared-port", controller.name, "port", message)
            continue
        try:
            there = ip_address(controller.address.strip())
        except ValueError:
            message = f"{controller.address!r} is not an address"
            yield error(
                "illegal-address", controller.name, "address", message, "enter 127.0.0.1, or the address of a host"
            )
            continue
        if not there.is_loopback:
            yield from _reachable(facts, controller, there)
        if controller.protocol == "ssl":
            message = "for OpenFlow over SSL, the lab creates a key and a certificate that both sides must use"
            right = "use /run/openvswitch/lab-key.pem and lab-cert.pem at the controller"
            yield note("ssl", controller.name, "protocol", message, right)


def _reachable(facts: Facts, controller: Controller, address: IpAddress) -> Iterator[Problem]:
    if address not in facts.owners:
        message = f"no node has the address {address}, and a lab reaches outside of it only allowed addresses"
        right = "allow it when you run the lab, or run the controller in the lab: at 127.0.0.1, or on a host"
        yield warning("unreachable-controller", controller.name, "address", message, right)
        return
    for switch in _switches(facts):
        if controller.name not in switch.controllers:
            continue
        try:
            own = openflow.management_address(switch)
        except ValueError:
            continue
        if own is None or address not in own.network:
            message = f"is not in the network of the controller {controller.name} ({address})"
            right = f"enter an address in the network of {address}"
            yield warning("unreachable-controller", switch.name, "management_address", message, right)


RULES: tuple[Rule, ...] = (
    named_controllers,
    datapath_ids,
    listening_ports,
    interfaces,
    management_addresses,
    kinds,
    collectors,
    versions,
    controller_addresses,
)
