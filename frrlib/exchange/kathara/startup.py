"""Scripts that run in a device at the start (`NAME.startup`), read as steps with a meaning. Nothing is executed.

A script is read line by line. Loops, conditions, functions and texts between marks (`<<`) stay together as one command.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from frrlib.exchange.start_commands.commands import Step, steps_of_line

_OPENERS, _CLOSERS = frozenset(("if", "for", "while", "until", "case", "select", "{", "(")), frozenset((
    "fi", "done", "esac", "}", ")",
))  # fmt: skip
#: A quote over several lines may be this long. A longer line is no command that is read.
_LONGEST_QUOTE = 4096
_HERE_TEXT = re.compile(r"<<(-?)\s*(['\"]?)([A-Za-z_]\w*)\2")
#: The first words of commands of a shell script, as far as they are found without running it.
_COMMAND_STARTS = re.compile(r"(?:^|[;&|]|\bdo\b|\bthen\b|\belse\b|\bfunction\s+\w+|\(\))\s*([A-Za-z]+\b|[{}()])")
#: Syntax of bash that other shells do not have.
_BASH = re.compile(r"\[\[|\(\(|<<<|<\(|\{\d+\.\.|\bfunction \w|\bsource \w|\w=\(|\$'|\bdeclare\b|&>|\$\{\w+[\[^,]")


def startup_steps(text: str, file: str) -> list[Step]:
    """The steps of a script.

    Args:
        text: the script.
        file: its name in messages.
    """
    steps: list[Step] = []
    for number, command in _commands(text):
        if "\n" in command or len(command) > _LONGEST_QUOTE:
            steps.append(Step("other", (), command, file, number))
        else:
            steps += steps_of_line(command, file, number)
    return steps


def needs_bash(script: str) -> bool:
    """Whether a script has syntax that only bash has."""
    return _BASH.search(script) is not None


def _commands(text: str) -> Iterator[tuple[int, str]]:
    """The lines and blocks of lines with commands, with the number of their first line."""
    block: list[str] = []
    first, depth, end_mark = 0, 0, ""
    for number, line in enumerate(text.replace("\r", "").split("\n"), 1):
        if not block and (not line.strip() or line.lstrip().startswith("#")):
            continue
        first = first if block else number
        block.append(line)
        if end_mark:
            end_mark = "" if line.strip() == end_mark else end_mark
        elif match := _HERE_TEXT.search(line):
            end_mark = match[3]
        else:
            depth = max(0, depth + _change_of_depth(line))
        if depth or end_mark or line.endswith("\\") or _has_open_quote(block):
            continue
        yield first, _joined(block)
        block = []
    if block:
        yield first, _joined(block)


def _joined(block: list[str]) -> str:
    """A block of lines as one command; continued lines without their ends."""
    return re.sub(r"\\\n\s*", "", "\n".join(block)).strip()


def _change_of_depth(line: str) -> int:
    words = [match[1] for match in _COMMAND_STARTS.finditer(re.sub(r"(^|\s)#.*", "", line))]
    return sum(word in _OPENERS for word in words) - sum(word in _CLOSERS for word in words)


def _has_open_quote(block: list[str]) -> bool:
    """Whether a quote is open at the end of a short block."""
    if not any(sign in line for line in block for sign in "'\"") or sum(map(len, block)) > _LONGEST_QUOTE:
        return False
    try:
        shlex.split("\n".join(block), comments=True)
    except ValueError as problem:
        return "quotation" in str(problem)
    return False
