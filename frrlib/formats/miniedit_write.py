"""Writes a topology with MiniEdit's own keys, version 2. Values without an equivalent are approximated.

MiniEdit can open the result. Therefore it must not contain a link to a missing node, an unknown controller, a node
without a number, or a fractional bandwidth, since MiniEdit fails on these.
"""

from __future__ import annotations

import json
from ipaddress import IPv4Interface
from typing import Any

from frrlib.formats.miniedit_read import BRIDGE, ROUTER
from frrlib.formats.units import time_text
from frrlib.model.links import Link, Shape, queue_limit_bytes
from frrlib.model.names import numbered
from frrlib.model.nodes import Bridge, Controller, Host, Node, Router, Switch
from frrlib.model.topology import Preferences, Topology

Object = dict[str, Any]


def write(topology: Topology) -> Object:
    """The file's outermost object, without our own key."""
    writer = _Writer(topology)
    nodes = [(node, writer.node(node, index)) for index, node in enumerate(topology.nodes)]
    keys = {
        "version": "2",
        "application": _application(topology.preferences),
        "hosts": [entry for node, entry in nodes if isinstance(node, Host)],
        "switches": [entry for node, entry in nodes if isinstance(node, Router | Switch | Bridge)],
        "controllers": [entry for node, entry in nodes if isinstance(node, Controller)],
        "links": [_link(link) for link in topology.links if writer.can_say(link)],
    }
    return {**foreign_of(topology.foreign), **keys}


def is_expressible(topology: Topology, link: Link) -> bool:
    """Whether MiniEdit's keys can express a link, which needs both of its nodes."""
    return all(topology.node(end.node) is not None for end in link.ends)


def foreign_of(text: str) -> Object:
    """The object in a `foreign` field."""
    value = json.loads(text) if text else {}
    return value if isinstance(value, dict) else {}


def layered(needed: Object, foreign: Object, settings: Object) -> Object:
    """An entry of three layers: keys that MiniEdit requires, overridden by unknown keys, overridden by settings.

    An unknown key does not replace an object that MiniEdit requires, unless it is an object itself.
    """
    unknown = {
        key: value for key, value in foreign.items() if isinstance(value, dict) or not isinstance(needed.get(key), dict)
    }
    return _over(_over(needed, unknown), settings)


def _over(below: Object, above: Object) -> Object:
    result = dict(below)
    for key, value in above.items():
        under = result.get(key)
        result[key] = _over(under, value) if isinstance(value, dict) and isinstance(under, dict) else value
    return result


def _harmless(foreign: Object) -> Object:
    """A node's unknown keys without those that MiniEdit would fail to parse; our own key stores them."""
    opts = foreign.get("opts")
    if not isinstance(opts, dict):
        return foreign
    remaining = {key: value for key, value in opts.items() if key not in ("controllers", "privateDirectory")}
    return {**foreign, "opts": remaining}


def _without_empty(**values: Any) -> Object:
    """The values that are neither None nor empty."""
    return {key: value for key, value in values.items() if value is not None and value not in ("", [], False)}


class _Writer:
    def __init__(self, topology: Topology) -> None:
        self.names = {node.name for node in topology.nodes}
        self.controllers = {node.name for node in topology.nodes if isinstance(node, Controller)}
        self.first_addresses: dict[str, str] = {}
        visited = set()
        for link in topology.links:
            for end in link.ends if self.can_say(link) else ():
                addresses = [str(address) for address in end.addresses if isinstance(address, IPv4Interface)]
                if end.node not in visited and addresses:
                    self.first_addresses[end.node] = addresses[0]
                visited.add(end.node)

    def can_say(self, link: Link) -> bool:
        return link.a.node in self.names and link.b.node in self.names

    def node(self, node: Node, index: int) -> Object:
        """A node's entry. Its settings override unknown keys, and these override keys that MiniEdit requires."""
        defaults, opts = self._opts(node)
        settings: Object = {"x": str(node.x), "y": str(node.y), "opts": {"hostname": node.name, **opts}}
        if not isinstance(node, Controller):
            parts = numbered(node.address_name)
            number = node.number if node.number is not None else (parts[1] if parts else index + 1)
            settings["number"] = str(number)
            settings["opts"] |= {"nodeNum": number}
            settings["opts"] |= _without_empty(startCommand=node.start_command, stopCommand=node.stop_command)
        return layered({"opts": defaults}, _harmless(foreign_of(node.foreign)), settings)

    def _opts(self, node: Node) -> tuple[Object, Object]:
        """The keys that MiniEdit requires, and the node's settings."""
        if isinstance(node, Host):
            return {"sched": "host"}, self._host(node)
        if isinstance(node, Router):
            controllers = None if node.controllers is None else self._known(node.controllers)
            return {}, {"switchType": ROUTER} | ({} if controllers is None else {"controllers": controllers})
        if isinstance(node, Bridge):
            return {}, {"switchType": BRIDGE, "controllers": self._known(node.controllers)}
        if isinstance(node, Switch):
            return {"switchType": "default"}, {"controllers": self._known(node.controllers), **self._switch(node)}
        return _CONTROLLER_DEFAULTS, _controller(node)

    def _known(self, controllers: tuple[str, ...]) -> list[str]:
        return [name for name in controllers if name in self.controllers]

    def _host(self, host: Host) -> Object:
        cpu = None if host.cpu_percent is None else host.cpu_percent / 100
        return _without_empty(
            ip=self.first_addresses.get(host.name),
            defaultRoute=None if host.default_route is None else str(host.default_route),
            sched=host.scheduler if host.scheduler != "host" else None,
            cores=host.cores,
            privateDirectory=[
                [folder.path, folder.persistent] if folder.persistent else folder.path
                for folder in host.private_directories
            ],
            externalInterfaces=list(host.external_interfaces),
            vlanInterfaces=[[str(vlan.address), str(vlan.vlan_id)] for vlan in host.vlan_interfaces],
        ) | ({} if cpu is None else {"cpu": cpu})

    def _switch(self, switch: Switch) -> Object:
        return _without_empty(
            switchType=switch.switch_type if switch.switch_type != "default" else None,
            dpid=switch.dpid,
            dpctl=switch.dpctl_port,
            switchIP=switch.management_address,
            netflow="1" if switch.netflow else None,
            sflow="1" if switch.sflow else None,
            externalInterfaces=list(switch.external_interfaces),
        )


