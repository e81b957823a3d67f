"""The output of vtysh, and a conversation with it: prompts, modes, and the lines in which FRR refuses a command.

It knows no lab: inside, a node's thread starts vtysh; outside, a terminal into the node does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
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
#: What vtysh repeats with -E: the prompt, and the command that it runs.
_REPEATED = re.compile(r"^[\w.:-]+(?:\([\w-]+\))?[#>] (.*)$", re.MULTILINE)
#: In configuration mode whatever begins like this is a refusal; elsewhere it may be an answer.
_COMPLAINT = re.compile(r"^% .*", re.MULTILINE)


def refusal(text: str) -> str:
    """The line in which FRR refuses a command; empty where it took all of them."""
    found = _REFUSED.search(text)
    return found.group(0).strip() if found else ""


def configure_argv(lines: str | Iterable[str]) -> list[str]:
    """vtysh with lines of configuration, which it repeats, so that `refused_line` can tell which one it did not take.

    Args:
        lines: as one text or one by one, with or without indentation; empty lines and comments ("!") are left out.
    """
    every = lines.splitlines() if isinstance(lines, str) else list(lines)
    wanted = [line for line in every if line.strip() and not line.lstrip().startswith("!")]
    return ["vtysh", "-E", *(word for line in ("configure terminal", *wanted) for word in ("-c", line))]


def refused_line(printed: str) -> tuple[str, str]:
    """The last command in what `configure_argv` printed, at which vtysh stopped, and what was said of it."""
    commands = list(_REPEATED.finditer(printed))
    if not commands:
        return "", printed.strip()
    return commands[-1].group(1).strip(), printed[commands[-1].end() :].strip()


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

        start = spawn or pexpect.spawn
        self._child: pexpect.spawn[str] = start(
            words[0], list(words[1:]), timeout=timeout_s, encoding="utf-8", echo=False, dimensions=(1000, 500)
        )
        self._wait("the first prompt")
        self.run("terminal length 0")

    @property
    def prompt(self) -> str:
        """The prompt that vtysh shows now, for instance "r1(config-router)#"."""
        return str(self._child.after).strip()

    def run(self, line: str) -> str:
        """Run a command and return its output. Raises CommandFailed for a refused one, LabFailed where it hangs."""
        configure_argv = self.prompt.endswith(")#")
        self._child.sendline(line)
        self._wait(line)
        printed = (self._child.before or "").replace("\r", "")
        # The terminal may repeat what was typed in spite of all.
        printed = printed.removeprefix(line).strip("\n")
        refused = refusal(printed)
        if not refused and configure_argv and (complaint := _COMPLAINT.search(printed)):
            refused = complaint.group(0)
        if refused:
            raise CommandFailed(("vtysh", "-c", line), 1, refused)
        return printed

    def json(self, line: str) -> Any:
        """The answer to a "... json" command as Python values. Raises CommandFailed for anything but JSON."""
        printed = self.run(line)
        try:
            return json.loads(printed)
        except ValueError as error:
            raise CommandFailed(("vtysh", "-c", line), 0, f"not JSON: {printed[:200]}") from error

    def configure(self, *lines: str) -> None:
        """Run lines in configuration mode and come back, even after a refused one, which raises CommandFailed."""
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

    def _wait(self, what: str) -> None:
        import pexpect

        try:
            self._child.expect(_PROMPT)
        except (pexpect.TIMEOUT, pexpect.EOF) as error:
            said = str(self._child.before or "").strip()[-500:]
            raise LabFailed(f"vtysh printed no prompt after {what!r}; its output: {said or 'none'}") from error
