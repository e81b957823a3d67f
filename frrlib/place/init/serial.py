"""The inner end of a lab kernel's serial line: the wire of the lab's program, and an SSH server for each connection.

Standard library only. `serve` forks early, before large modules are imported. Its child copies bytes, and starts
`sshd -i`, which takes long in a lab kernel, only for a connection. When the lab's program has ended, its last bytes
are still in the line: `finish` waits for them.
"""

from __future__ import annotations

import _socket
import os
import termios
import time

from frrlib.place.confinement import file_tree
from frrlib.place.multiplexer import Mux
from frrlib.system.ready import ready

CONFIG = f"{file_tree.ETC}/sshd_config"

_TEXT = f"""HostKey {file_tree.ETC}/ssh_host_key
AuthorizedKeysFile {file_tree.ETC}/ssh_user_key.pub
StrictModes no
UsePAM no
UseDNS no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitUserEnvironment no
AllowAgentForwarding no
X11Forwarding no
PrintMotd no
PrintLastLog no
MaxSessions 200
MaxStartups 200
LogLevel ERROR
Subsystem sftp internal-sftp
SetEnv LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin {{more}}
"""


#: Seconds that the last bytes may take to the outside. If no program reads them in time, the lab ends.
FINISH_S = 30.0


def serve(device: str) -> tuple[int, int]:
    """Fork the process that serves the line `device`. Returns this process's end of the wire, stream 0, and its pid."""
    line = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    _make_raw(line)
    near, far = _socket.socketpair()
    wire, end = near.detach(), far.detach()
    if server := os.fork():
        os.close(line)
        os.close(end)
        return wire, server
    try:
        os.close(wire)
        os.setsid()
        _loop(line, end)
    finally:
        os._exit(1)


def finish(wire: int, server: int) -> None:
    """Close the wire, and wait until all bytes that were written to it are outside, for at most `FINISH_S`."""
    try:  # noqa: SIM105 - importing contextlib takes long in a lab kernel
        os.close(wire)
    except OSError:
        pass  # the lab's program has closed it
    until_s = time.monotonic() + FINISH_S
    try:
        while not os.waitpid(server, os.WNOHANG)[0] and time.monotonic() < until_s:
            time.sleep(0.002)
    except ChildProcessError:  # another thread has waited for it
        return


def _make_raw(line: int) -> None:
    """Let a serial line pass every byte unchanged, without echo."""
    settings = termios.tcgetattr(line)
    settings[0] = settings[1] = settings[3] = 0
    settings[2] = termios.CS8 | termios.CREAD | termios.CLOCAL
    settings[6][termios.VMIN], settings[6][termios.VTIME] = 1, 0
    termios.tcsetattr(line, termios.TCSANOW, settings)


def _loop(line: int, wire: int) -> None:
    mux = Mux(line, False, _start_server)
    mux.attach(0, wire)
    while mux.holds():
        reading, writing = mux.waits_for()
        readable, writable = ready(reading, writing)
        mux.serve(readable, writable)
        _reap()
    termios.tcdrain(line)


def _reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return


def _prepare() -> None:
    for name in ("ssh_host_key", "ssh_user_key.pub"):
        with open(f"{file_tree.BOOT}/{name}", "rb") as source, open(f"{file_tree.ETC}/{name}", "wb") as target:
            target.write(source.read())
        os.chmod(f"{file_tree.ETC}/{name}", 0o600)
    with open(CONFIG, "w", encoding="ascii") as file:
        file.write(_TEXT.format(more='"MODPROBE_OPTIONS=-d /run/modroot"'))


def _start_server(_: int) -> int:
    """Start an SSH server for one connection. Returns the descriptor of its input and output, -1 if it fails."""
    try:
        if not os.path.exists(CONFIG):
            _prepare()
    except OSError as error:
        os.write(2, f"no SSH server: {error}\n".encode())
        return -1
    near, far = _socket.socketpair()
    if os.fork():
        far.close()
        return near.detach()
    try:
        os.dup2(far.fileno(), 0)
        os.dup2(far.fileno(), 1)
        os.execv("/usr/sbin/sshd", ["/usr/sbin/sshd", "-i", "-e", "-f", CONFIG])
    finally:
        os._exit(127)
