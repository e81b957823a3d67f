"""Lines of configurations that an import reads in other words. The defaults are those of `bgpd -F datacenter`: a
running configuration of FRR 8.4.4 shows the opposite of each line there, and not the line itself."""

from __future__ import annotations

import pytest

from frrlib.conf.text import config_text, parse
from frrlib.configs.equivalents import read_equivalents
from frrlib.configs.folders import import_configs
from frrlib.model.nodes import Router
from frrlib.network.network import Network, end


def read(text: str) -> tuple[str, tuple[str, ...]]:
    entries, notes = read_equivalents(parse(text))
    return config_text(entries), notes


def test_defaults_of_data_centers_become_lines_of_each_bgp() -> None:
    text, notes = read("frr defaults datacenter\nrouter bgp 1\n neighbor 10.0.0.2 remote-as 2\nexit\n"
                       "router bgp 1 vrf blue\nexit\nrouter ospf\nexit\n")  # fmt: skip
    lines = " no bgp ebgp-requires-policy\n bgp deterministic-med\n timers bgp 3 9\n"
    assert text.count(lines) == 2 and f"router bgp 1\n{lines} neighbor 10.0.0.2 remote-as 2\n" in text
    assert "datacenter" not in text
    assert notes == ("`frr defaults datacenter` is read as its lines of BGP: `no bgp ebgp-requires-policy`, "
                     "`bgp deterministic-med`, `timers bgp 3 9`",)  # fmt: skip


def test_lines_of_the_configuration_precede_its_defaults() -> None:
    text, _ = read("frr defaults datacenter\nrouter bgp 1\n timers bgp 10 30\n bgp ebgp-requires-policy\n"
                   " no bgp deterministic-med\nexit\n")  # fmt: skip
    section = ["router bgp 1", " timers bgp 10 30", " bgp ebgp-requires-policy", " no bgp deterministic-med"]
    assert [line for line in text.splitlines() if line not in ("exit", "!")] == section


def test_traditional_defaults_add_nothing() -> None:
    text, notes = read("frr defaults traditional\nrouter bgp 1\nexit\n")
    assert "timers" not in text and notes == ()


def test_addresses_with_leading_zeros_are_read_as_decimal() -> None:
    text, notes = read("interface eth1\n description port 10.0.0.001\n ip address 10.10.1.001/24\n"
                       " ip address 10.0.0.10/24\n ipv6 address 2001:db8::001/64\nexit\n"
                       "ip route 10.010.0.0/16 10.10.1.009\nrouter isis a\n net 49.0001.0000.0000.0001.00")  # fmt: skip
    for line in ("description port 10.0.0.001", "ip address 10.10.1.1/24", "ip address 10.0.0.10/24",
                 "ipv6 address 2001:db8::001/64", "ip route 10.10.0.0/16 10.10.1.9",
                 "net 49.0001.0000.0000.0001.00"):  # fmt: skip
        assert line in text
    assert notes == ("FRR refuses addresses with leading zeros: 10.10.1.001 is read as 10.10.1.1, and 2 more",)


@pytest.mark.parametrize("address", ["10.1.0.01/24", "10.1.00.1/24"])
def test_an_import_notes_what_it_reads_in_other_words(address: str) -> None:
    network = Network()
    network.router("r1")
    network.router("r2")
    network.link(end("r1", interface="r1-eth0"), end("r2", interface="r2-eth0"))
    text = f"frr defaults datacenter\ninterface r1-eth0\n ip address {address}\nexit\nrouter bgp 65001\nexit\n"
    imported = import_configs(network.topology, {"r1": text})
    router = imported.topology.node("r1")
    assert isinstance(router, Router)
    assert "router bgp 65001\n no bgp ebgp-requires-policy\n" in router.frr_conf
    assert [str(address) for address in imported.topology.links[0].a.addresses] == ["10.1.0.1/24"]
    notes = "\n".join(imported.notes)
    assert "r1: `frr defaults datacenter` is read" in notes and "is read as 10.1.0.1" in notes
    assert "left out" not in notes
