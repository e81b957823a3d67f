"""Log lines and command output of routing daemons about neighbors, recorded from FRR 8.4 in real labs."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from frrlib.agent.routing import log_events, neighbors, spf
from frrlib.agent.routing.log_events import DaemonRestart, LogNote, NeighborChange, SpfReason, SpfRun

HEAD = "2026/11/21 11:52:04.101858 OSPF: [Y05P2-YJVXY] "
LINES = [
    (
        "AdjChg: Nbr 10.255.0.2, NbrIP 10.0.0.2 (default) on r1-eth0:10.0.0.1: Loading -> Full (LoadingDone)",
        NeighborChange("10.255.0.2", "r1-eth0", "10.0.0.2 10.255.0.2", "Full"),
    ),
    (
        "AdjChg: Nbr 10.255.0.2, NbrIP 10.0.0.2 (red) on r1-eth0:10.0.0.1: Full -> Deleted (InactivityTimer)",
        NeighborChange("10.255.0.2", "r1-eth0", "10.0.0.2 10.255.0.2", "gone", "dead timer expired", "red"),
    ),
    (
        "AdjChg: Nbr 2.2.2.2(default) on 2.2.2.2%r1-eth0: Loading -> Full (LoadingDone)",
        NeighborChange("2.2.2.2", "r1-eth0", "2.2.2.2", "Full"),
    ),
    (
        "%ADJCHANGE: Adjacency to 0000.0000.0002 (r1-eth0) for level-1-2 changed from Initializing to Up, unspecified",
        NeighborChange("0000.0000.0002 levels 1 and 2", "r1-eth0", "0000.0000.0002", "Up"),
    ),
    (
        "%ADJCHANGE: Adjacency to r2 (r1-eth0) for level-2 changed from Up to Down, holding timer expired",
        NeighborChange("r2 level 2", "r1-eth0", "r2", "gone", "holding timer expired"),
    ),
    ("%ADJCHANGE: neighbor 10.0.0.2(r2) in vrf default Up", NeighborChange("10.0.0.2", "", "10.0.0.2", "Established")),
    (
        "%ADJCHANGE: neighbor r1-eth0(r2) in vrf default Down BFD down received",
        NeighborChange("r1-eth0", "r1-eth0", "", "Idle", "BFD down received"),
    ),
    (
        "PIM NEIGHBOR UP: neighbor 10.0.0.2 on interface r1-eth0",
        NeighborChange("10.0.0.2", "r1-eth0", "10.0.0.2", "up"),
    ),
    (
        "PIM NEIGHBOR DOWN: neighbor 10.0.0.2 on interface r1-eth0: hold timer expired",
        NeighborChange("10.0.0.2", "r1-eth0", "10.0.0.2", "gone", "hold timer expired"),
    ),
    (
        "Packet 10.255.0.2 [Hello:RECV]: RouterDeadInterval mismatch on r1-eth0:10.0.0.1 (expected 4, but received 7).",
        LogNote("refused", "dead interval 4 here, 7 there", "r1-eth0"),
    ),
    (
        "Packet[DD]: Neighbor 10.255.0.2 MTU 1500 is larger than [r1-eth0:10.0.0.1]'s MTU 1400",
        LogNote("refused", "MTU 1400 here, 1500 there", "r1-eth0"),
    ),
    (
        "interface r1-eth0:10.0.0.1: auth-type mismatch, local Null, rcvd Simple, Router-ID 1.1.1.1",
        LogNote("refused", "authentication Null here, Simple there", "r1-eth0"),
    ),
    (
        "VRF default: I/F r1-eth0 HelloInterval mismatch from fe80::1 (2.2.2.2): (my 1, rcvd 5)",
        LogNote("refused", "hello interval 1 here, 5 there", "r1-eth0"),
    ),
    (
        "%NOTIFICATION: received from neighbor 10.0.0.2 2/2 (OPEN Message Error/Bad Peer AS) 2 bytes fd e9",
        LogNote("refused", "received: OPEN Message Error/Bad Peer AS", "10.0.0.2"),
    ),
    (
        "%NOTIFICATION: sent to neighbor 10.0.0.2 4/0 (Hold Timer Expired) 0 bytes",
        LogNote("timer", "sent: Hold Timer Expired", "10.0.0.2"),
    ),
    ("ospfd 8.4.4 starting: vty@0", DaemonRestart()),
    ("[WSNGS-6PPA7] SPF Processing Time(usecs): 132", SpfRun(0.000132)),
    ("[AHV1P-4RFPG] Reason(s) for SPF: R, S", SpfReason("router LSA, summary LSA")),
    ("Reason(s) for SPF: ", SpfReason("")),
    ("Packet[DD]: Neighbor 10.255.0.2 Negotiation done (Slave).", None),
    ("client 30 says hello and bids fair to announce only pim routes vrf=0", None),
]


@pytest.mark.parametrize(("line", "event"), LINES, ids=[line[:40] for line, _ in LINES])
def test_lines_of_logs(line: str, event: object) -> None:
    assert log_events.parse(HEAD + line) == event
    assert log_events.parse(line) == event  # with any prefix that a daemon writes


def test_times_of_lines_with_fractions_are_exact() -> None:
    seconds = time.mktime((2026, 11, 21, 11, 52, 4, 0, 0, -1))
    assert log_events.timestamp(HEAD + "x") == (pytest.approx(seconds + 0.101858), True)
    assert log_events.timestamp("2026/11/21 11:52:04 BGP: [AAA] x") == (seconds, False)
    assert log_events.timestamp("no time") is None


def ospf(*states: tuple[str, str]) -> str:
    """ospfd's output with a neighbor on one LAN for each (router id, state)."""
    entries = {
        router_id: [
            {"nbrState": state, "ifaceAddress": f"10.0.0.{n}", "ifaceName": "r1-eth0:10.0.0.1", "deadTimeMsecs": 3200}
        ]
        for n, (router_id, state) in enumerate(states, 2)
    }
    return json.dumps({"default": {"vrfId": 0, "neighbors": entries}})


