"""The first program of a lab: it finishes what only the inside can do and becomes the program asked for.

Standard library only, and little of it. It stays one process, because in a lab kernel the start of another
costs as much as everything here.
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

from frrlib.place import groups, modules, serial, view
from frrlib.place import syscalls as sys_

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing costs a lab kernel 20 ms
    from typing import TypedDict

    class Plan(TypedDict):
        """What the outside decided, as literals in the lab's start file."""

        place: str
        own_kernel: bool
        code: str
        site: list[str]
        files: str
        boot: str
        module: str
        wire: int
        modules: list[str]
        module_folder: str
        memory: str


ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "TERM": "dumb",
    "LC_ALL": "C.UTF-8",
    "PYTHONHASHSEED": "0",
    "LAB_WRITABLE": view.FILES,
}

_SIOCGIFFLAGS, _SIOCSIFFLAGS, _IFF_UP = 0x8913, 0x8914, 1


def main(plan: Plan) -> None:
    """Prepare the lab by `plan` and run the program; ends the process with the program's status."""
    started = time.monotonic()
    os.environ.clear()
    os.environ.update(ENVIRONMENT, LAB_PLACE=plan["place"])
    wire = _boot_kernel(plan) if plan["own_kernel"] else _finish_namespace(plan)
    _loopback_up()
    os.environ["LAB_WIRE"] = f"fd:{wire}"
    os.chdir("/")
    standard = [path for path in sys.path if path.startswith(sys.prefix) and "-packages" not in path]
    sys.path[:] = [view.CODE, *(f"{view.SITE}/{index}" for index in range(len(plan["site"]))), *standard]
    sys.path_importer_cache.clear()
    _show_packages_at(view.CODE)
    took_ms = (time.monotonic() - started) * 1000
    _tell(wire, f"lab {os.uname().release} {_uptime_ms():.0f} {took_ms:.0f}\n")
    try:
        program = importlib.import_module(plan["module"])
        sys.exit(program.main())
    except BaseException as end:
        if not plan["own_kernel"]:
            raise
        _power_off(end)


def _power_off(end: BaseException) -> None:
    """End a lab kernel in order: its process 1 must not just end, which is a panic of many lines."""
    if not isinstance(end, SystemExit):
        sys.excepthook(type(end), end, end.__traceback__)
    sys.stdout.flush()
    sys.stderr.flush()
    sys_.power_off()


def _show_packages_at(code: str) -> None:
    """Let the packages that are imported already find their further modules where the lab has them."""
    for name, module in sys.modules.items():
        if hasattr(module, "__path__") and name.split(".")[0] == "frrlib":
            module.__path__ = [f"{code}/{name.replace('.', '/')}"]


def _uptime_ms() -> float:
    return time.clock_gettime(time.CLOCK_BOOTTIME) * 1000


def _tell(wire: int, text: str) -> None:
    data = text.encode()
    while data:
        data = data[os.write(wire, data) :]


def _finish_namespace(plan: Plan) -> int:
    """Mount what belongs to the inner namespaces; the rest of the tree is there."""
    sys_.mount("proc", "/proc", "proc", sys_.MS_NOSUID | sys_.MS_NODEV | sys_.MS_NOEXEC)
    sys_.mount("sysfs", "/sys", "sysfs", sys_.MS_NOSUID | sys_.MS_NODEV | sys_.MS_NOEXEC)
    groups.pretend()
    os.set_inheritable(plan["wire"], False)
    return plan["wire"]


def _boot_kernel(plan: Plan) -> int:
    """Make the file tree of a lab kernel, load its modules, open its line."""
    try:
        os.close(os.open(f"{plan['memory']}/started", os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        sys_.power_off()  # somebody in the lab asked for a restart; a lab ends instead
    sys_.mount("proc", "/proc", "proc", sys_.MS_NOSUID | sys_.MS_NODEV | sys_.MS_NOEXEC)
    sys_.mount("sysfs", "/sys", "sysfs", sys_.MS_NOSUID | sys_.MS_NODEV | sys_.MS_NOEXEC)
    view.build(view.keep(plan["code"], plan["site"], plan["files"], plan["boot"]), True, [])
    sys_.sethostname("lab")
    _raise_limits()
    wire = serial.serve("/dev/ttyS0")
    if plan["module_folder"]:
        modules.load(plan["module_folder"], plan["modules"])
        modules.offer(plan["module_folder"])
    return wire


def _raise_limits() -> None:
    # A lab kernel's first program starts with the limits of a kernel that has little memory.
    resource.setrlimit(resource.RLIMIT_NOFILE, (65536, 65536))


def _loopback_up() -> None:
    handle = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM)
    request = struct.pack("16sh14x", b"lo", 0)
    flags = struct.unpack_from("h", fcntl.ioctl(handle.fileno(), _SIOCGIFFLAGS, request), 16)[0]
    fcntl.ioctl(handle.fileno(), _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _IFF_UP))
    handle.close()
