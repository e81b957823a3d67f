"""Folders of configurations: imported for the routers of a topology by name, and exported for /etc/frr.

Import reads `r1/frr.conf`, `r1/zebra.conf` with `r1/ospfd.conf` and so on (as in FRR's own tests), and `r1.conf`.
Export writes `r1/frr.conf` together with `daemons` and `vtysh.conf`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from ipaddress import ip_interface
from pathlib import Path
from typing import get_args

from pydantic import ValidationError

from frrlib.addressing.addressing import addressed
from frrlib.conf.changes import as_own_lines, difference
from frrlib.conf.merge import merged
from frrlib.conf.text import ConfigEntry, config_text, joined, parse
from frrlib.configs.adoption import as_settings, base_text, errors_of, full_text, with_end, with_router
from frrlib.configs.equivalents import read_equivalents
from frrlib.configs.imported_vrfs import with_vrfs
from frrlib.errors import TopologyError
from frrlib.model.base import Address
from frrlib.model.nodes import Router
from frrlib.model.protocols.common import Daemon
from frrlib.model.topology import Topology
from frrlib.render.frr import daemons, frr_confs
from frrlib.system.untrusted_files import read_bytes

#: Files of a router that are configurations of FRR.
_CONFIGURED = ("frr", *get_args(Daemon), "mgmtd", "sharpd")
#: Maximum size of a router's configuration, and of all configurations of a folder.
_MOST_BYTES, _MOST_TOGETHER_BYTES = 4_000_000, 64_000_000
#: Lines that duplicate the topology.
_REPEATED = ("hostname ", "frr version ", "frr defaults traditional ", "service integrated-vtysh-config ")
#: Lines that belong to the machine of the configuration. A lab has its own logs, and its terminals need no password.
_OF_THE_MACHINE = ("frr ", "log ", "service ", "password ", "enable ", "line vty")
_SECRET = ("password ", "enable ")


@dataclass(frozen=True)
class ConfigImport:
    """The result of importing a folder into a topology.

    Attributes:
        topology: the topology with the configurations.
        configured: routers that got a configuration.
        missing: configurations without a router in the topology.
        without: routers without a configuration in the folder; they are unchanged.
        notes: further remarks, one sentence each.
    """

    topology: Topology
    configured: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def read_folder(folder: Path) -> dict[str, str]:
    """The configurations of a folder by router, sorted by name.

    Raises:
        TopologyError: the path is not a folder, has no configuration, or a file cannot be read.
    """
    try:
        configs = dict(_configs_of(folder))
    except (OSError, UnicodeDecodeError) as error:
        raise TopologyError(f"{folder} cannot be read: {error}") from None
    if not configs:
        raise TopologyError(
            f"{folder} contains no FRR configuration",
            remedy="it must have files such as r1/frr.conf, r1/zebra.conf or r1.conf",
        )
    return configs


def import_configs(topology: Topology, configs: dict[str, str], *, add: bool = False) -> ConfigImport:
    """The topology with imported configurations.

    An imported configuration replaces all settings of its router. Addresses of existing interfaces and all other lines
    that settings can express become settings; the remaining lines become custom lines.

    Args:
        topology: the topology.
        configs: configuration by router.
        add: whether missing routers are added, without links.
    """
    # A setting that keeps a lab from starting may come from a line that only FRR would reject, so it stays text then.
    outcome = _imported(topology, configs, add, careful=False)
    return _imported(topology, configs, add, careful=True) if errors_of(outcome.topology) else outcome


def _imported(topology: Topology, configs: dict[str, str], add: bool, *, careful: bool) -> ConfigImport:
    existing = {router.name for router in topology.routers}
    used_names = {node.name for node in topology.nodes} - existing
    missing = tuple(name for name in configs if name not in existing)
    notes: list[str] = []
    added = tuple(name for name in missing if add and name not in used_names and _can_be_drawn(name, notes))
    topology = _with_new_routers(topology, added)
    changed = tuple(name for name in configs if name in existing or name in added)
    for name in changed:
        topology = _import_router(topology, name, configs[name], notes, careful)
    notes += _loopback_notes(topology, configs, changed)
    return ConfigImport(
        topology,
        changed,
        tuple(name for name in missing if name not in added),
        tuple(router.name for router in topology.routers if router.name not in configs),
        tuple(notes),
    )


def _loopback_notes(topology: Topology, configs: dict[str, str], names: Iterable[str]) -> Iterator[str]:
    """Automatic loopbacks change router IDs, which would otherwise come from an interface."""
    filled = addressed(topology)
    for name in names:
        node, old = filled.node(name), topology.node(name)
        assert isinstance(node, Router) and isinstance(old, Router)
        if node.loopbacks and not old.loopbacks and "router-id" not in configs[name]:
            address = node.loopbacks[0]
            yield f"{name}: its configuration has no address on lo, so it gets {address} there, also as its router ID"


def export_folder(topology: Topology, folder: Path) -> tuple[str, ...]:
    """Write the rendered configurations, except those of sealed routers; returns the routers that have one.

    Raises:
        TopologyError: the folder cannot be written.
    """
    filled = addressed(topology)
    texts = frr_confs(filled)
    names = []
    try:
        for router in filled.routers:
            if router.runs_frr and not router.sealed:
                router_folder = folder / router.name
                router_folder.mkdir(parents=True, exist_ok=True)
                text = merged(texts[router.name], _addresses_of(filled, router))
                (router_folder / "frr.conf").write_text(text, encoding="utf-8")
                (router_folder / "daemons").write_text(_daemons_file(daemons(router)), encoding="utf-8")
                (router_folder / "vtysh.conf").write_text("service integrated-vtysh-config\n", encoding="utf-8")
                names.append(router.name)
    except OSError as error:
        raise TopologyError(f"{folder} cannot be written: {error.strerror}") from None
    return tuple(names)


def _addresses_of(topology: Topology, router: Router) -> str:
    """The addresses of a router's interfaces as lines for zebra, since a machine may not set them itself."""
    interfaces = [
        ("lo", router.loopbacks),
        *((end.interface, end.addresses) for _, end in topology.ends_at(router.name)),
    ]
    lines = [
        f"interface {name}\n"
        + "".join(f" {'ip' if address.version == 4 else 'ipv6'} address {address}\n" for address in addresses)
        + "exit\n"
        for name, addresses in interfaces
        if addresses
    ]
    return "".join(lines)


