"""OpenFlow switches and their controllers.

All switches of a lab are in one Open vSwitch and, with the lab's controllers, in one network namespace. Therefore their
listening ports and interface names must be unique.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Any

from frrlib.checks.facts import Facts
from frrlib.checks.fix import Fix, nodes_fix, preference_fix
from frrlib.checks.kinds import CheckSubject, error, note, warning
from frrlib.checks.subjects.addresses import DUPLICATE_ADDRESS
from frrlib.checks.subjects.structure import DUPLICATE_INTERFACE
from frrlib.edits.parts import controllers_of, with_controllers
from frrlib.model import openflow
from frrlib.model.base import IpAddress
from frrlib.model.labels import label_of
from frrlib.model.nodes import Controller, Node, Switch
from frrlib.model.problem import Problem

SUBJECT = CheckSubject()
#: Settings of sFlow that are numbers: field to minimum.
_SFLOW_LEAST = {"sampling": 1, "header": 1, "polling": 0}
_REPLACED_KINDS = {
    "ivs": "an Indigo switch",
    "user": "the reference user switch",
    "userns": "the reference user switch",
}
NO_CONTROLLER = SUBJECT.kind(
    "no-controller",
    "A switch has no controller, or lists one that is not in the topology.",
    "Without a controller it forwards like a bridge. It cannot connect to a controller that does not exist.",
    "Draw the controller, or remove it from the list of the switch.",
)
ILLEGAL_DPID = SUBJECT.kind(
    "illegal-dpid",
    "A datapath ID does not have 1 to 16 hexadecimal digits, or is 0.",
    "Open vSwitch refuses it.",
    "Enter hexadecimal digits, or leave the field empty to use the number in the name.",
)
NO_DPID = SUBJECT.kind(
    "no-dpid",
    "The name of a switch contains no number above 0 from which a datapath ID could be derived.",
    "Open vSwitch chooses a random one at each start.",
    "Enter a datapath ID, such as 1.",
)
DUPLICATE_DPID = SUBJECT.kind(
    "duplicate-dpid",
    "Two switches have the same datapath ID.",
    "A controller treats them as one switch.",
    "Change one of the two datapath IDs.",
)
ILLEGAL_PORT = SUBJECT.kind(
    "illegal-port",
    "A passive listening port is not a number from 1 to 65535, or the ports counted up from it exceed 65535.",
    "The switch cannot listen there.",
    "Choose a port with enough free ports above it, such as 6634.",
)
DUPLICATE_PORT = SUBJECT.kind(
    "duplicate-port",
    "Two switches or controllers of the lab listen on the same port.",
    "They share one namespace, so only the first one can use the port.",
    "Choose another port.",
)
ILLEGAL_ADDRESS = SUBJECT.kind(
    "illegal-address",
    "The address of a switch or controller is not valid.",
    "Connections to it are impossible.",
    "Enter an address, such as 10.0.0.100/24 for a switch or 127.0.0.1 for a controller.",
)
SWITCH_TYPE = SUBJECT.kind(
    "switch-type",
    "The topology requests a kind of switch that is no longer available.",
    "Open vSwitch replaces it and behaves the same.",
    "No action is needed.",
)
NO_COLLECTOR = SUBJECT.kind(
    "no-collector",
    "sFlow or NetFlow is enabled, and the preferences have no collector for it.",
    "No samples are sent.",
    "Enter a target in the preferences, such as 10.0.0.9:6343.",
)
ILLEGAL_TARGET = SUBJECT.kind(
    "illegal-target",
    "The target of sFlow or NetFlow is not an address with a port.",
    "Open vSwitch refuses it.",
    "Enter a target such as 10.0.0.9:6343.",
)
ILLEGAL_NUMBER = SUBJECT.kind(
    "illegal-number",
    "A setting of sFlow or NetFlow is not a whole number.",
    "Open vSwitch refuses it.",
    "Enter a whole number.",
)
NO_OPENFLOW_VERSION = SUBJECT.kind(
    "no-openflow-version",
    "No OpenFlow version is selected in the preferences.",
    "Open vSwitch offers all versions that it supports.",
    "No action is needed. You can select the version that your controller supports.",
)
SHARED_PORT = SUBJECT.kind(
    "shared-port",
    "Two controllers of the lab use the same port.",
    "Each of them gets its own address, and the switches use that address.",
    "No action is needed.",
)
SSL = SUBJECT.kind(
    "ssl",
    "A controller is reached by SSL.",
    "Both sides need a key and a certificate. The lab creates a pair.",
    "Configure the controller to use `/run/openvswitch/lab-key.pem` and `lab-cert.pem`.",
)
UNREACHABLE_CONTROLLER = SUBJECT.kind(
    "unreachable-controller",
    "No node has the address of a remote controller, or a switch has no address in the controller's network.",
    "A lab reaches no address outside of it unless the user allows that address.",
    "Allow it when you run the lab (the window asks for it; `run`, `start` and exported scripts have the option "
    "`--allow-controller ADDRESS:PORT`). Otherwise run the controller in the lab: at 127.0.0.1 in a terminal, or "
    "on a host in the network of the switch's own address.",
)


def _switches(facts: Facts) -> Iterator[Switch]:
    return (node for node in facts.nodes.values() if isinstance(node, Switch))


def _controllers(facts: Facts) -> Iterator[Controller]:
    return (node for node in facts.nodes.values() if isinstance(node, Controller))


@SUBJECT.rule(NO_CONTROLLER)
def named_controllers(facts: Facts) -> Iterator[Problem]:
    """The controllers of a switch exist."""
    for node in facts.topology.nodes:
        if not isinstance(node, Switch):
            continue
        for name in node.controllers:
            named_node = facts.nodes.get(name)
            if not isinstance(named_node, Controller):
                message = f"{name} is a {named_node.kind}" if named_node else f"there is no controller {name}"
                yield error(
                    NO_CONTROLLER, node.name, "controllers", message, f"draw {name}, or remove it from the list"
                )
        if not node.controllers:
            message = "the switch has no controller, so it forwards like a bridge"
            yield note(NO_CONTROLLER, node.name, "controllers", message)


@SUBJECT.rule(NO_DPID, ILLEGAL_DPID, DUPLICATE_DPID)
def datapath_ids(facts: Facts) -> Iterator[Problem]:
    """Datapath IDs of switches are hexadecimal, of up to 64 bits, and unique."""
    owners: dict[int, str] = {}
    for node in facts.topology.nodes:
        if not isinstance(node, Switch):
            continue
        try:
            value = openflow.datapath_id(node)
        except ValueError as problem:
            yield error(ILLEGAL_DPID, node.name, "dpid", str(problem), "enter 1 to 16 hexadecimal digits, and not 0")
            continue
        if value is None:
            message = "the name of the switch has no number above 0 from which to derive a datapath ID"
            yield warning(NO_DPID, node.name, "dpid", message, "enter a datapath ID, such as 1")
        elif owners.setdefault(value, node.name) != node.name:
            make = error if node.dpid else warning
            message = f"{owners[value]} also has the datapath ID {value:x}"
            yield make(DUPLICATE_DPID, node.name, "dpid", message, "enter another datapath ID")


@SUBJECT.rule(ILLEGAL_PORT, DUPLICATE_PORT)
def listening_ports(facts: Facts) -> Iterator[Problem]:
    """TCP ports of switches (dpctl) are unique and differ from the ports of the lab's own controllers."""
    owners: dict[int, str] = {}
    for controller in _controllers(facts):
        if controller.controller_type in openflow.OWN:
            owners.setdefault(controller.port, controller.name)
    for switch in _switches(facts):
        try:
            port = openflow.listening_port(facts.topology, switch)
        except ValueError as problem:
            field = "dpctl_port" if switch.dpctl_port.strip() else "preferences.dpctl"
            yield error(ILLEGAL_PORT, switch.name if field == "dpctl_port" else "", field, str(problem))
            continue
        if port is not None:
            owners.setdefault(port, switch.name)
            if owners[port] != switch.name:
                message = f"{owners[port]} also listens on port {port}, but only one of them can"
                yield warning(DUPLICATE_PORT, switch.name, "dpctl_port", message, "choose another port")


