"""The interface of every place where a lab can run: what it can do, how a lab is started there, and its running labs.

A place boots a small Python program, the lab's first process, behind a wall: it sees this machine's files read-only,
except for one folder. Programs outside exchange messages with it over a wire (a pair of byte streams), run commands
beside it, open terminals and exchange files.
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
        available: whether a lab can be started there.
        reason: the reason if not: a sentence about the missing part, without a full stop.
        remedy: the command that installs or enables it. Empty if no command does.
        kernel: release of the kernel that a lab there runs on, such as "6.1.176".
        qdiscs: kinds of queueing discipline that `tc` could add, such as "netem".
        congestion_controls: those of TCP that a socket could choose, such as "bbr".
        device_types: kinds of link that could be made, such as "veth" or "vrf".
        open_vswitch: whether Open vSwitch is installed; its datapath in user space runs in every place.
        cpu_limits: whether a node can be limited to a share of the CPUs.
        cpus: number of CPUs that a lab there may use, numbered from 0.
        external_interfaces: whether interfaces of this machine can be moved into a lab there.
        default_congestion_controls: those that a node could use by default (by sysctl); None for all.
    """

    place: str
    available: bool
    reason: str = ""
    remedy: str = ""
    kernel: str = ""
    qdiscs: frozenset[str] = frozenset()
    congestion_controls: frozenset[str] = frozenset()
    device_types: frozenset[str] = frozenset()
    open_vswitch: bool = False
    cpu_limits: bool = False
    cpus: int = 1
    external_interfaces: bool = False
    default_congestion_controls: frozenset[str] | None = None


#: The distribution's folder of Python packages, which contains Mininet.
SYSTEM_PACKAGES = Path("/usr/lib/python3/dist-packages")


@dataclass(frozen=True)
class Program:
    """The first program of a lab.

    Attributes:
        module: module with a function `main()`, which is called in the lab's process 1. Its result is the exit status.
        code: folder that contains the packages of `module` and of this library.
        writable: existing folder of this machine, the only one that the lab may write. `LAB_WRITABLE` is its path
            inside. None for a temporary folder, which is removed with the lab, even if the calling program is killed.
        site: further folders of Python packages, in the order of the search path.
        memory_mib: memory of a lab kernel, from which the memory limit of other places follows.
        processes: maximum number of processes and threads of a lab in a namespace.
        modules: kernel modules that a lab kernel loads at its start if it has them as files.
        module_sources: C files of further modules, which are compiled for the lab kernel and loaded at its start.
        module_parameters: constants of modules ("tcp_bbr3.beta=200").
        kernel_arguments: further words of a lab kernel's command line.
        abandon: a descriptor of the calling program, such as an eventfd. The start is given up when it becomes
            readable. -1 for none.
        interfaces: interfaces of this machine that are moved into the lab and given back at its end, if the place can
            do that.
        visible_folders: further folders of this machine that the lab sees read-only at the same paths, although they
            would be hidden (`private_files.is_out_of_sight`). `private_files.reason_to_hide` must be empty for them.
        copied: folders of this machine of which the lab gets a copy at the same path. It may change the copy, which is
            removed with the lab. `bounds` has the maximum size.
        servers: TCP servers outside, as "ADDRESS:PORT", that programs in the lab's own network can reach at the same
            address. The lab can reach nothing else of this machine's network.
        virtual_time: whether a lab kernel's clock jumps over idle time, and stops while the lab waits for the outside.
        seed: seed of all random numbers of a lab in virtual time.
    """

    module: str
    code: Path
    writable: Path | None
    site: tuple[Path, ...] = (SYSTEM_PACKAGES,)
    memory_mib: int = 1024
    processes: int = 1000
    modules: tuple[str, ...] = ("veth", "ipv6")
    module_sources: tuple[Path, ...] = ()
    module_parameters: tuple[str, ...] = ()
    kernel_arguments: tuple[str, ...] = ()
    abandon: int = -1
    interfaces: tuple[str, ...] = ()
    visible_folders: tuple[Path, ...] = ()
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
        boot_ms: uptime of its kernel when the first program was ready to run; in a namespace, of the machine's kernel.
        stage_ms: the part of it in which init prepared the file tree and the modules.
        start_ms: time from the call of `start` until the first program could run.
    """

    place: str
    kernel: str
    boot_ms: int
    stage_ms: int
    start_ms: int
    more: dict[str, str] = field(default_factory=dict)


class Sandbox(Protocol):
    """A running lab, seen from outside. All methods may be called from any thread, but the wire has one user."""

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
        """The end of the content of `console`, also after the lab has ended."""
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
        """A command for this machine that runs `argv` in the lab with its standard streams. None may be a terminal."""
        ...

    def terminal_argv(self, argv: Sequence[str] = (), node: str = "") -> list[str]:
        """A command for this machine that opens an interactive terminal on `argv` (a shell) in the lab."""
        ...

    def put(self, local: Path, inside: str) -> None:
        """Copy a file, or a folder with its content, into the lab as `inside` (an absolute path)."""
        ...

    def get(self, inside: str, local: Path) -> list[str]:
        """Copy a file, or a folder with its files, out of the lab as `local`. Links and devices are left out.

        Returns:
            The names of the files that this machine's file system refuses.
        """
        ...

    def cut(self) -> None:
        """Have the lab end at once, without waiting for it. Its wire ends."""
        ...

    def stop(self, timeout_s: float = 5.0) -> None:
        """End the lab at once and wait until nothing of it is left. A second call is allowed."""
        ...


class Place(Protocol):
    """A backend that runs labs."""

    @property
    def name(self) -> str: ...

    def abilities(self, refresh: bool = False) -> Abilities:
        """Its abilities on this machine. They come from the cache unless `refresh` is set or the kernel changed."""
        ...

    def start(self, program: Program) -> Sandbox:
        """Start a lab and return when its first program is about to run.

        Raises:
            PlaceError: this machine lacks a part. The error has its name and its remedy.
            Interrupted: the program's `abandon` became readable. Nothing of the lab is left.
        """
        ...
