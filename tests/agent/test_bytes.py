"""Messages of netlink and of FRR as recorded from kernels and daemons; the values beside them are from ss and tc."""

from __future__ import annotations

import socket
import struct

import pytest

from frrlib.agent.frr import vtysh
from frrlib.agent.network import netlink, rtnetlink
from frrlib.agent.probes import ping
from frrlib.agent.sampling import kernel_statistics
from frrlib.wire.events import LATER_TCP, TABLES

#: Linux 6.1: `bbr rtt:45.337/2.746 mss:1448 cwnd:86 ssthresh:42 bytes_sent:362264 bytes_retrans:62264
#: bytes_acked:300001 bbr:(bw:9962648bps,mrtt:40,pacing_gain:1,cwnd_gain:2) pacing_rate 9863016bps
#: delivery_rate 9075000bps retrans:0/43 minrtt:40`.
BBR_6_1 = bytes.fromhex(
    "02010000a02b14b50a0100020000000000000000000000000a02000200000000000000000000000000000000010000000000000000000000"
    "0000000000000000000000007a020000050008000000000008000f000000000004000e000c00150001000000000000000600160052000000"
    "04000e00ec000200010000000007770090d0030000000000a80500001802000000000000000000000000000000000000000000003c050000"
    "000000005e0600000a050000dc05000058fa000019b10000ba0a00002a00000056000000a80500000300000000000000903800002b000000"
    "edcf120000000000ffffffffffffffffe1930400000000000000000000000000fd000000c200000000000000409c000000000000fb000000"
    "274f110000000000100905000000000000000000000000000000000000000000d100000000000000188705000000000038f3000000000000"
    "00000000000000000000000080b604000800040062627200180010009300130000000000409c00000001000000020000"
)
#: Linux 6.18: `cubic rtt:0.032/0.013 mss:1448 cwnd:184 bytes_sent:300000 bytes_acked:300001 pacing_rate
#: 132183317824bps delivery_rate 1654857136bps minrtt:0.007`, and no ssthresh.
CUBIC_6_18 = bytes.fromhex(
    "02010000a02d14b50a0100020000000000000000000000000a020002000000000000000000000000000000000e0000000000000000000000"
    "000000000000000000000000ecb90200050008000000000008000f00000000000c001500010000000000000006001600520000001c010200"
    "010000000007aa00e01c030000000000a8050000180200000000000000000000000000000000000000000000dc05000000000000dc050000"
    "dc050000dc05000058fa0000200000000d000000ffffff7fb8000000a805000003000000000000009038000000000000a8abd7d803000000"
    "ffffffffffffffffe1930400000000000000000000000000d30000000c000000000000000700000000000000d1000000b663540c00000000"
    "000000000000000000000000000000000000000000000000d200000000000000e09304000000000000000000000000000000000000000000"
    "0000000000a0010000fc00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"
    "0a0004006375626963000000"
)
#: Linux 6.1: `qdisc tbf 1: root ... Sent 629484 bytes 437 pkt (dropped 43, overlimits 676 requeues 0)`, interface 101.
TBF_6_1 = bytes.fromhex(
    "000000006500000000000100ffffffff0200000008000100746266002c000200280001000001000000000000d01213000000000000000000"
    "00000000801a0600c7dd00000000000005000c000000000004000900380007000400060014000100ec9a090000000000b501000000000000"
    "040006001800030000000000000000002b00000000000000a40200002c000300ec9a090000000000b50100002b000000a402000000000000"
    "00000000000000000000000000000000"
)


def _tcp(body: bytes) -> dict[str, object]:
    values = kernel_statistics.tcp_values(body)
    assert values is not None
    return dict(zip(TABLES["tcp"][3:], values, strict=True))


