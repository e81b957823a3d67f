"""Lines of a configuration that vtysh must not read, and lines after which it would leave the configuration.

`vtysh -C` reads a configuration with the parser of its own command line. That parser also accepts commands that act at
once, such as `output file`, and abbreviations of them. It cuts lines at a NUL and after 4,095 bytes.
"""

from __future__ import annotations

import re

#: The longest line in characters. In UTF-8 it has 4,000 bytes at most; vtysh of FRR 8 splits lines of 4,096.
LONGEST = 1000

#: Commands that vtysh executes itself at any level of a configuration, and how many arguments may follow. Each word can
#: be abbreviated.
_COMMANDS = (
    (("output", "file"), 99), (("no", "output", "file"), 99), (("list",), 0), (("list", "permutations"), 0),
    (("find",), 99), (("show", "cli", "graph"), 0), (("clear", "terminal"), 0),
)  # fmt: skip
_LEAVING = ("exit", "quit", "end")
#: C0 except tab, DEL, C1, and the two separators of Unicode at which other programs break lines.
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]")


def refusal(line: str) -> str:
    """The reason why vtysh must not read a line, and how to change it; empty for any other line."""
    if control := _CONTROL.search(line):
        return f"it has the control character U+{ord(control[0]):04X}. Remove the character"
    if len(line) > LONGEST:
        return f"it has {len(line):,} characters, and at most {LONGEST:,} are allowed. Shorten it"
    words = line.split()
    if any(_abbreviates(words, command, arguments) for command, arguments in _COMMANDS):
        return "it is a command of vtysh itself, not of a configuration. Remove it"
    return ""


def may_leave(line: str) -> bool:
    """Whether vtysh may leave a section, or the whole configuration, after this line: `exit`, `quit`, `end` or an
    abbreviation."""
    words = line.split()
    return bool(words) and any(command.startswith(words[0]) for command in _LEAVING)


def _abbreviates(words: list[str], command: tuple[str, ...], arguments: int) -> bool:
    """Whether a line is this command, its words abbreviated or in full, with up to this number of arguments."""
    if not len(command) <= len(words) <= len(command) + arguments:
        return False
    return all(full.startswith(word) for word, full in zip(words, command, strict=False))
