"""An end of a flow: how it connects."""

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


def _end(there: int, lock: int, ecn: bool | None = None) -> FlowEnd:
    """The end that asks, of a flow to a port of this machine."""
    config: Config = {
        "flow": "f", "role": "ask", "kind": "bulk", "sends": True, "here": (HERE, 0), "there": (HERE, there),
        "streams": 1, "start_s": 0.0, "duration_s": 1.0, "size_bytes": 0, "congestion_control": "", "dscp": None,
        "ecn": ecn, "settings": {},
    }  # fmt: skip
    return FlowEnd(config, -1, lock)


@contextmanager
def _held(lock: int) -> Iterator[subprocess.Popen[bytes]]:
    """Another end has the lock until its input ends; locks are a process's."""
    code = f"import fcntl, sys; fcntl.lockf({lock}, fcntl.LOCK_EX); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[lock]
    ) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        yield holder


def test_whoever_wants_no_marks_waits_until_another_flow_has_asked_for_them() -> None:
    """Else its SYN would ask for them, too."""
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
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody has it any more
    os.close(lock)


def test_two_that_want_nothing_do_not_wait_for_each_other() -> None:
    lock = os.memfd_create("lock")
    with socket.create_server((HERE, 0)) as server:
        code = f"import fcntl, sys; fcntl.lockf({lock}, fcntl.LOCK_SH); print(1, flush=True); sys.stdin.read()"
        with subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=[lock]
        ) as holder:
            assert holder.stdout is not None and holder.stdout.readline()
            _end(server.getsockname()[1], lock).connect().close()
    os.close(lock)


def test_who_is_not_there_is_an_error() -> None:
    lock = os.memfd_create("lock")
    with socket.create_server((HERE, 0)) as server:
        gone = server.getsockname()[1]
    with pytest.raises(ConnectionRefusedError):
        _end(gone, lock).connect()
    fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    os.close(lock)
