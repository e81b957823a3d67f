"""A running lab as an SSH host: ssh, scp, sftp, port forwarding, Ansible and netmiko reach its nodes.

The clients are OpenSSH, Ansible and netmiko, with no other configuration than that of `ssh-config`.
"""

from __future__ import annotations

import os
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pexpect
import platformdirs
import pytest

from tests.waiting import PATIENCE_S, wait_for

pytestmark = [pytest.mark.lab, pytest.mark.timeout(180)]

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@dataclass(frozen=True)
class Client:
    """A user with a running lab, and the file `lab.ssh` in a folder.

    Attributes:
        folder: the folder, which is also the home folder.
        run: runs a command there as that user.
        environment: the environment of such a command.
    """

    folder: Path
    run: Run
    environment: dict[str, str]

    def ssh(self, *argv: str, **options: Any) -> subprocess.CompletedProcess[str]:
        """`ssh -F lab.ssh ARGV`."""
        return self.run(["ssh", "-F", str(self.folder / "lab.ssh"), *argv], **options)

    def cli(self, *argv: str) -> subprocess.CompletedProcess[str]:
        """`miniedit-frr ARGV`."""
        done = self.run([sys.executable, "-m", "miniedit_frr", *argv])
        assert done.returncode == 0, done.stderr
        return done


def begin(client: Client, place: str) -> None:
    """Start a lab and write its configuration file."""
    client.cli("start", str(EXAMPLES / "two-as-no-delay.mn"), "--place", place)
    client.cli("ssh-config", "--out", str(client.folder / "lab.ssh"))


@pytest.fixture(scope="module", params=["namespace", "labkernel"])
def client(request: pytest.FixtureRequest) -> Iterator[Client]:
    """A client of this user, with a lab."""
    folder = Path(tempfile.mkdtemp(prefix="frr-ssh-", dir="/tmp"))
    (folder / "run").mkdir(mode=0o700)
    environment = {
        "XDG_RUNTIME_DIR": str(folder / "run"), "HOME": str(folder), "LANG": "C.UTF-8", "PYTHONPATH": str(ROOT),
        "XDG_CACHE_HOME": str(platformdirs.user_cache_path()),  # places need not be tried again
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
    }  # fmt: skip

    def run(argv: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        options = {"capture_output": True, "text": True, "timeout": 90, "check": False, "cwd": folder, **options}
        return subprocess.run(
            argv, env=environment, **({} if "input" in options else {"stdin": subprocess.DEVNULL}), **options
        )

    user = Client(folder, run, environment)
    try:
        begin(user, request.param)
        yield user
    finally:
        user.cli("labs", "stop", "--all")
        assert list((folder / "run" / "miniedit-frr").iterdir()) == []
        shutil.rmtree(folder)


def check_usual_commands(client: Client) -> None:
    """Usual commands with ssh, scp and sftp."""
    host = client.ssh("h1", "hostname; ip -4 -brief address show dev h1-eth0; exit 5")
    assert (host.returncode, host.stderr) == (5, "")
    assert host.stdout.startswith("h1\n")
    assert "10.0.0.10/16" in host.stdout
    router = client.ssh("r1", "show ip route bgp")
    assert (router.returncode, router.stderr) == (0, "")
    assert "B>* 10.1.0.0/16" in router.stdout
    assert client.ssh("r1", "/bin/hostname").stdout == "r1\n"
    piped = client.ssh("-T", "r2", input="show bgp summary\n")
    assert "10.9.0.1" in piped.stdout
    (client.folder / "there").write_bytes(os.urandom(200_000))
    for node in ("h1", "r1"):  # scp and sftp, to a host and to a router
        done = client.run(["scp", "-q", "-F", "lab.ssh", "there", f"{node}:/tmp/here"], cwd=client.folder)
        assert (done.returncode, done.stderr) == (0, "")
        done = client.run(["sftp", "-q", "-F", "lab.ssh", f"{node}:/tmp/here", "back"], cwd=client.folder)
        assert done.returncode == 0, done.stderr
        assert (client.folder / "back").read_bytes() == (client.folder / "there").read_bytes()


#: For tests that take long in a lab kernel, and would show nothing else there than in a namespace.
in_a_namespace = pytest.mark.parametrize("client", ["namespace"], indirect=True)


def test_usual_commands(client: Client) -> None:
    check_usual_commands(client)


def test_terminals(client: Client) -> None:
    def spawn(node: str) -> Any:
        argv = ["-F", str(client.folder / "lab.ssh"), node]
        environment = {**client.environment, "TERM": "xterm"}
        return pexpect.spawn("ssh", argv, env=environment, encoding="utf-8", timeout=30, dimensions=(33, 101))

    with spawn("r1") as terminal:
        terminal.expect("r1# ")
        terminal.sendline("show bgp summary")
        terminal.expect(r"10\.9\.0\.2 ")
        terminal.sendline("exit")
        terminal.expect(pexpect.EOF)
    with spawn("h2") as terminal:
        terminal.expect("h2.*# ")
        terminal.sendline("stty size; echo $((6*7))-done")
        terminal.expect("33 101")
        terminal.expect("42-done")


def test_a_port_of_a_node_is_forwarded_to_this_machine(client: Client) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    serve = "cd /usr/share && exec python3 -m http.server 8000 --bind 10.1.0.10"
    folder = client.folder
    server = subprocess.Popen(["ssh", "-tt", "-F", "lab.ssh", "h2", serve], cwd=folder, env=client.environment,
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    forward = ["ssh", "-N", "-F", "lab.ssh", "-L", f"127.0.0.1:{port}:10.1.0.10:8000", "h1"]
    tunnel = subprocess.Popen(forward, cwd=folder, env=client.environment, stderr=subprocess.DEVNULL)
    try:
        assert b"Directory listing" in fetch(port)
    finally:
        for process in (tunnel, server):
            process.terminate()
            process.wait(PATIENCE_S)


def fetch(port: int) -> bytes:
    """The response of a web server, as soon as it runs."""

    def response() -> bytes:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), PATIENCE_S) as connection:
            connection.sendall(b"GET / HTTP/1.0\r\n\r\n")
            with connection.makefile("rb") as answer:
                return answer.read()
        return b""

    return wait_for(response, "the web server")


