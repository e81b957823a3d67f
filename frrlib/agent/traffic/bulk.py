"""Bulk data and bursts over TCP: as much as the path carries, with as few system calls as possible.

The receiver requests a megabyte at a time and has the kernel drop it, so the data never reach Python. The sender hands
over as much at a time, and the kernel returns when all of it is queued, or the time is over. Both matter if system
calls take long, or if nothing but system calls takes time.
"""

from __future__ import annotations

import contextlib
import random
import socket
import struct
import threading
import time

from frrlib.agent.traffic.endpoint import CONNECTION_LOST, GRACE_S, FlowEnd, amount, hang_up, sleep_until

_BLOCK_BYTES = 1 << 20
#: A burst leaves no more than this waiting in its socket, so that it does not continue in the pause.
_BURST_LOWAT_BYTES = 128 * 1024
_NOTSENT_LOWAT = 25
#: The interval in which a limited burst hands over data.
_TICK_S = 0.01


def run(end: FlowEnd) -> None:
    """Run one end of a flow of bulk data, or of bursts over TCP."""
    count = end.config["streams"]
    if end.config["role"] == "ask":
        end.wait_begin()
        sockets = [end.connect(number) for number in range(count)]
    else:
        sockets = _accept_all(end, count)
    begun_s = time.monotonic()
    totals = [0] * count
    work = _receive if not end.config["sends"] else _bursts if end.config["kind"] == "on-off" else _send
    threads = [
        threading.Thread(target=work, args=(end, connection, totals, number))
        for number, connection in enumerate(sockets[1:], 1)
    ]
    if not end.config["sends"] and not end.config["size_bytes"]:
        threading.Thread(target=_end_after_sender, args=(end, sockets), daemon=True).start()
    for thread in threads:
        thread.start()
    work(end, sockets[0], totals, 0)
    for thread in threads:
        thread.join()
    took_s = time.monotonic() - begun_s
    if end.config["sends"] and end.config["size_bytes"]:
        end.app(begun_s, "transfer", 0, sum(totals))
    end.flush()
    key = "sum_sent" if end.config["sends"] else "sum_received"
    end.send_message("report", time_s=end.since(time.monotonic()), report={key: amount(sum(totals), took_s)})


def _accept_all(end: FlowEnd, count: int) -> list[socket.socket]:
    """The accepted connections, in the order of their streams."""
    # Streams differ by their port at the flow's source, whichever end that is.
    listeners = [end.listener(number) for number in range(count if end.config["sends"] else 1)]
    end.wait_zero()
    if end.config["sends"]:
        return [_apply_settings(end, opened.accept()[0]) for opened in listeners]
    accepted = [listeners[0].accept() for _ in range(count)]
    return [_apply_settings(end, opened) for opened, _ in sorted(accepted, key=lambda pair: pair[1][1])]


def _apply_settings(end: FlowEnd, opened: socket.socket) -> socket.socket:
    """Apply the flow's settings to an accepted connection, which inherits only some of them from the listener."""
    end.set_up(opened)
    return opened


def _end_after_sender(end: FlowEnd, sockets: list[socket.socket]) -> None:
    """End receivers if the sender's reset was lost on its path, since it is never sent again."""
    if end.config["role"] == "serve":
        while not end.other_is_done(None):
            pass
    else:
        sleep_until(end.until_s)
    time.sleep(GRACE_S)
    for opened in sockets:
        with contextlib.suppress(OSError):  # it has already ended
            opened.shutdown(socket.SHUT_RDWR)


def _receive(end: FlowEnd, opened: socket.socket, totals: list[int], number: int) -> None:
    buffer = bytearray(_BLOCK_BYTES)
    try:
        while got := opened.recv_into(buffer, _BLOCK_BYTES, socket.MSG_WAITALL | socket.MSG_TRUNC):
            totals[number] += got
    except CONNECTION_LOST:
        pass  # the sender's time was over
    hang_up(opened)


def _send(end: FlowEnd, opened: socket.socket, totals: list[int], number: int) -> None:
    """Send until the time is over, then reset; or until this stream's part is sent and has arrived."""
    size = end.config["size_bytes"]
    if not size:
        _fill(opened, end.until_s, totals, number)
    else:
        block = bytes(min(_BLOCK_BYTES, size))
        remaining = size // end.config["streams"] + (number < size % end.config["streams"])
        while remaining:
            sent = opened.send(memoryview(block)[:remaining])
            totals[number] += sent
            remaining -= sent
        opened.shutdown(socket.SHUT_WR)
        _await_end(opened)
    hang_up(opened)


def _await_end(opened: socket.socket) -> None:
    with contextlib.suppress(*CONNECTION_LOST):  # the receiver resets when it has everything
        opened.recv(1)


def _fill(opened: socket.socket, until_s: float, totals: list[int], number: int) -> None:
    """Send as much as possible until a time."""
    block = bytes(_BLOCK_BYTES)
    while (left_s := until_s - time.monotonic()) > 0.0005:
        seconds, micros = divmod(int(left_s * 1e6), 1_000_000)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("=qq", seconds, max(1, micros)))
        try:
            totals[number] += opened.send(block)
        except BlockingIOError:
            return  # the time was over before there was space


def _bursts(end: FlowEnd, opened: socket.socket, totals: list[int], number: int) -> None:
    """Send bursts with pauses in between; a row for each burst."""
    opened.setsockopt(socket.IPPROTO_TCP, _NOTSENT_LOWAT, _BURST_LOWAT_BYTES)
    rate_mbit = end.settings["rate_mbit"]
    for burst, (from_s, to_s) in enumerate(phases(end)):
        sleep_until(from_s)
        previous, begun_s = totals[number], time.monotonic()
        if rate_mbit is None:
            _fill(opened, to_s, totals, number)
        else:
            _fill_at(opened, from_s, to_s, rate_mbit, totals, number)
        end.app(begun_s, "burst", burst, totals[number] - previous)
    hang_up(opened)


def phases(end: FlowEnd) -> list[tuple[float, float]]:
    """The start and end of each burst, by the monotonic clock."""
    chance = random.Random(end.settings["seed"])
    varies = end.settings["spread"] == "exponential"
    spans, at_s = [], end.begins_s
    while at_s < end.until_s:
        on_s, off_s = (
            chance.expovariate(1 / mean_s) if varies else mean_s
            for mean_s in (end.settings["on_s"], end.settings["off_s"])
        )
        spans.append((at_s, min(at_s + on_s, end.until_s)))
        at_s += on_s + off_s
    return spans


def _fill_at(
    opened: socket.socket, from_s: float, to_s: float, rate_mbit: float, totals: list[int], number: int
) -> None:
    sent, tick_s = 0, from_s
    while tick_s < to_s:
        tick_s = min(to_s, tick_s + _TICK_S)
        # rounded, since the difference of two times near 20 s, half a second apart, may be a little less than half a
        # second
        due = round((tick_s - from_s) * rate_mbit * 125_000) - sent
        opened.settimeout(max(0.001, to_s + GRACE_S - time.monotonic()))
        opened.sendall(bytes(due))
        sent += due
        totals[number] += due
        sleep_until(tick_s)
    opened.settimeout(None)
