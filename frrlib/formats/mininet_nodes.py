"""Reads the nodes of a Mininet topology: their classes, addresses, CPU limits and switch settings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from frrlib.errors import TopologyError
from frrlib.formats.entry import Notices, Unreadable, brief
from frrlib.formats.mininet_options import Options, class_name, is_on, mininet_class, unwrapped
from frrlib.formats.mininet_remarks import Remarks
from frrlib.formats.units import gateway, interface_address
from frrlib.model.base import Address, IpAddress, first_fault
from frrlib.model.nodes import Bridge, Host, Node, PrivateDirectory, Router, Switch
from frrlib.model.openflow import PROTOCOLS
from frrlib.model.protocols.common import DEFAULT_ROUTES, StaticRoute
from frrlib.model.topology import OpenFlowVersions

#: Mininet's classes of hosts.
_HOSTS = {"Node": Host, "Host": Host, "CPULimitedHost": Host, "NAT": Host}
#: Mininet's classes of switches, with our type of OpenFlow switches; None for a bridge.
_SWITCHES = {"Switch": "default", "OVSSwitch": "ovs", "UserSwitch": "user", "IVSSwitch": "ivs", "OVSBridge": None,
             "LinuxBridge": None}  # fmt: skip
_CODE_LEFT_OUT = "its own code is left out"


@dataclass(frozen=True)
class MininetNode:
    """A node, and the settings of its first interface.

    Attributes:
        node: the node, still without its remarks.
        remarks: the remarks on it.
        has_ip: whether the topology sets its address; Mininet assigns one otherwise.
        address: that address; None for none.
        mac: its hardware address; empty for none.
        protocols: OpenFlow versions as Open vSwitch names them; empty if they are not set.
    """

    node: Node
    remarks: Remarks
    has_ip: bool = False
    address: Address | None = None
    mac: str = ""
    protocols: tuple[str, ...] = ()


def read_node(name: str, info: Mapping[str, Any], is_switch: bool, notices: Notices) -> MininetNode:
    """Read a node.

    Args:
        name: its name.
        info: its options in Mininet.
        is_switch: whether Mininet counts it among the switches.
        notices: receives remarks.

    Raises:
        TopologyError: an option has an invalid value.
    """
    constructor, values = unwrapped(info.get("cls"), {key: value for key, value in info.items() if key != "cls"})
    options = Options(values, Remarks(name, "node", notices))
    try:
        result = _switch(name, constructor, options) if is_switch else _host(name, constructor, options)
    except (ValidationError, Unreadable) as problem:
        raise TopologyError(reason(problem), node=name) from None
    options.finish()
    return result


def reason(problem: ValidationError | Unreadable) -> str:
    """The reason of an invalid value, as one clause."""
    return ": ".join(first_fault(problem)) if isinstance(problem, ValidationError) else str(problem)


# --- hosts ------------------------------------------------------------------------------------------------------------


def _host(name: str, constructor: Any, options: Options) -> MininetNode:
    is_router = _is_router(constructor, options)
    has_ip, address = "ip" in options, _address(name, options)
    mac = str(options.take("mac", ""))
    route = _default_route(options)
    if options.take("inNamespace", True) is False:
        options.remark("inNamespace", False, "every node has a network namespace of its own here")
    node: Node
    if is_router:
        routes = (StaticRoute(prefix=DEFAULT_ROUTES[route.version], via=route),) if route is not None else ()
        node = Router(name=name, static_routes=routes)
    else:
        node = Host(
            name=name,
            default_route=route,
            cores=_cores(options),
            private_directories=tuple(_directory(value) for value in options.take("privateDirs", ())),
            **_cpu(options),
        )
    return MininetNode(node, options.remarks, has_ip, address, mac)


def _is_router(constructor: Any, options: Options) -> bool:
    """Whether a class stands for a router. Its name decides, since its code is not executed."""
    if constructor is None:
        return False
    known, is_itself = mininet_class(constructor, _HOSTS)
    name = class_name(constructor)
    is_router = not is_itself and "router" in name.lower()
    if is_router:
        options.remark("cls", constructor, f"it is read as a router, and {_CODE_LEFT_OUT}")
    elif not is_itself:
        options.remark("cls", constructor, f"it is read as a {known or 'Host'}, and {_CODE_LEFT_OUT}")
    elif known == "NAT":
        options.remark("cls", constructor, "it is an ordinary host here, without a way to the machine's network")
    return is_router


def _address(name: str, options: Options) -> Address | None:
    value = options.take("ip", "")
    try:
        address, has_prefix = interface_address(value)
    except Unreadable as problem:
        raise TopologyError(str(problem), node=name, field="ip") from None
    if address is None or address.ip.is_unspecified:
        return None
    if not has_prefix:
        options.remarks.warn_without_prefix("ip", address)
    return address


def _default_route(options: Options) -> IpAddress | None:
    """The gateway of "via 10.0.0.1", also with an interface; a route to an interface alone has none."""
    value = options.take("defaultRoute", "")
    words = str(value)
    if match := re.search(r"\bvia\s+(\S+)", words):
        if words.split() != ["via", match[1]]:
            options.remark("defaultRoute", value, "only the address of the gateway is kept")
        return gateway(match[1])
    if re.match(r"dev\s", words) or re.search(r"[g-z]", words):
        options.remark("defaultRoute", value, "a default route has the address of a gateway here")
        return None
    return gateway(words)


def _cpu(options: Options) -> dict[str, Any]:
    """The fields of a CPU limit. The scheduler is Mininet's default, cfs, if only the share is set."""
    share, scheduler = options.take("cpu"), options.take("sched")
    if scheduler not in (None, "cfs", "rt"):
        if share is not None:
            options.remark("sched", scheduler, "it sets no CPU limit")
        return {}
    if isinstance(share, int | float) and share < 0:
        share = None
    if isinstance(share, int | float) and share > 1:
        options.remark("cpu", share, "it is more than all CPUs, so there is no limit")
        share = None
    if share is None:
        return {"scheduler": scheduler} if scheduler else {}
    if isinstance(share, bool) or not isinstance(share, int | float):
        raise Unreadable(f"{brief(share)} is not a share of all CPUs")
    # rounded, since 0.29 * 100 is not 29
    return {"scheduler": scheduler or "cfs", "cpu_percent": round(share * 100, 9)}


