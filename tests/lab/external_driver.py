"""A machine of its own for test_external.py, in a new network namespace.

    unshare --net python -m tests.lab.external_driver reached|killed|refused [host|switch], or swapped COMMAND

The machine has the interface `ext0`, whose other end `far0` stands for the world outside. What is found is printed as
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
    """What `ip` prints."""
    return subprocess.run(["ip", *words], check=True, capture_output=True, text=True).stdout


def there() -> bool:
    """Whether the machine has ext0, and it is up."""
    return any("ext0" in line and "UP" in line for line in ip("-o", "link").splitlines())


def of_host() -> Topology:
    """A host with ext0, which gets its address by its start command."""
    command = "ip address add 10.7.0.1/24 dev ext0"
    return Topology(nodes=(Host(name="h1", external_interfaces=("ext0",), start_command=command),))


def of_switch() -> Topology:
    """A host on a switch that has ext0 for a port."""
    address = ip_interface("10.7.0.1/24")
    link = Link(id="l1", a=End(node="h1", addresses=(address,)), b=End(node="s1"))
    return Topology(nodes=(Host(name="h1"), Switch(name="s1", external_interfaces=("ext0",))), links=(link,))


def reached(topology: Topology) -> dict[str, object]:
    """Whether the host reaches the world outside, and where ext0 is during the lab and afterwards."""
    with Lab(topology, place="root") as lab:
        answer = lab.ask(wire.Ping("h1", "10.7.0.2", 2))
        during = there()
    return {"received": answer["received"], "during": during, "after": there()}


def swapped(decoy: str) -> dict[str, object]:
    """What there is after a lab that has given ext0 another name, and its name to an interface of its own."""
    command = f"ip link set ext0 down; ip link set ext0 name kept; {decoy}; ip link set ext0 up"
    host = Host(name="h1", external_interfaces=("ext0",), start_command=command)
    before = _described()
    with Lab(Topology(nodes=(host,)), place="root") as lab:
        inside = lab["h1"].run("ip", "-o", "link")
    return {"inside": "kept" in inside, "same": before == _described(), "after": there()}


def _described() -> list[tuple[object, ...]]:
    """What the machine has: name, kind and address of each interface, and the name of its other end."""
    found = json.loads(ip("-d", "-j", "link"))
    return sorted(
        (each["ifname"], each.get("linkinfo", {}).get("info_kind", ""), each["address"], each.get("link", ""))
        for each in found
    )


def killed(topology: Topology) -> dict[str, object]:
    """Where ext0 is after the program that has the lab was killed."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        lab = Lab(topology, place="root")
        lab.start()
        os.write(writable, b"x")
        time.sleep(60)
    os.read(readable, 1)
    during = there()
    os.kill(child, 9)
    os.waitpid(child, 0)
    comes(there)
    return {"during": during, "after": there()}


def refused() -> dict[str, object]:
    """What is said of an interface that is not there, of one with an address, and of a bridge's port."""
    said = []
    for name, address in (("ext0", "10.8.0.1/24"), ("nowhere0", ""), ("ext0", "2001:db8::1/64")):
        ip("address", "flush", "dev", "ext0")
        if address:
            ip("address", "add", address, "dev", "ext0")
        topology = Topology(nodes=(Host(name="h1", external_interfaces=(name,)),))
        try:
            Lab(topology, place="root").start()
        except PlaceError as error:
            said.append(str(error))
    ip("address", "flush", "dev", "ext0")
    said.append(_said_of_a_port())
    return {"said": said, "after": there()}


def _said_of_a_port() -> str:
    """What is said of ext0 while it is a port of a bridge of the machine's."""
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
    """Make the machine and do what the command line says."""
    ip("link", "add", "ext0", "type", "veth", "peer", "name", "far0")
    for name in ("lo", "ext0", "far0"):
        ip("link", "set", name, "up")
    ip("address", "add", "10.7.0.2/24", "dev", "far0")
    what, *kind = sys.argv[1:]
    if what == "swapped":
        sys.stdout.write(json.dumps(swapped(kind[0])))
        return
    topology = of_switch() if kind == ["switch"] else of_host()
    found = refused() if what == "refused" else killed(topology) if what == "killed" else reached(topology)
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