def test_bbr_connection_reads_as_ss_reads_it() -> None:
    values = _tcp(BBR_6_1)
    assert values["bbr_phase"] == "probe_bw"
    assert {name: values[name] for name in TABLES["tcp"][3:] if name not in LATER_TCP} == {
        "state": "open",
        "cwnd_packets": 86,
        "ssthresh_packets": 42,
        "mss_bytes": 1448,
        "unacked_packets": 0,
        "srtt_ms": 45.337,
        "rttvar_ms": 2.746,
        "min_rtt_ms": 40.0,
        "pacing_rate_mbit": 9.863016,
        "delivery_rate_mbit": 9.075,
        "bytes_acked": 300001,
        "bytes_received": 0,
        "bytes_sent": 362264,
        "bytes_retrans": 62264,
        "retransmits": 43,
        "lost_packets": 0,
        "app_limited": False,
        "congestion_control": "bbr",
        "bbr_bandwidth_mbit": 9.962648,
        "bbr_min_rtt_ms": 40.0,
        "bbr_pacing_gain": 1.0,
        "bbr_cwnd_gain": 2.0,
    }


def test_longer_tcp_info_of_newer_kernel_reads_as_ss_reads_it() -> None:
    values = _tcp(CUBIC_6_18)
    assert (values["srtt_ms"], values["rttvar_ms"], values["min_rtt_ms"]) == (0.032, 0.013, 0.007)
    assert (values["cwnd_packets"], values["ssthresh_packets"]) == (184, None)
    assert (values["pacing_rate_mbit"], values["delivery_rate_mbit"]) == (132183.317824, 1654.857136)
    assert values["congestion_control"] == "cubic" and values["bbr_bandwidth_mbit"] is None


@pytest.mark.parametrize("state", [2, 3, 6, 7, 10])
def test_connections_that_are_not_up_give_no_row(state: int) -> None:
    assert kernel_statistics.tcp_values(BBR_6_1[:1] + bytes([state]) + BBR_6_1[2:]) is None


@pytest.mark.parametrize("length", [0, 40, 72, 76])
def test_broken_replies_give_no_row(length: int) -> None:
    assert kernel_statistics.tcp_values(BBR_6_1[:length]) is None
    assert length < 20 or not kernel_statistics.QdiscStatistics(TBF_6_1[: min(length, 60)]).counts


def test_queue_reads_as_tc_reads_it() -> None:
    qdisc = kernel_statistics.QdiscStatistics(TBF_6_1)
    assert (qdisc.interface, qdisc.handle, qdisc.parent, qdisc.kind) == (101, 0x10000, kernel_statistics.ROOT, "tbf")
    assert dict(zip(TABLES["queue"][2:], qdisc.counts, strict=True)) == {
        "backlog_bytes": 0,
        "backlog_packets": 0,
        "sent_bytes": 629484,
        "sent_packets": 437,
        "drops": 43,
        "marks": None,
        "overlimits": 676,
        "requeues": 0,
    }


def test_messages_of_one_read_are_split() -> None:
    message = struct.pack("=IHHII", 16 + len(TBF_6_1), 36, 0, 5, 0) + TBF_6_1
    assert kernel_statistics.split(message + message) == [(36, 5, TBF_6_1)] * 2
    assert kernel_statistics.split(message[:10]) == []


def test_attributes_survive_padding_and_broken_ends() -> None:
    data = netlink.text(3, "abc") + netlink.number(4, 7) + netlink.nest(5, netlink.number(1, 9))
    parsed = netlink.attributes(data)
    assert bytes(parsed[3]) == b"abc\0" and bytes(netlink.attributes(parsed[5])[1]) == struct.pack("=I", 9)
    assert set(netlink.attributes(data[:-2])) == {3, 4}
    assert netlink.attributes(b"\x01\x00\x00\x00") == {}


@pytest.mark.parametrize(
    ("prefix", "canonical"),
    [
        ("10.0.0.1/16", "10.0.0.0/16"),
        ("10.1.2.3", "10.1.2.3/32"),
        ("0.0.0.0/0", "0.0.0.0/0"),
        ("2001:DB8:0::1/64", "2001:db8::/64"),
        ("::/0", "::/0"),
        ("192.0.2.255/31", "192.0.2.254/31"),
    ],
)
def test_prefixes_become_the_kernels_own(prefix: str, canonical: str) -> None:
    assert rtnetlink.network(prefix) == canonical