def _cores(options: Options) -> str:
    """The cores as text. Mininet does not follow its own documentation for lists and for the number 0."""
    value = options.take("cores", "")
    if not isinstance(value, list | tuple):
        if value == 0:
            options.remark("cores", value, "Mininet sets no core then, but a lab sets core 0")
        return str(value)
    if len(value) > 1 and isinstance(value, list):
        options.remark("cores", value, "Mininet takes only the first core of a list, but a lab takes all")
    return ",".join(str(core) for core in value)


def _directory(value: Any) -> PrivateDirectory:
    if isinstance(value, str):
        return PrivateDirectory(path=value)
    if isinstance(value, list | tuple) and len(value) == 2:
        return PrivateDirectory(path=value[0], persistent=value[1])
    raise Unreadable(f"{brief(value)} is neither a folder nor a pair of folders")


# --- switches ---------------------------------------------------------------------------------------------------------


def _switch(name: str, constructor: Any, options: Options) -> MininetNode:
    known, is_itself = mininet_class(constructor, _SWITCHES)
    if constructor is not None and not is_itself:
        options.remark("cls", constructor, f"it is read as {known or 'Switch'}, and {_CODE_LEFT_OUT}")
    kind = _SWITCHES[known] if known else "default"
    in_namespace = bool(options.take("inNamespace", False))
    if kind == "user" and in_namespace:
        kind = "userns"
    elif in_namespace:
        options.remark("inNamespace", True, "only user switches have a network namespace here")
    for key in ("ip", "mac"):
        if (value := options.take(key)) is not None:
            options.remark(key, value, "a switch has none in Mininet either")
    if kind is None:
        return MininetNode(Bridge(name=name, stp=is_on(options.take("stp", False))), options.remarks)
    node = Switch(
        name=name,
        switch_type=kind,  # type: ignore[arg-type]
        dpid=str(options.take("dpid", "")),
        dpctl_port=str(options.take("listenPort", "")),
    )
    return MininetNode(node, options.remarks, protocols=_protocols(options))


def _protocols(options: Options) -> tuple[str, ...]:
    """Sorted OpenFlow versions; versions that a topology cannot have are remarked."""
    value = options.take("protocols", "")
    words = value.split(",") if isinstance(value, str) else [str(word) for word in value]
    names = sorted({word.strip() for word in words} - {""})
    if unknown := [name for name in names if name not in PROTOCOLS.values()]:
        options.remark("protocols", value, f"{' and '.join(unknown)} cannot be chosen here")
        return ()
    return tuple(names)


def openflow_versions(nodes: Iterable[MininetNode]) -> OpenFlowVersions:
    """The OpenFlow versions of the topology, which are those of its switches if all of them have the same."""
    switches = [node for node in nodes if isinstance(node.node, Switch)]
    stated = {node.protocols for node in switches}
    if len(stated) == 1 and (names := stated.pop()):
        return OpenFlowVersions(**{field: name in names for field, name in PROTOCOLS.items()})
    for node in switches:
        if node.protocols:
            reason_ = "all switches of a topology have the same OpenFlow versions here, which are in its preferences"
            node.remarks.add("protocols", f"is {','.join(node.protocols)}; {reason_}")
    return OpenFlowVersions()
