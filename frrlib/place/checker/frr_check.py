"""Checks configurations with the vtysh of this machine, before anything starts.

vtysh contains the grammar of all daemons and needs no running daemon. It reports every line that is no command, not
only the first. It does not check whether the configuration makes sense: whether a session's route map is defined,
or its AS number is right.

The text may be a stranger's, and nobody has agreed to run anything of it yet. vtysh therefore runs confined
(`checkers.py`). Lines with commands that it would execute are refused without it: the parser of its command line reads
configurations, too, so it also accepts `output file` and its abbreviations. That parser cuts lines at a NUL and after
4,095 bytes.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from frrlib.place.checker import checkers
from frrlib.safe_text.plain import one_line

#: Seconds for vtysh to start, for each thousand lines, and for all runs about the same lines.
TIMEOUT_S, TIMEOUT_PER_THOUSAND_LINES_S, LONGEST_S = 10.0, 5.0, 120.0
#: An error of vtysh about a line: its number, what is wrong, and the line.
_REFUSED = re.compile(r"^line (\d+): % ?(.*?)(?:\[\d+\])?: ?(.*)$", re.MULTILINE)
#: Between two configurations in one file: only a known section that is ended leaves any section that was left open.
_BETWEEN = ("router rip", "exit")
#: Follows each line that may leave the configuration. Outside of it vtysh would execute what follows.
_BACK = "configure terminal"
#: A line that is not read. A comment keeps the numbers of the lines behind it.
_SKIPPED = "!"
#: Output of vtysh of FRR 10 at a line after which it reads no further.
_EARLY_EXIT = re.compile(r"^line (\d+): Warning\S* (early exit from config file)()$", re.MULTILINE)
#: A folder without a vtysh.conf: that of the machine is often readable for the group of FRR only.
_NO_SETTINGS = "/proc/self/fdinfo"
#: Number of configurations whose results are cached: most are checked again after a change elsewhere.
_CACHE_SIZE = 512
#: Characters of a refused line in a message.
_SHOWN = 120
#: The longest line in characters. In UTF-8 it has 4,000 bytes at most; vtysh of FRR 8 splits lines of 4,096.
_LONGEST_LINE = 1000
#: Commands that vtysh executes itself at any level of a configuration, and how many arguments may follow. Each word can
#: be abbreviated.
_VTYSH_COMMANDS = (
    (("output", "file"), 99), (("no", "output", "file"), 99), (("list",), 0), (("list", "permutations"), 0),
    (("find",), 99), (("show", "cli", "graph"), 0), (("clear", "terminal"), 0),
)  # fmt: skip
_LEAVING = ("exit", "quit", "end")
#: C0 except tab, DEL, C1, and the two separators of Unicode at which other programs break lines.
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


@dataclass(frozen=True)
class RefusedLine:
    """A line that FRR refuses.

    Attributes:
        line_number: from 1, in the text that was checked.
        line: the line, without indentation.
        reason: in vtysh's words ("Unknown command", "Command incomplete", "Ambiguous command"), or the reason why
            vtysh did not get the line.
        is_withheld: whether vtysh did not get the line, because it must not read it.
    """

    line_number: int
    line: str
    reason: str
    is_withheld: bool = False

    @property
    def printable_line(self) -> str:
        """The line for messages: without control characters, and with its middle left out if it is long."""
        return one_line(self.line, _SHOWN)

    def __str__(self) -> str:
        return f'line {self.line_number}, "{self.printable_line}": {self.reason}'


_cache: dict[str, tuple[RefusedLine, ...]] = {}
_cache_lock = threading.Lock()


def can_check() -> bool:
    """Whether this machine has FRR, and a kernel that can confine its vtysh."""
    return _vtysh() is not None and checkers.can_confine()


def refused_lines(text: str) -> list[RefusedLine]:
    """The lines of a configuration that FRR refuses, in order.

    It starts a process and may take some hundredths of a second. Any thread may call it. Without FRR, or on a kernel
    that cannot confine it, only lines that vtysh must not read are refused.

    Args:
        text: as in `frr.conf`, whole, or a part that begins outside all sections.
    """
    return list(refused_lines_of_all([text])[0])


def refused_lines_of_all(texts: Sequence[str]) -> list[tuple[RefusedLine, ...]]:
    """As `refused_lines` for several configurations, with one process for those that were not checked recently."""
    with _cache_lock:
        new = [text for text in dict.fromkeys(texts) if text not in _cache]
    checked, is_complete = _check(new) if new else ({}, True)
    with _cache_lock:
        answers = [checked[text] if text in checked else _cache.get(text, ()) for text in texts]
        if is_complete:
            _cache.update(checked)
        for old in list(_cache)[: max(0, len(_cache) - _CACHE_SIZE)]:
            del _cache[old]
    return answers


def _vtysh() -> str | None:
    program = shutil.which("vtysh", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/bin", "/usr/local/bin"]))
    return os.path.abspath(program) if program else None


def _check(texts: list[str]) -> tuple[dict[str, tuple[RefusedLine, ...]], bool]:
    """The refused lines of each text, and whether vtysh read all of them: it may be missing or not answer in time."""
    refused_sets: list[set[RefusedLine]] = [set() for _ in texts]
    lines, sources = _one_file(texts, refused_sets)
    is_complete = _run_vtysh(lines, sources, refused_sets) if can_check() else False
    by_text = {
        text: tuple(sorted(refused, key=_line_number)) for text, refused in zip(texts, refused_sets, strict=True)
    }
    return by_text, is_complete


def _run_vtysh(lines: list[str], sources: dict[int, tuple[int, int]], refused: list[set[RefusedLine]]) -> bool:
    """Add the lines that vtysh refuses to `refused`. Returns whether it has checked all lines."""
    program = _vtysh()
    assert program is not None
    ends = time.monotonic() + min(TIMEOUT_S + TIMEOUT_PER_THOUSAND_LINES_S * len(lines) / 1000, LONGEST_S)
    while True:
        try:
            printed = _output(program, lines, ends - time.monotonic())
        except (OSError, subprocess.TimeoutExpired):
            return False
        early = list(_EARLY_EXIT.finditer(printed))
        for match in (*_REFUSED.finditer(printed), *early):
            text, number = sources.get(at := int(match[1]), (-1, 0))
            if number:
                reason = match[2].strip().rstrip(".")
                refused[text].add(RefusedLine(number, lines[at - 1].strip(), reason))
        if not early:
            return True
        for match in early:
            lines[int(match[1]) - 1] = _SKIPPED  # the next run reads the lines after it


def _line_number(refused: RefusedLine) -> int:
    return refused.line_number


def _output(program: str, lines: list[str], limit_s: float) -> str:
    """The output of vtysh for a file of these lines."""
    text = ("\n".join(lines) + "\n").encode(errors="replace")
    argv = [program, "--config_dir", _NO_SETTINGS, "-C", "-f", "/proc/self/fd/0"]
    return checkers.output_of(argv, text, max(limit_s, 0))


def _one_file(texts: Iterable[str], refused: list[set[RefusedLine]]) -> tuple[list[str], dict[int, tuple[int, int]]]:
    """The lines of all texts in one file, and the text and line number of each line that is from a text.

    Lines that vtysh must not read become comments, and are added to `refused`.
    """
    lines: list[str] = []
    sources = {}
    for index, text in enumerate(texts):
        lines += _BETWEEN
        for number, line in enumerate(text.splitlines(), 1):
            if reason := _refusal(line):
                refused[index].add(RefusedLine(number, line.strip(), reason, is_withheld=True))
                lines.append(_SKIPPED)
                continue
            lines.append(line)
            sources[len(lines)] = (index, number)
            if _may_leave(line):
                lines.append(_BACK)
    return lines, sources


def _refusal(line: str) -> str:
    """The reason why vtysh must not read a line, and how to change it; empty for any other line."""
    if control := _CONTROL.search(line):
        return f"it has the control character U+{ord(control[0]):04X}. Remove the character"
    if len(line) > _LONGEST_LINE:
        return f"it has {len(line):,} characters, and at most {_LONGEST_LINE:,} are allowed. Shorten it"
    words = line.split()
    if any(_abbreviates(words, command, arguments) for command, arguments in _VTYSH_COMMANDS):
        return "it is a command of vtysh itself, not of a configuration. Remove it"
    return ""


def _may_leave(line: str) -> bool:
    """Whether vtysh may leave a section, or the whole configuration, after this line: `exit`, `quit`, `end` or an
    abbreviation."""
    words = line.split()
    return bool(words) and any(command.startswith(words[0]) for command in _LEAVING)


def _abbreviates(words: list[str], command: tuple[str, ...], arguments: int) -> bool:
    """Whether a line is this command, its words abbreviated or in full, with up to this number of arguments."""
    if not len(command) <= len(words) <= len(command) + arguments:
        return False
    return all(full.startswith(word) for word, full in zip(words, command, strict=False))
