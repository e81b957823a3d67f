"""The configuration of FRR that CORE's routing services stand for, and given configurations in FRR's present words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from ipaddress import IPv4Interface, IPv6Interface

from frrlib.exchange.core_xml.link_values import WIRELESS
from frrlib.exchange.core_xml.scenario import CoreInterface

#: Services of FRR and Quagga, by one name.
_NAMES = {
    "FRROSPFv2": "OSPFv2", "FRROSPFv3": "OSPFv3", "FRRBGP": "BGP", "FRRRIP": "RIP", "FRRRIPNG": "RIPNG",
    "FRRBabel": "Babel", "FRRpimd": "Xpimd", "FRRzebra": "zebra",
}  # fmt: skip
#: Services with lines in the configuration, and the service that starts the daemons.
ROUTING = (*_NAMES, *_NAMES.values(), "OSPFv3MDR")
#: The timers of CORE's OSPF, in seconds.
_TIMERS = ("hello-interval 2", "dead-interval 6", "retransmit-interval 5")
_RIP = ("static", "connected")
#: Lines of Quagga with MANET extensions that FRR does not have.
_MANET = re.compile(
    r"(ipv6 ospf6 (network manet|twohoprefresh|adjacencyconnectivity|lsafullness|diffhellos|ifmtu|instance-id)"
    r"|router min-lsa-interval|router ospf6 instance)"
)
#: Lines without an equivalent by their section: Quagga's OSPFv3 can carry IPv4 in an instance of its own.
_WITHOUT_EQUIVALENT = {
    "router ospf6": re.compile(r"instance-id |redistribute ospf( |$)"),
    "router ospf": re.compile(r"redistribute ospf6( |$)"),
}
_AREA = re.compile(r"interface (\S+) area (\S+)")
_BARE_ADDRESS = re.compile(r"(ip|ipv6) address [^/\s]+")


def routing_names(services: Collection[str]) -> list[str]:
    """The routing services of a device, by the names of Quagga's."""
    return [_NAMES.get(name, name) for name in services if name in ROUTING]


def generated(
    services: Collection[str], number: str, interfaces: Sequence[CoreInterface], *, is_former: bool = False
) -> str:
    """The configuration that CORE writes for its routing services.

    CORE's OSPFv3MDR carries IPv4 (instance 65, RFC 5838). FRR's OSPFv3 does not, so OSPFv2 is added to it.

    Args:
        services: names of the services of a device.
        number: the ID of the device, which is also its AS number.
        interfaces: its interfaces, sorted by number.
        is_former: whether the scenario is of CORE 6 or earlier, which leaves OSPF's timers and network types alone.
    """
    names = routing_names(services)
    if "OSPFv3MDR" in names and "OSPFv2" not in names:
        names.append("OSPFv2")
    firsts = (interface.first_ipv4 for interface in interfaces)
    router_id = next((str(address.ip) for address in firsts if address is not None), "")
    lines: list[str] = []
    for interface in interfaces:
        settings = list(_interface_lines(names, interface, is_former))
        lines += [f"interface {interface.name}", *(f" {line}" for line in settings), "exit"] if settings else []
    for name in names:
        section = list(_SECTIONS[name](router_id, number, interfaces)) if name in _SECTIONS else []
        lines += [*section, "exit"] if section else []
    return "".join(f"{line}\n" for line in lines)


def _interface_lines(names: Collection[str], interface: CoreInterface, is_former: bool) -> Iterator[str]:
    if "OSPFv2" in names and interface.network != "RJ45" and not is_former:
        if not interface.network:
            yield "ip ospf network point-to-point"
        yield from (f"ip ospf {timer}" for timer in _TIMERS)
    if "OSPFv2" in names and interface.network in WIRELESS and any(_is_single(item) for item in interface.addresses):
        yield "ip ospf network point-to-multipoint"  # neighbors are then found outside of an interface's network
    if "OSPFv3" in names or "OSPFv3MDR" in names:
        yield "ipv6 ospf6 area 0.0.0.0"
    if "OSPFv3MDR" in names and interface.network in WIRELESS:
        yield from (f"ipv6 ospf6 {timer}" for timer in _TIMERS)
    if "Babel" in names:
        wireless = interface.network in WIRELESS
        yield "babel wireless" if wireless else "babel wired"
        yield "no babel split-horizon" if wireless else "babel split-horizon"
    if "Xpimd" in names:
        yield from ("ip igmp", "ip pim")


