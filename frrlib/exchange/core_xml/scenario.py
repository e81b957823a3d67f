"""The devices, networks and services of a scenario of CORE, as values."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import IPv4Interface, ip_interface

from frrlib.exchange.xml_text import Element
from frrlib.formats.entry import brief
from frrlib.model.base import Address

#: Services that CORE gives a device without services, by its type.
_DEFAULT_SERVICES = {
    "mdr": ("zebra", "OSPFv3MDR", "IPForward"),
    "PC": ("DefaultRoute",),
    "prouter": (),
    "router": ("zebra", "OSPFv2", "OSPFv3", "IPForward"),
    "host": ("DefaultRoute", "SSH"),
}
_MAC = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}")


@dataclass
class Service:
    """A service of a device.

    Attributes:
        name: its name ("OSPFv2").
        place, line: its place in the file.
        files: changed files by name, without those that CORE writes by itself.
        templates: names of those files that are templates of Mako with code in them.
        outside: names of changed files that are only paths of the machine ("file:///home/core/a.sh").
        startups: changed commands that start it.
        settings: names of changed settings.
    """

    name: str
    place: str
    line: int
    files: dict[str, str] = field(default_factory=dict)
    templates: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    startups: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()


@dataclass(frozen=True)
class CoreInterface:
    """An interface of a device at a link.

    Attributes:
        number: its number at the device.
        name: its name ("eth0").
        addresses: its addresses.
        mac: its hardware address; empty for none.
        network: the type of the network at the other end ("SWITCH"); empty for a device.
    """

    number: int
    name: str
    addresses: tuple[Address, ...]
    mac: str
    network: str

    @property
    def first_ipv4(self) -> IPv4Interface | None:
        """Its first IPv4 address."""
        return next((address for address in self.addresses if isinstance(address, IPv4Interface)), None)


@dataclass
class CoreNode:
    """A device or network.

    Attributes:
        element: its element.
        number: its ID in the file.
        name: its name in the file.
        kind: its type ("router", "SWITCH").
        is_network: whether it is a network.
        services: its services by name.
        interfaces: its interfaces with links; sorted by number when all links are read.
    """

    element: Element
    number: str
    name: str
    kind: str
    is_network: bool
    services: dict[str, Service] = field(default_factory=dict)
    interfaces: list[CoreInterface] = field(default_factory=list)

    @property
    def position(self) -> tuple[float, float] | None:
        """Its position in pixels."""
        position = self.element.child("position")
        if position is None or not position.get("x"):
            return None
        return position.number("x"), position.number("y")


def nodes_of(root: Element) -> dict[str, CoreNode]:
    """The devices and networks of a scenario by their IDs.

    Raises:
        InvalidXml: an element lacks its ID, or two have the same.
    """
    nodes: dict[str, CoreNode] = {}
    defaults = _default_services(root)
    for is_network, path in ((False, ("devices", "device")), (True, ("networks", "network"))):
        for element in root.all(*path):
            number = element.get("id")
            if not number.isdecimal():
                raise element.fault(f"has id={brief(number)}", "a number")
            if number in nodes:
                raise element.fault(f"has the id {number} of another node", "give each node an id of its own")
            name = element.get("name") or f"n{number}"
            nodes[number] = CoreNode(element, number, name, element.get("type"), is_network)
            if not is_network:
                nodes[number].services = _services(element, defaults)
    for path in (("service_configurations", "service"), ("configservice_configurations", "service")):
        for element in root.all(*path):
            node = nodes.get(element.get("node"))
            if node is None:
                raise element.fault(f"refers to the node {brief(element.get('node'))}", "the id of a device")
            name = element.get("name")
            service = node.services.setdefault(name, Service(name, element.place, element.line))
            _read_changes(service, element)
    return nodes


def _default_services(root: Element) -> dict[str, tuple[str, ...]]:
    stated = {node.get("type"): tuple(service.get("name") for service in node.all("service"))
              for node in root.all("default_services", "node")}  # fmt: skip
    return {**_DEFAULT_SERVICES, **stated}


def _services(element: Element, defaults: dict[str, tuple[str, ...]]) -> dict[str, Service]:
    services: dict[str, Service] = {}
    for tag in ("services", "configservices"):
        for child in element.all(tag, "service"):
            services[child.get("name")] = Service(child.get("name"), child.place, child.line)
    if not services:
        names = defaults.get(element.get("type"), ())
        services = {name: Service(name, element.place, element.line) for name in names}
    return services


def _read_changes(service: Service, element: Element) -> None:
    """Read the changed files, commands and settings of a service."""
    service.place, service.line = element.place, element.line
    for child in [*element.all("files", "file"), *element.all("templates", "template")]:
        if not child.text.strip():
            continue
        if child.text.strip().startswith("file://"):
            service.outside = (*service.outside, child.get("name"))
            continue
        service.files[child.get("name")] = child.text
        if child.tag == "template" and _has_code(child.text):
            service.templates = (*service.templates, child.get("name"))
    startups = (child.text.strip() for child in element.all("startups", "startup"))
    service.startups = (*service.startups, *filter(None, startups))
    settings = tuple(child.get("key") for child in element.all("configs", "config"))
    service.settings = (*service.settings, *settings)


def _has_code(text: str) -> bool:
    return "${" in text or "<%" in text or any(line.lstrip().startswith("%") for line in text.splitlines())


def interface_of(element: Element | None, number: int, network: str) -> CoreInterface:
    """The interface of a device in an element of a link.

    Args:
        element: `iface1` or `iface2`; None if the link has none.
        number: the number of an interface without an element.
        network: the type of the network at the other end; empty for a device.

    Raises:
        InvalidXml: an address is invalid.
    """
    if element is None:
        return CoreInterface(number, f"eth{number}", (), "", network)
    text = element.get("id")
    number = int(text) if text.isdecimal() and len(text) < 6 else number
    mac = element.get("mac")
    if mac and not _MAC.fullmatch(mac):
        raise element.fault(f"has mac={brief(mac)}", "a hardware address, as in 02:00:00:00:00:01")
    addresses = []
    for name in ("ip4", "ip6"):
        if value := element.get(name):
            length = element.get(f"{name}_mask")
            try:
                addresses.append(ip_interface(f"{value}/{length}" if length else value))
            except ValueError:
                remedy = f'an address with its length, as in {name}="10.0.0.1" {name}_mask="24"'
                raise element.fault(f"has {name}={brief(value)} with the mask {brief(length)}", remedy) from None
    return CoreInterface(number, element.get("name") or f"eth{number}", tuple(addresses), mac.lower(), network)
