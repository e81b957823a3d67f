"""Detached labs: `start`, `labs`, `labs stop`, `exec`, `vtysh`, and the ends of labs and of their programs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pexpect
import pytest

from frrlib.formats import mn
from frrlib.network.network import Network, Ospf
from tests.lab.test_outside_controllers import TESTER, controller, free_port, remote, two_hosts
from tests.traces import Traces, traced
from tests.waiting import PATIENCE_S, pause, wait_for

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "two-as-no-delay.mn"


@dataclass
class Shell:
    """Runs commands as an ordinary user."""

    user: Any
    traces: Traces

    @property
    def environment(self) -> dict[str, str]:
        """Variables that name the user's folder for running labs, which is created."""
        folder = self.user.home / "run"
        if not folder.exists():
            folder.mkdir(mode=0o700)
            os.chown(folder, self.user.uid, self.user.gid)
        return {"XDG_RUNTIME_DIR": str(folder)}

    def __call__(self, *argv: object, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run `miniedit-frr ARGV`."""
        words = [self.user.python, "-m", "miniedit_frr", *map(str, argv)]
        completed: subprocess.CompletedProcess[str] = self.user.run(words, env=self.environment, **options)
        return completed

    def labs(self) -> list[dict[str, Any]]:
        """The output of `labs --json`."""
        completed = self("labs", "--json")
        assert completed.returncode == 0, completed.stderr
        cards: list[dict[str, Any]] = json.loads(completed.stdout)
        return cards

    def leftovers(self) -> list[str]:
        """Leftovers of the user's labs, after a waiting time; empty if all labs were cleaned up."""
        entries = self.user.home / "run" / "miniedit-frr"
        leftovers = self.traces.left()
        return [*leftovers, *(f"entry {path}" for path in entries.glob("*"))]


@pytest.fixture
def shell(ordinary_user: Any) -> Iterator[Shell]:
    """The ordinary user's shell. After the test, its labs are stopped, and must leave nothing behind."""
    with traced(ordinary_user) as traces:
        user_shell = Shell(ordinary_user, traces)
        yield user_shell
        user_shell("labs", "stop", "--all")
        assert user_shell.leftovers() == []


@pytest.mark.lab
@pytest.mark.timeout(120)
def test_a_lab_from_start_to_stop(shell: Shell) -> None:
    started = shell("start", EXAMPLE, "--place", "namespace", "--name", "mine")
    assert (started.returncode, started.stdout) == (0, "mine\n"), started.stderr
    (lab,) = shell.labs()
    assert (lab["name"], lab["state"], lab["kept"], lab["place"]) == ("mine", "running", True, "namespace")
    assert lab["file"] == str(EXAMPLE)
    assert lab["nodes"] == {"h1": "host", "h2": "host", "r1": "router", "r2": "router"}
    assert "mine" in shell("labs").stdout

    # commands have their own status and streams, with and without the name of the lab
    pinged = shell("exec", "h1", "--", "ping", "-c", "1", "-W", "2", "10.1.0.10")
    assert (pinged.returncode, "1 received" in pinged.stdout) == (0, True), pinged.stderr
    assert shell("exec", "mine", "h1", "sh", "-c", "exit 7").returncode == 7
    assert shell("exec", "mine", "h1", "cat", input="through\n").stdout == "through\n"
    both = shell("exec", "h1", "sh", "-c", "echo out; echo err >&2")
    assert (both.stdout, both.stderr) == ("out\n", "err\n")
    assert "h9; it has h1, h2, r1, r2" in shell("exec", "h9", "true").stderr
    routes = shell("vtysh", "r1", "-c", "show ip route bgp")
    assert "B>* 10.1.0.0/16" in routes.stdout
    assert "h1 does not run FRR" in shell("vtysh", "h1").stderr

    stopped = shell("labs", "stop", "mine")
    assert (stopped.returncode, stopped.stderr) == (0, "")
    assert shell.labs() == []
    assert shell.leftovers() == []


@pytest.mark.lab
@pytest.mark.timeout(120)
@pytest.mark.skipif(not TESTER, reason="no learning controller is installed")
def test_a_detached_lab_keeps_its_connection_to_an_outside_controller(shell: Shell, tmp_path: Path) -> None:
    port = free_port()
    file = shell.user.home / "remote.mn"
    file.write_text(mn.dumps(two_hosts(remote(port))))
    refused = shell("start", file, "--place", "namespace", "--allow-controller", "127.0.0.1:1")
    assert (refused.returncode, shell.labs()) == (2, [])
    assert f"allow 127.0.0.1:{port}" in refused.stderr
    with controller(port, tmp_path):
        started = shell("start", file, "--place", "namespace", "--allow-controller", f"127.0.0.1:{port}")
        assert (started.returncode, started.stdout) == (0, "remote\n"), started.stderr
        ping = ("exec", "h1", "--", "ping", "-c", "1", "-W", "1", "10.0.0.2")
        wait_for(lambda: " 1 received" in shell(*ping).stdout, "the controller makes flows")
        assert shell("labs", "stop", "remote").returncode == 0
    assert shell.leftovers() == []


@pytest.mark.lab
@pytest.mark.timeout(120)
def test_terminals_of_a_detached_lab(shell: Shell) -> None:
    assert shell("start", EXAMPLE, "--place", "namespace").returncode == 0
    user = shell.user

    def drop() -> None:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(user.gid)
            os.setuid(user.uid)

    def spawn(*argv: str) -> Any:
        environment = {**user.environment(shell.environment), "TERM": "xterm"}
        words = ["-m", "miniedit_frr", *argv]
        return pexpect.spawn(
            user.python, words, env=environment, cwd=str(user.home), preexec_fn=drop, encoding="utf-8",
            timeout=PATIENCE_S, dimensions=(33, 101),
        )  # fmt: skip

    with spawn("vtysh", "r2") as terminal:
        terminal.expect("r2# ")
        terminal.sendline("show bgp summary")
        terminal.expect(r"10\.9\.0\.1 ")
        terminal.sendline("exit")
        terminal.expect(pexpect.EOF)
    with spawn("shell", "two-as-no-delay", "h2") as terminal:
        terminal.expect("h2.*# ")
        terminal.sendline("stty size; hostname; echo $((6*7))-done")
        terminal.expect("33 101")
        terminal.expect("h2")
        terminal.expect("42-done")
    with spawn("exec", "h1", "sh", "-c", "test -t 0 && tty; exit 3") as terminal:
        terminal.expect("/dev/pts/")
        terminal.expect(pexpect.EOF)
        terminal.close()
        assert terminal.exitstatus == 3


@pytest.mark.lab
@pytest.mark.timeout(120)
def test_several_labs(shell: Shell) -> None:
    for _ in range(2):
        assert shell("start", EXAMPLE, "--place", "namespace", "--no-wait").returncode == 0
    assert [lab["name"] for lab in shell.labs()] == ["two-as-no-delay", "two-as-no-delay-2"]
    assert "choose one of two-as-no-delay, two-as-no-delay-2" in shell("exec", "h1", "true").stderr
    assert shell("exec", "two-as-no-delay-2", "h1", "hostname").stdout == "h1\n"
    assert shell("labs", "stop", "two-as-no-delay").returncode == 0
    assert [lab["name"] for lab in shell.labs()] == ["two-as-no-delay-2"]
    assert shell("exec", "h1", "hostname").stdout == "h1\n"


HOLDER_PROGRAM = """
import sys, time
from pathlib import Path
from frrlib.formats import mn
from frrlib.lab.detached import DetachedLab
with DetachedLab(mn.load(Path(sys.argv[1])).topology, place="namespace", name="held") as lab:
    if "keep" in sys.argv:
        lab.keep()
    print("up", flush=True)
    time.sleep(600)
"""


def hold(shell: Shell, *options: str) -> subprocess.Popen[Any]:
    """Start a program that holds a lab until it is killed."""
    process: subprocess.Popen[Any] = shell.user.popen(
        [shell.user.python, "-c", HOLDER_PROGRAM, str(EXAMPLE), *options],
        env=shell.environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    return process


@pytest.mark.lab
@pytest.mark.timeout(120)
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM], ids=lambda s: s.name)
def test_a_lab_that_is_not_kept_ends_with_its_program(shell: Shell, ending: signal.Signals) -> None:
    with hold(shell) as process:
        (lab,) = shell.labs()
        assert (lab["name"], lab["kept"]) == ("held", False)
        process.send_signal(ending)
        process.wait(PATIENCE_S)
        assert shell.leftovers() == []
        assert shell.labs() == []


