"""Values of a connection, compared with `ss`, which reads the same kernel."""

from __future__ import annotations

import os
import re
import socket
import struct
import subprocess
from collections.abc import Iterator

import pytest

from frrlib import bbr
from frrlib.agent.sampling import kernel_statistics
from frrlib.wire.events import TABLES
from tests.waiting import pause, wait_for

Ends = tuple[socket.socket, socket.socket]


@pytest.fixture
def full() -> Iterator[Ends]:
    """A connection whose receiver does not read, so that the window stops its sender with more to send."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        sender = socket.create_connection(server.getsockname())
        receiver, _ = server.accept()
    with sender, receiver:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_000_000)
        sender.setblocking(False)

        def takes_no_more() -> bool:
            try:
                sender.send(bytes(65536))
            except BlockingIOError:
                return True
            return False

        wait_for(takes_no_more, "a full window")
        pause(0.3)
        yield sender, receiver


def _sampled(sender: socket.socket) -> dict[str, object]:
    (address, port), (peer_address, peer_port) = sender.getsockname(), sender.getpeername()
    request = kernel_statistics.connection_request(
        1, socket.inet_aton(address), port, socket.inet_aton(peer_address), peer_port
    )
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 4) as opened:
        os.write(opened.fileno(), request)
        ((_, _, body),) = kernel_statistics.split(os.read(opened.fileno(), 16384))
    values = kernel_statistics.tcp_values(body)
    assert values is not None
    return dict(zip(TABLES["tcp"][3:], values, strict=True))


def test_a_connection_reads_as_ss_reads_it(full: Ends) -> None:
    sender, _ = full
    port = sender.getsockname()[1]
    first = _sampled(sender)
    output = subprocess.run(
        ["ss", "-tinH", "sport", "=", f":{port}"], capture_output=True, text=True, check=True
    ).stdout
    last = _sampled(sender)

    def ss(name: str) -> float:
        match = re.search(rf"\b{name}:([\d.]+)", output)
        return float(match[1]) if match else 0.0

    # Only probes of the closed window are sent now.
    for column, name in (
        ("rto_ms", "rto"), ("cwnd_packets", "cwnd"), ("bytes_sent", "bytes_sent"), ("bytes_acked", "bytes_acked"),
        ("unacked_packets", "unacked"), ("sacked_packets", "sacked"), ("notsent_bytes", "notsent"),
        ("delivered_packets", "delivered"), ("receive_space_bytes", "rcv_space"), ("send_window_bytes", "snd_wnd"),
        ("duplicate_packets", "dsack_dups"), ("out_of_order_packets", "rcv_ooopack"),
    ):  # fmt: skip
        assert last[column] == ss(name), (column, output)
    assert last["notsent_bytes"], output
    assert last["in_flight_packets"] == ss("unacked") - ss("sacked") - ss("lost")
    for column, name in (("busy_ms", "busy"), ("rwnd_limited_ms", "rwnd_limited")):
        low, high = first[column], last[column]
        assert isinstance(low, float) and isinstance(high, float)
        # ss omits fractions of a ms
        assert low - 1 <= ss(name) <= high and high > 100, (column, output)


@pytest.mark.parametrize(
    ("pacing", "window", "phase"),
    [
        # tcp_bbr.c: bbr_high_gain, bbr_drain_gain, bbr_pacing_gain, bbr_cwnd_gain, all of them in 1/256
        (2885 * 256 // 1000 + 1, 2885 * 256 // 1000 + 1, "startup"),
        (256 * 1000 // 2885, 2885 * 256 // 1000 + 1, "drain"),
        (256 * 5 // 4, 2 * 256, "probe_bw"),
        (256 * 3 // 4, 2 * 256, "probe_bw"),
        (256, 2 * 256, "probe_bw"),
        (256, 256, "probe_rtt"),
        # later versions have other gains in startup and drain
        (277 * 256 // 100 + 1, 2 * 256, "startup"),
        (35 * 256 // 100, 2 * 256, "drain"),
        (0, 0, "startup"),
    ],
)
def test_phases_follow_from_the_gains(pacing: int, window: int, phase: str) -> None:
    assert bbr.phase(pacing / 256, window / 256) == phase


def _reply(control: bytes, kind: int, data: bytes) -> bytes:
    def attribute(number: int, value: bytes) -> bytes:
        return struct.pack("=HH", 4 + len(value), number) + value + bytes(-len(value) % 4)

    return bytes([2, 1]) + bytes(70) + attribute(2, bytes(240)) + attribute(4, control + b"\0") + attribute(kind, data)


def test_values_of_other_congestion_controls() -> None:
    columns = TABLES["tcp"][3:]
    dctcp = struct.pack("=HHIII", 1, 0, 512, 10, 20)
    values = dict(zip(columns, kernel_statistics.tcp_values(_reply(b"dctcp", 9, dctcp)) or (), strict=True))
    assert (values["dctcp_alpha"], values["vegas_base_rtt_ms"], values["bbr_phase"]) == (0.5, None, "")
    vegas = struct.pack("=IIII", 1, 3, 20_500, 21_000)
    values = dict(zip(columns, kernel_statistics.tcp_values(_reply(b"vegas", 3, vegas)) or (), strict=True))
    assert (values["dctcp_alpha"], values["vegas_base_rtt_ms"]) == (None, 20.5)


def _later_bbr(mode: int, phase: int, shortterm: int, longterm: int) -> dict[str, object]:
    data = struct.pack("=9I4B3I", 1000, 0, 20_000, 256, 512, 0, 0, 0, 0, mode, phase, 0, 3, shortterm, longterm, 0)
    values = kernel_statistics.tcp_values(_reply(b"bbr3", 16, data))
    return dict(zip(TABLES["tcp"][3:], values or (), strict=True))


def test_later_versions_of_bbr_report_the_phase_whatever_the_gains_are() -> None:
    values = _later_bbr(3, 3, 2**32 - 1, 50)
    assert (values["bbr_phase"], values["bbr_bandwidth_mbit"], values["bbr_min_rtt_ms"]) == ("probe_rtt", 0.008, 20.0)
    assert (values["bbr_cycle_phase"], values["bbr_inflight_shortterm_packets"]) == ("", None)
    assert values["bbr_inflight_longterm_packets"] == 50


@pytest.mark.parametrize(("number", "word"), [(4, "up"), (5, "down"), (6, "cruise"), (7, "refill"), (9, "")])
def test_later_versions_of_bbr_report_the_phase_within_probe_bw(number: int, word: str) -> None:
    """The numbers of enum tcp_bbr2_phase, which BBR's own branch of iproute2 reads."""
    values = _later_bbr(2, number, 40, 50)
    assert (values["bbr_phase"], values["bbr_cycle_phase"]) == ("probe_bw", word)
    assert (values["bbr_inflight_shortterm_packets"], values["bbr_inflight_longterm_packets"]) == (40, 50)


def test_a_shorter_structure_of_an_older_kernel_has_fewer_values() -> None:
    """The structure of 4.19 ends before the peer's window. Missing values are unknown, or 0."""
    short = bytes([2, 1]) + bytes(70) + struct.pack("=HH", 228, 2) + bytes(224)
    values = dict(zip(TABLES["tcp"][3:], kernel_statistics.tcp_values(short) or (), strict=True))
    assert values["send_window_bytes"] is values["out_of_order_packets"] is None and values["bytes_sent"] == 0
