"""Reads MiniEdit's own keys, versions 1 and 2, with their meaning in MiniEdit and Mininet.

Invalid values are not lost: they are kept in the `foreign` keys of the node or link and are written back unchanged. A
warning reports them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from frrlib.formats import mininet_remarks
from frrlib.formats.entry import (
    FileObject,
    Notices,
    Unreadable,
    brief,
    flag,
    integer,
    list_of,
    number,
    one_of,
    path_text,
    short,
    text,
)
from frrlib.formats.jsontext import InvalidFile
from frrlib.formats.units import gateway, interface_address, milliseconds
from frrlib.model.annotations import FAR_PX
from frrlib.model.base import INTERFACE_NAME_LENGTH, LONGEST_LABEL, LONGEST_PATH, Address
from frrlib.model.links import End, Link, Shape
from frrlib.model.names import free_name, node_name_fault, sanitized
from frrlib.model.nodes import Bridge, Controller, Host, Node, PrivateDirectory, Router, Switch, VlanInterface
from frrlib.model.topology import Netflow, OpenFlowVersions, Preferences, Sflow, Topology

MOST_NODES, MOST_LINKS = 10_000, 100_000
SWITCH_TYPES = ("default", "ovs", "ivs", "user", "userns")
ROUTER, BRIDGE = "legacyRouter", "legacySwitch"

T = TypeVar("T")


def read(document: FileObject, notices: Notices, strict_names: bool = True) -> Topology:
    """The topology that a file's MiniEdit keys describe.

    Args:
        document: the file's outermost object, without our own key; its keys are removed.
        notices: receives warnings.
        strict_names: whether invalid names are changed (the original becomes the label).

    Raises:
        InvalidFile: the file is not a topology, or its structure is invalid.
    """
    return _Reader(document, notices, strict_names).topology()


def object_text(value: dict[str, Any]) -> str:
    """Unknown keys as text for a `foreign` field; empty for none."""
    return json.dumps(value, sort_keys=True, separators=(",", ":")) if value else ""


class _Reader:
    """One pass through a file: names come first, since links and controllers refer to them."""

    def __init__(self, document: FileObject, notices: Notices, strict_names: bool) -> None:
        self.document, self.notices, self.strict_names = document, notices, strict_names
        self.version = self._version()
        self.names: dict[str, str] = {}
        self.used: set[str] = set()
        self.host_addresses: dict[str, tuple[Any, Address]] = {}

    def _version(self) -> str:
        keys = {"hosts", "switches", "links", "controllers"} & self.document.rest.keys()
        if not keys:
            raise InvalidFile("is not a file of MiniEdit: it has neither hosts nor switches nor links")
        value = self.document.rest.pop("version", "2")
        version = str(value).strip().removesuffix(".0") if isinstance(value, str | int | float) else ""
        if version not in ("1", "2"):
            reason = f"is {brief(value)}: MiniEdit's versions 1 and 2 are known, no other"
            raise InvalidFile(reason, ("version",))
        return version

    def topology(self) -> Topology:
        hosts = self._entries("hosts", self.document.items("hosts"))
        switches = self._entries("switches", self.document.items("switches"))
        controllers = self._controllers()
        if (count := len(hosts) + len(switches) + len(controllers)) > MOST_NODES:
            raise InvalidFile(f"has {count} nodes, more than the limit of {MOST_NODES}")
        named = [
            *((entry, opts, self._host) for entry, opts in hosts),
            *((entry, opts, self._switch) for entry, opts in switches),
            *((entry, opts, self._controller) for entry, opts in controllers),
        ]
        names = self._assign_names([(entry, opts) for entry, opts, _ in named])
        nodes = [
            read_node(entry, opts, name, label)
            for (entry, opts, read_node), (name, label) in zip(named, names, strict=True)
        ]
        links = self._links()
        preferences = self._preferences()
        linked = {end.node for link in links for end in link.ends}
        nodes = [node if node.name in linked else self._with_unused_address(node) for node in nodes]
        return Topology(
            nodes=tuple(nodes),
            links=tuple(links),
            preferences=preferences,
            foreign=object_text(self.document.leftover()),
        )

    def _entries(self, key: str, items: list[Any]) -> list[tuple[FileObject, FileObject]]:
        entries = [FileObject(item, (key, index), self.notices) for index, item in enumerate(items)]
        return [(entry, entry.inner("opts")) for entry in entries]

    def _controllers(self) -> list[tuple[FileObject, FileObject]]:
        """Version 1 has an object of controllers by name, without positions."""
        value = self.document.rest.get("controllers")
        if not isinstance(value, dict):
            return self._entries("controllers", self.document.items("controllers"))
        entries = []
        self.document.rest.pop("controllers")
        for name, content in value.items():
            opts = FileObject(content, ("controllers", name), self.notices)
            opts.rest["hostname"] = name
            place = FileObject({"x": 30.0, "y": 30.0}, ("controllers", name), self.notices)
            entries.append((place, opts))
        return entries

    # --- names ---

    def _assign_names(self, entries: list[tuple[FileObject, FileObject]]) -> list[tuple[str, str]]:
        """Name and label of every node, in order; names are valid and unique."""
        originals = [self._original_name(entry, opts) for entry, opts in entries]
        free = {name for name in originals if not self._fault(name)}
        results = []
        for original, (entry, opts) in zip(originals, entries, strict=True):
            name, label = original, ""
            if self._fault(original):
                length = INTERFACE_NAME_LENGTH if entry.path[0] == "switches" else 32
                name, label = sanitized(original, free | self.used, length), original[:LONGEST_LABEL]
                reason = f"was {brief(original)}, which {self._fault(original)}"
                self.notices.warn("illegal-name", name, "name", reason, about="node")
            elif original in self.used:
                name, label = free_name(original, free | self.used), original
                reason = f"was a second node called {original}; links to {original} stay with the first one"
                self.notices.warn("duplicate-name", name, "name", reason, about="node")
            self.used.add(name)
            self.names.setdefault(original, name)
            entry.owner = opts.owner = name
            entry.about = opts.about = "node"
            results.append((name, label))
        return results

    def _fault(self, name: str) -> str:
        return node_name_fault(name) if self.strict_names else ""

    def _original_name(self, entry: FileObject, opts: FileObject) -> str:
        """`opts.hostname`, or MiniEdit's default of letter and number."""
        letter = {"hosts": "h", "switches": "s", "controllers": "c"}[str(entry.path[0])]
        try:
            name = text(opts.rest.pop("hostname", None))
        except Unreadable as problem:
            raise InvalidFile(str(problem), (*opts.path, "hostname")) from None
        if name:
            return name
        try:
            return f"{letter}{integer(entry.rest.get('number', entry.path[1]))}"
        except Unreadable:
            return f"{letter}{entry.path[1]}"

    # --- nodes ---

    def _common(self, entry: FileObject, opts: FileObject, name: str, label: str) -> dict[str, Any]:
        mininet_remarks.report(entry)
        number_ = entry.take("number", integer, None)
        return {
            "name": name,
            "label": label,
            "x": entry.take("x", _place, 0.0),
            "y": entry.take("y", _place, 0.0),
            "number": opts.take("nodeNum", integer, number_),
            "start_command": opts.take("startCommand", text, ""),
            "stop_command": opts.take("stopCommand", text, ""),
        }

    def _host(self, entry: FileObject, opts: FileObject, name: str, label: str) -> Node:
        if "ip" in opts.rest:
            original = opts.rest["ip"]
            address = self._address(opts, "ip")
            if address is not None:
                self.host_addresses[name] = (original, address)
        return Host(
            **self._common(entry, opts, name, label),
            scheduler=opts.take("sched", one_of("host", "cfs", "rt", empty="host"), "host"),  # type: ignore[arg-type]
            default_route=opts.take("defaultRoute", gateway, None),
            cores=opts.take("cores", short(), ""),
            cpu_percent=opts.take("cpu", _cpu_percent, None),
            private_directories=opts.take("privateDirectory", list_of(_directory), ()),
            external_interfaces=opts.take("externalInterfaces", list_of(short()), ()),
            vlan_interfaces=opts.take("vlanInterfaces", list_of(_vlan), ()),
            foreign=object_text(entry.leftover(opts=opts)),
        )

    def _address(self, opts: FileObject, key: str) -> Address | None:
        address, stated = opts.take(key, interface_address, (None, True))
        if not stated:
            reason = f"has no prefix length: {address} is taken, as Mininet does"
            self.notices.warn("no-prefix", opts.owner, key, reason, "state one, such as /24", about="node")
        return address

    def _with_unused_address(self, node: Node) -> Node:
        """A host without a link has no interface for its address, which is kept for a later link."""
        if node.name not in self.host_addresses:
            return node
        original, address = self.host_addresses[node.name]
        reason = f"{address} waits: the host has no link"
        self.notices.warn("unconnected", node.name, "ip", reason, "link the host", about="node")
        foreign = json.loads(node.foreign) if node.foreign else {}
        foreign["opts"] = {**foreign.get("opts", {}), "ip": original}
        return node.model_copy(update={"foreign": object_text(foreign)})

    def _switch(self, entry: FileObject, opts: FileObject, name: str, label: str) -> Node:
        kind = opts.take("switchType", one_of(*SWITCH_TYPES, ROUTER, BRIDGE, empty="default"), "default")
        has_list = "controllers" in opts.rest
        controllers = tuple(
            self.names.get(controller, controller) for controller in opts.take("controllers", list_of(short()), ())
        )
        common = self._common(entry, opts, name, label)
        if kind == ROUTER:
            common["foreign"] = object_text(entry.leftover(opts=opts))
            understood = has_list and "controllers" not in opts.rest
            return Router(**common, controllers=controllers if understood else None)
        if kind == BRIDGE:
            return Bridge(**common, controllers=controllers, foreign=object_text(entry.leftover(opts=opts)))
        if self.version == "1" and not controllers:
            controllers = ("c0",) if "c0" in self.names else ()
        return Switch(
            **common,
            switch_type=kind,  # type: ignore[arg-type]
            controllers=controllers,
            dpid=opts.take("dpid", short(), ""),
            dpctl_port=opts.take("dpctl", short(), ""),
            management_address=opts.take("switchIP", short(), ""),
            netflow=opts.take("netflow", flag, False),
            sflow=opts.take("sflow", flag, False),
            external_interfaces=opts.take("externalInterfaces", list_of(short()), ()),
            foreign=object_text(entry.leftover(opts=opts)),
        )

    def _controller(self, entry: FileObject, opts: FileObject, name: str, label: str) -> Node:
        return Controller(
            name=name,
            label=label,
            x=entry.take("x", _place, 0.0),
            y=entry.take("y", _place, 0.0),
            controller_type=opts.take("controllerType", one_of("ref", "ovsc", "remote", "inband", empty="ref"), "ref"),  # type: ignore[arg-type]
            protocol=opts.take("controllerProtocol", one_of("tcp", "ssl", empty="tcp"), "tcp"),  # type: ignore[arg-type]
            address=opts.take("remoteIP", short(), "127.0.0.1"),
            port=opts.take("remotePort", within(integer, 1, 65_535, empty=6633), 6633),
            foreign=object_text(entry.leftover(opts=opts)),
        )

    # --- links ---

    def _links(self) -> list[Link]:
        items = self.document.items("links")
        if len(items) > MOST_LINKS:
            raise InvalidFile(f"has {len(items)} links, more than the limit of {MOST_LINKS}", ("links",))
        open_hosts = {name: address for name, (_, address) in self.host_addresses.items()}
        links: list[Link] = []
        for index, item in enumerate(items):
            entry = FileObject(item, ("links", index), self.notices)
            ends = [self._end(entry, key) for key in ("src", "dest")]
            missing = [end for end in ends if end not in self.names]
            if missing:
                reason = f"leads to {missing[0]}, which is not in the file, and is left out"
                self.notices.warn("loose-link", "", path_text(entry.path), reason, "draw the node, then the link")
                continue
            a, b = (self._with_address(self.names[end], open_hosts) for end in ends)
            links.append(self._link(entry, f"l{len(links) + 1}", a, b))
        return links

    def _end(self, entry: FileObject, key: str) -> str:
        if key not in entry.rest:
            raise InvalidFile(f"has no {key}", entry.path)
        try:
            return text(entry.rest.pop(key))
        except Unreadable as problem:
            raise InvalidFile(str(problem), (*entry.path, key)) from None

    @staticmethod
    def _with_address(name: str, open_hosts: dict[str, Address]) -> End:
        """A link's end; the first one of a host gets the host's address."""
        address = open_hosts.pop(name, None)
        return End(node=name, addresses=(address,) if address else ())

    def _link(self, entry: FileObject, link_id: str, a: End, b: End) -> Link:
        opts = entry.inner("opts")
        entry.owner = opts.owner = link_id
        entry.about = opts.about = "link"
        mininet_remarks.report(entry)
        speedup_mbit = opts.take("speedup", _or_none(integer), None)
        rate_mbit = opts.take("bw", _or_none(within(number, 0, 1_000_000)), None) or None
        shape = Shape(
            rate_mbit=rate_mbit,
            delay_ms=self._time(opts, "delay"),
            jitter_ms=self._time(opts, "jitter"),
            loss_percent=opts.take("loss", within(number, 0, 100, empty=0.0), 0.0),
            queue_packets=self._queue(opts, rate_mbit),
        )
        foreign = object_text(entry.leftover(opts=opts))
        return Link(id=link_id, a=a, b=b, a_to_b=shape, b_to_a=shape, speedup_mbit=speedup_mbit, foreign=foreign)

    def _time(self, opts: FileObject, key: str) -> float:
        original = opts.rest.get(key)
        value, stated = opts.take(key, milliseconds, (0.0, True))
        if not stated:
            reason = f"{original!r} has no unit: tc counts microseconds, so {value:g} ms is taken"
            remedy = f'"{original}ms" if milliseconds were meant'
            self.notices.warn("no-unit", opts.owner, key, reason, remedy, about="link")
        return value

    def _queue(self, opts: FileObject, rate_mbit: float | None) -> int | None:
        value = opts.rest.get("max_queue_size")
        if rate_mbit is None and value not in (None, ""):
            opts.leave("max_queue_size", "limits no queue, for the link has no bw", "it is kept and not used")
            return None
        return opts.take("max_queue_size", _or_none(within(integer, 1, 10_000_000)), None)

    # --- preferences ---

    def _preferences(self) -> Preferences:
        entry = self.document.inner("application")
        versions, sflow, netflow = (entry.inner(key) for key in ("openFlowVersions", "sflow", "netflow"))
        default = OpenFlowVersions()
        value = Preferences(
            ip_base=entry.take("ipBase", short(), "10.0.0.0/8"),
            terminal_type=entry.take("terminalType", short(), "xterm"),
            start_cli=entry.take("startCLI", flag, False),
            switch_type=entry.take("switchType", one_of(*SWITCH_TYPES[1:], empty="ovs"), "ovs"),  # type: ignore[arg-type]
            dpctl=entry.take("dpctl", short(), ""),
            openflow=OpenFlowVersions(
                of10=versions.take("ovsOf10", flag, default.of10),
                of11=versions.take("ovsOf11", flag, default.of11),
                of12=versions.take("ovsOf12", flag, default.of12),
                of13=versions.take("ovsOf13", flag, default.of13),
            ),
            sflow=Sflow(
                target=sflow.take("sflowTarget", short(), ""),
                sampling=sflow.take("sflowSampling", short(), "400"),
                header=sflow.take("sflowHeader", short(), "128"),
                polling=sflow.take("sflowPolling", short(), "30"),
            ),
            netflow=Netflow(
                target=netflow.take("nflowTarget", short(), ""),
                active_timeout=netflow.take("nflowTimeout", short(), "600"),
                add_id_to_interface=netflow.take("nflowAddId", flag, False),
            ),
        )
        foreign = entry.leftover(openFlowVersions=versions, sflow=sflow, netflow=netflow)
        return value.model_copy(update={"foreign": object_text(foreign)})


