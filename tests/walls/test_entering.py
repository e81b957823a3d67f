"""A command that enters an untrusted lab gives it nothing: no terminal, no file, no right that the lab lacks."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pexpect
import pytest

from frrlib.formats import mn
from frrlib.network.network import Network, Wait
from tests.cli.test_labs import Shell
from tests.traces import traced
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

CHECKOUT = Path(__file__).resolve().parents[2]

#: Replaces the program by which commands enter the lab with one that types into the terminal of its caller.
_HIJACK = r"""
exec > /run/lab/files/said 2>&1
cat > /tmp/enter <<'END'
#!/bin/sh
echo hijacked
node=$1; shift; exec nsenter --net=/run/netns/$node "$@"
END
chmod 755 /tmp/enter
mount -o remount,rw /run/lab/bin; mount --bind /tmp/enter /run/lab/bin/enter; cp -f /tmp/enter /run/lab/bin/enter
mv /tmp/enter /run/lab/bin/enter; umount -l /run/lab/bin; rm -rf /run/lab/bin
echo tried
"""
#: Types a command into every terminal that it can find, and prints the terminals.
_TYPE = r"""
import fcntl, os, termios
said = []
for path in ("/dev/tty", *(f"/proc/self/fd/{number}" for number in range(3)), "/dev/pts/0", "/proc/1/fd/0"):
    try:
        with open(path, "rb", buffering=0) as terminal:
            if not os.isatty(terminal.fileno()):
                continue
            said.append(path)
            for each in "touch @TYPED@\n".encode():
                fcntl.ioctl(terminal, termios.TIOCSTI, bytes([each]))
    except OSError:
        pass
print("TERMINALS", said, sorted(set(os.environ) & {"TOKEN", "SSH_AUTH_SOCK"}), "END")
"""
#: Replaces the lab's SSH server with one that accepts no key and requests a password.
_ASK = r"""
cp /usr/sbin/sshd /tmp/sshd
cat >/tmp/asking <<'END'
#!/bin/sh
exec /tmp/sshd "$@" -o AuthorizedKeysFile=none -o PasswordAuthentication=yes \
    -o AuthenticationMethods=any -o PermitRootLogin=yes
END
chmod 755 /tmp/asking
mount --bind /tmp/asking /usr/sbin/sshd && echo replaced
"""
_SPOIL = "for n in 0 1 2; do echo EVIL >/proc/self/fd/$n; chmod 6755 /proc/self/fd/$n; done"


def _terminal(shell: Shell) -> Any:
    """The user's interactive shell, with a terminal and with secrets in its environment."""
    user = shell.user

    def drop() -> None:
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(user.gid)
            os.setuid(user.uid)

    environment = {**user.environment(shell.environment), "TERM": "dumb", "TOKEN": "x", "SSH_AUTH_SOCK": "/x"}
    spawned = pexpect.spawn(
        "/bin/bash", ["--norc", "--noprofile"], env={**environment, "PS1": "READY> "}, cwd=str(user.home),
        preexec_fn=drop, encoding="utf-8", timeout=PATIENCE_S, dimensions=(30, 300), echo=False,
    )  # fmt: skip
    spawned.expect("READY> ")
    return spawned


def _output_of(terminal: Any, line: str) -> str:
    terminal.sendline(line)
    terminal.expect("READY> ")
    return str(terminal.before)


