"""Puts the nodes and links that a reader found in another program's file together as a topology."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from frrlib.conf.text import joined
from frrlib.configs.folders import import_configs
from frrlib.edits.parts import with_nodes
from frrlib.edits.spring_layout import auto_layout
from frrlib.exchange.start_commands.commands import Step, steps_of
from frrlib.exchange.start_commands.node_settings import Interface, Settings, settings_of
from frrlib.formats.entry import Notices
from frrlib.formats.mininet_remarks import Remarks
from frrlib.model.annotations import Annotation, on_canvas
from frrlib.model.base import INTERFACE_NAME_LENGTH
from frrlib.model.links import End, Link
from frrlib.model.names import node_name_fault, sanitized
from frrlib.model.nodes import Bridge, Host, Node, Router
from frrlib.model.protocols.common import Daemon
from frrlib.model.topology import Topology
from frrlib.render.frr import daemons as needed_daemons

PartKind = Literal["host", "router", "bridge"]
#: Words that begin a part of a script which is more than one command after the other.
_CONTROL = ("if", "for", "while", "until", "case", "function", "exit", "set", "trap", ".", "source", "return")
#: Lines typed in vtysh by a script: `vtysh << EOF`, the lines, and `EOF`.
_TYPED = re.compile(
    r"^[ \t]*vtysh[ \t]*<<-?[ \t]*['\"]?(\w+)['\"]?[ \t]*\n(.*?)^[ \t]*\1[ \t]*$", re.DOTALL | re.MULTILINE
)
#: Lines of scripts that start FRR, or keep a container alive.
_WITHOUT_EFFECT = re.compile(
    r"(\S*/)?(watchfrr|frrinit\.sh|docker-start|frr)\b.*|service frr .*|systemctl (re)?start frr.*|cd|cd /usr/lib/frr"
    r"|(exec )?(/bin/)?(ba|a)?sh|exit 0|exec \"\$@\"|tail -f \S+|sleep (infinity|[0-9]+)"
)
#: Lines of vtysh that enter and leave configuration mode, or save the configuration.
_MODES = (
    "config",
    "conf",
    "conf t",
    "configure",
    "configure terminal",
    "end",
    "write",
    "wr",
    "write memory",
    "do write",
)
#: The left and the top of the nodes of a topology whose file has positions left of or above the origin.
_CORNER_PX = 80.0


@dataclass
class Part:
    """A node that a reader found.

    Attributes:
        name: its name in the topology.
        kind: its kind in the topology.
        remarks: the remarks on it.
        position: its position in pixels; None if the file has none.
        label: text shown instead of the name; empty for the name.
        settings: addresses by interface, routes and the start command.
        config: its configuration of FRR; empty for none.
        daemons: daemons of FRR that run even if no line of its configuration needs them.
    """

    name: str
    kind: PartKind
    remarks: Remarks
    position: tuple[float, float] | None = None
    label: str = ""
    settings: Settings = field(default_factory=lambda: Settings({}))
    config: str = ""
    daemons: tuple[Daemon, ...] = ()

    def interface(self, name: str) -> Interface:
        """The settings of an interface, which are added if they are missing."""
        return self.settings.interfaces.setdefault(name, Interface())

    def take_commands(self, steps: Sequence[Step], interfaces: Iterable[str]) -> list[Step]:
        """Set the fields that commands set, and keep the other commands as the start command.

        Args:
            steps: the commands in their order.
            interfaces: all interfaces with links.

        Returns:
            The commands of the start command.
        """
        earlier, self.settings = self.settings, Settings({})
        unused = Remarks(self.name, "node", Notices())
        settings = settings_of(self.kind, steps, list(interfaces), unused)
        for name, interface in earlier.interfaces.items():
            other = settings.interfaces.setdefault(name, Interface())
            other.addresses = list(dict.fromkeys((*interface.addresses, *other.addresses)))
            other.mac, other.mtu_bytes = other.mac or interface.mac, other.mtu_bytes or interface.mtu_bytes
        settings.default_route = settings.default_route or earlier.default_route
        settings.static_routes = list(dict.fromkeys((*earlier.static_routes, *settings.static_routes)))
        settings.loopbacks = list(dict.fromkeys((*earlier.loopbacks, *settings.loopbacks)))
        settings.start_command = "\n".join(filter(None, (earlier.start_command, settings.start_command)))
        _keep_far_routes(settings)
        self.settings = settings
        if settings.config_lines:
            typed = "".join(f"{line}\n" for line in settings.config_lines)
            self.config = joined([self.config, typed]) if self.config.strip() else typed
        lines = set(settings.start_command.splitlines())
        return [step for step in steps if step.text.splitlines()[0] in lines]

    def node(self, shift: tuple[float, float]) -> Node:
        """The node, without the settings of its configuration."""
        x, y = self.position or (0.0, 0.0)
        common: dict[str, Any] = {"name": self.name, "label": self.label[:200], "foreign": self.remarks.foreign()}
        common |= {"x": on_canvas(x + shift[0]), "y": on_canvas(y + shift[1])}
        settings = self.settings
        if self.kind == "bridge":
            return Bridge(**common)
        common["start_command"] = settings.start_command
        if self.kind == "router":
            routes = tuple(settings.static_routes)
            loopbacks = tuple(settings.loopbacks)
            return Router(**common, loopbacks=loopbacks, static_routes=routes, daemons=self.daemons)
        return Host(
            **common,
            default_route=settings.default_route,
            congestion_control=settings.congestion_control,
            tcp=settings.tcp,
        )

    def end(self, interface: str) -> End:
        """The end of a link at one of its interfaces."""
        settings = self.interface(interface)
        addresses = () if self.kind == "bridge" else tuple(dict.fromkeys(settings.addresses))
        return End(
            node=self.name, interface=interface, addresses=addresses, mac=settings.mac, mtu_bytes=settings.mtu_bytes
        )


def _keep_far_routes(settings: Settings) -> None:
    """Keep routes over interfaces that the start command makes in the start command, after these."""
    if "ip link add" not in settings.start_command:
        return
    networks = [address.network for interface in settings.interfaces.values() for address in interface.addresses]
    for route in list(settings.static_routes):
        if not isinstance(route.via, str) and not any(route.via in network for network in networks):
            settings.static_routes.remove(route)
            settings.start_command += f"\nip route add {route.prefix} via {route.via}"


def part_name(written: str, used: set[str], *, is_bridge: bool) -> str:
    """A name for a node of a file: the written one if a lab accepts it, else a similar one; it becomes a used one.

    Args:
        written: the name in the file.
        used: the names of earlier nodes.
        is_bridge: whether the name is also that of a device of the kernel.
    """
    longest = INTERFACE_NAME_LENGTH if is_bridge else 64
    name = written
    if node_name_fault(name) or name in used or len(name) > longest:
        name = sanitized(written or "node", used, longest if is_bridge else 32)
    used.add(name)
    return name


def script_steps(script: str, place: str, line: int = 0) -> list[Step]:
    """The commands of a shell script. A script with conditions, loops or functions is one command.

    Args:
        script: its text; comments are left out.
        place: its place in the file, for remarks.
        line: its line in the file; 0 if it is unknown.
    """
    steps = [
        Step("vtysh", tuple(_typed(match[2])), f"vtysh <<{match[1]}", place, line) for match in _TYPED.finditer(script)
    ]
    lines = [text.strip() for text in _TYPED.sub("\n", script).splitlines()]
    lines = [text for text in lines if text and not text.startswith("#") and not _WITHOUT_EFFECT.fullmatch(text)]
    if not lines:
        return steps
    begins = [text.split()[0] for text in lines]
    if any(word in _CONTROL or word.endswith("()") for word in begins):
        text = "\n".join(lines)
        return [*steps, Step("other", (), f"(\n{text}\n)", place, line)]
    rest: list[str] = []
    is_text = False  # whether the rest may be text that a command writes into a file
    for text in lines:
        is_text = is_text or "<<" in text or not _is_complete(text)
        line_steps = [] if is_text else steps_of(shlex.join(["sh", "-c", text]), place, line)
        if line_steps and all(step.kind != "other" for step in line_steps):
            steps += line_steps
        else:
            rest.append(text)
    return [*steps, Step("other", (), "\n".join(rest), place, line)] if rest else steps


def _is_complete(text: str) -> bool:
    """Whether a line has the end of each of its quotations."""
    try:
        shlex.split(text)
    except ValueError:
        return False
    return not text.endswith("\\")


def _typed(text: str) -> Iterator[str]:
    """The lines of a configuration that are typed in vtysh."""
    for line in text.splitlines():
        words = line.strip()
        if words and not words.startswith(("!", "#")) and words not in _MODES:
            yield words


def assembled(
    title: str, parts: Sequence[Part], links: Sequence[Link], annotations: Sequence[Annotation] = ()
) -> Topology:
    """The topology of nodes and links.

    Args:
        title: a few words for people.
        parts: the nodes in their order.
        links: the links in their order.
        annotations: notes and shapes at their positions in the file.
    """
    placed = [part.position for part in parts if part.position is not None]
    shift = _shift([*placed, *((note.x, note.y) for note in annotations)]) if placed else (0.0, 0.0)
    moved = tuple(
        note.model_copy(update={"x": on_canvas(note.x + shift[0]), "y": on_canvas(note.y + shift[1])})
        for note in annotations
    )
    nodes = tuple(part.node(shift) for part in parts)
    topology = Topology(title=title[:200], nodes=nodes, links=tuple(links), annotations=moved if placed else ())
    topology = _with_configs(topology, parts)
    return topology if len(set(placed)) > 1 or len(parts) < 2 else auto_layout(topology)


def _shift(positions: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The distance by which everything moves, so that nothing is left of or above the origin."""
    left, top = min(x for x, _ in positions), min(y for _, y in positions)
    return (_CORNER_PX - left if left < 0 else 0.0, _CORNER_PX - top if top < 0 else 0.0)


