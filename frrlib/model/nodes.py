"""Nodes: hosts, routers, switches, bridges and controllers."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Interface
from typing import Annotated, Literal, Self

from pydantic import Field

from frrlib.model.annotations import Colour, Place
from frrlib.model.base import Address, ForeignKeys, IpAddress, Label, NodeName, PathText, Percent, Short, Value
from frrlib.model.routing import (
    AsPathList,
    Bfd,
    Bgp,
    CommunityList,
    Daemon,
    Isis,
    Ldp,
    Ospf,
    Ospf6,
    Pim,
    PrefixList,
    Rip,
    Ripng,
    RouteMap,
    StaticRoute,
    Vrf,
)
from frrlib.model.tcp import TcpTuning

#: Fields of a node that matter on a canvas only, with neutral values.
LOOKS: dict[str, object] = {"x": 0.0, "y": 0.0, "label": "", "colour": ""}


class NodeBase(Value):
    """Settings that all nodes have.

    Attributes:
        name: unique among the nodes; also the host name, the namespace, and part of interface names.
        x, y: position on the canvas in pixels, y downwards; at most `FAR_PX` from its origin.
        number: MiniEdit's running number, from which hosts without an address get one; None for none.
        original_name: name before the node was renamed, from which automatic addresses and datapath IDs still derive;
            empty for `name`.
        label: text shown instead of the name; empty for the name.
        colour: color of its icon; empty for that of its kind.
        start_command, stop_command: shell commands in the node; executed only in a lab.
        foreign: unknown keys of the file that it came from, as JSON text of an object; empty for none.
    """

    name: NodeName
    x: Place = 0.0
    y: Place = 0.0
    number: int | None = None
    original_name: Annotated[str, Field(max_length=64)] = ""
    label: Label = ""
    colour: Colour = ""
    start_command: str = ""
    stop_command: str = ""
    foreign: ForeignKeys = ""

    @property
    def address_name(self) -> str:
        """The name from which automatic addresses and datapath IDs derive. A rename does not change it."""
        return self.original_name or self.name

    @property
    def without_looks(self) -> Self:
        """The node without the fields that matter on a canvas only: position, label and color."""
        return self.model_copy(update=LOOKS)


class VlanInterface(Value):
    """A VLAN sub-interface of a host's first interface, with its address."""

    address: Address
    vlan_id: Annotated[int, Field(ge=1, le=4094)]


class PrivateDirectory(Value):
    """A private folder of a node; `persistent` is the folder that stores it, empty for a temporary one."""

    path: Annotated[PathText, Field(min_length=1)]
    persistent: PathText = ""


class Host(NodeBase):
    """An end system.

    Attributes:
        default_route: address of the gateway; None for the first router of its first network.
        scheduler: MiniEdit's CPU scheduler: "host" (no limit), "cfs" or "rt".
        cpu_percent: share of all CPUs; None for no limit.
        cores: CPUs that it may use, as a list ("0,1"); empty for all.
        congestion_control: default of its sockets; empty for the kernel's.
        tcp: further settings of its TCP.
    """

    kind: Literal["host"] = "host"
    default_route: IpAddress | None = None
    vlan_interfaces: tuple[VlanInterface, ...] = ()
    external_interfaces: tuple[Short, ...] = ()
    private_directories: tuple[PrivateDirectory, ...] = ()
    scheduler: Literal["host", "cfs", "rt"] = "host"
    cpu_percent: Percent | None = None
    cores: Short = ""
    congestion_control: Short = ""
    tcp: TcpTuning = TcpTuning()


