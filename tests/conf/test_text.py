"""Parsing configurations of different styles."""

from __future__ import annotations

import pytest

from frrlib.conf.text import formatted, joined, parse
from frrlib.place.checker import frr_check

#: A configuration as FRR writes it.
WRITTEN = """\
hostname r1
ip route 10.9.0.0/16 10.0.0.1
!
interface r1-eth0
 ip ospf area 0
exit
!
router bgp 65001
 neighbor 10.0.0.2 remote-as 65002
 !
 address-family ipv4 unicast
  network 10.1.0.0/16
 exit-address-family
 !
 address-family ipv6 unicast
  neighbor 10.0.0.2 activate
 exit-address-family
exit
!
key chain K
 key 1
  key-string secret
 exit
 !
 key 2
  key-string other
 exit
exit
!
bfd
 profile fast
  receive-interval 50
 exit
 !
 peer 10.0.0.2
  profile fast
 exit
exit
!
mpls ldp
 router-id 1.1.1.1
 !
 address-family ipv4
  discovery transport-address 1.1.1.1
  !
  interface r1-eth0
  exit
 exit-address-family
exit
!
vrf red
 ip route 10.8.0.0/16 10.0.1.1
exit-vrf
!
route-map OUT permit 10
 match ip address prefix-list P
exit
!
line vty
exit
!
"""
#: The same as people type it, without indentation and without optional ends of sections.
TYPED = "\n".join(
    line.strip() for line in WRITTEN.splitlines() if line.strip() not in ("exit", "!") and line.strip() != "exit-vrf"
).replace("profile fast\nline", "line")


def test_a_configuration_written_by_frr_is_unchanged() -> None:
    assert formatted(WRITTEN) == WRITTEN


def test_indentation_is_optional() -> None:
    # Only BFD cannot be parsed without an exit: a profile below a peer looks like one beside it.
    typed = TYPED.replace(
        "receive-interval 50\npeer 10.0.0.2\nprofile fast", "receive-interval 50\npeer 10.0.0.2\n profile fast"
    )
    typed = typed.replace("key-string other\nbfd", "key-string other\nexit\nexit\nbfd")
    assert formatted(typed) == WRITTEN


def test_lines_added_by_vtysh_are_left_out() -> None:
    message = "% Can't open configuration file /etc/frr/vtysh.conf due to 'No such file or directory'.\n"
    assert formatted(message + WRITTEN) == WRITTEN
    assert formatted("Building configuration...\n\nCurrent configuration:\n!\n" + WRITTEN + "end\n") == WRITTEN


@pytest.mark.parametrize("closing", ["", "exit\n", "!\n", "end\n"])
def test_a_line_outside_of_sections_ends_a_section(closing: str) -> None:
    entries = parse(f"router ospf\nnetwork 10.0.0.0/8 area 0\n{closing}ip prefix-list P seq 5 permit any\n")
    assert [entry.text for entry in entries] == ["router ospf", "ip prefix-list P seq 5 permit any"]
    assert [entry.text for entry in entries[0].below] == ["network 10.0.0.0/8 area 0"]


def test_an_exclamation_mark_ends_no_section() -> None:
    (only,) = parse("router rip\n version 2\n!\n network r1-eth0\n")
    assert [entry.text for entry in only.below] == ["version 2", "network r1-eth0"]


def test_an_address_family_continues_until_its_exit_line() -> None:
    text = (
        "router bgp 1\n address-family ipv4 unicast\n  network 10.0.0.0/8\n neighbor A activate\n exit-address-family\n"
    )
    family = parse(text)[0].below[0]
    assert [entry.text for entry in family.below] == ["network 10.0.0.0/8", "neighbor A activate"]


def test_sections_of_the_same_name_are_joined() -> None:
    text = "interface e0\n ip ospf cost 5\nexit\nrouter ospf\nexit\ninterface e0\n ip ospf cost 5\n ip pim\nexit\n"
    interface, ospf = parse(text)
    assert [entry.text for entry in interface.below] == ["ip ospf cost 5", "ip pim"]
    assert ospf.text == "router ospf"


