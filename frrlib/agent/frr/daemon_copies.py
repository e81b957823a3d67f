"""Daemons of FRR as copies of one that has begun: in a lab kernel they start in a third of the time.

The library that makes them, and what it does, is `kernel/copies.c`.

What is the same at all routers is done once, by a pattern: a daemon that stops before the first thing of its router's
own. It is a daemon of the installed FRR with the command that all have, and each copy goes on as if it had been started
in its router, with that router's namespaces and with files, privileges and a process id of its own.
"""

from __future__ import annotations

import os
import socket
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from frrlib.agent import processes
from frrlib.agent.network.namespaces import NodeThread

#: Paths of the libraries, in labs whose place has compiled them: the clock without system calls, copies of daemons,
#: and, in virtual time, the poll that does not spin.
CLOCK, COPIES, POLLS = "/run/lab/boot/clock.so", "/run/lab/boot/copies.so", "/run/lab/boot/polls.so"
#: Daemons that hold nothing when they are copied but what the library knows how to replace. Others hold sockets by
#: then, and ldpd has children.
COPIED = frozenset(("zebra", "mgmtd", "ospfd", "ospf6d", "isisd", "bgpd", "ripd", "ripngd", "eigrpd", "staticd"))
#: As many routers must want the same daemon, since a pattern is a start itself.
FEWEST_COPIES = 3
_NUMBER = struct.Struct("i")
_GO = b"g"
#: No copy takes so long, in seconds; a daemon that does not come to where it is copied is ended then.
_PATIENCE_S = 60.0


def environment(*more: str) -> dict[str, str]:
    """The environment of a daemon: the agent's. Preloads the libraries for all daemons, and `more`, if they exist."""
    libraries = [path for path in (CLOCK, POLLS, *more) if os.path.exists(path)]
    return {**os.environ, **({"LD_PRELOAD": ":".join(libraries)} if libraries else {})}


class Patterns:
    """The patterns of a start of many daemons; to be closed when all have been started.

    Args:
        commands: the command of each daemon that will be started, as often as it will be.
    """

    def __init__(self, commands: Iterable[Sequence[str]] = ()) -> None:
        able = [tuple(each) for each in commands if os.path.basename(each[0]) in COPIED]
        wanted = Counter(able) if os.path.exists(COPIES) else Counter()
        self._worth = {command for command, number in wanted.items() if number >= FEWEST_COPIES}
        self._made: dict[tuple[str, ...], _Pattern] = {}

    def copy(
        self, command: Sequence[str], thread: NodeThread, ended: Callable[[processes.Orphan], None]
    ) -> processes.Orphan | None:
        """A daemon in the namespaces of a thread; None where it is to be started as usual. `ended` as in `spawn`."""
        key = tuple(command)
        if key not in self._worth:
            return None
        if key not in self._made:
            self._made[key] = _Pattern(key, thread)
        copy = self._made[key].copy(thread, ended)
        if copy is None:
            self._worth.remove(key)
        return copy

    def close(self) -> None:
        """End the patterns; their copies go on."""
        for pattern in self._made.values():
            pattern.close()


class _Pattern:
    """A daemon that waits to be copied, in the namespaces of the router that wants it first."""

    def __init__(self, command: Sequence[str], thread: NodeThread) -> None:
        self._wire, theirs = socket.socketpair()
        self._wire.settimeout(_PATIENCE_S)
        number = theirs.fileno()

        def in_router() -> processes.Process:
            # Files that its copies know again, to write to the router's logs in their place.
            with open(os.memfd_create("log"), "wb") as out, open(os.memfd_create("out"), "wb") as err:
                known = {**environment(COPIES), "LAB_PATTERN": str(number)}
                return processes.spawn(command, env=known, cwd="/", stdout=out, stderr=err, pass_fds=(number,))

        with theirs:
            self._process = thread.call(in_router)

    def copy(self, thread: NodeThread, ended: Callable[[processes.Orphan], None]) -> processes.Orphan | None:
        """A copy in the namespaces of a thread; None where this daemon cannot be copied, or has ended."""
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
