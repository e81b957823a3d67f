"""Whoever goes into a stranger's running lab by a command takes nothing along: not the terminal, not the files."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pexpect
import pytest

from frrlib.formats import mn
from frrlib.network import Network, Wait
from tests.cli.test_labs import Shell
from tests.traces import traced
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

#: Puts another program in the place of what commands enter by, which types into the terminal of whoever comes.
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
#: Types a command into whatever terminal it can find; says what it found.
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
_SPOIL = "for n in 0 1 2; do echo EVIL >/proc/self/fd/$n; chmod 6755 /proc/self/fd/$n; done"


def _terminal(shell: Shell) -> Any:
    """An interactive shell of the user's, with a terminal and with secrets in its environment."""
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


def _says(terminal: Any, line: str) -> str:
    terminal.sendline(line)
    terminal.expect("READY> ")
    return str(terminal.before)


@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_nothing_is_taken_along(ordinary_user: Any, place: str) -> None:
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
                ways = (f"{run} python3 {home}/labs/type.py </dev/null | cat", f"{run} python3 - < {home}/labs/type.py")
                for way in ways:
                    said = _says(terminal, way)
                    own = "TERMINALS ['/proc/1/fd/0'] [] END"  # the lab kernel's console
                    assert "TERMINALS [] [] END" in said or (place == "labkernel" and own in said), said
                    assert "hijacked" not in said or place == "labkernel", said  # there it is inside that one enters
                _says(terminal, f"{run} sh -c '{_SPOIL}' < {files[0]} > {files[1]} 2> {files[2]}")
                said = _says(terminal, "echo the shell; ls -A")
                assert "the shell" in said and "typed" not in said.split(), said
        finally:
            shell("labs", "stop", "--all")
        assert shell.left() == []
    assert files[0].read_text(encoding="ascii") == "given\n"
    assert [stat.S_IMODE(path.stat().st_mode) for path in files] == [0o644] * 3
    assert not (home / "typed").exists()
