"""The output of vtysh, and a conversation with it: prompts, modes, and messages about refused commands.

It is independent of labs: inside one a node's thread starts vtysh, outside a terminal into the node does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from frrlib.errors import CommandFailed, LabFailed

if TYPE_CHECKING:
    import pexpect

#: FRR's messages about a command that it did not carry out.
_REFUSED = re.compile(
    r"^% (?:\[\w+\] )?(?:Unknown command|Command incomplete|Ambiguous command|There is no matched command).*",
    re.MULTILINE,
)
#: A prompt of vtysh: host name, the mode in brackets if any, "#" or ">".
_PROMPT = r"(?:^|[\r\n])[\w.:-]+(?:\([\w-]+\))?[#>] $"
#: The output of vtysh -E before each command: the prompt and the command.
_ECHOED = re.compile(r"^[\w.:-]+(?:\([\w-]+\))?[#>] (.*)$", re.MULTILINE)
#: Messages of daemons about an invalid value, after which vtysh of FRR 8.4 continues, with exit status 0.
_NOT_APPLIED = re.compile(r"^% ?(?:Failed to edit configuration|Configuration failed)", re.MULTILINE)
#: In configuration mode every such line is a refusal; in other modes it may be a normal reply.
_COMPLAINT = re.compile(r"^% .*", re.MULTILINE)


def refusal(text: str) -> str:
    """The line in which FRR refuses a command; empty if it accepted all of them."""
    match = _REFUSED.search(text)
    return match.group(0).strip() if match else ""


def configure_argv(lines: str | Iterable[str]) -> list[str]:
    """The command line of vtysh for lines of configuration. It repeats them, so that `rejection` finds a rejected one.

    Args:
        lines: as one text or one by one, with or without indentation. Empty lines and comments ("!") are left out.
    """
    given_lines = lines.splitlines() if isinstance(lines, str) else list(lines)
    commands = [line for line in given_lines if line.strip() and not line.lstrip().startswith("!")]
    return ["vtysh", "-E", *(word for line in ("configure terminal", *commands) for word in ("-c", line))]


class Rejection(NamedTuple):
    """A line that FRR did not put into force.

    Attributes:
        position: its position among the lines of `configure_argv`; -1 for the command that enters configuration mode.
        line: the line without indentation; empty if vtysh did not read any.
        message: FRR's message.
    """

    position: int
    line: str
    message: str


def rejection(printed: str, status: int) -> Rejection | None:
    """The first line that FRR rejected; None if it accepted all of them.

    Args:
        printed: output of `configure_argv`.
        status: exit status of vtysh.
    """
    commands = list(_ECHOED.finditer(printed))
    if not commands:
        return Rejection(-1, "", printed.strip()) if status else None
    ends = [*(command.start() for command in commands[1:]), len(printed)]
    for position, (command, end) in enumerate(zip(commands, ends, strict=True), -1):
        message = printed[command.end() : end].strip()
        if _NOT_APPLIED.search(message):
            return Rejection(position, command.group(1).strip(), message)
    return Rejection(len(commands) - 2, commands[-1].group(1).strip(), message) if status else None


class VtyshSession:
    """An interactive vtysh, kept open over many commands and modes.

    Args:
        words: the command line; outside a lab for instance `["ip", "netns", "exec", "r1", "vtysh"]`.
        timeout_s: the longest duration of a command.
        spawn: starts the program instead of pexpect.spawn (a node's thread needs this for its own namespaces).

    Raises:
        LabFailed: vtysh prints no prompt.
    """

    def __init__(
        self, words: Sequence[str] = ("vtysh",), timeout_s: float = 10.0, spawn: Callable[..., Any] | None = None
    ) -> None:
        import pexpect

        start = spawn or pexpect.spawn
        self._child: pexpect.spawn[str] = start(
            words[0], list(words[1:]), timeout=timeout_s, encoding="utf-8", echo=False, dimensions=(1000, 500),
            use_poll=True,  # in a large lab the descriptor's number is too high for select
        )  # fmt: skip
        self._wait("the first prompt")
        self.run("terminal length 0")

    @property
    def prompt(self) -> str:
        """The present prompt, for instance "r1(config-router)#"."""
        return str(self._child.after).strip()

    def run(self, line: str) -> str:
        """Run a command and return its output. Raises CommandFailed for a refused one, LabFailed if it hangs."""
        configure_argv = self.prompt.endswith(")#")
        self._child.sendline(line)
        self._wait(line)
        printed = (self._child.before or "").replace("\r", "")
        # The terminal may repeat the typed line in spite of the settings.
        printed = printed.removeprefix(line).strip("\n")
        refused = refusal(printed)
        if not refused and configure_argv and (complaint := _COMPLAINT.search(printed)):
            refused = complaint.group(0)
        if refused:
            raise CommandFailed(("vtysh", "-c", line), 1, refused)
        return printed

    def json(self, line: str) -> Any:
        """The reply to a "... json" command as Python values. Raises CommandFailed if it is not JSON."""
        printed = self.run(line)
        try:
            return json.loads(printed)
        except ValueError as error:
            raise CommandFailed(("vtysh", "-c", line), 0, f"not JSON: {printed[:200]}") from error

    def configure(self, *lines: str) -> None:
        """Run lines in configuration mode and leave it again, even after a refused one, which raises CommandFailed."""
        self.run("configure terminal")
        try:
            for line in lines:
                self.run(line)
        finally:
            self.run("end")

    def close(self) -> None:
        """End the session."""
        self._child.close(force=True)

    def __enter__(self) -> VtyshSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wait(self, awaited: str) -> None:
        import pexpect

        try:
            self._child.expect(_PROMPT)
        except (pexpect.TIMEOUT, pexpect.EOF) as error:
            output = str(self._child.before or "").strip()[-500:]
            raise LabFailed(f"vtysh printed no prompt after {awaited!r}; its output: {output or 'none'}") from error