def test_every_isis_neighbor_of_a_lan_is_listed() -> None:
    answer = (
        "Area 1:\n"
        " System Id           Interface   L  State         Holdtime SNPA\n"
        " r2                  r1-eth0     3  Up            29       2020.2020.2020\n"
        " r3                  r1-eth1     2  Up            28       02aa.0000.0001\n"
        " r4                  r1-eth1     2  Initializing  Expiring02aa.0000.0002\n"
        " routerwithlongname  routerwithlo-eth102  Up            -        02aa.0000.0003\n"
    )
    rows = [
        (neighbor.name, neighbor.interface, neighbor.state, neighbor.up) for neighbor in neighbors.parse("isis", answer)
    ]
    assert rows == [
        ("r2 levels 1 and 2", "r1-eth0", "Up", True),
        ("r3 level 2", "r1-eth1", "Up", True),
        ("r4 level 2", "r1-eth1", "Initializing", False),
        ("routerwithlongname level 2", "routerwithlo-eth10", "Up", True),
    ]


def states(protocol: str, answer: str) -> list[tuple[str, str, bool]]:
    """Name, state and whether it is up, of each neighbor."""
    return [(neighbor.name, neighbor.state, neighbor.up) for neighbor in neighbors.parse(protocol, answer)]


def test_two_way_is_up_between_routers_that_were_not_elected() -> None:
    elected = ospf(("2.2.2.2", "Full/DR"), ("3.3.3.3", "2-Way/DROther"))
    assert states("ospf", elected) == [("2.2.2.2", "Full/DR", True), ("3.3.3.3", "2-Way/DROther", True)]
    electing = ospf(("2.2.2.2", "2-Way/DROther"), ("3.3.3.3", "Init/DROther"))
    assert [up for _, _, up in states("ospf", electing)] == [False, False]


