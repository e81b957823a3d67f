"""Init, the first program of a lab: it does the steps that must happen inside, then runs the lab's program.

Standard library only, and few modules of it. It stays one process, because in a lab kernel the start of another one
takes as long as all steps here.
"""

from __future__ import annotations

import _socket
import fcntl
import importlib
import os
import resource
import struct
import sys
import time

from frrlib.place import virtual_time
from frrlib.place.confinement import file_tree, syscall_filter
from frrlib.place.confinement import syscalls as sys_
from frrlib.place.init import kernel_modules as modules
from frrlib.place.init import serial
from frrlib.place.plans import InitPlan, KernelSetup
from frrlib.place.supervisor.messages import REFUSED
from frrlib.virtual_time import gate

ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "TERM": "dumb",
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "LAB_WRITABLE": file_tree.FILES,
}

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


def main(values: dict[str, object]) -> None:
    """Prepare the lab and run its program. The process ends with the program's status.

    Args:
        values: the fields of an `InitPlan`, as literals in the lab's start file.
    """
    started = time.monotonic()
    plan = InitPlan.from_dict(values)
    os.environ.clear()
    os.environ.update(ENVIRONMENT, LAB_PLACE=plan.place)
    wire, server = _boot_kernel(plan.kernel) if plan.kernel else (_finish_namespace(plan.wire), -1)
    os.environ["LAB_WIRE"] = f"fd:{wire}" if wire >= 0 else f"gate:{file_tree.GATE}"
    os.chdir("/")
    standard = [path for path in sys.path if path.startswith(sys.prefix) and "-packages" not in path]
    sys.path[:] = [file_tree.CODE, *(f"{file_tree.SITE}/{index}" for index in range(plan.site_count)), *standard]
    sys.path_importer_cache.clear()
    _show_packages_at(file_tree.CODE)
    took_ms = (time.monotonic() - started) * 1000
    _tell(wire, f"lab {os.uname().release} {_uptime_ms():.0f} {took_ms:.0f}\n")
    try:
        program = importlib.import_module(plan.module)
        if plan.kernel and plan.kernel.gate:
            virtual_time.restart_random_numbers(plan.kernel.seed)
        sys.exit(program.main())
    except BaseException as end:
        if not plan.kernel:
            raise
        _power_off(end, wire, server)


def _power_off(end: BaseException, wire: int, server: int) -> None:
    """Power off a lab kernel. If its process 1 just exited, the kernel would panic and print many lines."""
    if not isinstance(end, SystemExit):
        sys.excepthook(type(end), end, end.__traceback__)
    sys.stdout.flush()
    sys.stderr.flush()
    if server >= 0:
        serial.finish(wire, server)
    sys_.power_off()


def _show_packages_at(code: str) -> None:
    """Let packages that are already imported find their other modules at the lab's paths."""
    for name, module in sys.modules.items():
        if hasattr(module, "__path__") and name.split(".")[0] == "frrlib":
            module.__path__ = [f"{code}/{name.replace('.', '/')}"]


def _uptime_ms() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000


def _tell(wire: int, text: str) -> None:
    data = text.encode()
    if wire < 0:
        gate.InnerGate(file_tree.GATE).write(data)
        return
    while data:
        data = data[os.write(wire, data) :]


def _finish_namespace(wire: int) -> int:
    """Mount the file systems that belong to the inner namespaces, on the tree that the supervisor made. Returns the
    wire."""
    sys_.mount("proc", "/proc", "proc", sys_.MS_NOSUID | sys_.MS_NODEV | sys_.MS_NOEXEC)
    sys_.mount("sysfs", "/sys", "sysfs", sys_.MS_NOSUID | sys_.MS_NODEV | sys_.MS_NOEXEC)
    syscall_filter.forbid()
    _loopback_up()
    os.set_inheritable(wire, False)
    return wire


def _boot_kernel(setup: KernelSetup) -> tuple[int, int]:
    """Make the file tree of a lab kernel, load its modules, and open its serial line.

    Returns:
        The wire, and the pid of the process that serves it; both -1 in virtual time, where there is no line.
    """
    if setup.gate:
        # First of all: a kernel without entropy reads its clock for each random number that it draws.
        virtual_time.seed_entropy(setup.seed)
    # The kernel mixes the clock's reading at these two calls into its entropy, so they come before all steps whose
    # duration depends on this machine.
    sys_.sethostname("lab")
    _loopback_up()
    try:
        os.close(os.open(f"{setup.memory}/started", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        sys_.power_off()  # a program of the lab asked for a restart; a lab ends instead
    sys_.mount("proc", "/proc", "proc", sys_.MS_NOSUID | sys_.MS_NODEV | sys_.MS_NOEXEC)
    sys_.mount("sysfs", "/sys", "sysfs", sys_.MS_NOSUID | sys_.MS_NODEV | sys_.MS_NOEXEC)
    file_tree.build(file_tree.open_trees(setup.folders, setup.gate), True, (), setup.folders.hidden)
    _raise_limits()
    line = serial.serve("/dev/ttyS0") if not setup.gate else (-1, -1)
    if setup.module_folder:
        modules.load(setup.module_folder, setup.modules)
        modules.offer(setup.module_folder)
    if reason := modules.load_own(setup.own_modules) or modules.wrong_parameter(setup.parameters):
        os.write(1, f"\n{REFUSED}{reason}\n".encode())
        sys_.power_off()
    _allow_congestion_controls()
    return line


def _raise_limits() -> None:
    # A lab kernel's first program starts with the limits of a kernel that has little memory.
    resource.setrlimit(resource.RLIMIT_NOFILE, (65536, 65536))
    # Likewise TCP: all sockets together get a sixteenth of the memory, beyond which windows shrink. A lab needs its
    # memory mostly for sockets, and a path of 1 Gbit/s and 800 ms alone holds 100 MB.
    pages = os.sysconf("SC_PHYS_PAGES")
    with open("/proc/sys/net/ipv4/tcp_mem", "w", encoding="ascii") as file:
        file.write(f"{pages // 2} {pages * 5 // 8} {pages * 3 // 4}")


def _allow_congestion_controls() -> None:
    """Let every node use every congestion control. Otherwise only some of them can be the default of a namespace."""
    with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as file:
        names = file.read()
    with open("/proc/sys/net/ipv4/tcp_allowed_congestion_control", "w", encoding="ascii") as file:
        file.write(names)


def _loopback_up() -> None:
    handle = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    request = struct.pack("16sh14x", b"lo", 0)
    flags = struct.unpack_from("h", fcntl.ioctl(handle.fileno(), _SIOCGIFFLAGS, request), 16)[0]
    fcntl.ioctl(handle.fileno(), _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))
    handle.close()
