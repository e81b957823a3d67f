"""Users and groups that packages would make when they are installed."""

from __future__ import annotations

import contextlib
import grp
import os
import pwd
from collections.abc import Mapping
from pathlib import Path

#: Users and groups as Debian's packages make them. Labs give most of them the ids of root
#: (`frrlib.place.confinement.file_tree`); outside of labs nothing uses them, and no file has these ids.
_USERS = {
    "frr": "x:64900:64900::/nonexistent:/usr/sbin/nologin",
    "sshd": "x:64901:65534::/run/sshd:/usr/sbin/nologin",
    "tcpdump": "x:64902:64902::/nonexistent:/usr/sbin/nologin",
}
#: FRR's daemons start only if their user is a member of the group of its terminals.
_GROUPS = {"frr": "x:64900:", "frrvty": "x:64903:frr", "tcpdump": "x:64902:"}


def with_accounts(text: str, accounts: Mapping[str, str]) -> str:
    """A file of accounts with those that it lacks.

    Args:
        text: the machine's file.
        accounts: the fields of each account after its name.
    """
    present = {line.partition(":")[0] for line in text.splitlines()}
    added = "".join(f"{name}:{fields}\n" for name, fields in accounts.items() if name not in present)
    return text + ("\n" if added and text and not text.endswith("\n") else "") + added


def refresh(layer: Path, etc: Path = Path("/etc")) -> None:
    """Make the layer's files of accounts agree with those of the machine."""
    for file, accounts in (("passwd", _USERS), ("group", _GROUPS)):
        text = with_accounts((etc / file).read_text(encoding="utf-8", errors="surrogateescape"), accounts)
        master = layer / f"usr/share/base-passwd/{file}.master"
        if master.is_file():  # a root folder
            text = with_accounts(text, {**_accounts_of(master), **_own_account(file)})
        _write(layer / "etc" / file, text)


def _accounts_of(path: Path) -> dict[str, str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def _own_account(file: str) -> dict[str, str]:
    """The account of this user or of its group, which may be in a directory service that a root folder cannot ask."""
    with contextlib.suppress(KeyError):
        if file == "passwd":
            user = pwd.getpwuid(os.getuid())
            fields = [user.pw_passwd, str(user.pw_uid), str(user.pw_gid), user.pw_gecos, user.pw_dir, "/bin/bash"]
            return {user.pw_name: ":".join(fields)}
        group = grp.getgrgid(os.getgid())
        return {group.gr_name: f"{group.gr_passwd}:{group.gr_gid}:"}
    return {}


def _write(path: Path, wanted: str) -> None:
    if path.exists() and path.read_text(encoding="utf-8", errors="surrogateescape") == wanted:
        return
    path.parent.mkdir(exist_ok=True)
    temporary = path.with_name(f".{path.name}-{os.getpid()}")
    temporary.write_text(wanted, encoding="utf-8", errors="surrogateescape")
    temporary.replace(path)
