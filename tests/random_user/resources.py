"""Things that a session could leak: widgets, images, commands of Tcl, threads and descriptors."""

from __future__ import annotations

import os
import re
import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any

#: How many more there may be at the end than at the start, because they are made at their first use and kept.
_KEPT = {"widgets": 60, "windows": 0, "menus": 40, "images": 150, "commands": 600, "threads": 2, "descriptors": 12}

#: The number in front of the name of a function in a command of tkinter.
_FUNCTION = re.compile("^[0-9]+")


@dataclass(frozen=True)
class Resources:
    """The numbers of things that exist at a moment.

    Attributes:
        counts: the number of widgets, windows, menus, images, commands, threads and descriptors, by these names.
        classes: the number of widgets by their class.
        commands: the number of commands of Tcl by the function that they call, or by their name.
        windows: the names of the windows besides the main one.
        threads: the names of the threads.
        descriptors: the files and sockets behind the descriptors.
    """

    counts: dict[str, int]
    classes: Counter[str]
    commands: Counter[str]
    windows: list[str]
    threads: list[str]
    descriptors: list[str]


def resources_of(editor: Any) -> Resources:
    """The things that exist now. Must be called in the window's thread."""
    tk = editor.window.tk
    classes = Counter[str]()
    windows, waiting = list[str](), ["."]
    while waiting:
        name = waiting.pop()
        kind = str(tk.call("winfo", "class", name))
        classes[kind] += 1
        windows += [name] if kind == "Toplevel" else []
        waiting += map(str, tk.splitlist(tk.call("winfo", "children", name)))
    commands = Counter(_FUNCTION.sub("", str(name)) for name in tk.splitlist(tk.call("info", "commands")))
    threads = sorted(thread.name for thread in threading.enumerate())
    descriptors = sorted(_target(number) for number in os.listdir("/proc/self/fd"))
    counts = {
        "windows": classes["Toplevel"], "menus": classes["Menu"],
        "widgets": classes.total() - classes["Menu"] - classes["Toplevel"],
        "images": len(tk.splitlist(tk.call("image", "names"))),
        "commands": commands.total(),
        "threads": len(threads), "descriptors": len(descriptors),
    }  # fmt: skip
    return Resources(counts, classes, commands, windows, threads, descriptors)


def _target(number: str) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{number}")
    except OSError:
        return "closed"


def leaks(first: Resources, last: Resources) -> list[str]:
    """The kinds of things of which there are too many at the end, one sentence each."""
    faults = []
    for kind, kept in _KEPT.items():
        before, after = first.counts[kind], last.counts[kind]
        if after > before + kept:
            more = _more(first, last, kind)
            faults.append(f"{kind} leak: {before} at the start, {after} at the end{f' ({more})' if more else ''}")
    return faults


def _more(first: Resources, last: Resources, kind: str) -> str:
    """The things that are new at the end, with their numbers, as far as they have names."""
    names = {
        "widgets": (first.classes, last.classes),
        "commands": (first.commands, last.commands),
        "threads": (Counter(first.threads), Counter(last.threads)),
        "descriptors": (Counter(first.descriptors), Counter(last.descriptors)),
        "windows": (Counter(first.windows), Counter(last.windows)),
    }
    before, after = names.get(kind, (Counter[str](), Counter[str]()))
    return ", ".join(f"{count} {name}" for name, count in (after - before).most_common(6))