@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_entering_passes_no_terminal_file_or_secret(ordinary_user: Any, place: str) -> None:
    home: Path = ordinary_user.home
    net = Network("hijack", wait=Wait(ping_count=0))
    net.host("h1", start_command=_HIJACK)
    (home / "labs").mkdir()
    (home / "labs/hijack.mn").write_text(mn.dumps(net.topology), encoding="utf-8")
    (home / "labs/type.py").write_text(_TYPE.replace("@TYPED@", str(home / "typed")), encoding="utf-8")
    files = [home / name for name in ("given", "taken", "wrong")]
    for path in files:
        path.write_text(f"{path.name}\n" if path.name == "given" else "", encoding="ascii")
        path.chmod(0o644)
        os.chown(path, ordinary_user.uid, ordinary_user.gid)
    with traced(ordinary_user) as traces:
        shell = Shell(ordinary_user, traces)
        started = shell("start", home / "labs/hijack.mn", "--place", place, "--name", "lab", "--trust", timeout=100)
        try:
            assert started.returncode == 0, started.stderr
            with _terminal(shell) as terminal:
                run = f"{ordinary_user.python} -m miniedit_frr exec lab h1"
                lines = (
                    f"{run} python3 {home}/labs/type.py </dev/null | cat",
                    f"{run} python3 - < {home}/labs/type.py",
                )
                for line in lines:
                    output = _output_of(terminal, line)
                    console_only = "TERMINALS ['/proc/1/fd/0'] [] END"  # the lab kernel's console
                    assert "TERMINALS [] [] END" in output or (place == "labkernel" and console_only in output), output
                    assert "hijacked" not in output or place == "labkernel", (
                        output
                    )  # there the replaced program runs inside the lab
                _output_of(terminal, f"{run} sh -c '{_SPOIL}' < {files[0]} > {files[1]} 2> {files[2]}")
                output = _output_of(terminal, "echo the shell; ls -A")
                assert "the shell" in output and "typed" not in output.split(), output
                if place == "namespace":
                    _asks_for_no_password(terminal, ordinary_user.python)
        finally:
            shell("labs", "stop", "--all")
        assert shell.leftovers() == []
    assert files[0].read_text(encoding="ascii") == "given\n"
    assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o644] * 3
    assert not (home / "typed").exists()


def _asks_for_no_password(terminal: Any, python: str) -> None:
    """SSH to a node with a replaced server fails without a request for a password."""
    cli = f"{python} -m miniedit_frr"
    Path(terminal.cwd, "ask.sh").write_text(_ASK, encoding="ascii")
    assert "replaced" in _output_of(terminal, f"{cli} exec lab h1 sh -s < ask.sh | cat")
    _output_of(terminal, f"{cli} ssh-config lab --out lab.ssh")
    terminal.sendline("ssh -F lab.ssh h1 true")
    assert terminal.expect(["READY> ", "(?i)password: "]) == 0, "the user is asked for a password"
    assert "Permission denied" in str(terminal.before)


#: Replaces every file that a process could read while it enters the lab: the commands for entering, Python's codecs,
#: the program's own source, /proc, the terminal's device and the shell. If code of the lab runs during that, it signals
#: a process of the user's, types into the terminal and adds a key. Opening the terminal or the shell takes as long as a
#: lease on it is held.
_TRAPS = r"""
set -e
mkdir -p /tmp/encodings /tmp/bin && cp /usr/lib/python3.*/encodings/*.py /tmp/encodings/
cat >/tmp/encodings/trap.py <<'PROGRAM'
import ctypes, fcntl, os, signal, termios
def report(text):
    os.write(2, (text + "\r\n").encode())
report("CODE OF THE LAB")
try:
    os.kill(@CANARY@, signal.SIGTERM)
    for byte in b"touch @HOME@/typed\n":
        fcntl.ioctl(0, termios.TIOCSTI, bytes([byte]))
except OSError:
    pass
number = {"x86_64": 248, "aarch64": 217}[os.uname().machine]
ctypes.CDLL(None).syscall(number, b"user", b"@HOME@", b"x", 1, -4)
PROGRAM
cp /bin/bash /tmp/bash
mount --bind /tmp/encodings "$(ls -d /usr/lib/python3.*/encodings)"
mkdir -p @CHECKOUT@/frrlib/place || true
for name in carry terminal enter forbidden; do
    { echo "# -*- coding: trap -*-"; seq 1 400; } >/tmp/$name.py
    for folder in @CHECKOUT@/frrlib/place /run/lab/code/frrlib/place; do
        [ ! -e $folder/$name.py ] || mount --bind /tmp/$name.py $folder/$name.py || true
        [ -e $folder/$name.py ] || cp /tmp/$name.py $folder/ || true
    done
done
printf '#!/bin/sh\necho REPLACED\n' >/tmp/bin/enter; chmod 755 /tmp/bin/enter
mount --bind /tmp/bin /run/lab/bin
rm -f /dev/ptmx; : >/dev/ptmx
mount --bind /tmp/bash /bin/bash
setsid python3 -c '
import fcntl, os, signal, time
signal.signal(signal.SIGIO, signal.SIG_IGN)
held = [os.open(path, os.O_RDWR) for path in ("/dev/ptmx", "/tmp/bash")]
for file in held:
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
os.mkdir("/tmp/held")
time.sleep(600)' </dev/null >/dev/null 2>&1 &
while [ ! -d /tmp/held ]; do sleep 0.05; done
mkdir /tmp/processes; mount --rbind /proc /tmp/processes; mount -t tmpfs none /proc
for process in /tmp/processes/[0-9]* /tmp/processes/1/task/*; do ln -sfn /tmp/processes/${process##*/} /proc/; done
mkdir -p /proc/self; printf '\377' >/proc/self/setgroups
echo set >/run/lab/files/set
"""
#: Waits for the shell's lease to end.
_STUCK = "echo begun; bash -c true"


