"""Interfaces of this machine that are part of another one, from the output of `ip`."""

from __future__ import annotations

from frrlib.place.supervisor.external_interfaces import users

LINKS = [
    {"ifname": "lo"},
    {"ifname": "eth0", "master": "br0"},
    {"ifname": "br0", "linkinfo": {"info_kind": "bridge"}},
    {"ifname": "eth1.7", "link": "eth1", "linkinfo": {"info_kind": "vlan"}},
    {"ifname": "eth1"},
    {"ifname": "ext0", "link": "far0", "linkinfo": {"info_kind": "veth"}},
    {"ifname": "far0", "link_index": 7, "link_netnsid": 1, "linkinfo": {"info_kind": "veth"}},
    {"ifname": "eth2", "linkinfo": {"info_slave_kind": "bond"}, "master": "bond0"},
]


def test_ports_and_parents_of_vlans_are_in_use_and_ends_of_a_veth_are_not() -> None:
    assert users(LINKS) == {"eth0": "br0", "eth1": "eth1.7", "eth2": "bond0"}
