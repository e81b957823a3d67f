"""The program of test_external.py, which makes a machine in a new network namespace.

    unshare --net python -m tests.lab.external_driver reached|killed|refused [host|switch], or swapped COMMAND

The machine has the interface `ext0`. The other end, `far0`, stands for the world outside. The result is printed as
JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from ipaddress import ip_interface

from frrlib import wire
from frrlib.errors import PlaceError
from frrlib.lab.lab import Lab
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Switch
from frrlib.model.topology import Topology
from tests.waiting import comes


def ip(*words: str) -> str:
    """The output of `ip`."""
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


def is_back() -> bool:
    """Whether the machine has ext0, and it is up."""
    return any("ext0" in line and "UP" in line for line in ip("-o", "link").splitlines())


def of_host() -> Topology:
    """A host with ext0, which gets its address by its start command."""
    command = "ip address add 10.7.0.1/24 dev ext0"
    return Topology(nodes=(Host(name="h1", external_interfaces=("ext0",), start_command=command),))


def of_switch() -> Topology:
    """A host on a switch that has ext0 as a port."""
    address = ip_interface("10.7.0.1/24")
    link = Link(id="l1", a=End(node="h1", addresses=(address,)), b=End(node="s1"))
    return Topology(nodes=(Host(name="h1"), Switch(name="s1", external_interfaces=("ext0",))), links=(link,))


def reached(topology: Topology) -> dict[str, object]:
    """Whether the host reaches the world outside, and where ext0 is during the lab and afterwards."""
    with Lab(topology, place="root") as lab:
        reply = lab.ask(wire.Ping("h1", "10.7.0.2", 2))
        during = is_back()
    return {"received": reply["received"], "during": during, "after": is_back()}


def swapped(decoy: str) -> dict[str, object]:
    """The state after a lab that has renamed ext0 and given its name to an interface made in the lab."""
    command = f"ip link set ext0 down; ip link set ext0 name kept; {decoy}; ip link set ext0 up"
    host = Host(name="h1", external_interfaces=("ext0",), start_command=command)
    interfaces = _interfaces()
    with Lab(Topology(nodes=(host,)), place="root") as lab:
        inside = lab["h1"].run("ip", "-o", "link")
    return {"inside": "kept" in inside, "same": interfaces == _interfaces(), "after": is_back()}


def _interfaces() -> list[tuple[object, ...]]:
    """The interfaces of the machine: the name, kind and address of each, and the name of its other end."""
    interfaces = json.loads(ip("-d", "-j", "link"))
    return sorted(
        (
            interface["ifname"],
            interface.get("linkinfo", {}).get("info_kind", ""),
            interface["address"],
            interface.get("link", ""),
        )
        for interface in interfaces
    )


def killed(topology: Topology) -> dict[str, object]:
    """Whether ext0 is on the machine, before and after the program that owns the lab is killed."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        lab = Lab(topology, place="root")
        lab.start()
        os.write(writable, b"x")
        time.sleep(60)
    os.read(readable, 1)
    during = is_back()
    os.kill(child, 9)
    os.waitpid(child, 0)
    comes(is_back)
    return {"during": during, "after": is_back()}


def refused() -> dict[str, object]:
    """Messages about an interface that does not exist, about one with an address, and about a bridge's port."""
    messages = []
    for name, address in (("ext0", "10.8.0.1/24"), ("nowhere0", ""), ("ext0", "2001:db8::1/64")):
        ip("address", "flush", "dev", "ext0")
        if address:
            ip("address", "add", address, "dev", "ext0")
        topology = Topology(nodes=(Host(name="h1", external_interfaces=(name,)),))
        try:
            Lab(topology, place="root").start()
        except PlaceError as error:
            messages.append(str(error))
    ip("address", "flush", "dev", "ext0")
    messages.append(_message_about_a_port())
    return {"messages": messages, "after": is_back()}


def _message_about_a_port() -> str:
    """The message about ext0 while it is a port of one of the machine's bridges."""
    ip("link", "add", "user0", "type", "bridge")
    ip("link", "set", "ext0", "master", "user0")
    try:
        Lab(Topology(nodes=(Host(name="h1", external_interfaces=("ext0",)),)), place="root").start()
    except PlaceError as error:
        return str(error)
    finally:
        ip("link", "delete", "user0")
    return ""


def main() -> None:
    """Make the machine and run the action of the command line."""
    ip("link", "add", "ext0", "type", "veth", "peer", "name", "far0")
    for name in ("lo", "ext0", "far0"):
        ip("link", "set", name, "up")
    ip("address", "add", "10.7.0.2/24", "dev", "far0")
    action, *kind = sys.argv[1:]
    if action == "swapped":
        sys.stdout.write(json.dumps(swapped(kind[0])))
        return
    topology = of_switch() if kind == ["switch"] else of_host()
    outcome = refused() if action == "refused" else killed(topology) if action == "killed" else reached(topology)
    sys.stdout.write(json.dumps(outcome))


if __name__ == "__main__":
    main()
