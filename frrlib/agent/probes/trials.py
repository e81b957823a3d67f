"""Trials of a link's direction: sockets from two nodes, handed to a process that uses both (`trial`)."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
from typing import Any

import msgspec

from frrlib import wire
from frrlib.agent import processes
from frrlib.agent.network.namespaces import NodeThread
from frrlib.errors import LabFailed

_START = "import sys; sys.path.insert(0, sys.argv[2]); from frrlib.agent.probes.trial import main; main()"
#: The longest duration of a trial beyond its sending time.
_MARGIN_S = 30.0
#: The number of bytes that any socket can have under way, counted in frames; and the largest number of sockets.
_ROOM_BYTES, _MOST_SENDERS = 60_000, 500


def run_trial(sender: NodeThread, receiver: NodeThread, request: wire.TryDirection) -> dict[str, Any]:
    """The result of a trial; see `wire.TryDirection`. Raises LabFailed if it cannot be made."""
    family = socket.AF_INET6 if ":" in request.destination else socket.AF_INET
    with contextlib.ExitStack() as opened:
        receiving_socket = opened.enter_context(receiver.call(_receiver_socket, family, request.destination))
        port = receiving_socket.getsockname()[1]
        count = min(_MOST_SENDERS, 2 + 2 * request.queue_bytes // _ROOM_BYTES)
        sending_sockets = [
            opened.enter_context(sender.call(_sender_socket, family, request, port)) for _ in range(count)
        ]
        route = opened.enter_context(sender.call(socket.socket, socket.AF_NETLINK, socket.SOCK_RAW, 0))
        config: dict[str, Any] = msgspec.structs.asdict(request) | {
            "senders": [sending_socket.fileno() for sending_socket in sending_sockets],
            "receiver": receiving_socket.fileno(),
            "route": route.fileno(),
            "index": sender.call(socket.if_nametoindex, request.interface),
        }
        return _run(config, request)


def _receiver_socket(family: int, address: str) -> socket.socket:
    opened = socket.socket(family, socket.SOCK_DGRAM)
    opened.bind((address, 0))
    return opened


def _sender_socket(family: int, request: wire.TryDirection, port: int) -> socket.socket:
    opened = socket.socket(family, socket.SOCK_DGRAM)
    # Datagrams over another interface would measure another link.
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, request.interface.encode() + b"\0")
    opened.bind((request.source, 0))
    opened.connect((request.destination, port))
    return opened


def _run(config: dict[str, Any], request: wire.TryDirection) -> dict[str, Any]:
    python = sys.executable or "/usr/bin/python3"
    code = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    pipe = subprocess.PIPE
    argv = [python, "-I", "-S", "-c", _START, json.dumps(config), code]
    process = processes.spawn(
        argv, stdout=pipe, stderr=pipe, pass_fds=(*config["senders"], config["receiver"], config["route"])
    )
    sending_s = request.seconds + request.count * request.frame_bytes * 8e-6 / request.rate_mbit
    try:
        printed, errors = process.communicate(timeout=sending_s + request.under_way_s + _MARGIN_S)
    except subprocess.TimeoutExpired as error:
        processes.kill(process)
        raise LabFailed(f"{request.sender}: the trial of {request.interface} did not end in time") from error
    if process.returncode:
        reason = errors.decode(errors="replace").strip().rpartition("\n")[2]
        raise LabFailed(f"{request.sender}: the trial of {request.interface} failed: {reason}")
    result: dict[str, Any] = json.loads(printed)
    return result