ANSWERS: list[tuple[str, Any, list[tuple[str, str, bool]]]] = [
    (
        "bgp",
        {"default": {
            "ipv4Unicast": {"peers": {"10.0.0.2": {"state": "Established", "pfxRcd": 2, "idType": "ipv4"},
                                      "r1-eth1": {"state": "Active", "idType": "interface"}}},
            "ipv6Unicast": {"peers": {"r1-eth1": {"state": "Active", "idType": "interface"}}},
        }},
        [("10.0.0.2", "Established", True), ("r1-eth1", "Active", False)],
    ),
    (
        "bfd",
        [{"peer": "10.0.0.2", "interface": "r1-eth0", "vrf": "default", "status": "down", "diagnostic": "x"}],
        [("10.0.0.2", "down", False)],
    ),
    ("pim", {"default": {"r1-eth0": {"10.0.0.2": {"neighbor": "10.0.0.2"}}}}, [("10.0.0.2", "up", True)]),
    ("pim", {"r1-eth0": {"10.0.0.2": {"neighbor": "10.0.0.2"}}}, [("10.0.0.2", "up", True)]),
    (
        "ldp",
        {"neighbors": [{"neighborId": "2.2.2.2", "state": "OPERATIONAL", "transportAddress": "2.2.2.2"}]},
        [("2.2.2.2", "operational", True)],
    ),
    (
        "ospf6",
        {"neighbors": [{"neighborId": "2.2.2.2", "state": "Full", "ifState": "DR", "interfaceName": "r1-eth0"}]},
        [("2.2.2.2", "Full", True)],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("protocol", "answer", "expected"), ANSWERS)
def test_output_of_daemons(protocol: str, answer: Any, expected: list[tuple[str, str, bool]]) -> None:
    assert states(protocol, json.dumps(answer)) == expected
    assert neighbors.parse(protocol, "% instance not found") == []
    assert neighbors.parse(protocol, "{}") == []


RIP = """Routing Protocol is "rip"
  Sending updates every 5 seconds with +/-50%, next due in 4 seconds
  Timeout after 15 seconds, garbage collect after 10 seconds
    Interface        Send  Recv   Key-chain
    r2-eth0          2     2
  Routing Information Sources:
    Gateway          BadPackets BadRoutes  Distance Last Update
    10.0.2.1                 0         0       120   00:00:03
    10.0.3.3                 1         0       120   00:00:16
  Distance: (default is 120)
"""
RIPNG = """Codes: R - RIPng, C - connected
   Network      Next Hop                      Via     Metric Tag Time
R(n) 2001:db8:1::/64
                  fe80::1   r2-eth0    2    0  00:14
R(n) 2001:db8:2::/64
                  fe80::1   r2-eth0    16   0  00:09
C(i) 2001:db8:12::/64
                  ::                          self       1    0
R(n) 2001:db8:3::/64
                  fe80::3   r2-eth1    16   0  00:07
"""


def test_senders_of_rip_and_ripng() -> None:
    assert states("rip", RIP) == [("10.0.2.1", "heard", True), ("10.0.3.3", "silent", False)]
    first, second = neighbors.parse("rip", RIP)
    assert first.detail == "last update 3 s ago, one every 5 s, silent after 15 s"
    assert second.detail.endswith("1 bad packets, 0 bad routes")
    assert states("ripng", RIPNG) == [("fe80::1", "heard", True), ("fe80::3", "silent", False)]
    assert [(neighbor.interface, neighbor.detail) for neighbor in neighbors.parse("ripng", RIPNG)] == [
        ("r2-eth0", "1 route, valid for 14 s"),
        ("r2-eth1", "its routes have expired"),
    ]
    assert states("rip", "% RIP instance not found") == []


def test_runs_of_the_shortest_path_computation() -> None:
    ran = spf.last_run("ospf", json.dumps({"spfLastExecutedMsecs": 5450, "areas": {"0": {"spfExecutedCounter": 2}}}))
    assert ran == (5.45, 0.0, "shortest paths, run 2")
    level = {"id": 2, "last-run-elapsed": "00:01:06", "last-run-duration-usec": 30, "last-run-count": 4}
    ran = spf.last_run("isis", json.dumps({"areas": [{"levels": [level]}]}))
    assert ran == (66, pytest.approx(3e-5), "shortest paths at level 2, run 4")
    area = {"spfLastExecutedSecs": 1, "spfLastExecutedMicroSecs": 500_000}
    ran = spf.last_run("ospf6", json.dumps({"spfLastDurationMsecs": 24, "areas": {"0": area}}))
    assert ran == (1.5, pytest.approx(2.4e-5), "shortest paths")
    assert spf.last_run("ospf", "") is None
    assert spf.last_run("isis", "{}") is None