class Router(NodeBase):
    """A router: FRR's daemons in a namespace. Without any daemon it only forwards, as MiniEdit's LegacyRouter does.

    Attributes:
        loopbacks: addresses on `lo`; empty for an automatic one if FRR runs.
        daemons: daemons that run in addition to those that the settings need.
        ospf, ospf6, isis, rip, ripng, bgp, bfd, pim, ldp: settings by protocol; None if it does not run.
        static_routes: static routes.
        vrfs: routing tables besides the default one, each with its interfaces and protocols.
        prefix_lists, community_lists, as_path_lists, route_maps: policies, which sessions and redistributions name.
        frr_conf: custom lines of `frr.conf`. They are merged into the configuration rendered from the settings: a line
            in an existing section is added to it, and `no LINE` removes LINE from it.
        controllers: MiniEdit's list of controllers, kept for its file; None if the file has none.
        sealed: all other settings of a sealed router but its addresses, as one text (`model.sealed`); empty for a
            router whose settings can be read.
    """

    kind: Literal["router"] = "router"
    loopbacks: tuple[Address, ...] = ()
    daemons: tuple[Daemon, ...] = ()
    ospf: Ospf | None = None
    ospf6: Ospf6 | None = None
    isis: Isis | None = None
    rip: Rip | None = None
    ripng: Ripng | None = None
    bgp: Bgp | None = None
    bfd: Bfd | None = None
    pim: Pim | None = None
    ldp: Ldp | None = None
    static_routes: tuple[StaticRoute, ...] = ()
    vrfs: tuple[Vrf, ...] = ()
    prefix_lists: tuple[PrefixList, ...] = ()
    community_lists: tuple[CommunityList, ...] = ()
    as_path_lists: tuple[AsPathList, ...] = ()
    route_maps: tuple[RouteMap, ...] = ()
    frr_conf: str = ""
    controllers: tuple[Short, ...] | None = None
    sealed: Annotated[str, Field(max_length=1_000_000)] = ""

    @property
    def runs_frr(self) -> bool:
        """Whether any FRR daemon runs on it."""
        spoken = (self.ospf, self.ospf6, self.isis, self.rip, self.ripng, self.bgp, self.bfd, self.pim, self.ldp)
        lines = self.frr_conf.strip()
        return any(spoken) or bool(self.daemons or self.static_routes or self.vrfs or lines or self.sealed)

    @property
    def tables(self) -> tuple[Router | Vrf, ...]:
        """The settings of each routing table: the router itself for the default table, and its VRFs."""
        return (self, *self.vrfs)

    def vrf_of(self, interface: str) -> str:
        """Name of the VRF that an interface belongs to; empty for the default table."""
        return next((vrf.name for vrf in self.vrfs if interface in vrf.interfaces), "")

    def identity(self, stated: IPv4Address | None, addresses: Iterable[Address]) -> IPv4Address | None:
        """The effective router ID: the stated one, else the lowest loopback, else the lowest address.

        Args:
            stated: the router ID that a protocol states; None for none.
            addresses: the addresses of its interfaces.
        """
        if stated is not None:
            return stated
        loopbacks = [address.ip for address in self.loopbacks if isinstance(address, IPv4Interface)]
        return min(
            loopbacks or (address.ip for address in addresses if isinstance(address, IPv4Interface)), default=None
        )


class Switch(NodeBase):
    """An OpenFlow switch; without a controller it forwards like a bridge.

    Attributes:
        switch_type: MiniEdit's type: "default" (as in the preferences), "ovs", "ivs", "user", "userns".
        dpid: datapath ID as hexadecimal digits; empty to derive it from the number in the original name.
        controllers: names of its controllers.
        management_address: address of the switch itself (MiniEdit's switchIP), empty for none.
        dpctl_port: passive listening port, empty for none.
    """

    kind: Literal["switch"] = "switch"
    switch_type: Literal["default", "ovs", "ivs", "user", "userns"] = "default"
    dpid: Short = ""
    controllers: tuple[Short, ...] = ()
    management_address: Short = ""
    dpctl_port: Short = ""
    netflow: bool = False
    sflow: bool = False
    external_interfaces: tuple[Short, ...] = ()


class Bridge(NodeBase):
    """A plain learning bridge (MiniEdit's LegacySwitch)."""

    kind: Literal["bridge"] = "bridge"
    controllers: tuple[Short, ...] = ()
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
    address: Short = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65_535)] = 6633


Node = Annotated[Host | Router | Switch | Bridge | Controller, Field(discriminator="kind")]
#: Kinds that forward by hardware address: the links at such a node form one broadcast domain.
SWITCHING = ("switch", "bridge")
#: Kinds whose interfaces have addresses.
ADDRESSED = ("host", "router")
