"""Folders of configurations: read onto the routers of a drawing by their names, and written, ready for /etc/frr.

Understood are `r1/frr.conf`, `r1/zebra.conf` with `r1/ospfd.conf` and the like (as FRR's own tests have them), and
`r1.conf`. Written is `r1/frr.conf` with `daemons` and `vtysh.conf` beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from ipaddress import ip_interface
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from frrlib.addressing.addressing import addressed
from frrlib.conf.changes import as_own_lines, difference
from frrlib.conf.merge import merged
from frrlib.conf.text import ConfigEntry, joined, parse, written
from frrlib.configs.adoption import as_settings, base_text, full_text, with_end, with_router
from frrlib.errors import TopologyError
from frrlib.model.base import Address
from frrlib.model.nodes import Router
from frrlib.model.protocols.common import Daemon
from frrlib.model.topology import Topology
from frrlib.render.frr import daemons
from frrlib.system.untrusted_files import read_bytes

#: Files of a router that are configurations of FRR.
_CONFIGURED = ("frr", *get_args(Daemon), "mgmtd", "sharpd")
#: No configuration of a router is larger, and those of a folder are not larger together.
_MOST_BYTES, _MOST_TOGETHER_BYTES = 4_000_000, 64_000_000
#: Lines that say what the drawing says, or what is of the machine that they came from.
_DROPPED = ("hostname ", "frr ", "log ", "service ", "password ", "enable ", "line vty")


@dataclass(frozen=True)
class ConfigImport:
    """The result of reading a folder onto a drawing.

    Attributes:
        topology: the drawing with it.
        taken: routers that got a configuration.
        missing: configurations of which no router is drawn.
        without: drawn routers of which the folder has none; they stay as they are.
        notes: what else there is to say, a sentence each.
    """

    topology: Topology
    taken: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_folder(folder: Path) -> dict[str, str]:
    """Router to its configuration, of all that the folder has, by name.

    Raises:
        TopologyError: it is no folder, has none, or one of them cannot be read.
    """
    try:
        found = dict(_of_folder(folder))
    except (OSError, UnicodeDecodeError) as error:
        raise TopologyError(f"{folder} cannot be read: {error}") from None
    if not found:
        raise TopologyError(
            f"{folder} contains no FRR configuration",
            right="it must have files such as r1/frr.conf, r1/zebra.conf or r1.conf",
        )
    return found


def imported(topology: Topology, configs: dict[str, str], *, add: bool = False) -> ConfigImport:
    """The drawing with configurations on its routers.

    A router that gets one has what that says, and nothing of what its settings said before. Addresses of drawn
    interfaces go into the drawing, and so does what else its settings can say; all other lines become its own.

    Args:
        configs: router to configuration.
        add: whether routers that are not drawn are drawn, without links.
    """
    drawn = {router.name for router in topology.routers}
    taken = {node.name for node in topology.nodes} - drawn
    missing = tuple(name for name in configs if name not in drawn)
    notes: list[str] = []
    added = tuple(name for name in missing if add and name not in taken and _can_be_drawn(name, notes))
    topology = _with_new_routers(topology, added)
    done = tuple(name for name in configs if name in drawn or name in added)
    for name in done:
        topology = _one(topology, name, configs[name], notes)
    return ConfigImport(
        topology,
        done,
        tuple(name for name in missing if name not in added),
        tuple(router.name for router in topology.routers if router.name not in configs),
        tuple(notes),
    )


def export_folder(topology: Topology, folder: Path) -> tuple[str, ...]:
    """Write the configurations that the drawing makes; the routers that have one.

    Raises:
        TopologyError: the folder cannot be written.
    """
    whole = addressed(topology)
    names = []
    try:
        for router in whole.routers:
            if router.runs_frr:
                own = folder / router.name
                own.mkdir(parents=True, exist_ok=True)
                text = merged(full_text(topology, router.name), _addresses_of(whole, router))
                (own / "frr.conf").write_text(text, encoding="utf-8")
                (own / "daemons").write_text(_daemons_file(daemons(router)), encoding="utf-8")
                (own / "vtysh.conf").write_text("service integrated-vtysh-config\n", encoding="utf-8")
                names.append(router.name)
    except OSError as error:
        raise TopologyError(f"{folder} cannot be written: {error.strerror}") from None
    return tuple(names)


def _addresses_of(topology: Topology, router: Router) -> str:
    """The addresses of a router's interfaces as zebra's lines; a lab sets them itself, a machine may not."""
    interfaces = [
        ("lo", router.loopbacks),
        *((end.interface, end.addresses) for _, end in topology.ends_at(router.name)),
    ]
    lines = [
        f"interface {name}\n"
        + "".join(f" {'ip' if each.version == 4 else 'ipv6'} address {each}\n" for each in addresses)
        + "exit\n"
        for name, addresses in interfaces
        if addresses
    ]
    return "".join(lines)


def _of_folder(folder: Path) -> list[tuple[str, str]]:
    reader = _Reader(folder.resolve())
    found = []
    for path in sorted(folder.iterdir(), key=lambda each: each.name):
        if path.is_dir():
            parts = [path / f"{name}.conf" for name in _CONFIGURED if (path / f"{name}.conf").is_file()]
            if parts:
                texts = [reader.text(part) for part in parts]
                found.append((path.name, joined(texts) if len(texts) > 1 else texts[0]))
        elif path.suffix == ".conf" and path.stem not in (*_CONFIGURED, "vtysh") and path.is_file():
            found.append((path.name.removesuffix(".conf"), reader.text(path)))
    return found


class _Reader:
    """Reads files of one folder. Symbolic links may lead to other files of the folder, and not out of it: a stranger's
    folder would take files of its reader into the topology."""

    def __init__(self, top: Path) -> None:
        self._top, self._bytes = top, 0

    def text(self, path: Path) -> str:
        """The content of a configuration. Raises OSError if it is too large or outside of the folder."""
        target = path.resolve()
        shown = f"{path.parent.name}/{path.name}"
        if not target.is_relative_to(self._top):
            raise OSError(f"{shown} is a symbolic link to {target}, outside of the folder. Copy that file to {shown}")
        size_bytes = target.stat().st_size
        self._bytes += size_bytes
        if size_bytes > _MOST_BYTES:
            raise OSError(f"{shown} is too large for a configuration")
        if self._bytes > _MOST_TOGETHER_BYTES:
            raise OSError(f"its configurations have more than {_MOST_TOGETHER_BYTES // 10**6} MB together")
        return read_bytes(target, _MOST_BYTES).decode("utf-8")


def _can_be_drawn(name: str, notes: list[str]) -> bool:
    """Whether a router may be called so: files have names that no drawing can say."""
    try:
        Router(name=name)
    except ValidationError:
        notes.append(f"{ascii(name)[1:-1]} is no name for a router")
        return False
    return True


def _with_new_routers(topology: Topology, names: tuple[str, ...]) -> Topology:
    if not names:
        return topology
    below = max((node.y for node in topology.nodes), default=0.0) + 120.0
    new = tuple(
        Router(name=name, x=120.0 + 120.0 * (at % 8), y=below + 120.0 * (at // 8)) for at, name in enumerate(names)
    )
    return topology.model_copy(update={"nodes": (*topology.nodes, *new)})


def _one(topology: Topology, name: str, text: str, notes: list[str]) -> Topology:
    old = topology.node(name)
    assert isinstance(old, Router)
    entries = parse(text)
    said = next((entry.text.split()[1] for entry in entries if entry.text.startswith("hostname ")), name)
    if said != name:
        notes.append(f"{name}: its configuration calls it {said}; it keeps the name that is drawn")
    kept = {field: getattr(old, field) for field in (*_LOOKS, "daemons", "controllers")}
    topology = with_router(topology, Router(**kept, loopbacks=old.loopbacks))
    topology, entries = _addresses(topology, name, entries, notes)
    own = tuple(entry for entry in entries if not f"{entry.text} ".startswith(_DROPPED))
    router = topology.node(name)
    assert isinstance(router, Router)
    with_text = with_router(topology, router.model_copy(update={"frr_conf": written(own)}))
    # Static routes and costs are shown in the dialog: they are settings where they can be.
    settled, left = as_settings(topology, name, difference(base_text(topology, name), full_text(with_text, name)))
    node = settled.node(name)
    assert isinstance(node, Router)
    if settled == topology:
        return with_text
    return with_router(settled, node.model_copy(update={"frr_conf": as_own_lines(left)}))


#: What stays of a router whatever its configuration says.
_LOOKS = ("name", "x", "y", "number", "label", "colour", "start_command", "stop_command", "foreign")


def _addresses(
    topology: Topology, name: str, entries: tuple[ConfigEntry, ...], notes: list[str]
) -> tuple[Topology, tuple[ConfigEntry, ...]]:
    """The drawing with the addresses that zebra would give its interfaces, and what is left of the entries."""
    left = []
    named = addressed(topology)
    ends = {end.interface: (link.id, end.node) for link, end in named.ends_at(name)}
    for entry in entries:
        found = {line: value for line in entry.below if (value := _address_of(line.text)) is not None}
        if entry.kind != "interface" or not found:
            left.append(entry)
            continue
        interface = entry.text.split()[1]
        if interface != "lo" and interface not in ends:
            notes.append(f"{name}: {interface} is not drawn; its addresses stay in the text")
            left.append(entry)
            continue
        topology = _with_addresses(topology, name, named, interface, tuple(found.values()))
        rest = tuple(line for line in entry.below if line not in found)
        left += [replace(entry, below=rest)] if rest else []
    return topology, tuple(left)


def _address_of(line: str) -> Address | None:
    """The address that a line gives its interface; None where it is no such line, or says more than that."""
    words = line.split()
    if words[:2] not in (["ip", "address"], ["ipv6", "address"]) or len(words) != 3 or "/" not in words[2]:
        return None
    try:
        value = ip_interface(words[2])
    except ValueError:
        return None
    return value if value.version == (4 if words[0] == "ip" else 6) else None


def _with_addresses(
    topology: Topology, name: str, named: Topology, interface: str, values: tuple[Address, ...]
) -> Topology:
    node = topology.node(name)
    assert isinstance(node, Router)
    if interface == "lo":
        own = tuple(value for value in values if not value.is_loopback)
        return with_router(topology, node.model_copy(update={"loopbacks": own}))
    # Its name is the one of the text from now on, even if the links are drawn in another order.
    fields = {"addresses": values, "interface": interface}
    return with_end(topology, named, (name, interface), fields) or topology


def _daemons_file(names: tuple[str, ...]) -> str:
    """The file that says which daemons the service of FRR starts."""
    every = dict.fromkeys([*get_args(Daemon), *names])
    lines = [f"{name}={'yes' if name in names else 'no'}" for name in every if name not in ("zebra", "staticd")]
    return "\n".join(["# zebra and staticd always run.", *lines, "vtysh_enable=yes", ""])
