"""The place `labkernel`: a lab in a User-Mode Linux kernel, an ordinary process of an ordinary user."""

from __future__ import annotations

import hashlib
import os
import platform
import shlex
import shutil
import subprocess
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from frrlib.errors import PlaceError
from frrlib.kernels import libraries, module_shelf, registers, shelf
from frrlib.place import machine, ssh_client, virtual_time
from frrlib.place.base import Abilities, Program
from frrlib.place.confinement import syscalls as sys_
from frrlib.place.launch import LabLaunch, write_start_file
from frrlib.place.machine import PYTHON
from frrlib.place.module_compiler import modules
from frrlib.place.module_compiler.modules import CompiledModule
from frrlib.place.operations import node_argv
from frrlib.place.plans import (
    BoundPath,
    InitPlan,
    KernelProcess,
    KernelSetup,
    LabFolders,
    OwnModule,
    SupervisorPlan,
)
from frrlib.place.sandbox import SupervisedSandbox
from frrlib.places import PlaceName

#: Environment variable with the path of the user's own lab kernel.
KERNEL_VARIABLE = "MINIEDIT_FRR_KERNEL"
MODULES = Path("/usr/lib/uml/modules")
INSTALL = "apt-get install user-mode-linux"
#: The remedy on distributions without such a package.
BUILD = "miniedit-frr kernel build"

#: Parts of Debian's lab kernel that no lab needs and that take 0.9 s of its start: benchmarks and file systems of
#: disks. A kernel without them ignores the names.
SLOW_INITCALLS = ("calibrate_xor_blocks", "raid6_select_algo", "init_btrfs_fs", "init_xfs_fs", "init_jfs_fs")

#: Kernel argument by which the lab's programs report their system calls and page faults by a filter instead of being
#: traced, which takes at most half the time (from Linux 6.16 on). Then a program could reach all of the lab's memory,
#: but so can its root: the wall stands around the lab.
SECCOMP = "seccomp=auto"

_CONNECT = Path(__file__).parent / "enter" / "ssh_connect.py"
_KEYS = ("ssh_host_key", "ssh_user_key")
_SSH_TRIES = 5
_ANSWER_S = 20.0


def find_kernel(file: Path | None = None) -> Path:
    """The lab kernel to use.

    Args:
        file: the user's own lab kernel. Without it the kernel is that of the environment variable, else the chosen or
            newest built one, else Debian's.

    Raises:
        PlaceError: no lab kernel was found, or the named file is not one.
    """
    named = file or (Path(os.environ[KERNEL_VARIABLE]) if os.environ.get(KERNEL_VARIABLE) else None)
    if named is not None:
        shelf.check_usable(named)
        return named.resolve()
    if (preferred := shelf.preferred()) is not None:
        return preferred
    path = shutil.which("linux.uml", path=f"{os.environ.get('PATH', '')}:/usr/bin")
    if path is None:
        raise PlaceError("no lab kernel is installed (linux.uml is missing)", _remedy())
    return Path(path).resolve()


def _remedy() -> str:
    """The command that installs a lab kernel. Debian has a package of one; Ubuntu and its derivatives have none."""
    try:
        system = platform.freedesktop_os_release()
    except OSError:
        return BUILD
    return BUILD if "ubuntu" in (system["ID"], *system.get("ID_LIKE", "").split()) else INSTALL


def kernel_release(kernel: Path) -> str:
    """The output of `uname -r` in a lab of this kernel.

    Raises:
        PlaceError: it does not run here.
    """
    return _output_of(kernel, "--version").strip()


class KernelLab(SupervisedSandbox):
    """A lab in a lab kernel. Commands and terminals use SSH over its first serial line."""

    def __init__(self, launch: LabLaunch) -> None:
        self._opening = threading.Lock()
        super().__init__(launch)

    def _ssh(self, *options: str) -> list[str]:
        folder = self.scratch
        settings = {
            **ssh_client.SETTINGS,
            "ControlPath": f"{folder}/mux",
            "UserKnownHostsFile": f"{folder}/known_hosts",
            "IdentityFile": f"{folder}/ssh_user_key",
            "ProxyUseFdpass": "yes",
            "ProxyCommand": shlex.join([PYTHON, "-I", "-S", str(_CONNECT), f"{folder}/ssh.sock"]),
            "ServerAliveInterval": "0",
            "ConnectTimeout": "30",
        }
        words = [word for name, value in settings.items() for word in ("-o", f"{name}={_quoted(value)}")]
        return ["/usr/bin/ssh", "-F", "/dev/null", *words, *options, "root@lab"]

    def _connect(self) -> None:
        """Make sure that the SSH connection stands that all commands and terminals share."""
        with self._opening:
            for attempt in range(_SSH_TRIES):
                check = subprocess.run(self._ssh("-O", "check"), capture_output=True, stdin=subprocess.DEVNULL)
                if check.returncode == 0:
                    return
                opened = subprocess.run(
                    self._ssh("-M", "-N", "-f"), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL, start_new_session=True,
                )  # fmt: skip
                if opened.returncode != 0:
                    time.sleep(0.1 * attempt)
            raise PlaceError(f"no SSH connection into the lab: {self._launch.tail()}", "apt-get install openssh-server")

    def pipe_argv(self, argv: Sequence[str], node: str = "") -> list[str]:
        """The command of this machine that runs `argv` in the lab, or in a node of it, with its standard streams."""
        self._connect()
        return [*self._ssh("-T", "-o", "ControlMaster=no"), "--", _shell_line(node_argv(node, argv))]

    def terminal_argv(self, argv: Sequence[str] = (), node: str = "") -> list[str]:
        """The command of this machine that opens an interactive terminal on `argv` (a shell) in the lab."""
        self._connect()
        words = node_argv(node, argv or ["/bin/bash"])
        return [*self._ssh("-tt", "-o", "ControlMaster=no"), "--", _shell_line(words)]