def test_comments_stay_with_their_line() -> None:
    text = "! why\nrouter bgp 1\n ! RFC 8212\n no bgp ebgp-requires-policy\nexit\n!\n"
    assert formatted(text) == text


def test_removing_a_section_opens_none() -> None:
    entries = parse("interface e0\n no ip ospf cost\nno router bgp 65001\nip route 10.0.0.0/8 Null0\n")
    assert [entry.text for entry in entries] == ["interface e0", "no router bgp 65001", "ip route 10.0.0.0/8 Null0"]


def test_files_of_a_routers_daemons_are_joined() -> None:
    zebra = "hostname r1\ninterface e0\n ip address 10.0.0.1/24\nexit\nroute-map A permit 10\nexit\n"
    ospfd = "hostname r1\ninterface e0\n ip ospf area 0\nexit\nroute-map A permit 10\nexit\n"
    assert joined([zebra, ospfd]) == (
        "hostname r1\n!\ninterface e0\n ip address 10.0.0.1/24\n ip ospf area 0\nexit\n!\n"
        "route-map A permit 10\nexit\n!\n"
    )


def test_lines_of_several_daemons_are_joined() -> None:
    zebra = "password 8 aaaa\nservice password-encryption\nlog file zebra.log\nip route 10.0.0.0/8 Null0\n"
    bgpd = "password 8 bbbb\nservice password-encryption\nlog file bgpd.log\nip route 10.0.0.0/8 Null0 5\n"
    lines = joined([zebra, bgpd]).splitlines()
    assert lines == [*zebra.splitlines(), "ip route 10.0.0.0/8 Null0 5", "!"]


def test_shortened_headings_open_sections() -> None:
    assert formatted("int r1-eth0\n ip ospf cost 5\n") == "interface r1-eth0\n ip ospf cost 5\nexit\n!\n"


def test_an_empty_configuration_stays_empty() -> None:
    assert formatted("") == formatted("!\n!\n") == ""


#: Lines that are valid at an interface or outside of sections, some of them with the same first words.
_LINES_AFTER_AN_INTERFACE = (
    "ip pim", "ip pim bfd", "ip pim drpriority 5", "ip pim ecmp", "ip pim ecmp rebalance", "ip pim hello 5",
    "ip pim join-prune-interval 60", "ip pim keep-alive-timer 60", "ip pim packets 3", "ip pim passive",
    "ip pim register-accept-list X", "ip pim register-suppress-time 60", "ip pim rp 1.1.1.1",
    "ip pim send-v6-secondary",
    "ip pim spt-switchover infinity-and-beyond", "ip pim ssm prefix-list X", "ip pim use-source 10.0.0.1", "ip igmp",
    "ip igmp query-interval 5", "ip igmp watermark-warn 5", "ip multicast boundary oil X",
    "ip mroute 10.0.0.0/8 1.1.1.1",
    "ip msdp peer 1.1.1.1 source 2.2.2.2", "ip ospf area 0", "ip route 1.0.0.0/8 2.2.2.2", "ipv6 pim packets 3",
    "ipv6 pim rp fd00::1", "mpls enable", "no ip pim rp 1.1.1.1", "ip ssmpingd 1.1.1.1",
)  # fmt: skip


@pytest.mark.skipif(not frr_check.can_check(), reason="needs FRR")
@pytest.mark.parametrize("line", _LINES_AFTER_AN_INTERFACE)
def test_a_line_ends_the_section_of_an_interface_as_in_vtysh(line: str) -> None:
    """vtysh refuses an interface's line after one that has ended the section."""
    text = f"interface r1-eth0\n {line}\n ip address 10.0.0.1/24\n"
    refused = [refusal.line for refusal in frr_check.refused_lines(text)]
    if line in refused:
        pytest.skip("this version of FRR does not have the line")
    [section, *others] = parse(text)
    assert (line in [entry.text for entry in section.below]) is not bool(refused)
    assert (line in [entry.text for entry in others]) is bool(refused)