def _configs_of(folder: Path) -> list[tuple[str, str]]:
    reader = _Reader(folder.resolve())
    configs = []
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.is_dir():
            parts = [path / f"{name}.conf" for name in _CONFIGURED if (path / f"{name}.conf").is_file()]
            if parts:
                texts = [reader.text(part) for part in parts]
                configs.append((path.name, joined(texts) if len(texts) > 1 else texts[0]))
        elif path.suffix == ".conf" and path.stem not in (*_CONFIGURED, "vtysh") and path.is_file():
            configs.append((path.name.removesuffix(".conf"), reader.text(path)))
    return configs


class _Reader:
    """Reads files of one folder. Symbolic links to files outside of the folder are rejected: a folder from another
    person could otherwise copy the user's files into the topology."""

    def __init__(self, top: Path) -> None:
        self._top, self._bytes = top, 0

    def text(self, path: Path) -> str:
        """The content of a configuration. Raises OSError if it is too large or outside of the folder."""
        target = path.resolve()
        short_path = f"{path.parent.name}/{path.name}"
        if not target.is_relative_to(self._top):
            raise OSError(
                f"{short_path} is a symbolic link to {target}, outside of the folder. Copy that file to {short_path}"
            )
        size_bytes = target.stat().st_size
        self._bytes += size_bytes
        if size_bytes > _MOST_BYTES:
            raise OSError(f"{short_path} is too large for a configuration")
        if self._bytes > _MOST_TOGETHER_BYTES:
            raise OSError(f"its configurations have more than {_MOST_TOGETHER_BYTES // 10**6} MB together")
        return read_bytes(target, _MOST_BYTES).decode("utf-8")


def _can_be_drawn(name: str, notes: list[str]) -> bool:
    """Whether a router can have this name; names of files may be invalid."""
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


