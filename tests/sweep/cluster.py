"""A Dask cluster of several processes on this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.waiting import wait_for


@contextmanager
def running_process(log: Path, *argv: str, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a process until the end of the block. It runs in the folder of the log file, which gets its output."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")} | variables
    with log.open("ab") as file:
        process = subprocess.Popen(argv, cwd=log.parent, env=environment, stdout=file, stderr=file)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


@contextmanager
def running_scheduler(log: Path, python: str = sys.executable, **variables: str) -> Iterator[str]:
    """Run a scheduler until the end of the block. Yields its address when it accepts connections."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        host, port = server.getsockname()
    address = f"tcp://{host}:{port}"
    with running_process(
        log, python, "-m", "dask", "scheduler", "--host", address, "--no-dashboard", **variables
    ) as process:

        def answers() -> bool:
            assert process.poll() is None, log.read_text()
            with socket.socket() as probe:
                return probe.connect_ex((host, port)) == 0

        wait_for(answers, log.read_text)
        yield address


def worker_command(address: str, python: str = sys.executable) -> tuple[str, ...]:
    """The command of a worker that runs one lab at a time."""
    return (python, "-m", "dask", "worker", address, "--no-nanny", "--no-dashboard", "--nthreads", "1",
            "--memory-limit", "0")  # fmt: skip