def _with_configs(topology: Topology, parts: Iterable[Part]) -> Topology:
    """The topology with the configurations of all routers as settings."""
    routers = {part.name: part for part in parts if part.kind == "router" and part.config.strip()}
    if not routers:
        return topology
    outcome = import_configs(topology, {name: part.config for name, part in routers.items()})
    for sentence in outcome.notes:
        name, _, text = sentence.partition(": ")
        if name in routers and text:
            routers[name].remarks.add_further("frr.conf", text)
    changed = {}
    for name, part in routers.items():
        router = outcome.topology.node(name)
        assert isinstance(router, Router)
        loopbacks = tuple(dict.fromkeys((*router.loopbacks, *part.settings.loopbacks)))
        routes = tuple(dict.fromkeys((*router.static_routes, *part.settings.static_routes)))
        update = {"loopbacks": loopbacks, "static_routes": routes, "foreign": part.remarks.foreign()}
        router = router.model_copy(update={**update, "start_command": part.settings.start_command, "daemons": ()})
        further = tuple(daemon for daemon in part.daemons if daemon not in needed_daemons(router))
        changed[name] = router.model_copy(update={"daemons": further})
    return _with_addresses(with_nodes(outcome.topology, changed), topology)


def _with_addresses(topology: Topology, before: Topology) -> Topology:
    """The topology with the addresses that its interfaces had before besides those of configurations."""
    links = []
    for link, earlier in zip(topology.links, before.links, strict=True):
        ends = {}
        for side, end, old in (("a", link.a, earlier.a), ("b", link.b, earlier.b)):
            addresses = tuple(dict.fromkeys((*end.addresses, *old.addresses)))
            if addresses != end.addresses:
                ends[side] = end.model_copy(update={"addresses": addresses})
        links.append(link.model_copy(update=ends) if ends else link)
    return topology.model_copy(update={"links": tuple(links)})