@pytest.mark.lab
@pytest.mark.timeout(120)
def test_a_lab_that_is_kept_survives_its_program(shell: Shell) -> None:
    with hold(shell, "keep") as process:
        process.kill()
        process.wait(PATIENCE_S)
    assert shell("exec", "held", "h1", "hostname").stdout == "h1\n"
    assert shell("labs", "stop", "held").returncode == 0
    assert shell.leftovers() == []


@pytest.mark.lab
@pytest.mark.timeout(120)
@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM], ids=lambda s: s.name)
def test_nothing_is_left_of_a_lab_whose_server_dies(shell: Shell, ending: signal.Signals) -> None:
    assert shell("start", EXAMPLE, "--place", "namespace", "--no-wait").returncode == 0
    (lab,) = shell.labs()
    os.kill(lab["holder"], ending)
    wait_for(lambda: shell.labs() == [], "the lab to leave the list")
    assert shell.leftovers() == []


@pytest.mark.lab
@pytest.mark.timeout(120)
def test_ctrl_c_while_it_starts_leaves_nothing(shell: Shell) -> None:
    words = [shell.user.python, "-m", "miniedit_frr", "start", str(ROOT / "examples" / "two-as-bgp.mn")]
    for moment_s in (0.6, 1.2):
        process = shell.user.popen(
            [*words, "--place", "labkernel"], env=shell.environment, stderr=subprocess.DEVNULL, start_new_session=True
        )
        pause(moment_s)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(PATIENCE_S) in (130, -signal.SIGINT)
        assert shell.leftovers() == []


