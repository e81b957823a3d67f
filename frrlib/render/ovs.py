"""Switches as commands of `ovs-vsctl`, controllers as programs with arguments.

All switches of a lab are in one Open vSwitch in the lab's own network namespace, together with its controllers. There
127.0.0.1 has the same meaning as in Mininet, and the lab's terminal corresponds to Mininet's root terminal.
"""

from __future__ import annotations

from collections.abc import Iterator

from frrlib.model import openflow
from frrlib.model.nodes import Controller, Switch
from frrlib.model.topology import Topology
from frrlib.wire.plan import ControllerPlan, SwitchPlan

#: Maximum time between a switch's attempts to connect to its controller.
RETRY_MS = 1000
#: Key and certificate that the lab creates for OpenFlow over SSL; both sides trust it.
SSL_KEY, SSL_CERTIFICATE = "/run/openvswitch/lab-key.pem", "/run/openvswitch/lab-cert.pem"
#: Programs that can be the controller of a type, the best first.
_LEARNING = ("ovs-testcontroller", "test-controller", "ovs-controller")
PROGRAMS = {"ref": ("controller", *_LEARNING), "ovsc": _LEARNING}

Command = tuple[str, ...]


def switch_plan(topology: Topology, switch: Switch) -> SwitchPlan:
    """The plan of a switch in Open vSwitch, for a topology with names filled in and without errors."""
    address = openflow.management_address(switch)
    controllers = openflow.controllers_of(topology, switch)
    return SwitchPlan(
        ovs=tuple(_commands(topology, switch)),
        controllers=tuple(openflow.target(topology, controller, switch) for controller in controllers),
        addresses=(str(address),) if address else (),
    )


def controller_plan(topology: Topology, controller: Controller) -> ControllerPlan | None:
    """The plan of a controller in the lab; None for a controller outside of it."""
    if controller.controller_type not in openflow.OWN:
        return None
    keys = (f"--private-key={SSL_KEY}", f"--certificate={SSL_CERTIFICATE}", f"--ca-cert={SSL_CERTIFICATE}")
    options, listen = (keys, "pssl") if controller.protocol == "ssl" else ((), "ptcp")
    addresses = openflow.own_addresses(topology, controller)
    return ControllerPlan(
        programs=PROGRAMS[controller.controller_type],
        arguments=tuple((*options, f"{listen}:{controller.port}:{address}") for address in addresses),
    )


def _commands(topology: Topology, switch: Switch) -> Iterator[Command]:
    name = switch.name
    yield ("add-br", name)
    yield ("set", "bridge", name, *_settings(topology, switch))
    for number, port in enumerate(ports(topology, switch), 1):
        yield ("add-port", name, port)
        yield ("set", "interface", port, f"ofport_request={number}")
        # Otherwise Open vSwitch removes the port's queueing discipline.
        yield ("set", "port", port, "qos=@keep")
    targets = [
        openflow.target(topology, controller, switch) for controller in openflow.controllers_of(topology, switch)
    ]
    listening = openflow.listening_port(topology, switch)
    targets += [f"ptcp:{listening}"] if listening is not None else []
    for number, target in enumerate(targets):
        record = f"@{name}c{number}"
        yield (f"--id={record}", "create", "controller", f'target="{target}"', f"max_backoff={RETRY_MS}")
        yield ("add", "bridge", name, "controller", record)
    yield from _monitors(topology, switch)


def ports(topology: Topology, switch: Switch) -> tuple[str, ...]:
    """The ports of a switch in the order of their OpenFlow numbers, which count from 1."""
    link_ports = [end.interface for _, end in topology.ends_at(switch.name)]
    return (*link_ports, *switch.external_interfaces)


def _settings(topology: Topology, switch: Switch) -> Iterator[str]:
    controllers = openflow.controllers_of(topology, switch)
    yield "datapath_type={datapath}"
    yield f"fail_mode={'secure' if controllers else 'standalone'}"
    if names := openflow.protocols(topology.preferences.openflow):
        yield f"protocols={','.join(names)}"
    number = openflow.datapath_id(switch)
    if number is not None:
        yield f"other_config:datapath-id={number:016x}"
    in_band = any(controller.controller_type == "inband" for controller in controllers)
    yield f"other_config:disable-in-band={'false' if in_band else 'true'}"


def _monitors(topology: Topology, switch: Switch) -> Iterator[Command]:
    sflow, netflow = topology.preferences.sflow, topology.preferences.netflow
    if switch.sflow and sflow.target:
        settings = {"header": sflow.header, "sampling": sflow.sampling, "polling": sflow.polling}
        fields = [f"{key}={value.strip()}" for key, value in settings.items() if value.strip()]
        record = f"@{switch.name}s"
        yield (f"--id={record}", "create", "sflow", f'targets="{sflow.target.strip()}"', *fields)
        yield ("set", "bridge", switch.name, f"sflow={record}")
    if switch.netflow and netflow.target:
        record = f"@{switch.name}n"
        timeout = [f"active_timeout={netflow.active_timeout.strip()}"] if netflow.active_timeout.strip() else []
        adds_id = f"add_id_to_interface={'true' if netflow.add_id_to_interface else 'false'}"
        yield (f"--id={record}", "create", "netflow", f'targets="{netflow.target.strip()}"', *timeout, adds_id)
        yield ("set", "bridge", switch.name, f"netflow={record}")
