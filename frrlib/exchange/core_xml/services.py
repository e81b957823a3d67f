"""The services of a CORE device as the settings of a node: routing, routes, and scripts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from frrlib.conf.text import joined
from frrlib.exchange.assembly import Part, script_steps
from frrlib.exchange.core_xml.routing import ROUTING, generated, in_words_of_frr, routing_names
from frrlib.exchange.core_xml.scenario import CoreInterface, CoreNode, Service
from frrlib.exchange.start_commands.commands import Step
from frrlib.formats.entry import brief
from frrlib.model.nodes import ADDRESSED

#: Types of devices that forward packets.
_ROUTERS = ("router", "mdr", "prouter")
#: Services whose changed scripts are read, because their commands set addresses, routes and sysctls.
_SCRIPTS = ("DefaultRoute", "StaticRoute", "DefaultMulticastRoute", "IPForward", "UserDefined", "VlanService")
#: Files of FRR and Quagga without settings of a router.
_WITHOUT_SETTINGS = ("frrboot.sh", "quaggaboot.sh", "vtysh.conf", "daemons")
_SHELLS = ("sh", "bash", "/bin/sh", "/bin/bash")
_MULTICAST = "224.0.0.0/4"


def is_router(node: CoreNode) -> bool:
    """Whether a device forwards packets."""
    return node.kind in _ROUTERS or any(name in ROUTING or name == "IPForward" for name in node.services)


def apply_services(part: Part, node: CoreNode, *, is_former: bool = False) -> None:
    """Set the configuration, routes and start command of a node, and remark on the services without an equivalent.

    Args:
        part: the node of the topology.
        node: the device.
        is_former: whether the scenario is of CORE 6 or earlier.
    """
    steps: list[Step] = []
    if part.kind == "router":
        part.config = _config(part, node, is_former)
        part.daemons = ("zebra",) if routing_names(node.services) else ()
    default_route = node.services.get("DefaultRoute")
    if part.kind == "host":
        _set_default_route(part, node.interfaces, default_route)
    for service in node.services.values():
        if service.name in ROUTING:
            continue
        script_steps = _script_steps(service, part)
        steps += script_steps
        if service.name not in _SCRIPTS and not script_steps:
            part.remarks.add(service.name, f"line {service.line}: the service {service.name} is not started in a lab")
        elif service.name == "StaticRoute" and not service.files:
            part.remarks.add(service.name, f"line {service.line}: has no routes of its own, so it sets none")
        elif service.name == "DefaultMulticastRoute" and not service.files and node.interfaces:
            text = f"ip route add {_MULTICAST} dev {node.interfaces[0].name}"
            steps.append(Step("other", (), text, service.place, service.line))
    if not steps or part.kind not in ADDRESSED:
        return
    commands = part.take_commands(steps, [interface.name for interface in node.interfaces])
    for step in commands:
        reason = f"line {step.line}: commands without a field here; they run when the lab starts"
        part.remarks.add(step.place.rpartition("/")[2] or "start", reason)


def _config(part: Part, node: CoreNode, is_former: bool) -> str:
    """The configuration of a router: the given files, else what its services write."""
    texts: dict[str, str] = {}
    is_quagga = False
    for service in (service for service in node.services.values() if service.name in ROUTING):
        for path, text in service.files.items():
            name = path.rpartition("/")[2]
            if name in _WITHOUT_SETTINGS:
                continue
            if not name.endswith(".conf"):
                part.remarks.add(name, f"line {service.line}: the file {brief(path)} is not written in a lab")
            elif path in service.templates:
                reason = f"line {service.line}: {brief(path)} is a template with code, which is not executed; "
                part.remarks.add(name, f"{reason}the lines that {service.name} writes by itself are used")
            else:
                is_quagga = is_quagga or "quagga" in path.lower()
                texts[name] = text
    if not texts:
        if "OSPFv3MDR" in node.services:
            reason = "FRR has no extensions for mobile networks; it is OSPFv2 for IPv4 and OSPFv3 for IPv6 here"
            part.remarks.add("OSPFv3MDR", reason)
        if any(name in ("Xpimd", "FRRpimd") for name in node.services):
            part.remarks.add("pimd", "PIM has no candidates for rendezvous points here; set one in the node")
        return generated(node.services, node.number, node.interfaces, is_former=is_former)
    config, left = in_words_of_frr(joined(list(texts.values())), is_quagga=is_quagga)
    if left:
        part.remarks.add("OSPFv3MDR", f"FRR does not have these lines, which are left out: {', '.join(left[:6])}")
    return config


def _set_default_route(part: Part, interfaces: Sequence[CoreInterface], service: Service | None) -> None:
    """Set the gateway that DefaultRoute chooses: the first address of the network of the first interface."""
    if service is None:
        if interfaces and "DHCPClient" not in part.settings.start_command:
            reason = "the device has no service DefaultRoute; a lab uses the first router of its network as gateway"
            part.remarks.add("DefaultRoute", reason)
        return
    if service.files or not interfaces:
        return
    for address in interfaces[0].addresses:
        network = address.network
        gateway = network[1] if network.num_addresses > 1 else address.ip
        if gateway != address.ip and not (network.version == 4 and gateway == network.broadcast_address):
            part.settings.default_route = gateway
            return


def _script_steps(service: Service, part: Part) -> list[Step]:
    """The commands that a changed service runs, which are commands or scripts in the scenario."""
    steps: list[Step] = []
    scripts = {name: text for name, text in service.files.items() if name not in service.templates}
    used: set[str] = set()
    for command in service.startups or _usual_startups(service, scripts):
        try:
            words = shlex.split(command)
        except ValueError:
            words = []
        script = words[1].removeprefix("./") if len(words) > 1 and words[0] in _SHELLS else ""
        script = script or (words[0].removeprefix("./") if words else "")
        if script in scripts:
            used.add(script)
            steps += script_steps(scripts[script], f"{service.place}/{service.name}", service.line)
        elif script in service.outside:
            continue
        elif service.name in _SCRIPTS or not service.files:
            steps += script_steps(command, f"{service.place}/{service.name}", service.line)
    for name in service.outside:
        part.remarks.add(
            name, f"line {service.line}: the file {brief(name)} is outside of the scenario, and is not read"
        )
    for name in service.files:
        if name in service.templates and (service.name in _SCRIPTS or steps):
            part.remarks.add(name, f"line {service.line}: is a template with code, which is not executed")
        elif name not in used:
            part.remarks.add(name, f"line {service.line}: the file {brief(name)} is not written in a lab")
    if service.settings:
        names = ", ".join(service.settings[:6])
        part.remarks.add(f"{service.name} settings", f"line {service.line}: the changed {names} have no effect here")
    return steps


def _usual_startups(service: Service, scripts: dict[str, str]) -> tuple[str, ...]:
    """The commands of a service whose files are changed, but not its commands."""
    return tuple(f"sh {name}" for name in scripts) if service.name in _SCRIPTS else ()