def test_routes_of_all_tables_are_parsed_with_their_next_hops() -> None:
    destination = netlink.attribute(1, socket.inet_aton("10.2.0.0")) + netlink.number(6, 20)

    def route(kind: int, table: int, flags: int = 0, attributes: bytes = b"") -> netlink.Reply:
        body = (
            struct.pack("=BBBBBBBBI", socket.AF_INET, 16, 0, 0, table, 188, 0, kind, flags) + destination + attributes
        )
        return netlink.Reply(rtnetlink.NEWROUTE, 0, memoryview(body))

    def hop(address: str, index: int) -> bytes:
        gateway = netlink.attribute(5, socket.inet_aton(address))
        return struct.pack("=HBBi", 8 + len(gateway), 0, 0, index) + gateway

    unicast, local, unreachable = 1, 2, 7
    single_hop = netlink.attribute(5, socket.inet_aton("10.9.0.2")) + netlink.number(4, 100)
    several = netlink.attribute(9, hop("10.9.0.2", 100) + hop("10.9.1.2", 101))
    by_ipv6 = netlink.attribute(18, struct.pack("=H", socket.AF_INET6) + socket.inet_pton(socket.AF_INET6, "fe80::1"))
    expected = rtnetlink.KernelRoute("10.2.0.0/16", 20, 254, (), 188)
    assert rtnetlink.parse_route(route(unicast, 254)) == expected
    assert rtnetlink.parse_route(route(unicast, 254, attributes=single_hop)) == expected._replace(
        hops=(("10.9.0.2", 100),)
    )
    two = (("10.9.0.2", 100), ("10.9.1.2", 101))
    assert rtnetlink.parse_route(route(unicast, 254, attributes=several)) == expected._replace(hops=two)
    from_ipv6 = route(unicast, 254, attributes=by_ipv6 + netlink.number(4, 100))
    assert rtnetlink.parse_route(from_ipv6) == expected._replace(hops=(("fe80::1", 100),))
    assert rtnetlink.parse_route(route(unicast, 100)) == expected._replace(table=100)
    in_large_table = route(unicast, 252, attributes=netlink.number(15, 1000))
    assert rtnetlink.parse_route(in_large_table) == expected._replace(table=1000)
    assert rtnetlink.parse_route(route(local, 255)) is None
    assert rtnetlink.parse_route(route(unicast, 254, 0x200)) is None
    last = netlink.Reply(rtnetlink.NEWROUTE, 0, memoryview(rtnetlink.unreachable_default(socket.AF_INET, 100).body))
    assert rtnetlink.parse_route(last) is None  # the last route of a VRF's table belongs to no router
    assert rtnetlink.parse_route(route(unreachable, 254)) == expected


@pytest.mark.parametrize(
    ("printed", "refused"),
    [
        ("% Unknown command: show bogus\n", "% Unknown command: show bogus"),
        ("some text\n% Command incomplete: show\n", "% Command incomplete: show"),
        ("% [BGP] Unknown command: neighbour\n", "% [BGP] Unknown command: neighbour"),
        ("% Ambiguous command: sh i\n", "% Ambiguous command: sh i"),
        ("% BGP instance not found\n", ""),
        ("100% Unknown command\n", ""),
        ("", ""),
    ],
)
def test_refusals_of_frr_are_recognized(printed: str, refused: str) -> None:
    assert vtysh.refusal(printed) == refused


def test_checksum_of_an_echo_request_is_right() -> None:
    packet = ping.request(socket.AF_INET, 0x1234, 7)
    total = sum(struct.unpack(f"!{len(packet) // 2}H", packet))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    assert total == 0xFFFF
