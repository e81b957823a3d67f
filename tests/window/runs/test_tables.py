"""Rows of a lab's replies, paths over switches, places side by side, and stored runs, all without a lab."""

from __future__ import annotations

from pathlib import Path

from frrlib.place.base import Abilities
from miniedit_frr.paths.tracker import ping_text
from miniedit_frr.running_lab import rows
from miniedit_frr.running_lab.places import ability_rows
from miniedit_frr.runs import history
from miniedit_frr.runs.list_panel import RunRow


def test_every_next_hop_of_a_route_is_a_row() -> None:
    table = [
        {"dst": "default", "gateway": "10.0.0.1", "dev": "h1-eth0", "flags": []},
        {"dst": "10.2.0.0/16", "protocol": "ospf", "metric": 20, "flags": [], "nexthops": [
            {"gateway": "10.9.0.2", "dev": "r1-eth1", "weight": 1, "flags": []},
            {"gateway": "10.9.1.2", "dev": "r1-eth2", "weight": 1, "flags": ["dead", "linkdown"]},
        ]},
        {"type": "unreachable", "dst": "10.3.0.0/16", "dev": "lo", "protocol": "static", "flags": []},
        {"dst": "10.4.0.0/16", "via": {"family": "inet6", "host": "fe80::1"}, "dev": "r1-eth0", "flags": ["onlink"]},
    ]  # fmt: skip
    assert rows.routes(table) == [
        ("default", "10.0.0.1", "h1-eth0", "", "", ""),
        ("10.2.0.0/16", "10.9.0.2", "r1-eth1", "ospf", "20", "1 of 2 at equal cost"),
        ("10.2.0.0/16", "10.9.1.2", "r1-eth2", "ospf", "20", "dead, linkdown, 2 of 2 at equal cost"),
        ("10.3.0.0/16", "", "lo", "static", "", "unreachable"),
        ("10.4.0.0/16", "fe80::1", "r1-eth0", "", "", "onlink"),
    ]


def test_connected_networks_are_named_and_single_addresses_have_a_length() -> None:
    table = [
        {"dst": "10.9.0.0/24", "dev": "r1-eth0", "protocol": "kernel", "scope": "link", "prefsrc": "10.9.0.1"},
        {"dst": "10.255.0.2", "gateway": "10.9.0.2", "dev": "r1-eth0", "protocol": "ospf", "metric": 20},
        {"dst": "2001:db8::1", "dev": "r1-eth0", "protocol": "kernel"},
    ]  # fmt: skip
    assert [(row[0], row[3]) for row in rows.routes(table)] == [
        ("10.9.0.0/24", "connected"), ("10.255.0.2/32", "ospf"), ("2001:db8::1/128", "connected"),
    ]  # fmt: skip


def test_routes_of_frr_are_converted_to_rows() -> None:
    """Cost and distance are FRR's own, and routes that lost to another are there without a mark."""
    table = {
        "10.0.5.0/24": [
            {"protocol": "ospf", "distance": 110, "metric": 10,
             "nexthops": [{"interfaceName": "r1-eth1", "active": True, "directlyConnected": True}]},
            {"protocol": "connected", "selected": True, "distance": 0, "metric": 0,
             "nexthops": [{"interfaceName": "r1-eth1", "active": True, "directlyConnected": True}]},
        ],
        "10.0.3.0/24": [
            {"protocol": "ospf", "selected": True, "distance": 110, "metric": 30, "nexthops": [
                {"ip": "10.0.1.2", "interfaceName": "r1-eth0", "active": True},
                {"ip": "10.0.5.5", "interfaceName": "r1-eth1", "active": True}]},
        ],
        "10.7.0.0/24": [{"protocol": "bgp", "distance": 20, "metric": 0, "nexthops": [{"ip": "10.99.0.1"}]}],
    }  # fmt: skip
    assert rows.frr_routes(table) == [
        ("10.0.5.0/24", "", "r1-eth1", "connected", "", "", "✓", ""),
        ("10.0.5.0/24", "", "r1-eth1", "ospf", "110", "10", "", ""),
        ("10.0.3.0/24", "10.0.1.2", "r1-eth0", "ospf", "110", "30", "✓", "1 of 2 at equal cost"),
        ("10.0.3.0/24", "10.0.5.5", "r1-eth1", "ospf", "110", "30", "✓", "2 of 2 at equal cost"),
        ("10.7.0.0/24", "10.99.0.1", "", "bgp", "20", "0", "", "not reachable"),
    ]


