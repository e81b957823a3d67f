"""A script in Mininet's style: a network used through Mininet's own methods, in a lab of its own."""

from __future__ import annotations

import json
import os
from typing import Any

from tests.agent import plans


def main() -> int:
    """Build the lab, use it like Mininet, and print the results as one line of JSON."""
    from mininet.log import setLogLevel

    from frrlib.agent.network.network import LabNet
    from frrlib.errors import CommandFailed

    setLogLevel("critical")
    net = LabNet(plans.two_as())
    net.start()
    results: dict[str, Any] = {}
    h1, r1 = net["h1"], net["r1"]
    results["ip"], results["names"] = h1.IP(), sorted(net.keys())
    results["cmd"] = h1.cmd("hostname; ip -color=never -br address show h1-eth0").split()
    results["popen"] = h1.popen("hostname").communicate()[0].decode().strip()
    results["pexec"] = r1.pexec("cat /etc/frr/frr.conf")[0].splitlines()[1]
    results["lost"] = net.ping([h1, r1])
    results["links"] = [str(link) for link in net.linksBetween(r1, net["r2"])]
    with r1.vtysh_session() as session:
        session.configure("interface r1-eth0", "description set by hand")
        results["description"] = session.json("show interface r1-eth0 json")["r1-eth0"]["description"]
        results["prompt"] = session.prompt
        try:
            session.configure("router bgp 65001", "no such thing")
        except CommandFailed as error:
            results["refused"] = error.stderr
        results["after"] = session.prompt
    results["once"] = r1.vtysh("show running-config").count("set by hand")
    net.stop()
    with os.fdopen(int(os.environ["LAB_WIRE"].removeprefix("fd:")), "wb", closefd=False) as wire:
        wire.write(json.dumps(results).encode() + b"\n")
    return 0