#: Stops the lab "large" as soon as its folder exists.
_STOP_WHEN_ENTERED = """
import os, sys, time
from miniedit_frr.cli.main import main
print("loaded", flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
sys.argv = ["miniedit-frr", "labs", "stop", "large"]
main()
"""


@pytest.mark.lab
@pytest.mark.timeout(120)
def test_a_lab_that_is_still_starting_can_be_stopped(shell: Shell) -> None:
    # The command that stops the lab is loaded before; starting 60 routers takes several times as long as stopping them.
    net = Network("Large")
    for number in range(60):
        net.router(f"r{number}", ospf=Ospf())
    for number in range(59):
        net.link(f"r{number}", f"r{number + 1}")
    file = shell.user.home / "large.mn"
    file.write_text(mn.dumps(net.topology))
    words = [shell.user.python, "-m", "miniedit_frr", "start", str(file), "--place", "labkernel"]
    environment = shell.environment
    entered = Path(environment["XDG_RUNTIME_DIR"]) / "miniedit-frr" / "large"
    stop_words = [shell.user.python, "-c", _STOP_WHEN_ENTERED, str(entered)]
    stopping = shell.user.popen(stop_words, env=environment, stdout=subprocess.PIPE)
    assert stopping.stdout is not None and stopping.stdout.readline() == b"loaded\n"
    process = shell.user.popen(words, env=environment, stderr=subprocess.PIPE)
    assert stopping.wait(PATIENCE_S) == 0
    assert process.wait(PATIENCE_S) == 1
    assert b"ended" in process.stderr.read()
    process.stderr.close()
    assert shell.leftovers() == []


@pytest.mark.lab
def test_a_lab_that_cannot_start_leaves_nothing(shell: Shell) -> None:
    completed = shell("start", EXAMPLE, "--place", "root")
    assert completed.returncode == 3
    assert "root" in completed.stderr
    assert shell.leftovers() == []


def test_the_ssh_proxy_needs_only_the_standard_library() -> None:
    proxy = ROOT / "frrlib" / "lab_server" / "ssh_proxy.py"
    completed = subprocess.run(
        [sys.executable, "-I", "-S", str(proxy), "/nonexistent/mine", "h1"], capture_output=True, text=True, check=False
    )
    assert (completed.returncode, completed.stderr) == (1, "miniedit-frr: the lab mine has ended\n")