@SUBJECT.rule(DUPLICATE_INTERFACE)
def interfaces(facts: Facts) -> Iterator[Problem]:
    """Names of the switches' interfaces are unique in the lab, since all are in one network namespace."""
    owners = {switch.name: switch.name for switch in _switches(facts)}
    for switch in _switches(facts):
        for name in facts.interface_names(switch.name):
            if name != switch.name and owners.setdefault(name, switch.name) != switch.name:
                message = (
                    f"{owners[name]} also has an interface named {name}, and all switches share one network namespace"
                )
                yield error(DUPLICATE_INTERFACE, switch.name, "interface", message, "choose another name")


@SUBJECT.rule(DUPLICATE_ADDRESS, ILLEGAL_ADDRESS)
def management_addresses(facts: Facts) -> Iterator[Problem]:
    """Addresses of the switches themselves."""
    for switch in _switches(facts):
        try:
            address = openflow.management_address(switch)
        except ValueError:
            text = f"{switch.management_address!r} is not an address"
            remedy = "enter an address such as 10.0.0.100/24"
            yield error(ILLEGAL_ADDRESS, switch.name, "management_address", text, remedy)
            continue
        if address is not None and address.ip in facts.owners:
            message = f"{facts.owners[address.ip][0]} also has the address {address.ip}"
            yield warning(DUPLICATE_ADDRESS, switch.name, "management_address", message, "choose another address")


