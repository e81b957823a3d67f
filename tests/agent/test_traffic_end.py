"""The connections of a flow's end."""

from __future__ import annotations

import fcntl
import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from frrlib.agent.traffic.endpoint import FlowEnd
from tests.waiting import PATIENCE_S, pause

if TYPE_CHECKING:
    from frrlib.agent.traffic.endpoint import Config

HERE = "127.0.0.1"


def _end(remote_port: int, lock: int, ecn: bool | None = None) -> FlowEnd:
    """The asking end of a flow to a port of this machine."""
    config: Config = {
        "flow": "f", "role": "ask", "kind": "bulk", "sends": True, "here": (HERE, 0), "there": (HERE, remote_port),
        "streams": 1, "start_s": 0.0, "duration_s": 1.0, "size_bytes": 0, "congestion_control": "", "dscp": None,
        "ecn": ecn, "settings": {},
    }  # fmt: skip
    return FlowEnd(config, -1, lock)


@contextmanager
def _held(lock: int) -> Iterator[subprocess.Popen[bytes]]:
    """Another end holds the lock until its input ends; locks belong to a process."""
    code = f"import fcntl, sys; fcntl.lockf({lock}, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[lock]
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        yield holder


def test_a_flow_without_marks_waits_for_the_syn_of_one_with_marks() -> None:
    """Otherwise its SYN would request marks, too."""
    lock = os.memfd_create("lock")
    with socket.create_server((HERE, 0)) as server, ThreadPoolExecutor() as beside:
        end = _end(server.getsockname()[1], lock)
        with _held(lock) as holder:
            connecting = beside.submit(end.connect, timeout_s=PATIENCE_S)
            pause(0.3)
            assert not select.select([server], [], [], 0)[0] and not connecting.done()
            assert holder.stdin is not None
            holder.stdin.close()
            connecting.result(PATIENCE_S).close()
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # the lock is free again
    os.close(lock)


def test_two_flows_without_an_ecn_setting_do_not_wait_for_each_other() -> None:
    lock = os.memfd_create("lock")
    with socket.create_server((HERE, 0)) as server:
        code = f"import fcntl, sys; fcntl.lockf({lock}, fcntl.LOCK_SH); print(1, flush=True); sys.stdin.read()"
        with subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[lock]
        ) as holder:
            assert holder.stdout is not None and holder.stdout.readline()
            _end(server.getsockname()[1], lock).connect().close()
    os.close(lock)


def test_a_missing_server_is_an_error() -> None:
    lock = os.memfd_create("lock")
    with socket.create_server((HERE, 0)) as server:
        closed_port = server.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        _end(closed_port, lock).connect()
    fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(lock)