@in_a_namespace
def test_a_wrong_key_of_a_user_or_of_a_node_is_refused(client: Client) -> None:
    key = client.folder / "other"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    config = (client.folder / "lab.ssh").read_text()
    key_line = next(line for line in config.splitlines() if "IdentityFile" in line)
    (client.folder / "stranger.ssh").write_text(config.replace(key_line, f"    IdentityFile {key}"))
    refused = client.run(["ssh", "-F", str(client.folder / "stranger.ssh"), "h1", "true"])
    assert (refused.returncode, "Permission denied (publickey)" in refused.stderr) == (255, True)
    known_hosts = client.folder / "known_hosts"
    known_hosts.write_text("h1 " + key.with_suffix(".pub").read_text())
    changed = client.ssh("-o", f"UserKnownHostsFile={known_hosts}", "h1", "true")
    assert (changed.returncode, "verification failed" in changed.stderr) == (255, True)


@in_a_namespace
def test_a_prefix_distinguishes_labs(client: Client) -> None:
    client.cli("ssh-config", "--prefix", "lab1-", "--out", str(client.folder / "prefixed.ssh"))
    done = client.run(["ssh", "-F", str(client.folder / "prefixed.ssh"), "lab1-h1", "hostname"])
    assert (done.returncode, done.stdout, done.stderr) == (0, "h1\n", "")


@in_a_namespace
def test_a_foreign_configuration_file_is_not_overwritten(client: Client) -> None:
    foreign = client.folder / "config"
    foreign.write_text("Host *\n    ForwardAgent yes\n")
    refused = client.run([sys.executable, "-m", "miniedit_frr", "ssh-config", "--out", str(foreign)])
    assert (refused.returncode, "is not changed" in refused.stderr) == (2, True)
    assert foreign.read_text() == "Host *\n    ForwardAgent yes\n"
    client.cli("ssh-config", "--out", str(client.folder / "lab.ssh"))  # this file exists, and is ours
    # The user's own options for all hosts do not apply to a lab that is included before them.
    foreign.write_text(f"Include {client.folder / 'lab.ssh'}\n{foreign.read_text()}")
    options = client.run(["ssh", "-F", str(foreign), "-G", "h1"]).stdout
    assert "forwardagent no\n" in options


