"""Settings of a node in `/etc/network/interfaces` of a container, and in the `startup.vpc` of VPCS."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from ipaddress import IPv4Interface, ip_address, ip_interface

from frrlib.exchange.assembly import Part, script_steps
from frrlib.exchange.start_commands.commands import Step
from frrlib.formats.entry import brief

#: Words of `interfaces` that begin a part other than `iface`.
_PARTS = ("auto", "allow-auto", "allow-hotplug", "mapping", "source", "source-directory", "no-auto-down")
#: Options with commands that run when an interface comes up.
_COMMANDS = ("up", "post-up", "pre-up")
#: Options without an effect in a lab.
_WITHOUT_EFFECT = ("broadcast", "network", "metric", "scope", "accept_ra", "autoconf", "hostname", "dns-nameservers",
                   "dns-search", "down", "pre-down", "post-down", "dad-attempts")  # fmt: skip
#: Commands of VPCS without an effect here.
_QUIET = ("set", "save", "echo", "dns", "sleep", "version", "show", "clear", "relay", "arp", "disconnect", "load")


def read_interfaces(text: str, part: Part, place: str) -> list[Step]:
    """Read a file `interfaces`: addresses and gateways become settings; returns its commands.

    Args:
        text: the file.
        part: the node.
        place: the name of the file in remarks.
    """
    steps: list[Step] = []
    name = ""
    options: dict[str, str] = {}

    def finish() -> None:
        if name and name != "lo":
            _set_address(part, name, options, place)
        elif name == "lo" and options.get("address") and part.kind == "router":
            _guarded(part, place, options["line"], lambda: part.settings.loopbacks.append(_address(options)))

    for number, line in enumerate(text.splitlines(), 1):
        words = line.split("#", 1)[0].split() if not line.lstrip().startswith("#") else []
        if not words:
            continue
        if words[0] == "iface" and len(words) >= 4:
            finish()
            name, options = words[1].partition(":")[0], {"line": str(number)}
            if words[3] not in ("static", "manual", "loopback"):
                part.remarks.add(f"{place} {name}", f"line {number}: no addresses come from {words[3]} in a lab")
        elif words[0] in _PARTS:
            finish()
            name, options = "", {}
            if words[0] == "source":
                part.remarks.add(f"{place} source", f"line {number}: {brief(' '.join(words[1:]))} is not read")
        elif words[0] in _COMMANDS and name:
            steps += script_steps(line.strip().partition(" ")[2] or line.split(None, 1)[1], place, number)
        elif name and len(words) > 1 and words[0] not in _WITHOUT_EFFECT:
            options[words[0]] = words[1]
    finish()
    return [step for step in steps if "/etc/resolv.conf" not in step.text]


def _set_address(part: Part, name: str, options: dict[str, str], place: str) -> None:
    def change() -> None:
        interface = part.interface(name)
        if "address" in options:
            interface.addresses.append(_address(options))
        if "mtu" in options:
            interface.mtu_bytes = int(options["mtu"]) if 576 <= int(options["mtu"][:6]) <= 65_535 else None
        if "gateway" in options:
            gateway = ip_address(options["gateway"])
            if part.kind == "host":
                part.settings.default_route = part.settings.default_route or gateway
            else:
                network = "0.0.0.0/0" if gateway.version == 4 else "::/0"
                part.take_commands(
                    [Step("route", (network, str(gateway), ""), f"ip route add default via {gateway}", place, 0)], ()
                )

    _guarded(part, place, options["line"], change)


def _guarded(part: Part, place: str, line: str, change: Callable[[], object]) -> None:
    try:
        change()
    except ValueError as problem:
        part.remarks.add(place, f"line {line}: {problem}")


def _address(options: dict[str, str]) -> IPv4Interface:
    text = options["address"]
    length = options.get("netmask", "")
    address = ip_interface(text if "/" in text or not length else f"{text}/{length}")
    return address  # type: ignore[return-value]  # an IPv6 address is as good


def read_vpcs(text: str, part: Part, place: str) -> None:
    """Read a file `startup.vpc`: addresses, masks and the gateway.

    Args:
        text: the file.
        part: the node.
        place: the name of the file in remarks.
    """
    for number, line in enumerate(text.splitlines(), 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            words = line.split()
        if not words or words[0] in _QUIET:
            continue
        if words[0] != "ip" or len(words) < 2 or words[1] in ("dhcp", "auto", "clear", "-d", "-r"):
            part.remarks.add(place, f"line {number}: {brief(line.strip())} has no equivalent here")
            continue
        try:
            _set_vpcs_address(part, words[1:])
        except ValueError:
            part.remarks.add(place, f"line {number}: {brief(line.strip())} is no address with its mask and gateway")


def _set_vpcs_address(part: Part, words: list[str]) -> None:
    """Set the address of `ip`: ADDRESS[/LENGTH] [MASK] [GATEWAY], or ADDRESS GATEWAY LENGTH."""
    address, *rest = words
    if "/" in address:
        length, gateway = "", rest[0] if rest else ""
    elif len(rest) > 1 and rest[1].isdecimal():
        gateway, length = rest[0], rest[1]
    elif rest and rest[0].startswith("255."):
        length, gateway = rest[0], rest[1] if len(rest) > 1 else ""
    else:
        length, gateway = "64" if ":" in address else "24", rest[0] if rest else ""
    interface = ip_interface(f"{address}/{length}" if length else address)
    part.interface("eth0").addresses.append(interface)
    if gateway and gateway not in ("0.0.0.0", "::"):
        part.settings.default_route = part.settings.default_route or ip_address(gateway)