@SUBJECT.rule(SWITCH_TYPE)
def kinds(facts: Facts) -> Iterator[Problem]:
    """Kinds of MiniEdit's switches that Open vSwitch replaces."""
    for switch in _switches(facts):
        kind = openflow.kind_of(facts.topology, switch)
        if kind in _REPLACED_KINDS:
            message = f"{_REPLACED_KINDS[kind]} is selected, but the switch runs as Open vSwitch"
            yield note(SWITCH_TYPE, switch.name, "switch_type", message)


@SUBJECT.rule(ILLEGAL_NUMBER, NO_COLLECTOR, ILLEGAL_TARGET)
def collectors(facts: Facts) -> Iterator[Problem]:
    """Switches that report their traffic have a collector."""
    preferences = facts.topology.preferences
    sflow, netflow = preferences.sflow, preferences.netflow
    for field, target in (("sflow", sflow.target), ("netflow", netflow.target)):
        if not target.strip():
            for name in [switch.name for switch in _switches(facts) if getattr(switch, field)]:
                message = f"{field} is on, but the preferences have no target for it, so nothing is sent"
                yield note(NO_COLLECTOR, name, field, message, "enter a target, such as 10.0.0.9:6343")
        elif not openflow.is_collector(target):
            message = f"{target!r} is not an address and a port"
            remedy = "enter a target such as 10.0.0.9:6343"
            yield error(ILLEGAL_TARGET, "", f"preferences.{field}.target", message, remedy)
    numbers = [(f"sflow.{key}", getattr(sflow, key), least) for key, least in _SFLOW_LEAST.items()]
    for field, value, least in (*numbers, ("netflow.active_timeout", netflow.active_timeout, -1)):
        if value.strip() and not (re.fullmatch(r"-?[0-9]{1,9}", value.strip()) and int(value.strip()) >= least):
            message = f"{value!r} is not a whole number of at least {least}"
            yield error(ILLEGAL_NUMBER, "", f"preferences.{field}", message, f"enter a whole number from {least}")


