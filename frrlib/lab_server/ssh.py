"""Makes a lab an SSH host: keys of its own, a server for each connection, and the client's configuration.

Nothing listens anywhere. A client's ProxyCommand has the holder say which command is a server in the node (`sshd -i`)
and becomes it; so the connection is the client's own standard streams, and only who may start a process in the lab may
connect at all.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from frrlib.errors import LabFailed, PlaceError
from frrlib.lab_server.register import Card
from frrlib.place import ssh_client
from frrlib.place.base import Sandbox
from frrlib.place.launch import PYTHON

#: How the client's configuration begins, by which it is known.
HEAD = "# MiniEdit-FRR's lab"
PACKAGES = "apt-get install openssh-client openssh-server"
_SSHD = "/usr/sbin/sshd"
#: Where the lab has its side of it, and our code.
_INSIDE = "/run/lab/ssh"
_PROXY = Path(__file__).with_name("ssh_proxy.py")
#: Where distributions keep the program that serves files.
_SFTP = ("/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server", "/usr/lib/ssh/sftp-server")

_SERVER = f"""\
HostKey {_INSIDE}/host_key
AuthorizedKeysFile {_INSIDE}/authorized_keys
AuthenticationMethods publickey
PermitRootLogin prohibit-password
StrictModes no
UsePAM no
UseDNS no
PidFile none
X11Forwarding no
AllowAgentForwarding no
PrintMotd no
PrintLastLog no
MaxSessions 100
LogLevel ERROR
SetEnv LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin
"""
_HOST = "Subsystem sftp internal-sftp\n"
_ROUTER = f"Subsystem sftp {{sftp}}\nForceCommand {_INSIDE}/router\n"

#: What a router does with what the client asks for.
_ROUTER_COMMAND = """\
#!/bin/sh
# Without a command: vtysh. A command that begins with / is a program of the router; anything else is one of vtysh's.
case ${SSH_ORIGINAL_COMMAND-} in
"") exec vtysh ;;
/*) exec /bin/sh -c "$SSH_ORIGINAL_COMMAND" ;;
*) exec vtysh -c "$SSH_ORIGINAL_COMMAND" ;;
esac
"""


class Server:
    """The lab's side: makes keys, and puts them into the lab when somebody first comes.

    Args:
        folder: where the client's keys are kept, made when needed.
        habitat: the lab.
        card: what is known of the lab now.
    """

    def __init__(self, folder: Path, habitat: Sandbox, card: Callable[[], Card]) -> None:
        self._folder, self._habitat, self._card = folder, habitat, card
        self._lock = threading.Lock()
        self._inside = folder / "inside"
        self._made = self._put = False

    def make_keys(self) -> None:
        """Make all that clients need, once, so that what `config` says is there. Raises PlaceError without SSH."""
        with self._lock:
            if not self._made:
                self._make()
                self._made = True

    def argv(self, node: str) -> list[str]:
        """The command of this machine that serves one connection to a node; nothing for no node.

        Raises:
            PlaceError: this machine has no SSH.
            LabFailed: there is no such node.
            CommandFailed: the lab did not take its keys.
        """
        self.make_keys()
        if not node:
            return []
        with self._lock:
            if not self._put:
                self._habitat.put(self._inside, _INSIDE)
                self._put = True
        frr = {each.name: each.frr for each in self._card().nodes}
        if node not in frr:
            raise LabFailed(f"there is no node {node}")
        # It looks up whom it talks with, which nobody knows, for its list of logins: it shall not ask the network.
        server = ["/usr/bin/env", "RES_OPTIONS=attempts:0", _SSHD, "-i", "-f"]
        server.append(f"{_INSIDE}/{'router' if frr[node] else 'host'}.conf")
        return self._habitat.pipe_argv(server, node)

    def _make(self) -> None:
        if not os.access(_SSHD, os.X_OK):
            raise PlaceError(f"the SSH server {_SSHD} is not installed", PACKAGES)
        shutil.rmtree(self._folder, ignore_errors=True)
        inside = self._inside
        for each in (self._folder, inside):
            each.mkdir(mode=0o700)  # not those above: at the end of the lab its folder is gone
        _make_key(inside / "host_key")
        _make_key(self._folder / "id")
        shutil.copyfile(self._folder / "id.pub", inside / "authorized_keys")
        sftp = next((path for path in _SFTP if os.access(path, os.X_OK)), _SFTP[0])
        (inside / "host.conf").write_text(_SERVER + _HOST)
        (inside / "router.conf").write_text(_SERVER + _ROUTER.format(sftp=sftp))
        (inside / "router").write_text(_ROUTER_COMMAND)
        (inside / "router").chmod(0o755)
        kind, key, *_ = (inside / "host_key.pub").read_text().split()
        names = [node.name for node in self._card().nodes]
        (self._folder / "known_hosts").write_text("".join(f"{name} {kind} {key}\n" for name in names))


def _make_key(path: Path) -> None:
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "miniedit-frr", "-f", str(path)]
    try:
        subprocess.run(argv, check=True, capture_output=True, stdin=subprocess.DEVNULL)
    except FileNotFoundError:
        raise PlaceError("ssh-keygen is not installed", PACKAGES) from None
    except subprocess.CalledProcessError as error:
        raise PlaceError(f"ssh-keygen: {error.stderr.decode(errors='replace').strip()}") from None


def config(card: Card, folder: Path, prefix: str = "") -> str:
    """The configuration for `ssh -F` to reach the nodes of a lab, each by its name.

    Args:
        card: the lab.
        folder: the lab's in the register.
        prefix: put before every name, to tell several labs apart.
    """
    keys = folder / "ssh"
    proxy = [PYTHON, "-I", "-S", str(_PROXY), str(folder), "%n"]
    lines = [f"{HEAD} {card.name}, and every later lab of this name and drawing"]
    for node in card.nodes:
        proxy[-1] = node.name
        lines += [f"Host {prefix}{node.name}", f"    HostKeyAlias {node.name}", f"    ProxyCommand {_command(proxy)}"]
    common = {
        "User": "root",
        "IdentityFile": _word(str(keys / "id")),
        "UserKnownHostsFile": _word(str(keys / "known_hosts")),
        **ssh_client.SETTINGS,
    }
    names = " ".join(f"{prefix}{node.name}" for node in card.nodes)
    lines += [f"Host {names}", *(f"    {name} {value}" for name, value in common.items())]
    return "\n".join(lines) + "\n"


def _word(text: str) -> str:
    """A word of an option in the client's configuration, where % begins a name."""
    text = text.replace("%", "%%")
    return f'"{text}"' if " " in text else text


def _command(argv: Sequence[str]) -> str:
    """A command that a shell reads, as OpenSSH has it, or that is split like a shell's, as Paramiko has it."""
    return shlex.join(argv).replace("%", "%%")
