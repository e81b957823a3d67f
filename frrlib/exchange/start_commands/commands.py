"""Commands read as steps with a meaning: addresses, routes, links, sysctls, traffic control, and vtysh.

Nothing is executed. A command without a known meaning is a step of the kind "other".
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_interface, ip_network

_SHELLS = ("sh", "bash", "ash", "/bin/sh", "/bin/bash", "/bin/ash")
#: Characters by which a shell does more than run one program.
_SHELL_SIGNS = frozenset("|&<>$`*?(){}[]\n")
#: Words of `ip`, in full and as people type them.
_OBJECTS = {"a": "addr", "add": "addr", "addr": "addr", "address": "addr", "l": "link", "link": "link", "r": "route",
            "ro": "route", "route": "route"}  # fmt: skip
#: Services that are FRR, or its ancestors, which a lab starts by itself.
_FRR_SERVICES = ("frr", "frrinit.sh", "quagga", "zebra")
_WRITES_SYSCTL = re.compile(r"""echo\s+["']?([^\s"'|&;<>$`]+)["']?\s*>\s*/proc/sys/([\w./-]+)""")


@dataclass(frozen=True)
class Step:
    """One command.

    Attributes:
        kind: "address", "up", "down", "mtu", "mac", "route", "vlan", "bridge", "master", "sysctl", "tc", "vtysh";
            "frr" if it starts FRR; "service" if it concerns another service; "none" for a command without an effect
            here, or "other".
        values: its arguments, which depend on the kind; see the functions below.
        text: the command for a shell.
        place: its place in messages: that in the node's entry ("exec[2]"), or the name of the file.
        line: its line in the file.
    """

    kind: str
    values: tuple[str, ...]
    text: str
    place: str
    line: int


def steps_of(command: str, place: str, line: int) -> list[Step]:
    """The steps of a command, or of a shell with a list of commands.

    Args:
        command: the command for a shell.
        place: its place in messages.
        line: its line in the file.
    """
    text = command.strip()
    try:
        words = shlex.split(text)
    except ValueError:
        return [Step("other", (), text, place, line)] if text else []
    if len(words) == 3 and words[0] in _SHELLS and words[1] == "-c":
        parts = _shell_parts(words[2])
        if parts is not None:
            steps = [step for part in parts for step in _steps(shlex.split(part), part, place, line)]
            return _as_one_script(steps)
        return [Step("other", (), words[2], place, line)]
    return _steps(words, shlex.join(words), place, line) if words else []


def steps_of_line(text: str, place: str, line: int) -> list[Step]:
    """The steps of a line of a shell script, which may have several commands and a comment.

    Args:
        text: the line.
        place: its place in messages.
        line: its line in the file.
    """
    text = _without_comment(text).strip()
    if match := _WRITES_SYSCTL.fullmatch(text):
        return [Step("sysctl", (match[2].replace("/", "."), match[1]), text, place, line)]
    parts = _shell_parts(text)
    if parts is None:
        return [Step("other", (), text, place, line)]
    return [step for part in parts for step in _steps(shlex.split(part), part, place, line)]


def _without_comment(text: str) -> str:
    try:
        words = shlex.split(text, comments=True)
        if words == shlex.split(text):
            return text
    except ValueError:
        return text
    for match in re.finditer(r"(?:^|\s)#", text):
        try:
            if shlex.split(text[: match.start()]) == words:
                return text[: match.start()]
        except ValueError:
            continue
    return text


def _as_one_script(steps: list[Step]) -> list[Step]:
    """The steps of a script. One that changes the folder or a variable may matter for all others."""
    others = [step.text.split()[0] for step in steps if step.kind == "other"]
    if any(word in ("cd", "export", "set", "if", "for", "while") for word in others):
        return [Step("other", (), " && ".join(step.text for step in steps), steps[0].place, steps[0].line)]
    return steps


def _shell_parts(script: str) -> list[str] | None:
    """The commands of a script that only runs one after the other; None for any other script."""
    parts = [part.strip() for part in script.replace("&&", "\n").replace(";", "\n").splitlines()]
    if any(_SHELL_SIGNS & set(part) for part in parts):
        return None
    try:
        return [part for part in parts if shlex.split(part)]
    except ValueError:
        return None


def _steps(words: Sequence[str], text: str, place: str, line: int) -> list[Step]:
    words = list(words)
    if words[0] == "sudo":
        words = words[1:]
    steps: list[tuple[str, tuple[str, ...]]] = []
    program = words[0].rpartition("/")[2] if words else ""
    try:
        if (service := _service(words)) is not None:
            steps = [service]
        elif program in _READERS:
            step = _READERS[program](words[1:])
            steps = [step] if step is not None else []
        elif program == "ifconfig":
            steps = _ifconfig(words[1:])
    except (ValueError, IndexError):  # an address or a number is invalid, or a word is missing
        steps = []
    return [Step(kind, values, text, place, line) for kind, values in steps or [("other", ())]]


_Found = tuple[str, tuple[str, ...]] | None


def _service(words: list[str]) -> _Found:
    """Values: the name of the service, and what is done with it. Only a start of FRR is a start of FRR."""
    name, action = "", ""
    if words[:1] == ["systemctl"] and len(words) > 2:
        name, action = words[-1].removesuffix(".service"), words[1]
    elif words[:1] == ["service"] and len(words) > 2:
        name, action = words[1:3]
    elif words and words[0].startswith(("/etc/init.d/", "/usr/lib/frr/")):
        name, action = words[0].rpartition("/")[2], words[1] if len(words) > 1 else "start"
        if words[0].startswith("/usr/lib/frr/"):
            return "frr", ()
    if not name:
        return None
    if name in _FRR_SERVICES and action in ("start", "restart", "reload", "enable"):
        return "frr", ()
    return "service", (name, action)


def _ip(words: list[str]) -> _Found:
    while words and words[0].startswith("-"):
        if words[0] not in ("-4", "-6", "-f", "-family"):
            return None
        words = words[2:] if words[0].startswith("-f") else words[1:]
    thing, verb, rest = _OBJECTS.get(words[0], ""), words[1], words[2:]
    if thing == "addr" and verb in ("add", "a", "replace"):
        return _address(rest)
    if thing == "link" and verb in ("set", "s"):
        return _link_set(rest)
    if thing == "link" and verb in ("add", "a"):
        return _link_add(rest)
    if thing == "route" and verb in ("add", "a", "replace", "append"):
        return _route(rest)
    if thing == "route" and verb in ("del", "delete") and rest[:1] == ["default"]:
        return "none", ()
    return None


def _address(words: list[str]) -> _Found:
    """Values: interface, address with prefix length."""
    address = str(ip_interface(words[0]))
    options = dict(zip(words[1::2], words[2::2], strict=False))
    if options.keys() - {"dev", "brd", "broadcast", "scope", "label"} or "dev" not in options:
        return None
    return "address", (options["dev"].partition(":")[0], address)  # an alias ("lo:1") is the interface itself


def _link_set(words: list[str]) -> _Found:
    """Values: interface, and the new value for MTU, hardware address, or bridge."""
    if words[0] in ("up", "down"):
        words = [*words[1:], words[0]]
    words = words[1:] if words[0] == "dev" else words
    name, rest = words[0], words[1:]
    if len(rest) == 4 and rest[:3] == ["type", "bridge", "stp_state"]:
        return "bridge", (name, "stp" if rest[3] == "1" else "")
    if rest in (["up"], ["down"]):
        return ("none", ()) if name == "lo" else (rest[0], (name,))
    if len(rest) == 2 and rest[0] == "mtu":
        return "mtu", (name, str(int(rest[1])))
    if len(rest) == 2 and rest[0] == "address":
        return "mac", (name, rest[1])
    if rest[:1] == ["master"] and rest[2:] in ([], ["up"]):
        return "master", (name, rest[1])
    return None


def _link_add(words: list[str]) -> _Found:
    """Values of a VLAN: parent, name, number. Values of a bridge: name, and "stp" if it has the spanning tree."""
    options = {"name": "", "link": ""}
    words = list(words)
    while words and words[0] != "type":
        if words[0] in ("name", "link", "dev"):
            options["link" if words[0] == "link" else "name"] = words[1]
            words = words[2:]
        else:
            options["name"] = words.pop(0)
    kind, rest = words[1], words[2:]
    if kind == "vlan" and len(rest) == 2 and rest[0] == "id":
        return "vlan", (options["link"], options["name"], str(int(rest[1])))
    if kind == "bridge" and rest in ([], ["stp_state", "0"], ["stp_state", "1"]):
        return "bridge", (options["name"], "stp" if rest[1:] == ["1"] else "")
    return None


def _route(words: list[str]) -> _Found:
    """Values: prefix, next hop or "blackhole", and interface, empty if it is not stated."""
    if words[0] in ("blackhole", "unreachable"):
        words = [words[1], "via", "blackhole" if words[0] == "blackhole" else "reject", *words[2:]]
    options = dict(zip(words[1::2], words[2::2], strict=False))
    via = options.get("via", "")
    if not via or options.keys() - {"via", "dev"} or len(words) % 2 == 0:
        return None
    if via not in ("blackhole", "reject"):
        hop = ip_address(via)
        default = "0.0.0.0/0" if hop.version == 4 else "::/0"
    else:
        default = "0.0.0.0/0"
    prefix = default if words[0] == "default" else str(ip_network(words[0], strict=False))
    return "route", (prefix, via, options.get("dev", ""))


def _sysctl(words: list[str]) -> _Found:
    """Values: key, value."""
    words = [word for word in words if word not in ("-w", "-q", "-e", "--write", "--quiet")]
    key, sign, value = " ".join(words).partition("=")
    if not sign or " " in key.strip() or key.startswith("-"):
        return None
    return "sysctl", (key.strip().replace("/", "."), value.strip())


def _tc(words: list[str]) -> _Found:
    """Values: interface, and the command as `own_commands` has it."""
    if words[0] not in ("qdisc", "class") or words[1] not in ("add", "replace") or words[2] != "dev":
        return None
    return "tc", (words[3], " ".join([*(["class"] if words[0] == "class" else []), *words[4:]]))


def _vtysh(words: list[str]) -> _Found:
    """Values: lines of a configuration."""
    lines = [word.strip() for flag, word in zip(words[::2], words[1::2], strict=True) if flag == "-c"]
    if len(lines) * 2 != len(words) or not lines or lines[0] not in ("conf t", "configure terminal", "configure"):
        return None
    outside = ("write", "wr", "write memory", "do write", "end")
    return "vtysh", tuple(line for line in lines[1:] if line not in outside)


def _brctl(words: list[str]) -> _Found:
    if words[0] == "addbr":
        return "bridge", (words[1], "")
    if words[0] == "stp":
        return "bridge", (words[1], "stp" if words[2] in ("on", "yes", "1") else "")
    return ("master", (words[2], words[1])) if words[0] == "addif" and len(words) == 3 else None


def _ifconfig(words: list[str]) -> list[tuple[str, tuple[str, ...]]]:
    """The settings of one command: address, hardware address, MTU, and the state; empty if it has anything else."""
    name, rest = words[0], words[1:]
    settings: list[tuple[str, tuple[str, ...]]] = []
    while rest:
        word = rest.pop(0)
        if word in ("up", "down"):
            settings.append(("none", ()) if name == "lo" else (word, (name,)))
        elif word == "mtu":
            settings.append(("mtu", (name, str(int(rest.pop(0))))))
        elif word == "hw":
            rest.pop(0)  # its class, "ether"
            settings.append(("mac", (name, rest.pop(0))))
        elif word == "broadcast":
            rest.pop(0)
        elif word not in ("inet", "inet6", "add"):
            address = word
            if rest[:1] == ["netmask"]:
                address, rest = f"{address}/{rest[1]}", rest[2:]
            settings.append(("address", (name.partition(":")[0], _with_class(address))))
    return settings


def _with_class(address: str) -> str:
    """An address with a prefix length; that of its class if it has none, as ifconfig and route take it."""
    if "/" in address or ":" in address:
        return str(ip_interface(address))
    first = ip_address(address).packed[0]
    return f"{address}/{8 if first < 128 else 16 if first < 192 else 24}"


def _old_route(words: list[str]) -> _Found:
    """`route add`. Values: as those of a route of `ip`."""
    words = [word for word in words if word not in ("-net", "-host", "inet", "inet6", "-4", "-6")]
    is_v6 = "-A" in words or "--inet6" in words
    words = [word for word in words if word not in ("-A", "--inet6")]
    if words[0] != "add":
        return None
    prefix, rest = words[1], words[2:]
    options: dict[str, str] = {}
    while rest:
        if rest[0] in ("gw", "netmask", "dev"):
            options[rest[0]], rest = rest[1], rest[2:]
        elif len(rest) == 1 and "dev" not in options:
            options["dev"], rest = rest[0], []
        else:
            return None
    hop = ip_address(options["gw"]) if "gw" in options else None
    if hop is None:
        return None
    if prefix == "default":
        prefix = "::/0" if is_v6 or hop.version == 6 else "0.0.0.0/0"
    elif "netmask" in options:
        prefix = str(ip_network(f"{prefix}/{options['netmask']}", strict=False))
    return "route", (str(ip_network(prefix, strict=False)), str(hop), options.get("dev", ""))


_READERS: dict[str, Callable[[list[str]], _Found]] = {
    "ip": _ip, "sysctl": _sysctl, "tc": _tc, "vtysh": _vtysh, "brctl": _brctl, "route": _old_route,
}  # fmt: skip
