"""Talking to FRR: one-shot commands through vtysh, questions straight to one daemon, and an interactive session.

Every way raises where FRR says that it did not understand, so that a mistyped command never looks like an empty answer.
"""

from __future__ import annotations

import json
import re
import socket
import subprocess
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from frrlib.errors import CommandFailed, LabFailed

if TYPE_CHECKING:
    import pexpect

#: What FRR says of a command that it did not carry out.
_REFUSED = re.compile(
    r"^% (?:\[\w+\] )?(?:Unknown command|Command incomplete|Ambiguous command|There is no matched command).*",
    re.MULTILINE,
)
#: A prompt of vtysh: host name, the mode in brackets if any, "#" or ">".
_PROMPT = r"(?:^|[\r\n])[\w.:-]+(?:\([\w-]+\))?[#>] $"

Run = Callable[[Sequence[str], float], "subprocess.CompletedProcess[str]"]


def refusal(text: str) -> str:
    """The line in which FRR refuses a command; empty where it took all of them."""
    found = _REFUSED.search(text)
    return found.group(0).strip() if found else ""


def argv(commands: Sequence[str]) -> list[str]:
    """vtysh with these commands, to be run one after the other."""
    return ["vtysh", *(word for command in commands for word in ("-c", command))]


def run(commands: Sequence[str], runner: Run, timeout_s: float = 30.0) -> str:
    """What vtysh answers to the commands.

    Args:
        commands: for instance `("configure terminal", "router bgp 1")`.
        runner: runs an argv in the router within a time in seconds and gives status and output.
        timeout_s: how long all of them together may take.

    Raises:
        CommandFailed: FRR refused a command, or vtysh failed.
    """
    words = argv(commands)
    answer = runner(words, timeout_s)
    refused = refusal(answer.stdout + answer.stderr)
    if answer.returncode or refused:
        raise CommandFailed(words, answer.returncode, refused or answer.stderr or answer.stdout)
    return answer.stdout


def run_json(command: str, runner: Run, timeout_s: float = 30.0) -> Any:
    """The answer to a "... json" command as Python values. Raises CommandFailed, also for anything but JSON."""
    text = run((command,), runner, timeout_s)
    try:
        return json.loads(text)
    except ValueError as error:
        raise CommandFailed(argv((command,)), 0, f"not JSON: {text[:200]}") from error


def ask(path: str, command: str, timeout_s: float = 5.0) -> str:
    """What one daemon answers at its own socket, without any process in between.

    Args:
        path: the daemon's socket ("/run/frr/zebra.vty").
        command: a command of the enabled mode.
        timeout_s: how long each answer may take.

    Raises:
        OSError: nobody answers at the socket, or too late.
        CommandFailed: the daemon does not take the command.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(timeout_s)
        connection.connect(path)
        answer = ""
        for line in ("enable", command):
            connection.sendall(line.encode() + b"\0")
            status, answer = _answer(connection)
        if status and refusal(answer):
            raise CommandFailed((path, command), status, answer)
        return answer


def _answer(connection: socket.socket) -> tuple[int, str]:
    """An answer ends with three zero bytes and the command's status."""
    data = b""
    while len(data) < 4 or data[-4:-1] != b"\0\0\0":
        chunk = connection.recv(65536)
        if not chunk:
            raise ConnectionResetError("the daemon closed its socket")
        data += chunk
    return data[-1], data[:-4].decode(errors="replace")


class VtyshSession:
    """An interactive vtysh, kept open over many commands and modes.

    Args:
        words: how to start it; from outside a lab for instance `["ip", "netns", "exec", "r1", "vtysh"]`.
        timeout_s: how long a command may take.
        spawn: starts the program instead of pexpect.spawn (a node's thread must do it for its own namespaces).

    Raises:
        LabFailed: vtysh does not come to its prompt.
    """

    def __init__(
        self, words: Sequence[str] = ("vtysh",), timeout_s: float = 10.0, spawn: Callable[..., Any] | None = None
    ) -> None:
        import pexpect

        self._words = list(words)
        start = spawn or pexpect.spawn
        self._child: pexpect.spawn[str] = start(
            self._words[0], self._words[1:], timeout=timeout_s, encoding="utf-8", echo=False, dimensions=(1000, 500)
        )
        self._wait("the first prompt")
        self.command("terminal length 0")

    @property
    def prompt(self) -> str:
        """The prompt that vtysh shows now, for instance "r1(config-router)#"."""
        return str(self._child.after).strip()

    def command(self, line: str) -> str:
        """Run a command and give what it prints. Raises CommandFailed for a refused one, LabFailed where it hangs."""
        self._child.sendline(line)
        self._wait(line)
        printed = (self._child.before or "").replace("\r", "")
        # The terminal may repeat what was typed in spite of all.
        printed = printed.removeprefix(line).strip("\n")
        refused = refusal(printed)
        if refused:
            raise CommandFailed((*self._words, line), 1, refused)
        return printed

    def json(self, line: str) -> Any:
        """The answer to a "... json" command as Python values. Raises CommandFailed for anything but JSON."""
        printed = self.command(line)
        try:
            return json.loads(printed)
        except ValueError as error:
            raise CommandFailed((*self._words, line), 0, f"not JSON: {printed[:200]}") from error

    def configure(self, *lines: str) -> None:
        """Run lines in configuration mode and come back, even after a refused one, which raises CommandFailed."""
        self.command("configure terminal")
        try:
            for line in lines:
                self.command(line)
        finally:
            self.command("end")

    def close(self) -> None:
        """End the session."""
        self._child.close(force=True)

    def __enter__(self) -> VtyshSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait(self, what: str) -> None:
        import pexpect

        try:
            self._child.expect(_PROMPT)
        except (pexpect.TIMEOUT, pexpect.EOF) as error:
            said = str(self._child.before or "").strip()[-500:]
            raise LabFailed(f"vtysh gave no prompt after {what!r}; it said: {said or 'nothing'}") from error