class VirtualLab(KernelLab):
    """A lab in virtual time. It cannot be entered from outside."""

    def _connect(self) -> None:
        raise PlaceError(virtual_time.CLOSED, virtual_time.OPEN_INSTEAD)


def _quoted(value: str) -> str:
    """Escape a value of an option of SSH, for which % begins a token."""
    return value.replace("%", "%%")


def _shell_line(argv: Sequence[str]) -> str:
    return "exec " + shlex.join(argv)


class LabKernel:
    """Labs in User-Mode Linux.

    Args:
        kernel: the lab kernel. Without it, `find_kernel` chooses one.
    """

    name = PlaceName.LABKERNEL.value

    def __init__(self, kernel: Path | None = None) -> None:
        self._given = kernel

    def kernel(self) -> Path:
        """The lab kernel's file. Raises PlaceError if there is none."""
        return find_kernel(self._given)

    def abilities(self, refresh: bool = False) -> Abilities:
        """Its abilities on this machine, the modules included that the user has added for all labs. They come from the
        cache unless `refresh` is set or the kernel's file changed."""
        from frrlib.place import probe

        try:
            machine.check()
            kernel = self.kernel()
        except PlaceError as error:
            return Abilities(self.name, False, reason=error.missing, remedy=error.remedy)
        return _with_added_modules(probe.abilities(self, refresh, kernel), kernel)

    def own_modules(self, program: Program) -> dict[str, CompiledModule]:
        """The user's kernel modules of a lab, by name. They are compiled if that was not done before.

        Raises:
            TopologyError: a source file does not compile.
            PlaceError: there is no lab kernel, or its headers are missing.
        """
        return modules.needed(self.kernel(), program)

    def start(self, program: Program) -> KernelLab:
        """Start a lab and return when its first program is about to run.

        Raises:
            PlaceError: there is no lab kernel, no Landlock to confine it, no memory, or no compiler although the kernel
                is older than this processor.
        """
        machine.check()
        kernel = self.kernel()
        if program.virtual_time:
            check_virtual_time(kernel)
        check_landlock()
        version = kernel_release(kernel)
        module_folder = MODULES / version
        uses_seccomp = "seccomp=<" in help_text(kernel)
        own_modules = self.own_modules(program)
        words = (*([SECCOMP] if uses_seccomp else []), *_parameters_of_kernel(program, own_modules))
        preload = registers.preload(version, traces=not uses_seccomp)
        with LabLaunch(self.name, program, program.memory_mib) as launch:
            scratch = launch.scratch.path
            keys = [] if program.virtual_time else _make_keys(scratch)
            plan = launch.plan()
            memory = scratch / "mem"
            memory.mkdir()
            landlock_abi = sys_.landlock_abi()
            paths = _paths_for_user(plan, scratch, memory, kernel, preload)
            setup = KernelSetup(
                folders=paths.folders,
                memory=str(memory),
                gate=str(memory / "gate") if program.virtual_time else "",
                seed=hashlib.blake2b(str(program.seed).encode()).hexdigest(),
                modules=program.modules,
                module_folder=str(module_folder) if module_folder.is_dir() else "",
                own_modules=tuple(
                    OwnModule(name=name, parameters=_parameters_of(name, program)) for name in own_modules
                ),
                parameters=program.module_parameters,
            )
            init_plan = InitPlan(
                place=self.name, module=program.module, site_count=len(program.site), wire=-1, kernel=setup
            )
            boot = write_start_file(scratch, init_plan, paths.folders.code)
            for name, path in libraries.for_daemons(virtual_time=program.virtual_time).items():
                shutil.copyfile(path, boot / f"{name}.so")
            for name, module in own_modules.items():
                shutil.copyfile(module.file, boot / f"{name}.ko")
                (boot / f"{name}.ko").chmod(0o644)  # whatever the umask, as for the start file
            if program.virtual_time:
                argv = virtual_time.command_line(program, PYTHON, words)
            else:
                argv = command_line(paths.kernel, program, boot, memory, words)
                _finish_keys(keys, scratch, boot)
                if plan.ids:
                    _give(boot / _KEYS[0], plan.ids.uid, plan.ids.gid)
            process = KernelProcess(
                file=str(paths.kernel),
                argv=tuple(argv),
                preload=paths.preload,
                memory=str(memory),
                gate=setup.gate,
                ssh_socket=str(scratch / "ssh.sock"),
                landlock_abi=landlock_abi,
                uses_seccomp=uses_seccomp,
                bound_paths=paths.bound,
            )
            launch.launch(plan.replace(folders=paths.folders, kernel=process))
        return VirtualLab(launch) if program.virtual_time else KernelLab(launch)


