"""Starts the processes of runs: a server that has imported everything once, and forks for each run.

`python -m frrlib.sweep.run_server FD` reads requests from a socket: one packet of JSON each, `{"program", "folder",
"output", "environment"}`, with the read end of the run's standard input and the write end of a pipe for its state. The
state is two lines: the process ID when the run begins, and its exit status, as `subprocess` counts it, when it ends.
The server ends when the socket is closed; its runs go on.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import sys
from typing import Any

from frrlib.sweep.job import ONE

#: Maximum size of a request, in bytes; most of it is the environment.
MOST_BYTES = 1 << 20


def main() -> int:
    """Serve requests. In the process of a run, return the run's exit status."""
    channel = socket.socket(fileno=int(sys.argv[1]))
    importlib.import_module(ONE)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps the monitors
    while True:
        packet, descriptors, _, _ = socket.recv_fds(channel, MOST_BYTES, 2)
        if not packet:
            return 0
        if os.fork() == 0:
            channel.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return _monitor(json.loads(packet), *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _monitor(request: dict[str, Any], standard_input: int, state: int) -> int:
    """Fork the run, and report its process ID and its exit status."""
    pid = os.fork()
    if pid == 0:
        os.close(state)
        return _run(request, standard_input)
    os.close(standard_input)
    os.write(state, f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    os.write(state, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _run(request: dict[str, Any], standard_input: int) -> int:
    """Call `main` of the program, as a process that was started for it does."""
    os.setsid()
    output = os.open(request["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    for descriptor, number in ((standard_input, 0), (output, 1), (output, 2)):
        os.dup2(descriptor, number)
    os.close(standard_input)
    os.close(output)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    status: int = importlib.import_module(request["program"]).main()
    return status


if __name__ == "__main__":
    sys.exit(main())
