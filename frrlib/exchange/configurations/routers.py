"""The routers of a topology with their configurations of FRR, and with the settings that their commands make."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, get_args

from frrlib.conf.text import joined
from frrlib.configs.folders import import_configs
from frrlib.edits.parts import with_nodes
from frrlib.exchange.configurations.frr_files import FrrFiles
from frrlib.exchange.start_commands.node_settings import Settings
from frrlib.formats.mininet_remarks import Remarks
from frrlib.model.nodes import Router
from frrlib.model.protocols.common import Daemon
from frrlib.model.topology import Topology
from frrlib.render.frr import daemons


class RouterEntry(Protocol):
    """A node of another program's file: its name and kind in the topology, its files, its commands, and remarks."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def files(self) -> FrrFiles: ...
    @property
    def settings(self) -> Settings: ...
    @property
    def remarks(self) -> Remarks: ...


def with_configurations(topology: Topology, entries: Iterable[RouterEntry]) -> Topology:
    """The topology with the configurations of all routers as settings, and the settings of their commands over them."""
    routers = [entry for entry in entries if entry.kind == "router"]
    texts = {}
    for entry in routers:
        lines = "\n".join(entry.settings.config_lines)
        parts = [text for text in (entry.files.text, lines) if text.strip()]
        if parts:
            texts[entry.name] = joined(parts) if len(parts) > 1 else parts[0]
    before = topology
    if texts:
        outcome = import_configs(topology, texts)
        topology = outcome.topology
        by_name = {entry.name: entry for entry in routers}
        for sentence in outcome.notes:
            name, _, text = sentence.partition(": ")
            if name in by_name and text:
                by_name[name].remarks.add_further("frr.conf", text)
    for entry in routers:
        topology = _with_commands(topology, entry, before)
    return topology


def _with_commands(topology: Topology, entry: RouterEntry, before: Topology) -> Topology:
    """The topology with the addresses, routes and daemons that a router has besides its configuration."""
    router, old = topology.node(entry.name), before.node(entry.name)
    assert isinstance(router, Router) and isinstance(old, Router)
    fields: dict[str, Any] = {
        "loopbacks": tuple(dict.fromkeys((*router.loopbacks, *old.loopbacks))),
        "static_routes": tuple(dict.fromkeys((*router.static_routes, *entry.settings.static_routes))),
    }
    router = router.model_copy(update=fields)
    needed = daemons(router)
    if entry.files.text and entry.files.has_daemons:
        disabled = [name for name in needed if name in get_args(Daemon) and name not in entry.files.daemons]
        disabled = [name for name in disabled if name not in ("zebra", "staticd")]
        if disabled:
            reason = f"does not start {', '.join(disabled)}, but frr.conf has lines for it; a lab starts it"
            entry.remarks.add("daemons", reason)
    further = tuple(name for name in entry.files.daemons if name not in needed)
    if "ldpd" in further:
        further = tuple(name for name in further if name != "ldpd")
        entry.remarks.add("ldpd", "the file daemons starts it, but it has no lines; it is left out, as it needs MPLS")
    router = router.model_copy(update={"daemons": further})
    links = []
    for link, earlier in zip(topology.links, before.links, strict=True):
        ends = {}
        for side, end, old_end in (("a", link.a, earlier.a), ("b", link.b, earlier.b)):
            if end.node == entry.name and (missing := set(old_end.addresses) - set(end.addresses)):
                stated = tuple(address for address in old_end.addresses if address in missing)
                ends[side] = end.model_copy(update={"addresses": (*end.addresses, *stated)})
        links.append(link.model_copy(update=ends) if ends else link)
    return with_nodes(topology.model_copy(update={"links": tuple(links)}), {router.name: router})