@SUBJECT.rule(NO_OPENFLOW_VERSION)
def versions(facts: Facts) -> Iterator[Problem]:
    """The OpenFlow versions that are offered."""
    if any(_switches(facts)) and not openflow.protocols(facts.topology.preferences.openflow):
        message = "no OpenFlow version is selected, so Open vSwitch offers all versions that it supports"
        yield note(NO_OPENFLOW_VERSION, "", "preferences.openflow", message)


@SUBJECT.rule(SSL, SHARED_PORT, ILLEGAL_ADDRESS, UNREACHABLE_CONTROLLER)
def controller_addresses(facts: Facts) -> Iterator[Problem]:
    """Remote controllers are at 127.0.0.1 in the lab or in a network of a switch."""
    for controller in _controllers(facts):
        if controller.controller_type in openflow.OWN:
            address = openflow.own_addresses(facts.topology, controller)[0]
            if address != "127.0.0.1":
                message = f"another controller uses the same port, so this one listens on {address}"
                yield note(SHARED_PORT, controller.name, "port", message)
            continue
        try:
            parsed_address = ip_address(controller.address.strip())
        except ValueError:
            message = f"{controller.address!r} is not an address"
            yield error(
                ILLEGAL_ADDRESS, controller.name, "address", message, "enter 127.0.0.1, or the address of a host"
            )
            continue
        if not parsed_address.is_loopback:
            yield from _check_reachable(facts, controller, parsed_address)
        if controller.protocol == "ssl":
            message = "for OpenFlow over SSL, the lab creates a key and a certificate that both sides must use"
            remedy = "use /run/openvswitch/lab-key.pem and lab-cert.pem at the controller"
            yield note(SSL, controller.name, "protocol", message, remedy)


def _check_reachable(facts: Facts, controller: Controller, address: IpAddress) -> Iterator[Problem]:
    if address not in facts.owners:
        message = f"no node has the address {address}, and a lab reaches outside of it only allowed addresses"
        remedy = "allow it when you run the lab, or run the controller in the lab: at 127.0.0.1, or on a host"
        yield warning(UNREACHABLE_CONTROLLER, controller.name, "address", message, remedy)
        return
    for switch in _switches(facts):
        if controller.name not in switch.controllers:
            continue
        try:
            switch_address = openflow.management_address(switch)
        except ValueError:
            continue
        if switch_address is None or address not in switch_address.network:
            message = f"is not in the network of the controller {controller.name} ({address})"
            remedy = f"enter an address in the network of {address}"
            yield warning(UNREACHABLE_CONTROLLER, switch.name, "management_address", message, remedy)


# --- fixes -----------------------------------------------------------------------------------------------------------


@SUBJECT.fix(NO_CONTROLLER)
def _remove_missing_controllers(facts: Facts, problem: Problem) -> Fix | None:
    def change(node: Any) -> Node | None:
        existing = (name for name in controllers_of(node) if isinstance(facts.nodes.get(name), Controller))
        return with_controllers(node, existing) if isinstance(node, Switch) else None

    return nodes_fix(f"remove the missing controllers at {problem.node}", facts.topology, [problem.node], change)


@SUBJECT.fix(ILLEGAL_DPID, DUPLICATE_DPID, ILLEGAL_PORT, DUPLICATE_PORT, ILLEGAL_TARGET, ILLEGAL_NUMBER)
def _reset_field(facts: Facts, problem: Problem) -> Fix | None:
    """Reset a field of a switch, or of the preferences, to its default."""
    if problem.field.startswith("preferences."):
        return preference_fix(facts, problem)

    def change(node: Any) -> Node | None:
        return node.model_copy(update={problem.field: ""}) if isinstance(node, Switch) else None

    label = f"leave {label_of(problem.field)} of {problem.node} empty"
    return nodes_fix(label, facts.topology, [problem.node], change)
