"""BGP sessions in virtual time without a rule about the end that connects first."""

from __future__ import annotations

import pytest

from frrlib.expect.expectation import expect
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from frrlib.network.network import Network, end

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120), pytest.mark.usefixtures("virtual_time")]

_OSPF = {"hello_s": 1, "dead_s": 4}


def _custom_lines(asn: int, neighbor: str, remote_as: int) -> str:
    family = f" address-family ipv4 unicast\n  neighbor {neighbor} activate\n exit-address-family\n"
    return f"router bgp {asn}\n neighbor {neighbor} remote-as {remote_as}\n{family}"


def sessions() -> Topology:
    """Links without delay: r1 and r2 without addresses and in a VRF, r1 and r3 over r2, r2 and r3 in own lines."""
    net = Network("Sessions of all kinds")
    for number in (1, 2, 3):
        sessions: dict[str, object] = {"asn": 65000 + number}
        if number != 3:
            sessions["unnumbered"] = ({"interface": f"r{number}-eth0"},)
            red = {"asn": 65000 + number, "router_id": f"10.255.1.{number}",
                   "neighbors": ({"address": f"10.1.0.{3 - number}", "remote_as": 65003 - number},)}  # fmt: skip
            vrfs = ({"name": "red", "table": 10, "interfaces": (f"r{number}-eth1",), "bgp": red},)
        if number != 2:
            far = {"address": f"10.255.0.{4 - number}", "remote_as": 65004 - number, "multihop": 2}
            sessions["neighbors"] = ({**far, "update_source": "lo"},)
        net.router(
            f"r{number}",
            loopbacks=(f"10.255.0.{number}/32",),
            ospf=_OSPF,
            bgp=sessions,
            vrfs=vrfs if number != 3 else (),
            frr_conf={2: _custom_lines(65002, "10.2.0.3", 65003), 3: _custom_lines(65003, "10.2.0.2", 65002)}.get(
                number, ""
            ),
        )
    net.link(end("r1", "10.0.0.1/24"), end("r2", "10.0.0.2/24"))
    net.link(end("r1", "10.1.0.1/24"), end("r2", "10.1.0.2/24"))
    net.link(end("r2", "10.2.0.2/24"), end("r3", "10.2.0.3/24"))
    return net.topology


def test_sessions_are_established_whichever_end_connects_first() -> None:
    """Links without delay: r1 and r2 without addresses and in a VRF, r1 and r3 over r2, r2 and r3 by custom lines."""
    with Lab(sessions(), virtual_time=True) as lab:
        for router, where, peers in (
            ("r1", "", ("r1-eth0", "10.255.0.3")),
            ("r1", "vrf red", ("10.1.0.2",)),
            ("r3", "", ("10.2.0.2", "10.255.0.1")),
        ):
            command = f"show bgp {where} ipv4 unicast summary json"
            expect(
                lambda router=router, command=command: lab[router].vtysh(command, json=True),
                {"peers": {peer: {"state": "Established"} for peer in peers}},
                timeout_s=120,
            )
