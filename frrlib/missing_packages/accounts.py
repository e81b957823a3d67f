"""Users and groups that packages would make when they are installed."""

from __future__ import annotations

import os
from pathlib import Path

#: Labs give these the ids of root (`frrlib.place.confinement.file_tree`). Outside of labs nothing uses them.
_USERS = ("frr", "sshd", "tcpdump")
_GROUPS = ("frr", "frrvty", "sshd", "tcpdump")
#: No file has these ids.
_FIRST_ID = 64900


def with_accounts(text: str, names: tuple[str, ...], shape: str) -> str:
    """A file of accounts with those of these names that it lacks.

    Args:
        text: the machine's file.
        names: the names.
        shape: a line with `{name}` and `{number}`.
    """
    present = {line.partition(":")[0] for line in text.splitlines()}
    added = "".join(
        f"{shape.format(name=name, number=_FIRST_ID + index)}\n"
        for index, name in enumerate(names)
        if name not in present
    )
    return text + ("\n" if added and text and not text.endswith("\n") else "") + added


def refresh(layer: Path, etc: Path = Path("/etc")) -> None:
    """Make the layer's files of accounts agree with those of the machine."""
    shapes = {
        "passwd": (_USERS, "{name}:x:{number}:{number}::/nonexistent:/usr/sbin/nologin"),
        "group": (_GROUPS, "{name}:x:{number}:"),
    }
    for file, (names, shape) in shapes.items():
        original = (etc / file).read_text(encoding="utf-8", errors="surrogateescape")
        wanted = with_accounts(original, names, shape)
        path = layer / "etc" / file
        if path.exists() and path.read_text(encoding="utf-8", errors="surrogateescape") == wanted:
            continue
        path.parent.mkdir(exist_ok=True)
        temporary = path.with_name(f".{file}-{os.getpid()}")
        temporary.write_text(wanted, encoding="utf-8", errors="surrogateescape")
        temporary.replace(path)