def _with_added_modules(abilities: Abilities, kernel: Path) -> Abilities:
    """The abilities of a kernel together with those of the modules that the user has added for all labs."""
    names = module_shelf.added()
    if not abilities.available or not names or modules.built_with_kit(kernel) is None:
        return abilities
    features = {
        prefix: frozenset(modules.feature_of(name) for name in names if name.startswith(prefix))
        for prefix in ("tcp_", "sch_")
    }
    defaults = abilities.default_congestion_controls
    return replace(
        abilities,
        congestion_controls=abilities.congestion_controls | features["tcp_"],
        default_congestion_controls=None if defaults is None else defaults | features["tcp_"],
        qdiscs=abilities.qdiscs | features["sch_"],
    )


def _parameters_of(module: str, program: Program) -> tuple[str, ...]:
    """The parameters of a module, without its name ("beta=200")."""
    return tuple(text.partition(".")[2] for text in program.module_parameters if text.startswith(f"{module}."))


def _parameters_of_kernel(program: Program, own_modules: Iterable[str]) -> tuple[str, ...]:
    """The parameters of modules that are part of the kernel, as words of its command line."""
    names = set(own_modules)
    return tuple(text for text in program.module_parameters if text.partition(".")[0] not in names)


def command_line(kernel: Path, program: Program, boot: Path, memory: Path, words: Sequence[str] = ()) -> list[str]:
    """The lab kernel's argv. The supervisor fills in the number of the serial line's descriptor."""
    return [
        str(kernel),
        "rootfstype=hostfs",
        "root=/dev/root",
        "rw",
        f"mem={program.memory_mib}M",
        "quiet",
        "con=null",
        "con0=null,fd:1",
        "ssl=null",
        "ssl0=fd:{line},fd:{line}",
        f"uml_dir={memory}",
        "umid=lab",
        "devtmpfs.mount=0",
        "cryptomgr.notests",
        f"initcall_blacklist={','.join(SLOW_INITCALLS)}",
        "random.trust_cpu=1",
        *words,
        *program.kernel_arguments,
        f"init={PYTHON}",
        "--",
        "-I",
        "-S",
        str(boot / "init.py"),
    ]


def help_text(kernel: Path) -> str:
    """The help text of a lab kernel, with its options. Raises PlaceError if it does not run here."""
    try:
        changed_ns = kernel.stat().st_mtime_ns
    except OSError as error:
        raise _does_not_run(kernel, error.strerror or str(error)) from error
    return _help_text(kernel, changed_ns)


@lru_cache
def _help_text(kernel: Path, _changed_ns: int) -> str:
    return _output_of(kernel, "--help", is_checked=False)


def _output_of(kernel: Path, option: str, *, is_checked: bool = True) -> str:
    """Run a lab kernel with an option that only prints, and return the output.

    Args:
        is_checked: whether its exit status must be 0; for `--help` it is 1.

    Raises:
        PlaceError: it does not run here.
    """
    argv = [str(kernel), option]
    try:
        done = subprocess.run(
            argv, capture_output=True, stdin=subprocess.DEVNULL, text=True, errors="replace", timeout=_ANSWER_S,
            check=is_checked,
        )  # fmt: skip
    except OSError as error:
        raise _does_not_run(kernel, error.strerror or str(error)) from error
    except subprocess.TimeoutExpired as error:
        raise _does_not_run(kernel, f"no reply to {option} within {_ANSWER_S:.0f} seconds") from error
    except subprocess.CalledProcessError as error:
        raise _does_not_run(kernel, f"exit status {error.returncode} after {option}") from error
    return done.stdout if is_checked else done.stdout + done.stderr


def _does_not_run(kernel: Path, reason: str) -> PlaceError:
    return PlaceError(
        f"the lab kernel {kernel} does not run: {reason}", f"miniedit-frr kernel use NAME, or {_remedy()}"
    )