def _import_router(topology: Topology, name: str, text: str, notes: list[str], careful: bool) -> Topology:
    old = topology.node(name)
    assert isinstance(old, Router)
    entries = parse(text)
    hostname = next((entry.text.split()[1] for entry in entries if entry.text.startswith("hostname ")), name)
    if hostname != name:
        notes.append(f"{name}: its configuration has the hostname {hostname}; the name in the topology is kept")
    fields = {field: getattr(old, field) for field in (*_KEPT_FIELDS, "daemons", "controllers")}
    topology = with_router(topology, Router(**fields, loopbacks=old.loopbacks))
    entries, changes_in_words = read_equivalents(entries)
    notes += [f"{name}: {sentence}" for sentence in changes_in_words]
    topology, entries = with_vrfs(topology, old, entries, notes)
    topology, entries = _addresses(topology, name, entries, notes)
    custom = _imported_entries(name, entries, notes)
    router = topology.node(name)
    assert isinstance(router, Router)
    with_text = with_router(topology, router.model_copy(update={"frr_conf": config_text(custom)}))
    # Lines such as static routes and costs become settings if possible, so that dialogs show them.
    changes = difference(base_text(topology, name), full_text(with_text, name))
    adopted, remaining = as_settings(topology, name, changes, careful=careful)
    node = adopted.node(name)
    assert isinstance(node, Router)
    if adopted == topology:
        return with_text
    return with_router(adopted, node.model_copy(update={"frr_conf": as_own_lines(remaining)}))


def _imported_entries(name: str, entries: Iterable[ConfigEntry], notes: list[str]) -> tuple[ConfigEntry, ...]:
    """The entries that concern the network. The notes name those of the machine, which are left out."""
    imported, left_out = [], dict[str, None]()
    for entry in entries:
        line = f"{entry.text} "
        if line.startswith(_OF_THE_MACHINE):
            if not line.startswith(_REPEATED):
                left_out[entry.text.split()[0] if line.startswith(_SECRET) else entry.text] = None
        elif not line.startswith(_REPEATED):
            imported.append(entry)
    if left_out:
        lines = ", ".join(f"`{line}`" for line in left_out)
        notes.append(f"{name}: lines left out, since a lab has its own logs and terminals: {lines}")
    return tuple(imported)


#: Fields of a router that an import keeps.
_KEPT_FIELDS = (
    "name",
    "x",
    "y",
    "number",
    "original_name",
    "label",
    "colour",
    "start_command",
    "stop_command",
    "foreign",
)


def _addresses(
    topology: Topology, name: str, entries: tuple[ConfigEntry, ...], notes: list[str]
) -> tuple[Topology, tuple[ConfigEntry, ...]]:
    """The topology with the interfaces' addresses from zebra's lines, and the remaining entries."""
    remaining = []
    named = addressed(topology)
    ends = {end.interface: (link.id, end.node) for link, end in named.ends_at(name)}
    for entry in entries:
        address_by_line = {line: value for line in entry.below if (value := _address_of(line.text)) is not None}
        if entry.kind != "interface" or not address_by_line:
            remaining.append(entry)
            continue
        interface = entry.text.split()[1]
        if interface != "lo" and interface not in ends:
            notes.append(f"{name}: {interface} is not drawn; its addresses stay in the text")
            remaining.append(entry)
            continue
        topology = _with_addresses(topology, name, named, interface, tuple(address_by_line.values()))
        other_lines = tuple(line for line in entry.below if line not in address_by_line)
        remaining += [replace(entry, below=other_lines)] if other_lines else []
    return topology, tuple(remaining)


def _address_of(line: str) -> Address | None:
    """The interface address in a line; None for other lines, and for addresses with options."""
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
        loopbacks = tuple(value for value in values if not value.is_loopback)
        return with_router(topology, node.model_copy(update={"loopbacks": loopbacks}))
    # The name in the text becomes a stated name, so that it does not depend on the order of links.
    fields = {"addresses": values, "interface": interface}
    return with_end(topology, named, (name, interface), fields) or topology


def _daemons_file(names: tuple[str, ...]) -> str:
    """The file with the daemons that FRR's service starts."""
    all_names = dict.fromkeys([*get_args(Daemon), *names])
    lines = [f"{name}={'yes' if name in names else 'no'}" for name in all_names if name not in ("zebra", "staticd")]
    return "\n".join(["# zebra and staticd always run.", *lines, "vtysh_enable=yes", ""])