def test_a_lab_that_replaces_every_file_gains_nothing(ordinary_user: Any) -> None:
    """Code of the lab runs in no process that has rights, descriptors or a terminal from outside."""
    home: Path = ordinary_user.home
    canary = ordinary_user.popen(["sleep", "400"])
    text = _TRAPS
    for name, value in (("CANARY", canary.pid), ("HOME", home), ("CHECKOUT", CHECKOUT)):
        text = text.replace(f"@{name}@", str(value))
    script = f"cat >/tmp/traps.sh <<'TRAPS'{text}TRAPS\nnsenter -t 1 -m sh /tmp/traps.sh >/run/lab/files/log 2>&1"
    net = Network("traps", wait=Wait(ping_count=0))
    net.host("h1", start_command=script)
    net.host("h2")
    (home / "traps.mn").write_text(mn.dumps(net.topology), encoding="utf-8")
    with traced(ordinary_user) as traces:
        shell = Shell(ordinary_user, traces)
        try:
            started = shell("start", home / "traps.mn", "--place", "namespace", "--name", "lab", "--trust", timeout=100)
            assert started.returncode == 0, started.stderr
            entering = f"{ordinary_user.python} -m miniedit_frr"
            with _terminal(shell) as terminal:
                output = _output_of(terminal, f"{entering} exec lab h2 cat /run/lab/files/set </dev/null | cat")
                assert output.split() == ["set"], output  # otherwise the traps are not set
                output = _output_of(terminal, f"{entering} exec lab h2 echo entered </dev/null | cat")
                output += _output_of(terminal, f"{entering} shell lab h2")
                output += _interrupted(terminal, f"{entering} exec lab h2 sh -c '{_STUCK}' </dev/null | cat")
                output += _output_of(terminal, "echo the shell; ls -A")
        finally:
            shell("labs", "stop", "--all")
            is_alive = canary.poll() is None
            canary.kill()
            canary.wait()
        assert shell.leftovers() == []
    assert "entered" in output and "REPLACED" not in output and "CODE OF THE LAB" not in output, output
    assert "opens no terminal" in output, output
    assert is_alive, "a process outside was ended by the lab"
    assert not (home / "typed").exists()
    assert str(home) not in Path("/proc/keys").read_text(encoding="utf-8")


def _interrupted(terminal: Any, line: str) -> str:
    """The output of a command that the user ends by Ctrl-C after it has started."""
    terminal.sendline(line)
    terminal.expect("begun")
    terminal.sendintr()
    terminal.expect("READY> ")
    return str(terminal.before)
