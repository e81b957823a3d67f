"""Whether FRR understands a configuration, asked of the vtysh of this machine before anything starts.

vtysh knows the grammar of all daemons, needs none of them for this, and finds every line that is no command, not only
the first. It does not know whether what is said makes sense: that a session's route map exists, or its AS is right.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: How long vtysh may take to start, and how much longer for each thousand lines.
TIMEOUT_S, TIMEOUT_PER_THOUSAND_LINES_S = 10.0, 5.0
#: What vtysh prints of a line: its number, what is wrong, and the line.
_REFUSED = re.compile(r"^line (\d+): % ?(.*?)(?:\[\d+\])?: ?(.*)$", re.MULTILINE)
#: Between two configurations in one file: only a known section that is ended leaves whatever section was left open.
_BETWEEN = ("router rip", "exit")
#: Lines that leave a section. One too many leaves the configuration, and one more vtysh, which would look no further.
_LEAVING = ("exit", "quit", "end")
_BACK = "configure terminal"
#: What vtysh of FRR 10 says where it looks no further, whatever follows.
_EARLY_EXIT = re.compile(r"^line (\d+): Warning\S* (early exit from config file)()$", re.MULTILINE)
#: A folder without a vtysh.conf: that of the machine is often readable for the group of FRR only.
_NO_SETTINGS = "/proc/self/fdinfo"
#: How many configurations are remembered, since most are asked about again with a few lines changed elsewhere.
_REMEMBERED = 512


@dataclass(frozen=True)
class Refused:
    """A line that FRR does not take.

    Attributes:
        line_number: from 1, of the text that was asked about.
        line: the line, without indentation.
        why: in vtysh's words ("Unknown command", "Command incomplete", "Ambiguous command").
    """

    line_number: int
    line: str
    why: str

    def __str__(self) -> str:
        return f'line {self.line_number}, "{self.line}": {self.why}'


_known: dict[str, tuple[Refused, ...]] = {}
_knowing = threading.Lock()


def can_check() -> bool:
    """Whether there is an FRR here to ask."""
    return _vtysh() is not None


def checked(text: str) -> list[Refused]:
    """The lines of a configuration that FRR does not take, in order; none where FRR is not installed.

    It starts a process and may take some hundredths of a second; it may be called from any thread.

    Args:
        text: as in `frr.conf`, whole, or a part that begins outside all sections.
    """
    return list(checked_all([text])[0])


def checked_all(texts: Sequence[str]) -> list[tuple[Refused, ...]]:
    """As `checked` for several configurations, with one process for those that were not asked about lately."""
    with _knowing:
        asked = [text for text in dict.fromkeys(texts) if text not in _known]
    found = _ask(asked) if asked else {}
    with _knowing:
        answers = [found[text] if text in found else _known.get(text, ()) for text in texts]
        _known.update(found)
        for old in list(_known)[: max(0, len(_known) - _REMEMBERED)]:
            del _known[old]
    return answers


def _vtysh() -> str | None:
    return shutil.which("vtysh", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/bin", "/usr/local/bin"]))


def _ask(texts: list[str]) -> dict[str, tuple[Refused, ...]]:
    """The objections of vtysh to these texts; empty if there is no vtysh, or it does not answer in time."""
    program = _vtysh()
    if program is None:
        return {}
    lines, sources = _one_file(texts)
    found: list[set[Refused]] = [set() for _ in texts]
    while True:
        try:
            said = _said(program, lines)
        except (OSError, subprocess.TimeoutExpired):
            return {}
        early = list(_EARLY_EXIT.finditer(said))
        for match in (*_REFUSED.finditer(said), *early):
            text, number = sources.get(at := int(match[1]), (-1, 0))
            if number:
                why = match[2].strip().rstrip(".")
                found[text].add(Refused(number, lines[at - 1].strip(), why))
        if not early:
            return {text: tuple(sorted(refused, key=_place)) for text, refused in zip(texts, found, strict=True)}
        for match in early:
            lines[int(match[1]) - 1] = "!"  # and on with what follows


def _place(refused: Refused) -> int:
    return refused.line_number


def _said(program: str, lines: list[str]) -> str:
    """The output of vtysh for a file of these lines, which is in memory: not even a kill of this process leaves one."""
    memory = os.memfd_create("frr.conf")
    try:
        with open(memory, "w", encoding="utf-8", errors="replace", closefd=False) as file:
            file.write("\n".join(lines) + "\n")
        argv = [program, "--config_dir", _NO_SETTINGS, "-C", "-f", f"/proc/self/fd/{memory}"]
        limit_s = TIMEOUT_S + TIMEOUT_PER_THOUSAND_LINES_S * len(lines) / 1000
        done = subprocess.run(
            argv, capture_output=True, stdin=subprocess.DEVNULL, timeout=limit_s, check=False, pass_fds=(memory,)
        )
    finally:
        os.close(memory)
    return done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


def _one_file(texts: Iterable[str]) -> tuple[list[str], dict[int, tuple[int, int]]]:
    """The lines of all texts in one file, and of those that come from a text: which one, and its number there."""
    lines: list[str] = []
    sources = {}
    for which, text in enumerate(texts):
        lines += _BETWEEN
        for number, line in enumerate(text.splitlines(), 1):
            lines.append(line)
            sources[len(lines)] = (which, number)
            if line.split()[:1] and line.split()[0] in _LEAVING:
                lines.append(_BACK)
    return lines, sources