_CONTROLLER_DEFAULTS: Object = {
    "controllerType": "ref",
    "controllerProtocol": "tcp",
    "remoteIP": "127.0.0.1",
    "remotePort": 6633,
}


def _controller(node: Controller) -> Object:
    settings = {
        "controllerType": node.controller_type,
        "controllerProtocol": node.protocol,
        "remoteIP": node.address,
        "remotePort": node.port,
    }
    return {key: value for key, value in settings.items() if value != _CONTROLLER_DEFAULTS[key]}


def _link(link: Link) -> Object:
    shape = link.a_to_b
    opts = _without_empty(
        bw=None if shape.rate_mbit is None else max(1, round(shape.rate_mbit)),
        delay=time_text(shape.delay_ms) if shape.delay_ms else None,
        jitter=time_text(shape.jitter_ms) if shape.jitter_ms else None,
        loss=round(shape.loss_percent) or None,
        max_queue_size=_queue_packets(shape, link.b_to_a, link.a.frame_bytes),
    )
    opts |= {} if link.speedup_mbit is None else {"speedup": link.speedup_mbit}
    return layered({"opts": {}}, foreign_of(link.foreign), {"src": link.a.node, "dest": link.b.node, "opts": opts})


def _queue_packets(shape: Shape, reverse: Shape, frame_bytes: int) -> int | None:
    stated = (shape.queue_packets, shape.queue_bytes, shape.queue_ms, shape.queue_bdp)
    limit = queue_limit_bytes(shape, reverse, frame_bytes)
    if limit is None or not any(value is not None for value in stated):
        return None
    return max(1, round(limit / frame_bytes))


def _application(preferences: Preferences) -> Object:
    openflow, sflow, netflow = preferences.openflow, preferences.sflow, preferences.netflow
    settings: Object = {
        "ipBase": preferences.ip_base,
        "terminalType": preferences.terminal_type,
        "startCLI": _flag(preferences.start_cli),
        "switchType": preferences.switch_type,
        "dpctl": preferences.dpctl,
        "openFlowVersions": {
            "ovsOf10": _flag(openflow.of10),
            "ovsOf11": _flag(openflow.of11),
            "ovsOf12": _flag(openflow.of12),
            "ovsOf13": _flag(openflow.of13),
        },
        "sflow": {
            "sflowTarget": sflow.target,
            "sflowSampling": sflow.sampling,
            "sflowHeader": sflow.header,
            "sflowPolling": sflow.polling,
        },
        "netflow": {
            "nflowTarget": netflow.target,
            "nflowTimeout": netflow.active_timeout,
            "nflowAddId": _flag(netflow.add_id_to_interface),
        },
    }
    plain = settings if preferences == Preferences() else _application(Preferences())
    return layered(plain, foreign_of(preferences.foreign), _changes(settings, plain))


def _changes(settings: Object, plain: Object) -> Object:
    """The values of `settings` that differ from `plain`."""
    changes: Object = {}
    for key, value in settings.items():
        if isinstance(value, dict):
            inner = _changes(value, plain[key])
            changes |= {key: inner} if inner else {}
        elif value != plain[key]:
            changes[key] = value
    return changes


def _flag(value: bool) -> str:
    return "1" if value else "0"