def test_interfaces_are_converted_to_rows_with_their_addresses() -> None:
    ports = [
        {"ifname": "lo", "operstate": "UNKNOWN", "flags": ["LOOPBACK", "UP"], "mtu": 65536, "addr_info": [
            {"local": "127.0.0.1", "prefixlen": 8}]},
        {"ifname": "r1-eth0", "operstate": "DOWN", "flags": ["NO-CARRIER", "UP"], "mtu": 1500,
         "address": "02:00:00:00:00:01", "addr_info": [
             {"local": "fe80::1", "prefixlen": 64}, {"local": "10.9.0.1", "prefixlen": 30}]},
    ]  # fmt: skip
    assert rows.interfaces(ports) == [
        ("lo", "UP", "127.0.0.1/8", "", "65536", ""),
        ("r1-eth0", "DOWN", "10.9.0.1/30, fe80::1/64", "02:00:00:00:00:01", "1500", "no carrier"),
    ]


def test_queues_are_converted_to_rows() -> None:
    qdiscs = {"r1-eth0": [
        {"kind": "tbf", "options": {"rate": 1_250_000, "burst": 4541, "lat": 36367}, "packets": 14, "bytes": 1329,
         "drops": 2, "qlen": 1, "backlog": 1514},
        {"kind": "bfifo", "options": {"limit": 50_000}, "packets": 20_000, "bytes": 30_000_000, "drops": 2},
        {"kind": "netem", "options": {"limit": 1000, "delay": {"delay": 0.02, "jitter": 0.001, "correlation": 0},
         "loss-random": {"loss": 0.01, "correlation": 0}}},
    ]}  # fmt: skip
    assert [row[1:6] for row in rows.queues(qdiscs)] == [
        ("tbf", "10 Mbit/s, burst 4.541 kB", "1 packets, 1.514 kB", "14 packets, 1.329 kB", "2"),
        ("bfifo", "limit 50 kB", "0 packets, 0 B", "20000 packets, 30 MB", "2"),
        ("netem", "limit 1000 packets, delay 20 ms, jitter 1 ms, loss 1 %", "0 packets, 0 B", "0 packets, 0 B", "0"),
    ]


def test_a_ping_is_described_in_one_line() -> None:
    result = {
        "source": "h1",
        "destination": "h2",
        "address": "10.0.0.2",
        "sent": 3,
        "received": 2,
        "rtt_ms": [1.5, 2.25],
    }
    assert ping_text(result) == "h1 pings h2: 2 of 3 replied, in 1.5 to 2.25 ms"
    assert ping_text({**result, "received": 0, "rtt_ms": []}) == "h1 pings h2: 0 of 3, no reply"


def test_places_are_compared_side_by_side() -> None:
    namespace = Abilities(
        "namespace", True, kernel="6.9", qdiscs=frozenset({"tbf"}), congestion_controls=frozenset({"bbr"})
    )
    labkernel = Abilities("labkernel", False, "linux.uml is missing", "sudo apt-get install user-mode-linux")
    cells = {row[0]: row[1:] for row in ability_rows([namespace, labkernel])}
    assert cells == {
        "Kernel": ("6.9", ""),
        "Available": ("yes", "no: linux.uml is missing"),
        "How to Enable": ("", "sudo apt-get install user-mode-linux"),
        "Open vSwitch": ("-", "-"),
        "queue tbf (rate)": ("✓", "-"),
        "congestion control bbr": ("✓", "-"),
    }


def test_runs_are_stored_and_a_broken_file_is_ignored(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "runs.json"
    assert history.load(file) == []
    runs = [RunRow("2026-01-01 10:00:00", f"run {n}", "namespace", "finished", f"/tmp/{n}") for n in range(3)]
    history.save(runs, file)
    assert history.load(file) == runs
    assert [path.name for path in file.parent.iterdir()] == ["runs.json"]
    for text in ("", "{", "[]", '{"runs": [1]}', '{"runs": [{"time": "x"}]}', '{"runs": 5}'):
        file.write_text(text)
        assert history.load(file) == []
