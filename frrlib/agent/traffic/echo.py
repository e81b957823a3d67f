"""ICMP echoes, a row for each, during a flow."""

from __future__ import annotations

import contextlib
import os
import socket
import time

from frrlib.agent.probes import ping
from frrlib.agent.traffic.endpoint import FlowEnd
from frrlib.system.ready import ready

#: An echo without a reply after this time is lost.
_TIMEOUT_S = 3.0


def run(end: FlowEnd) -> None:
    """Ping the other end, whose kernel replies by itself."""
    address = end.remote[0]
    opened = ping.open_socket(address)
    end.set_up(opened)
    identity = int.from_bytes(os.urandom(2), "big")
    every_s = end.settings["interval_ms"] / 1e3
    end.wait_begin()
    under_way: dict[int, tuple[float, int]] = {}
    number = received = duplicates = 0
    #: Numbers of answered requests among the last 65536, as on the wire.
    answered: set[int] = set()
    least_ms = float("inf")
    while True:
        now_s = time.monotonic()
        next_s = end.begins_s + number * every_s
        is_over = next_s >= end.until_s - 1e-9
        if not is_over and now_s >= next_s:
            under_way[number] = (now_s, time.time_ns())
            answered.discard(number & 0xFFFF)
            _send(opened, ping.request(opened.family, identity, number, end.settings["payload_bytes"]), address)
            number += 1
            continue
        for late in [candidate for candidate, (at_s, _) in under_way.items() if now_s - at_s > _TIMEOUT_S]:
            end.row("probe", end.since(under_way.pop(late)[0]), end.flow, late, None, None)
        if is_over and not under_way:
            break
        ready([opened], timeout_s=0.05 if is_over else max(0.0, next_s - now_s))
        while (reply := ping.receive_reply(opened, identity)) is not None:
            sequence, _, received_ns = reply
            # The number on the wire has 16 bits.
            pending = next((candidate for candidate in under_way if candidate & 0xFFFF == sequence), None)
            if pending is None:
                duplicates += sequence in answered
            else:
                answered.add(sequence)
                at_s, sent_ns = under_way.pop(pending)
                rtt_ms = (received_ns - sent_ns) / 1e6
                received, least_ms = received + 1, min(least_ms, rtt_ms)
                end.row("probe", end.since(at_s), end.flow, pending, round(rtt_ms, 6), None)
    end.flush()
    report = {
        "sent": number,
        "received": received,
        "duplicate_packets": duplicates,
        "rtt_min_ms": round(least_ms, 6) if received else None,
    }
    end.send_message("report", time_s=end.since(time.monotonic()), report=report)


def _send(opened: socket.socket, request: bytes, address: str) -> None:
    with contextlib.suppress(OSError):  # unreachable: it is never answered
        opened.sendto(request, (address, 0))
