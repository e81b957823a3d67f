"""Names of nodes and interfaces: which ones the kernel and Mininet accept, and functions that make valid ones."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection

from frrlib.model.base import INTERFACE_NAME_LENGTH

#: Pattern of the kernel's names of congestion controls (at most `TCP_CA_NAME_MAX` - 1 letters).
CONGESTION_CONTROL = "[a-z0-9_-]{1,15}"
#: Names with another meaning in a lab: the link namespace, the loopback, and two folders of /proc/sys/net.
RESERVED = frozenset({"cable", "lo", "all", "default"})

_INTERFACE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@-]*")
_NUMBERED = re.compile(r"([A-Za-z_-]*[A-Za-z_])(0|[1-9][0-9]{0,8})")
_LONGEST_NODE_NAME = 64


def natural(name: str) -> list[tuple[int, str]]:
    """The key by which names are sorted for people: eth2 before eth10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d+)", name)]


def node_name_fault(name: str) -> str:
    """The reason why a node cannot have this name, as a clause ("has a space in it"); empty for a valid name."""
    if name in RESERVED:
        return "is a name that the lab itself uses"
    if len(name) > _LONGEST_NODE_NAME:
        return f"has {len(name)} characters, the longest host name has {_LONGEST_NODE_NAME}"
    if name.startswith("-"):
        return "starts with '-', which commands take for an option"
    odd = [letter for letter in name if not re.match(r"[A-Za-z0-9_-]", letter)]
    if odd or not name:
        return f"has {odd[0]!r} in it" if odd else "is empty"
    return ""


def interface_name_fault(name: str) -> str:
    """The reason why an interface cannot have this name, as a clause; empty for a valid name."""
    if name in RESERVED:
        return "is a name that the kernel or the lab itself uses"
    if len(name) > INTERFACE_NAME_LENGTH:
        return f"has {len(name)} characters, the kernel takes {INTERFACE_NAME_LENGTH}"
    if not _INTERFACE.fullmatch(name):
        return "has a character that interface names cannot have"
    return ""


def sanitized(name: str, used: Collection[str] = (), length: int = 32) -> str:
    """A valid node name close to `name` that is not in `used`: "h1 (vendas)" becomes "h1_vendas"."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    close = re.sub(r"[^A-Za-z0-9_-]+", "_", plain)
    close = re.sub(r"_*-_*", "-", re.sub(r"_{2,}", "_", close)).strip("_-")[:length].rstrip("_-")
    return free_name(close or "node", used, length)


def free_name(preferred: str, used: Collection[str], length: int = _LONGEST_NODE_NAME) -> str:
    """`preferred`, or if it is taken or reserved, `wish_2`, `wish_3`, ..., shortened to `length` characters."""
    name, count = preferred, 1
    while name in used or name in RESERVED:
        count += 1
        name = f"{preferred[: length - len(str(count)) - 1]}_{count}"
    return name


def numbered(name: str) -> tuple[str, int] | None:
    """The letters and the number of a name: "r12" is ("r", 12). None for "r", "r012" and other forms."""
    match = _NUMBERED.fullmatch(name)
    return (match[1], int(match[2])) if match else None


def digest(*parts: object) -> int:
    """A number below 2**32 that depends on the parts only: it is the same on every machine and in every run."""
    text = "\0".join(str(part) for part in parts)
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:4], "big")


def short_stem(node: str, length: int, salt: int = 0) -> str:
    """The node's name. If it is longer than `length`, its start and four digits of its hash."""
    if len(node) <= length and not salt:
        return node
    return f"{node[: length - 4]}{digest(node, salt) & 0xFFFF:04x}"