def check_virtual_time(kernel: Path) -> None:
    """Refuse a lab kernel whose clock cannot jump.

    Raises:
        PlaceError: it was built without that.
    """
    if virtual_time.MODE not in help_text(kernel):
        raise PlaceError(
            f"the lab kernel {kernel} does not support virtual time ({virtual_time.OPTION})",
            "miniedit-frr kernel build builds one with it",
        )


def remedy_for_hang(command: str) -> str:
    """The remedy for a hang of a lab in virtual time, if this machine lacks something that prevents it.

    Args:
        command: the command line of the program that never sleeps ("/usr/lib/frr/bgpd -u frr").

    Returns:
        The cause and what to do, as clauses. Empty if this machine lacks nothing.
    """
    if "bgpd" not in command or libraries.for_daemons(virtual_time=True):
        return ""
    return (
        "its reader polls in a loop once a BGP connection is reset: install a C compiler (apt-get install gcc), with "
        "which labs in virtual time prevent that, or run the lab in real time"
    )


def check_landlock() -> None:
    """Refuse to run a lab kernel without Landlock, which confines it.

    Raises:
        PlaceError: the running kernel has no Landlock.
    """
    if sys_.landlock_abi() < 1:
        raise PlaceError(
            "this machine's kernel has no Landlock, so a lab kernel could write this user's files",
            "boot with lsm=landlock,... (Linux 5.13 or later), or use the place namespace",
        )


class _Paths(NamedTuple):
    """The paths by which the lab's user reaches files and folders of this machine."""

    kernel: Path
    preload: str
    folders: LabFolders
    bound: tuple[BoundPath, ...]


def _paths_for_user(plan: SupervisorPlan, scratch: Path, memory: Path, kernel: Path, preload: str) -> _Paths:
    """Choose the paths by which the lab's user reaches the kernel and its folders.

    A lab that root starts runs as another user, to whom root's own folders, such as its cache, are closed. So the
    supervisor binds them to paths in the scratch folder.

    Raises:
        PlaceError: root cannot give the scratch folder to the lab's user.
    """
    if not plan.ids:
        return _Paths(kernel, preload, plan.folders, ())
    _give(scratch, -1, plan.ids.gid)
    scratch.chmod(0o710)  # the lab passes through; no other user of the machine reads its console
    _give(memory, plan.ids.uid, plan.ids.gid)
    target = scratch / "shown"
    folders = plan.folders
    sites = [BoundPath(source=path, target=f"{target}/site{index}") for index, path in enumerate(folders.site)]
    visible = [folder.replace(source=f"{target}/folder{index}") for index, folder in enumerate(folders.visible)]
    bound = [
        BoundPath(source=folders.code, target=f"{target}/code"),
        BoundPath(source=folders.files, target=f"{target}/files"),
        BoundPath(source=str(kernel), target=f"{target}/kernel"),
        *sites,
        *(
            BoundPath(source=folder.source, target=shown_folder.source)
            for folder, shown_folder in zip(folders.visible, visible, strict=True)
        ),
    ]
    if preload:
        bound.append(BoundPath(source=preload, target=f"{target}/preload"))
        preload = f"{target}/preload"
    shown_folders = folders.replace(
        code=f"{target}/code",
        files=f"{target}/files",
        site=tuple(path.target for path in sites),
        visible=tuple(visible),
    )
    return _Paths(target / "kernel", preload, shown_folders, tuple(bound))


def _give(path: Path, uid: int, gid: int) -> None:
    """Give a file or folder to the lab's user. Raises PlaceError."""
    try:
        os.chown(path, uid, gid)
    except OSError as error:
        problem = f"root cannot give {path} to the lab's user {uid}: {error.strerror}"
        raise PlaceError(problem, "start the lab as an ordinary user, or in a container with CAP_CHOWN") from None


def _make_keys(folder: Path) -> list[subprocess.Popen[bytes]]:
    try:
        return [
            subprocess.Popen(["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", folder / name])
            for name in _KEYS
        ]
    except FileNotFoundError:
        raise PlaceError("ssh-keygen is not installed", "apt-get install openssh-client openssh-server") from None


def _finish_keys(keys: list[subprocess.Popen[bytes]], folder: Path, boot: Path) -> None:
    for process in keys:
        if process.wait() != 0:
            raise PlaceError(f"ssh-keygen ended with status {process.returncode}")
    os.rename(folder / "ssh_host_key", boot / "ssh_host_key")
    shutil.copyfile(folder / "ssh_user_key.pub", boot / "ssh_user_key.pub")
    host = (folder / "ssh_host_key.pub").read_text(encoding="ascii")
    (folder / "known_hosts").write_text(f"lab {host}", encoding="ascii")