def _is_single(address: IPv4Interface | IPv6Interface) -> bool:
    """Whether an address has a network of its own, as CORE gives to mobile devices."""
    return address.version == 4 and address.network.num_addresses == 1


def _ospf(router_id: str, number: str, interfaces: Sequence[CoreInterface]) -> Iterator[str]:
    yield "router ospf"
    if router_id:
        yield f" ospf router-id {router_id}"
    for interface in interfaces:
        yield from (f" network {address.network} area 0" for address in interface.addresses if address.version == 4)


def _ospf6(router_id: str, number: str, interfaces: Sequence[CoreInterface]) -> Iterator[str]:
    yield "router ospf6"
    if router_id:
        yield f" ospf6 router-id {router_id}"


def _bgp(router_id: str, number: str, interfaces: Sequence[CoreInterface]) -> Iterator[str]:
    yield f"router bgp {number}"
    if router_id:
        yield f" bgp router-id {router_id}"
    yield " no bgp ebgp-requires-policy"
    yield " address-family ipv4 unicast"
    yield "  redistribute connected"
    yield " exit-address-family"


def _rip(router_id: str, number: str, interfaces: Sequence[CoreInterface]) -> Iterator[str]:
    yield "router rip"
    yield from (f" redistribute {source}" for source in (*_RIP, "ospf"))
    yield " network 0.0.0.0/0"


def _ripng(router_id: str, number: str, interfaces: Sequence[CoreInterface]) -> Iterator[str]:
    yield "router ripng"
    yield from (f" redistribute {source}" for source in (*_RIP, "ospf6"))
    yield " network ::/0"


def _babel(router_id: str, number: str, interfaces: Sequence[CoreInterface]) -> Iterator[str]:
    yield "router babel"
    yield from (f" network {interface.name}" for interface in interfaces)
    yield from (" redistribute ipv4 static", " redistribute ipv6 static", " redistribute ipv4 connected")


_SECTIONS = {"OSPFv2": _ospf, "OSPFv3": _ospf6, "OSPFv3MDR": _ospf6, "BGP": _bgp, "RIP": _rip, "RIPNG": _ripng,
             "Babel": _babel}  # fmt: skip


def in_words_of_frr(text: str, *, is_quagga: bool) -> tuple[str, list[str]]:
    """A given configuration in the words of the present FRR, and the lines that it has no equivalent for.

    Args:
        text: the configuration.
        is_quagga: whether it was written for Quagga, whose BGP exchanges routes without policies.
    """
    lines: list[str] = []
    areas: list[tuple[str, str]] = []
    left: list[str] = []
    section = ""
    for line in text.splitlines():
        words = line.strip()
        if words and not line[0].isspace() and not words.startswith(("!", "#")):
            section = words
        if section == "router ospf6" and (match := _AREA.fullmatch(words)):
            areas.append((match[1], match[2]))
        elif _MANET.match(words) or (section in _WITHOUT_EQUIVALENT and _WITHOUT_EQUIVALENT[section].match(words)):
            left.append(words)
        elif section in ("router ospf", "router ospf6") and words.startswith("router-id "):
            lines.append(f" {section.removeprefix('router ')} {words}")
        elif not _BARE_ADDRESS.fullmatch(words):  # CORE sets addresses by itself, and writes them without a length
            lines.append(line.rstrip())
        if is_quagga and words == section and words.startswith("router bgp "):
            lines += [" no bgp ebgp-requires-policy", " no bgp network import-check"]
    for name, area in areas:
        lines += [f"interface {name}", f" ipv6 ospf6 area {area}", "exit"]
    return "".join(f"{line}\n" for line in lines), left