# --- conversions that only these keys need ----------------------------------------------------------------------------


def _place(value: Any) -> float:
    """A position on the canvas, along one axis."""
    return within(number, -FAR_PX, FAR_PX)(value)


def within(convert: Callable[[Any], T], low: float, high: float, empty: T | None = None) -> Callable[[Any], T]:
    """A conversion whose result is between two bounds; empty text stands for `empty` if that is set."""

    def convert_within(value: Any) -> T:
        if empty is not None and (value is None or value == ""):
            return empty
        result = convert(value)
        if not low <= result <= high:  # type: ignore[operator]
            raise Unreadable(f"{brief(value)} is not between {low:g} and {high:g}")
        return result

    return convert_within


def _or_none(convert: Callable[[Any], T]) -> Callable[[Any], T | None]:
    return lambda value: None if value is None or value == "" else convert(value)


def _cpu_percent(value: Any) -> float | None:
    if value is None or value == "":
        return None
    # rounded, since 0.29 * 100 is not 29
    return round(within(number, 0, 1)(value) * 100, 9)


def _directory(value: Any) -> PrivateDirectory:
    path = short(LONGEST_PATH)
    parts = list_of(path)(value) if isinstance(value, list) else (path(value), "")
    if len(parts) != 2 or not parts[0]:
        raise Unreadable(f"{brief(value)} is neither a folder nor a pair of folders")
    return PrivateDirectory(path=parts[0], persistent=parts[1])


def _vlan(value: Any) -> VlanInterface:
    if not isinstance(value, list) or len(value) != 2:
        raise Unreadable(f"{brief(value)} is not a pair of address and VLAN id")
    address, _ = interface_address(value[0])
    if address is None:
        raise Unreadable(f"{brief(value)} has no address")
    return VlanInterface(address=address, vlan_id=within(integer, 1, 4094)(value[1]))