@in_a_namespace
def test_one_connection_can_be_shared(client: Client) -> None:
    shared = ["-o", "ControlMaster=auto", "-o", f"ControlPath={client.folder}/%C", "-o", "ControlPersist=60"]
    for _ in range(2):
        assert client.ssh(*shared, "h1", "hostname").stdout == "h1\n"
    assert client.ssh(*shared, "-O", "check", "h1").returncode == 0
    assert client.ssh(*shared, "-O", "exit", "h1").returncode == 0


@in_a_namespace
def test_the_command_in_the_documentation(client: Client) -> None:
    command = f"{shlex.quote(sys.executable)} -P -m miniedit_frr ssh-proxy two-as-no-delay h1"
    assert client.ssh("-o", f"ProxyCommand={command}", "h1", "hostname").stdout == "h1\n"


@in_a_namespace
def test_the_ansible_example(client: Client) -> None:
    for name in ("inventory.ini", "routes.yml"):
        shutil.copy(EXAMPLES / "ssh" / name, client.folder)
    playbook = Path(sys.executable).with_name("ansible-playbook")
    if not playbook.exists():
        pytest.skip("ansible-core is not installed")
    # Ansible reads the home folder from passwd(5), not from HOME, and some users, such as nobody, have none.
    scratch = f"ANSIBLE_REMOTE_TMP={client.folder}/ansible"
    done = client.run(["env", scratch, str(playbook), "-i", "inventory.ini", "routes.yml"])
    assert done.returncode == 0, done.stdout + done.stderr
    assert "unreachable=0    failed=0" in done.stdout
    assert "B>* 10.1.0.0/16" in (client.folder / "r1.routes.txt").read_text()
    assert "B>* 10.0.0.0/16" in (client.folder / "r2.routes.txt").read_text()


@in_a_namespace
def test_the_netmiko_example(client: Client) -> None:
    pytest.importorskip("netmiko")
    script = EXAMPLES / "ssh" / "routes_netmiko.py"
    done = client.run([sys.executable, str(script), "lab.ssh", "r1"])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("r1#\n")
    assert "B>* 10.1.0.0/16" in done.stdout
    assert "set by netmiko" in done.stdout
    assert "set by netmiko" not in client.ssh("r1", "show running-config").stdout


def test_an_ordinary_user(ordinary_user: Any) -> None:
    """If root is the lab's only id, an SSH server needs help. Tests that run as root test this with the user nobody."""
    (ordinary_user.home / "run").mkdir(mode=0o700)
    os.chown(ordinary_user.home / "run", ordinary_user.uid, ordinary_user.gid)
    extra = {"XDG_RUNTIME_DIR": str(ordinary_user.home / "run")}

    def run(argv: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        options = {"timeout": 90, **({} if "input" in options else {"stdin": subprocess.DEVNULL}), **options}
        done: subprocess.CompletedProcess[str] = ordinary_user.run(argv, env=extra, **options)
        return done

    client = Client(ordinary_user.home, run, extra)
    try:
        begin(client, "namespace")
        check_usual_commands(client)
        on_terminal = client.ssh("-tt", "h1", "tty")
        assert (on_terminal.returncode, on_terminal.stdout.strip()) == (0, "/dev/pts/0"), on_terminal.stderr
        assert client.ssh("h1", "id -u; cat /proc/self/setgroups").stdout == "0\ndeny\n"
        client.cli("labs", "stop")
        after_stop = client.ssh("h1", "true")
        assert (after_stop.returncode, "miniedit-frr: the lab two-as-no-delay has ended" in after_stop.stderr) == (
            255,
            True,
        )
        # the same file leads to the next lab of that name
        client.cli("start", str(EXAMPLES / "two-as-no-delay.mn"), "--place", "namespace", "--no-wait")
        assert client.ssh("h1", "hostname").stdout == "h1\n"
    finally:
        client.cli("labs", "stop", "--all")
