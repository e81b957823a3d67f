"""The interface of every place where a lab can run: what it can do, how a lab is started there, and its running labs.

A place boots a small Python program, the lab's first process, behind a wall: it sees this machine's files
read-only and writes nothing of them but one folder. Programs outside talk with it over a wire (a pair of
byte streams), run commands beside it, open terminals and exchange files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol


@dataclass(frozen=True)
class Abilities:
    """The abilities of a place on this machine, as probed by running it.

    Attributes:
        place: name of the place.
        available: whether a lab can be started there at all.
        why: if not, what is missing, a sentence without a full stop.
        remedy: the command that brings it; empty where there is none.
        kernel: release of the kernel that a lab there runs on, such as "6.1.176".
        qdiscs: kinds of queueing discipline that `tc` could add, such as "netem".
        congestion_controls: of TCP, as a socket could choose them, such as "bbr".
        device_types: kinds of link that could be made, such as "veth" or "vrf".
        open_vswitch: whether Open vSwitch is installed; its datapath in user space runs in every place.
        cpu_limits: whether a node can be held to a share of the CPUs.
        cpus: how many CPUs a lab there may use, numbered from 0.
        external_interfaces: whether interfaces of this machine can be moved into a lab there.
    """

    place: str
    available: bool
    why: str = ""
    remedy: str = ""
    kernel: str = ""
    qdiscs: frozenset[str] = frozenset()
    congestion_controls: frozenset[str] = frozenset()
    device_types: frozenset[str] = frozenset()
    open_vswitch: bool = False
    cpu_limits: bool = False
    cpus: int = 1
    external_interfaces: bool = False


#: Python's packages of the distribution, where Mininet is.
SYSTEM_PACKAGES = Path("/usr/lib/python3/dist-packages")


@dataclass(frozen=True)
class Program:
    """The first program of a lab.

    Attributes:
        module: module with a function `main()` that is called in the lab's process 1; what it returns is
            the status.
        code: folder that contains the packages of `module` and of this library.
        writable: existing folder of this machine, the only one that the lab may write; `LAB_WRITABLE` names
            it inside. None for a temporary one, removed with the lab, even if the calling program is killed.
        site: further folders of Python packages, in the order of the search path.
        memory_mib: memory of a lab kernel; other places take what they need.
        processes: how many processes and threads a lab in a namespace may have at once.
        modules: kernel modules that a lab kernel loads at its start if it has them as files.
        kernel_arguments: further words of a lab kernel's command line.
        abandon: a descriptor of the calling program, such as an eventfd; the start is given up when it becomes
            readable. -1 for none.
        interfaces: interfaces of this machine that are moved into the lab and given back at its end; only where the
            place can do that.
        shown: folders of this machine that the lab sees besides, read-only and at the same paths, where it would not
            (`private.is_out_of_sight`); of none that `private.why_not` refuses.
        copied: folders of this machine of which the lab has a copy at the same path, which it may change and which goes
            with it; `bounds` says how much may be in one.
        servers: TCP servers outside, as "ADDRESS:PORT", that programs in the lab's own network can reach at the same
            address; nothing else of this machine's network is in reach.
        virtual_time: whether a lab kernel's clock jumps over the time in which nothing happens, and stands while the
            lab waits for the outside.
        seed: in virtual time, what all random numbers of the lab come from.
    """

    module: str
    code: Path
    writable: Path | None
    site: tuple[Path, ...] = (SYSTEM_PACKAGES,)
    memory_mib: int = 1024
    processes: int = 1000
    modules: tuple[str, ...] = ("veth", "ipv6")
    kernel_arguments: tuple[str, ...] = ()
    abandon: int = -1
    interfaces: tuple[str, ...] = ()
    shown: tuple[Path, ...] = ()
    copied: tuple[Path, ...] = ()
    servers: tuple[str, ...] = ()
    virtual_time: bool = False
    seed: int = 1


class CommandResult(NamedTuple):
    """The result of a command: its exit status (negative for a signal) and its two streams."""

    status: int
    stdout: bytes
    stderr: bytes


class Wire(NamedTuple):
    """Unbuffered binary streams from and to the lab's first program."""

    reader: BinaryIO
    writer: BinaryIO


@dataclass(frozen=True)
class SandboxFacts:
    """The facts about a running lab.

    Attributes:
        place: name of the place.
        kernel: release of its kernel.
        boot_ms: time that its kernel was up when the first program was ready to run; in a namespace the
            machine's.
        stage_ms: part of it that the preparation of the file tree and the modules took.
        start_ms: from the call of `start` until the first program could run.
    """

    place: str
    kernel: str
    boot_ms: int
    stage_ms: int
    start_ms: int
    more: dict[str, str] = field(default_factory=dict)


class Sandbox(Protocol):
    """A running lab, seen from outside. Every call may be made from any thread, one at a time on the wire."""

    @property
    def wire(self) -> Wire: ...

    @property
    def facts(self) -> SandboxFacts: ...

    @property
    def pid(self) -> int:
        """Process that is the lab: its first one, or the lab kernel."""
        ...

    @property
    def console(self) -> Path:
        """The output of the lab's first program and kernel."""
        ...

    def last_words(self) -> str:
        """The end of what `console` holds, also after the lab has ended."""
        ...

    def alive(self) -> bool: ...

    def command(
        self, argv: Sequence[str], node: str = "", data: bytes = b"", timeout_s: float | None = 60.0
    ) -> CommandResult:
        """Run a command in the lab, in `node`'s namespaces if one is named, and wait for its end.

        Raises:
            CommandFailed: it took longer than `timeout_s` (status -9) or the lab has ended.
        """
        ...

    def pipe_argv(self, argv: Sequence[str], node: str = "") -> list[str]:
        """A command for this machine that runs `argv` in the lab with its standard streams, none of them a terminal."""
        ...

    def terminal_argv(self, argv: Sequence[str] = (), node: str = "") -> list[str]:
        """A command for this machine that opens an interactive terminal on `argv` (a shell) in the lab."""
        ...

    def put(self, local: Path, inside: str) -> None:
        """Copy a file, or a folder with what is in it, into the lab as `inside` (an absolute path)."""
        ...

    def get(self, inside: str, local: Path) -> list[str]:
        """Copy a file, or a folder with its files, out of the lab as `local`. Links and devices are left out.

        Returns:
            The names of the files that this machine's file system does not take.
        """
        ...

    def cut(self) -> None:
        """Have the lab end at once and do not wait for it; readers of its wire see the wire end."""
        ...

    def stop(self, timeout_s: float = 5.0) -> None:
        """End the lab at once and wait until nothing of it is left. Again is allowed."""
        ...


class Place(Protocol):
    """A way to run a lab."""

    @property
    def name(self) -> str: ...

    def abilities(self, refresh: bool = False) -> Abilities:
        """Its abilities here; from the cache unless `refresh` or this machine's kernel changed."""
        ...

    def start(self, program: Program) -> Sandbox:
        """Start a lab and return when its first program is about to run.

        Raises:
            PlaceError: this machine lacks something, named with its remedy.
            Interrupted: the program's `abandon` became readable; nothing of the lab is left.
        """
        ...
