"""Rules on OpenFlow switches and their controllers.

All switches of a lab are in one Open vSwitch and, with the lab's controllers, in one network namespace: what each has
there, a port at which it listens or the name of an interface, no other can have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address

from frrlib.model import openflow
from frrlib.model.base import IpAddress
from frrlib.model.nodes import Controller, Switch
from frrlib.model.problem import Problem, error, note, warning
from frrlib.model.rules.facts import Facts, Rule

#: Settings of a profile that are numbers: field to the least.
_SFLOW_LEAST = {"sampling": 1, "header": 1, "polling": 0}
_KINDS = {"ivs": "an Indigo switch", "user": "the reference user switch", "userns": "the reference user switch"}


def _switches(facts: Facts) -> Iterator[Switch]:
    return (node for node in facts.nodes.values() if isinstance(node, Switch))


def _controllers(facts: Facts) -> Iterator[Controller]:
    return (node for node in facts.nodes.values() if isinstance(node, Controller))


def named_controllers(facts: Facts) -> Iterator[Problem]:
    """Controllers that switches name."""
    for node in facts.drawn.nodes:
        if not isinstance(node, Switch):
            continue
        for name in node.controllers:
            found = facts.nodes.get(name)
            if not isinstance(found, Controller):
                why = f"{name} is a {found.kind}" if found else f"there is no controller {name}"
                yield error("no-controller", node.name, "controllers", why, f"draw {name}, or take it off the list")
        if not node.controllers:
            yield note("no-controller", node.name, "controllers", "has no controller: it forwards as a bridge does")


def datapath_ids(facts: Facts) -> Iterator[Problem]:
    """Datapath ids of switches: hexadecimal, 64 bits at most, one each."""
    seen: dict[int, str] = {}
    for node in facts.drawn.nodes:
        if not isinstance(node, Switch):
            continue
        try:
            value = openflow.datapath_id(node)
        except ValueError as problem:
            yield error("illegal-dpid", node.name, "dpid", str(problem), "1 to 16 hexadecimal digits, and not 0")
            continue
        if value is None:
            why = "has no number in its name to make a datapath id from"
            yield warning("no-dpid", node.name, "dpid", why, "state a datapath ID, such as 1")
        elif seen.setdefault(value, node.name) != node.name:
            make = error if node.dpid else warning
            why = f"{seen[value]} has the datapath id {value:x} too"
            yield make("duplicate-dpid", node.name, "dpid", why, "state another datapath ID")


def listening_ports(facts: Facts) -> Iterator[Problem]:
    """TCP ports of switches (dpctl): one each, and none of the lab's own controllers."""
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
                why = f"{seen[port]} listens at port {port} too: only one of them can"
                yield warning("duplicate-port", switch.name, "dpctl_port", why, "another port")


def interfaces(facts: Facts) -> Iterator[Problem]:
    """Names of the switches' interfaces, which are all in one place."""
    seen = {switch.name: switch.name for switch in _switches(facts)}
    for switch in _switches(facts):
        for name in facts.interface_names(switch.name):
            if name != switch.name and seen.setdefault(name, switch.name) != switch.name:
                why = f"{seen[name]} has an interface called {name} too, and all switches are in one place"
                yield error("duplicate-interface", switch.name, "interface", why, "another name")


def management_addresses(facts: Facts) -> Iterator[Problem]:
    """Addresses of the switches themselves."""
    for switch in _switches(facts):
        try:
            address = openflow.management_address(switch)
        except ValueError:
            text = f"{switch.management_address!r} is no address"
            yield error("illegal-address", switch.name, "management_address", text, "such as 10.0.0.100/24")
            continue
        if address is not None and address.ip in facts.owners:
            why = f"{address.ip} is at {facts.owners[address.ip][0]} too"
            yield warning("duplicate-address", switch.name, "management_address", why, "another address")


def kinds(facts: Facts) -> Iterator[Problem]:
    """Switches of MiniEdit that Open vSwitch stands in for."""
    for switch in _switches(facts):
        kind = openflow.kind_of(facts.drawn, switch)
        if kind in _KINDS:
            why = f"is drawn as {_KINDS[kind]} and runs as Open vSwitch"
            yield note("switch-type", switch.name, "switch_type", why)


def collectors(facts: Facts) -> Iterator[Problem]:
    """Switches that report their traffic have a collector."""
    preferences = facts.drawn.preferences
    sflow, netflow = preferences.sflow, preferences.netflow
    for field, target in (("sflow", sflow.target), ("netflow", netflow.target)):
        if not target.strip():
            for name in [switch.name for switch in _switches(facts) if getattr(switch, field)]:
                why = f"{field} is on, and the preferences name no target: nothing is told"
                yield note("no-collector", name, field, why, "state a target, such as 10.0.0.9:6343")
        elif not openflow.is_collector(target):
            why = f"{target!r} is not an address and a port"
            yield error("illegal-target", "", f"preferences.{field}.target", why, "such as 10.0.0.9:6343")
    numbers = [(f"sflow.{key}", getattr(sflow, key), least) for key, least in _SFLOW_LEAST.items()]
    for field, value, least in (*numbers, ("netflow.active_timeout", netflow.active_timeout, -1)):
        if value.strip() and not (re.fullmatch(r"-?[0-9]{1,9}", value.strip()) and int(value) >= least):
            yield error("illegal-number", "", f"preferences.{field}", f"{value!r} is no whole number from {least} on")


def versions(facts: Facts) -> Iterator[Problem]:
    """The OpenFlow versions that are offered."""
    if any(_switches(facts)) and not openflow.protocols(facts.drawn.preferences.openflow):
        why = "no OpenFlow version is on: Open vSwitch offers all that it has"
        yield note("no-openflow-version", "", "preferences.openflow", why)


def controller_addresses(facts: Facts) -> Iterator[Problem]:
    """Controllers that somebody else runs: in the lab they are at 127.0.0.1 or in a network that a switch is in."""
    for controller in _controllers(facts):
        if controller.controller_type in openflow.OWN:
            address = openflow.own_addresses(facts.drawn, controller)[0]
            if address != "127.0.0.1":
                why = f"shares its port with another controller, and so is at {address}"
                yield note("shared-port", controller.name, "port", why)
            continue
        try:
            there = ip_address(controller.address.strip())
        except ValueError:
            why = f"{controller.address!r} is no address"
            yield error("illegal-address", controller.name, "address", why, "127.0.0.1, or the address of a host")
            continue
        if not there.is_loopback:
            yield from _reachable(facts, controller, there)
        if controller.protocol == "ssl":
            why = "OpenFlow over SSL: the lab makes a key and a certificate that both sides must use"
            yield note(
                "ssl",
                controller.name,
                "protocol",
                why,
                "use /run/openvswitch/lab-key.pem and lab-cert.pem at the controller",
            )


def _reachable(facts: Facts, controller: Controller, address: IpAddress) -> Iterator[Problem]:
    if address not in facts.owners:
        why = f"no node has the address {address}, and a lab reaches outside of it only what is allowed"
        right = "allow it when the lab is run, or run the controller in the lab: at 127.0.0.1, or on a host"
        yield warning("unreachable-controller", controller.name, "address", why, right)
        return
    for switch in _switches(facts):
        if controller.name not in switch.controllers:
            continue
        try:
            own = openflow.management_address(switch)
        except ValueError:
            continue
        if own is None or address not in own.network:
            why = f"has no address in the network of its controller {controller.name} ({address})"
            yield warning("unreachable-controller", switch.name, "management_address", why, f"one beside {address}")


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
