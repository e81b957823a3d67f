"""Nodes: what stands at the ends of links."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from frrlib.model.annotations import Colour
from frrlib.model.base import Address, ForeignKeys, IpAddress, NodeName, Percent, Value
from frrlib.model.routing import Bgp, Daemon, Ospf, StaticRoute


class NodeBase(Value):
    """What all nodes have.

    Attributes:
        name: unique among the nodes; it becomes host name, namespace and part of interface names.
        x, y: position on the canvas in pixels, y downwards; any finite number.
        number: MiniEdit's running number; it names nothing, and the addresses of hosts without one are made from it.
            None where there is none.
        label: what to show instead of the name; empty for the name.
        colour: of its icon; empty for that of its kind.
        start_command, stop_command: lines for a shell in the node; run only in a lab.
        foreign: unknown keys of the file that it came from, as JSON text of an object; empty for none.
    """

    name: NodeName
    x: Annotated[float, Field(allow_inf_nan=False)] = 0.0
    y: Annotated[float, Field(allow_inf_nan=False)] = 0.0
    number: int | None = None
    label: str = ""
    colour: Colour = ""
    start_command: str = ""
    stop_command: str = ""
    foreign: ForeignKeys = ""


class VlanInterface(Value):
    """A VLAN sub-interface of a host's first interface, with its address."""

    address: Address
    vlan_id: Annotated[int, Field(ge=1, le=4094)]


class PrivateDirectory(Value):
    """A folder that is a node's own; `persistent` is the folder behind it, empty for a temporary one."""

    path: Annotated[str, Field(min_length=1)]
    persistent: str = ""


class Host(NodeBase):
    """An end system.

    Attributes:
        default_route: address of the gateway; None for the first router of its first network.
        scheduler: MiniEdit's CPU scheduler: "host" (none), "cfs" or "rt".
        cpu_percent: share of all CPUs; None for no limit.
        cores: CPUs it may use, as a list ("0,1"); empty for all.
        congestion_control: default of its sockets; empty for the kernel's.
    """

    kind: Literal["host"] = "host"
    default_route: IpAddress | None = None
    vlan_interfaces: tuple[VlanInterface, ...] = ()
    external_interfaces: tuple[str, ...] = ()
    private_directories: tuple[PrivateDirectory, ...] = ()
    scheduler: Literal["host", "cfs", "rt"] = "host"
    cpu_percent: Percent | None = None
    cores: str = ""
    congestion_control: str = ""


class Router(NodeBase):
    """A router: FRR's daemons in a namespace of its own. Without any it only forwards, as MiniEdit's LegacyRouter.

    Attributes:
        loopbacks: addresses on `lo`; empty for an automatic one where FRR runs.
        daemons: daemons to run besides those that the settings need.
        frr_conf: lines added to what is made from the settings, as in `frr.conf`.
        controllers: MiniEdit's list of controllers, kept; None where the file has none.
    """

    kind: Literal["router"] = "router"
    loopbacks: tuple[Address, ...] = ()
    daemons: tuple[Daemon, ...] = ()
    ospf: Ospf | None = None
    bgp: Bgp | None = None
    static_routes: tuple[StaticRoute, ...] = ()
    frr_conf: str = ""
    controllers: tuple[str, ...] | None = None

    @property
    def runs_frr(self) -> bool:
        """Whether any daemon of FRR runs on it."""
        return bool(self.daemons or self.ospf or self.bgp or self.static_routes or self.frr_conf.strip())


class Switch(NodeBase):
    """An OpenFlow switch; without a controller it forwards as a bridge does.

    Attributes:
        switch_type: MiniEdit's: "default" (as in the preferences), "ovs", "ivs", "user", "userns".
        dpid: datapath id as hexadecimal digits; empty to make it from the number in the name.
        controllers: names of its controllers.
        management_address: address of the switch itself (MiniEdit's switchIP), empty for none.
        dpctl_port: passive listening port, empty for none.
    """

    kind: Literal["switch"] = "switch"
    switch_type: Literal["default", "ovs", "ivs", "user", "userns"] = "default"
    dpid: str = ""
    controllers: tuple[str, ...] = ()
    management_address: str = ""
    dpctl_port: str = ""
    netflow: bool = False
    sflow: bool = False
    external_interfaces: tuple[str, ...] = ()


class Bridge(NodeBase):
    """A plain learning bridge (MiniEdit's LegacySwitch)."""

    kind: Literal["bridge"] = "bridge"
    controllers: tuple[str, ...] = ()
    stp: bool = False


class Controller(NodeBase):
    """An OpenFlow controller.

    Attributes:
        controller_type: "ref" (OpenFlow reference), "ovsc" (Open vSwitch's), "remote" or "inband".
        protocol: "tcp" or "ssl".
        address: address of a remote or in-band controller.
        port: its TCP port.
    """

    kind: Literal["controller"] = "controller"
    controller_type: Literal["ref", "ovsc", "remote", "inband"] = "ref"
    protocol: Literal["tcp", "ssl"] = "tcp"
    address: str = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65_535)] = 6633


Node = Annotated[Host | Router | Switch | Bridge | Controller, Field(discriminator="kind")]
#: Kinds that forward by hardware address: links they join make one network.
SWITCHING = ("switch", "bridge")
#: Kinds whose interfaces have addresses.
ADDRESSED = ("host", "router")
