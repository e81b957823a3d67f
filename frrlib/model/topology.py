"""A topology: the one value that describes a lab."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field

from frrlib.model.annotations import Annotation
from frrlib.model.base import ForeignKeys, Short, Value
from frrlib.model.faults import Fault
from frrlib.model.flows import Flow, Wait
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Node, Router, Switch

#: The number of topologies whose link ends are kept by node.
_KEPT_TOPOLOGIES = 8
#: Identity of a tuple of links to the tuple and its ends by node, oldest first.
_kept_ends: OrderedDict[int, tuple[tuple[Link, ...], Mapping[str, Sequence[tuple[Link, End]]]]] = OrderedDict()


class OpenFlowVersions(Value):
    """OpenFlow versions that Open vSwitch offers."""

    of10: bool = True
    of11: bool = False
    of12: bool = False
    of13: bool = False


class Sflow(Value):
    """MiniEdit's sFlow profile; values are text as the user gave them."""

    target: Short = ""
    sampling: Short = "400"
    header: Short = "128"
    polling: Short = "30"


class Netflow(Value):
    """MiniEdit's NetFlow profile; values are text as the user gave them."""

    target: Short = ""
    active_timeout: Short = "600"
    add_id_to_interface: bool = False


class Preferences(Value):
    """Settings of the topology that MiniEdit calls preferences.

    Attributes:
        ip_base: network from which hosts without an address get one in MiniEdit.
        terminal_type: "xterm" or "gterm"; the user's own preference takes precedence.
        start_cli: whether a terminal opens when a lab runs; in MiniEdit it is Mininet's command line.
        switch_type: the type of switches of type "default": "ovs", "ivs", "user", "userns".
        dpctl: passive listening port of all switches, empty for none.
        foreign: unknown keys of MiniEdit's `application`, as JSON text of an object; empty for none.
    """

    ip_base: Short = "10.0.0.0/8"
    terminal_type: Short = "xterm"
    start_cli: bool = False
    switch_type: Literal["ovs", "ivs", "user", "userns"] = "ovs"
    dpctl: Short = ""
    openflow: OpenFlowVersions = OpenFlowVersions()
    sflow: Sflow = Sflow()
    netflow: Netflow = Netflow()
    foreign: ForeignKeys = ""


#: A folder's path as typed. Colons are not allowed, since they separate paths.
FolderName = Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[^\x00-\x1f\x7f:]*$")]


#: The path of a C file as typed. `frrlib.place.module_compiler` names the files that it accepts.
ModuleFile = Annotated[str, Field(min_length=1, max_length=1000, pattern=r"^[^\x00-\x1f\x7f]*\.c$")]


#: The name of a kind of problem.
KindName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,59}$")]


class KernelParameter(Value):
    """The value of a constant of a congestion control or queueing discipline, which is a module of the lab kernel.

    Attributes:
        name: module and parameter, such as "tcp_bbr3.beta".
        value: the value in the units of the module; 1 and 0 for on and off.
    """

    name: Annotated[str, Field(max_length=80, pattern=r"^(tcp|sch)_[a-z0-9_]+\.[a-z0-9_]+$")]
    value: Annotated[int, Field(ge=-(2**63), le=2**63 - 1)]

    @property
    def module(self) -> str:
        """The name of its module."""
        return self.name.partition(".")[0]

    @property
    def key(self) -> str:
        """The name of the parameter in its module."""
        return self.name.partition(".")[2]

    def __str__(self) -> str:
        return f"{self.name}={self.value}"


class Topology(Value):
    """The description of a lab.

    Attributes:
        title: a few words for people; empty for none.
        nodes: nodes in the order in which they were drawn.
        links: links in the order in which they were drawn; it numbers automatic interface names.
        flows: flows in the order in which results list them.
        faults: faults planned for the time of the flows.
        wait: the condition that a run waits for before the flows.
        preferences: MiniEdit's preferences.
        shown_folders: folders of the machine that a lab can read, besides the folder of the topology's file. Relative
            paths start in that folder, and `~` is the home folder. A lab sees no other part of anybody's home.
        copied_folders: folders of which each lab gets its own writable copy of up to 512 MiB. The copy is deleted with
            the lab.
        kernel_modules: C files of congestion controls ("tcp_mine.c") and queueing disciplines ("sch_mine.c"), which are
            compiled and loaded at the start of a lab in a lab kernel. Relative paths start in the folder of the
            topology's file.
        kernel_parameters: constants of congestion controls and queueing disciplines, for a lab in a lab kernel.
        intended_problems: kinds of errors that the author intends ("wrong-as"), so that a lab runs with them. Only
            mistakes that real networks can have count, see `checks.check.RUNNABLE`.
        annotations: notes and shapes behind the nodes, the last one on top; labs ignore them.
        foreign: unknown keys at the top of the file that it came from, as JSON text of an object; empty for none.
    """

    title: Annotated[str, Field(max_length=200)] = ""
    nodes: tuple[Node, ...] = ()
    links: tuple[Link, ...] = ()
    flows: tuple[Flow, ...] = ()
    faults: tuple[Fault, ...] = ()
    wait: Wait = Wait()
    preferences: Preferences = Preferences()
    shown_folders: tuple[FolderName, ...] = ()
    copied_folders: tuple[FolderName, ...] = ()
    kernel_modules: tuple[ModuleFile, ...] = ()
    kernel_parameters: tuple[KernelParameter, ...] = ()
    intended_problems: tuple[KindName, ...] = ()
    annotations: tuple[Annotation, ...] = ()
    foreign: ForeignKeys = ""

    def node(self, name: str) -> Node | None:
        """The first node with that name, or None."""
        return next((node for node in self.nodes if node.name == name), None)

    def link(self, link_id: str) -> Link | None:
        """The first link with that ID, or None."""
        return next((link for link in self.links if link.id == link_id), None)

    def annotation(self, annotation_id: str) -> Annotation | None:
        """The first annotation with that ID, or None."""
        return next((annotation for annotation in self.annotations if annotation.id == annotation_id), None)

    @property
    def own_controls(self) -> tuple[str, ...]:
        """The congestion controls of its kernel modules: "mine" for "work/tcp_mine.c"."""
        names = (file.rpartition("/")[2] for file in self.kernel_modules)
        return tuple(name.removeprefix("tcp_").removesuffix(".c") for name in names if name.startswith("tcp_"))

    @property
    def hosts(self) -> tuple[Host, ...]:
        """The hosts in their order."""
        return tuple(node for node in self.nodes if isinstance(node, Host))

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The OpenFlow switches in their order."""
        return tuple(node for node in self.nodes if isinstance(node, Switch))

    @property
    def routers(self) -> tuple[Router, ...]:
        """The routers in their order."""
        return tuple(node for node in self.nodes if isinstance(node, Router))

    def ends_at(self, name: str) -> Iterator[tuple[Link, End]]:
        """Every link end at a node, in the order of the links."""
        yield from _ends_by_node(self.links).get(name, ())


def _ends_by_node(links: tuple[Link, ...]) -> Mapping[str, Sequence[tuple[Link, End]]]:
    """Each node's link ends, in the order of the links; those of the last topologies are kept."""
    entry = _kept_ends.get(id(links))
    if entry is not None:
        return entry[1]
    ends: dict[str, list[tuple[Link, End]]] = {}
    for link in links:
        for end in link.ends:
            ends.setdefault(end.node, []).append((link, end))
    _kept_ends[id(links)] = links, ends
    while len(_kept_ends) > _KEPT_TOPOLOGIES:
        _kept_ends.popitem(last=False)
    return ends
