"""SSH access to the nodes of a lab: its keys, a server for each connection, and the client's configuration.

No server listens on a port. A client's ProxyCommand requests the command of a server in the node (`sshd -i`) from the
lab server, and becomes it. So the connection consists of the client's own standard streams, and only users who may
start a process in the lab can connect.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from frrlib.errors import LabFailed, PlaceError, SealedNode
from frrlib.lab_server.register import Card
from frrlib.place import ssh_client
from frrlib.place.base import Sandbox
from frrlib.place.machine import PYTHON

#: The first words of the client's configuration, by which it is recognized.
HEAD = "# MiniEdit-FRR's lab"
PACKAGES = "apt-get install openssh-client openssh-server"
_SSHD = "/usr/sbin/sshd"
#: Folder in the lab with the server's keys and configuration.
_INSIDE = "/run/lab/ssh"
_PROXY = Path(__file__).with_name("ssh_proxy.py")
#: Paths of the SFTP server in distributions.
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

#: The program that executes a client's command on a router.
_ROUTER_COMMAND = """\
#!/bin/sh
# Without a command: vtysh. A command that begins with / is a program of the router; anything else is one of vtysh's.
case ${SSH_ORIGINAL_COMMAND-} in
"") exec vtysh ;;
/*) exec /bin/sh -c "$SSH_ORIGINAL_COMMAND" ;;
*) exec vtysh -c "$SSH_ORIGINAL_COMMAND" ;;
esac
"""


class NodeSshServer:
    """The lab's SSH servers. It makes keys, and copies them into the lab before the first connection.

    Args:
        folder: folder of the client's keys, made if it is missing.
        habitat: the lab.
        card: function that returns the lab's present card.
    """

    def __init__(self, folder: Path, sandbox: Sandbox, card: Callable[[], Card]) -> None:
        self._folder, self._sandbox, self._card = folder, sandbox, card
        self._lock = threading.Lock()
        self._inside = folder / "inside"
        self._made = self._put = False

    def make_keys(self) -> None:
        """Make the keys and files that `config` refers to, once. Raises PlaceError without SSH."""
        with self._lock:
            if not self._made:
                self._make()
                self._made = True

    def argv(self, node: str) -> list[str]:
        """The command of this machine that serves one connection to a node. Empty for no node.

        Raises:
            PlaceError: this machine has no SSH.
            LabFailed: there is no such node, or it is a sealed router.
            CommandFailed: the keys could not be copied into the lab.
        """
        self.make_keys()
        if not node:
            return []
        with self._lock:
            if not self._put:
                self._sandbox.put(self._inside, _INSIDE)
                self._put = True
        members = {member.name: member for member in self._card().nodes}
        if node not in members:
            raise LabFailed(f"there is no node {node}")
        if members[node].sealed:
            raise SealedNode(node)
        # For its list of logins, sshd looks up the name of the peer, which has none. It must not query the network.
        server = ["/usr/bin/env", "RES_OPTIONS=attempts:0", _SSHD, "-i", "-f"]
        server.append(f"{_INSIDE}/{'router' if members[node].frr else 'host'}.conf")
        return self._sandbox.pipe_argv(server, node)

    def _make(self) -> None:
        if not os.access(_SSHD, os.X_OK):
            raise PlaceError(f"the SSH server {_SSHD} is not installed", PACKAGES)
        shutil.rmtree(self._folder, ignore_errors=True)
        inside = self._inside
        for directory in (self._folder, inside):
            directory.mkdir(mode=0o700)  # without parents: at the end of the lab its folder is removed
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
    """The configuration for `ssh -F` to reach the nodes of a lab by their names.

    Args:
        card: the lab.
        folder: the lab's folder in the register.
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
    """Quote a word of an option in the client's configuration, in which % begins a token."""
    text = text.replace("%", "%%")
    return f'"{text}"' if " " in text else text


def _command(argv: Sequence[str]) -> str:
    """Quote a command that a shell reads (OpenSSH), or that is split like a shell's (Paramiko)."""
    return shlex.join(argv).replace("%", "%%")
