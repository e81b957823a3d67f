"""Daemons of FRR as copies of a started one, which start faster and share memory.

The library that makes the copies is described in `kernel/copies.c`.

The part of a start that is the same at all routers is done once, by a pattern: a daemon that stops before it does
anything specific to its router. It is a daemon of the installed FRR with its usual command. Each copy continues as if
it had been started in its router, with that router's namespaces, and with its own files, privileges and process id.
"""

from __future__ import annotations

import os
import socket
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from frrlib.agent import processes
from frrlib.agent.network.namespaces import NodeThread

#: Paths of the libraries, if the place has compiled them: the clock without system calls, copies of daemons, and the
#: poll without busy waiting for virtual time.
CLOCK, COPIES, POLLS = "/run/lab/boot/clock.so", "/run/lab/boot/copies.so", "/run/lab/boot/polls.so"
#: Daemons whose state, when they are copied, the library can replace completely. Others hold sockets by then, and ldpd
#: has child processes.
COPIED = frozenset(("zebra", "mgmtd", "ospfd", "ospf6d", "isisd", "bgpd", "ripd", "ripngd", "eigrpd", "staticd"))
#: The smallest number of routers with the same daemon, since a pattern costs a start itself.
FEWEST_COPIES = 3
_NUMBER = struct.Struct("i")
_GO = b"g"
#: The longest time for a copy in seconds. A daemon that does not reach the point of copying is ended then.
_PATIENCE_S = 60.0


def environment(*extra: str) -> dict[str, str]:
    """The environment of a daemon: the agent's, with the libraries for all daemons and `extra` preloaded, if they
    exist."""
    libraries = [path for path in (CLOCK, POLLS, *extra) if os.path.exists(path)]
    return {**os.environ, **({"LD_PRELOAD": ":".join(libraries)} if libraries else {})}


class Patterns:
    """The patterns for a start of many daemons. Close it when all daemons are started.

    Args:
        commands: the command of each daemon to be started, once for each start.
    """

    def __init__(self, commands: Iterable[Sequence[str]] = ()) -> None:
        copyable = [tuple(argv) for argv in commands if os.path.basename(argv[0]) in COPIED]
        counts = Counter(copyable) if os.path.exists(COPIES) else Counter()
        self._frequent = {command for command, number in counts.items() if number >= FEWEST_COPIES}
        self._patterns: dict[tuple[str, ...], _Pattern] = {}

    def copy(
        self, command: Sequence[str], thread: NodeThread, ended: Callable[[processes.Orphan], None]
    ) -> processes.Orphan | None:
        """A copy in the namespaces of a thread; None if the daemon must be started as usual. `ended` as in `spawn`."""
        key = tuple(command)
        if key not in self._frequent:
            return None
        if key not in self._patterns:
            self._patterns[key] = _Pattern(key, thread)
        copy = self._patterns[key].copy(thread, ended)
        if copy is None:
            self._frequent.remove(key)
        return copy

    def close(self) -> None:
        """End the patterns. Their copies keep running."""
        for pattern in self._patterns.values():
            pattern.close()


class _Pattern:
    """A daemon that waits to be copied, in the namespaces of the first router that needs it."""

    def __init__(self, command: Sequence[str], thread: NodeThread) -> None:
        self._wire, child_end = socket.socketpair()
        self._wire.settimeout(_PATIENCE_S)
        number = child_end.fileno()

        def in_router() -> processes.Process:
            # Its copies recognize these files and write to the router's logs instead.
            with open(os.memfd_create("log"), "wb") as out, open(os.memfd_create("out"), "wb") as err:
                variables = {**environment(COPIES), "LAB_PATTERN": str(number)}
                return processes.spawn(command, env=variables, cwd="/", stdout=out, stderr=err, pass_fds=(number,))

        with child_end:
            self._process = thread.call(in_router)

    def copy(self, thread: NodeThread, ended: Callable[[processes.Orphan], None]) -> processes.Orphan | None:
        """A copy in the namespaces of a thread; None if this daemon cannot be copied, or has ended."""
        try:
            self._wire.sendall(_NUMBER.pack(thread.tid))
            (pid,) = _NUMBER.unpack(self._wire.recv(_NUMBER.size, socket.MSG_WAITALL))
            if pid <= 0:
                return None
            process = processes.adopt(pid, ended)
            self._wire.sendall(_GO)
        except (OSError, struct.error):
            return None
        return process

    def close(self) -> None:
        self._wire.close()
        processes.end([self._process])
