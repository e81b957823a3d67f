"""Where a lab kernel has crashed: the function from its console, and the line of the user's module."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from frrlib.place.checker import checkers

_PANIC = re.compile(r"^Kernel panic - not syncing: (?P<reason>.*)$", re.MULTILINE)
#: The instruction: function, offset in it, and the module if it is in one.
_INSTRUCTION = re.compile(
    r"^RIP: [0-9a-f]+:(?P<function>[A-Za-z_][\w.]*)\+0x(?P<offset>[0-9a-f]{1,8})/0x[0-9a-f]+(?: \[(?P<module>\w+)\])?",
    re.MULTILINE,
)
_ADDR2LINE, _NM = "/usr/bin/addr2line", "/usr/bin/nm"
_LIMIT_S = 10.0


def explain(console: str, modules: Mapping[str, Path]) -> str:
    """The crash of a lab kernel as a clause; empty if its console shows none.

    Args:
        console: the end of its output.
        modules: compiled modules of the user that were loaded, by name.
    """
    panic, instruction = _PANIC.search(console), _INSTRUCTION.search(console)
    if panic is None or instruction is None:
        return ""
    function, module = instruction["function"], instruction["module"] or ""
    where = f"in {function}" + (f" of the module {module}" if module else "")
    if module in modules:
        line = _line(modules[module], function, int(instruction["offset"], 16))
        where = f"at {line}, {where}" if line else where
    return f"the lab kernel has crashed {where}: {panic['reason'].strip()}"


def _line(module: Path, function: str, offset: int) -> str:
    """The line of an instruction: "tcp_mine.c:14"; empty if it is not known. The module's author is a stranger."""
    try:
        content = module.read_bytes()
        symbols = checkers.output_of([_NM, "/proc/self/fd/0"], content, _LIMIT_S)
        start = re.search(rf"^([0-9a-f]+) [tT] {re.escape(function)}$", symbols, re.MULTILINE)
        if start is None:
            return ""
        argv = [_ADDR2LINE, "-j", ".text", "-e", "/proc/self/fd/0", f"{int(start[1], 16) + offset:#x}"]
        output = checkers.output_of(argv, content, _LIMIT_S)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    location = re.match(r"(?:.*/)?(\w+\.[ch]:\d+)", output)
    return location[1] if location else ""
