"""Requests and responses over TCP, and video in chunks, which adds a choice of quality before each request."""

from __future__ import annotations

import socket
import struct
import time

from frrlib.agent.traffic.endpoint import CONNECTION_LOST, GRACE_S, FlowEnd, hang_up, sleep_until

_BLOCK_BYTES = 1 << 16
#: A request for a chunk: its number of bytes.
_SIZE = struct.Struct("!Q")
#: The share of the last throughput that a viewer relies on.
_CAUTION = 0.8
_LAST_CHUNKS = 3


def run(end: FlowEnd) -> None:
    """Run one end of a flow of requests and responses, or of video."""
    if end.config["role"] == "serve":
        _serve(end)
        return
    end.wait_begin()
    report = _watch(end) if end.config["kind"] == "video" else _ask(end)
    end.flush()
    end.send_message("report", time_s=end.since(time.monotonic()), report=report)


# --- the serving end --------------------------------------------------------------------------------------------------


def _serve(end: FlowEnd) -> None:
    listener = end.listener()
    end.wait_zero()
    answered = 0
    while not end.other_is_done(None, listener):
        opened, _ = listener.accept()
        end.set_up(opened)
        answered += _answer_all(end, opened)
    end.send_message("report", report={"answered": answered})


def _answer_all(end: FlowEnd, opened: socket.socket) -> int:
    """Answer all requests on a connection. Returns their number."""
    is_video = end.config["kind"] == "video"
    request_size, size = (
        (_SIZE.size, 0) if is_video else (end.settings["request_bytes"], end.settings["response_bytes"])
    )
    answered, block = 0, bytes(1 << 20)
    try:
        while request := _receive(opened, request_size, keep=is_video):
            remaining = _SIZE.unpack(request)[0] if is_video else size
            while remaining > 0:
                remaining -= opened.send(memoryview(block)[:remaining])
            answered += 1
    except CONNECTION_LOST:
        pass
    opened.close()
    return answered


def _receive(opened: socket.socket, size: int, keep: bool = False) -> bytes:
    """Receive a number of bytes, and return the last of them (all with `keep`); empty if the connection ended
    before."""
    data, remaining = b"", size
    while remaining:
        chunk = opened.recv(min(remaining, _BLOCK_BYTES if not keep else remaining))
        if not chunk:
            return b""
        remaining -= len(chunk)
        data = data + chunk if keep else chunk
    return data


# --- the asking end ---------------------------------------------------------------------------------------------------


def _ask(end: FlowEnd) -> dict[str, object]:
    settings = end.settings
    request, most = bytes(settings["request_bytes"]), settings["requests"]
    opened: socket.socket | None = None
    number = failed = 0
    while time.monotonic() < end.until_s and (most is None or number < most):
        begun_s, outcome = time.monotonic(), ""
        try:
            if opened is None:
                opened = end.connect(own_port=settings["connection"] == "kept")
                if settings["connection"] == "kept":
                    begun_s = time.monotonic()
            opened.settimeout(max(GRACE_S, end.until_s + GRACE_S - begun_s))
            opened.sendall(request)
            if not _receive(opened, settings["response_bytes"]):
                outcome = "closed"
        except OSError as error:
            outcome = str(error) or type(error).__name__
        end.app(begun_s, "request", number, settings["response_bytes"], outcome)
        number += 1
        failed += bool(outcome)
        if opened is not None and (outcome or settings["connection"] == "new"):
            _close(opened, keeps_port=settings["connection"] == "kept")
            opened = None
        if outcome:
            sleep_until(min(end.until_s, time.monotonic() + 0.1))
        if settings["think_ms"]:
            sleep_until(min(end.until_s, time.monotonic() + settings["think_ms"] / 1e3))
    if opened is not None:
        _close(opened, keeps_port=settings["connection"] == "kept")
    return {"requests": number, "failed": failed}


def _close(opened: socket.socket, keeps_port: bool) -> None:
    """Close a connection. A connection from a port that the flow needs again is reset, and leaves no state."""
    if keeps_port:
        hang_up(opened)
    else:
        opened.close()


def _watch(end: FlowEnd) -> dict[str, object]:
    """Request chunks and play them. Playback stalls while there is none."""
    settings = end.settings
    chunk_s, ladder = settings["chunk_s"], settings["ladder_mbit"]
    opened = end.connect()
    throughputs: list[float] = []
    level_s, at_s, stalled_s = 0.0, time.monotonic(), 0.0
    number = stalls = 0
    sum_mbit = 0.0
    is_playing = False
    while time.monotonic() < end.until_s:
        if level_s + chunk_s > settings["buffer_s"]:
            sleep_until(min(end.until_s, at_s + level_s + chunk_s - settings["buffer_s"]))
            if time.monotonic() >= end.until_s:
                break
        rate_mbit = _choice(settings["choice"], ladder, throughputs, level_s, settings["buffer_s"])
        size, begun_s = max(1, int(rate_mbit * 125_000 * chunk_s)), time.monotonic()
        level_s = max(0.0, level_s - (begun_s - at_s)) if is_playing else level_s
        opened.settimeout(max(GRACE_S, end.until_s + GRACE_S - begun_s))
        opened.sendall(_SIZE.pack(size))
        if not _receive(opened, size):
            raise ConnectionAbortedError("the server closed the connection")
        took_s = time.monotonic() - begun_s
        end.app(begun_s, "chunk", number, size)
        throughputs.append(size * 8e-6 / took_s)
        if is_playing and took_s > level_s:
            empty_s = begun_s + level_s
            stalls, stalled_s = stalls + 1, stalled_s + took_s - level_s
            end.app(empty_s, "stall", number, 0)
        level_s = (max(0.0, level_s - took_s) if is_playing else level_s) + chunk_s
        at_s, is_playing = time.monotonic(), True
        number, sum_mbit = number + 1, sum_mbit + rate_mbit
    hang_up(opened)
    return {
        "chunks": number,
        "stalls": stalls,
        "stalled_s": round(stalled_s, 6),
        "quality_mbit": round(sum_mbit / number, 6) if number else None,
    }


def _choice(by: str, ladder: list[float], throughputs: list[float], level_s: float, most_s: float) -> float:
    """The quality of the next chunk: the lowest one while nothing is known."""
    if by == "buffer":
        # The quality rises in even steps with the buffer; the first fifth of the buffer is for the lowest quality only.
        share = max(0.0, level_s / most_s - 0.2) / 0.8
        return ladder[min(len(ladder) - 1, int(share * len(ladder)))]
    last = throughputs[-_LAST_CHUNKS:]
    if not last:
        return ladder[0]
    carried = (
        _CAUTION * len(last) / sum(1 / rate_mbit for rate_mbit in last)
    )  # the harmonic mean, in which a slow chunk counts
    return max((rate_mbit for rate_mbit in ladder if rate_mbit <= carried), default=ladder[0])
