"""The checks of an exercise as values: what must be seen in the running lab, or typed by the student.

Each text may contain variables. The modules of `frrlib.exercises.observation` evaluate them.
"""

from __future__ import annotations

from ipaddress import ip_address, ip_interface, ip_network
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field, model_validator

from frrlib.exercises.check_base import CheckBase, Identifier, Message, Text
from frrlib.exercises.experiment_checks import AfterFault, FlowControl, Measurement, Winner
from frrlib.exercises.units import UNITS
from frrlib.exercises.variables import Variables
from frrlib.model.base import Short, is_address

__all__ = ["CheckBase", "Identifier", "Message", "Text"]


class Ping(CheckBase):
    """Packets from a node reach a destination and the replies come back, or not.

    Attributes:
        source: the node that sends.
        destination: a node or an address.
        reachable: whether every request is answered, or none.
    """

    kind: Literal["ping"]
    source: Text
    destination: Text
    reachable: bool = True

    @property
    def nodes(self) -> tuple[str, ...]:
        return (self.source, *(() if is_address(self.destination) else (self.destination,)))

    @property
    def is_negative(self) -> bool:
        return not self.reachable


class PathCheck(CheckBase):
    """Packets take one path according to the kernels' tables.

    Attributes:
        path: the nodes in order, from the source to the destination.
        address: destination address; empty for the last node's own.
        both_ways: whether replies take the same path.
    """

    kind: Literal["path"]
    path: Annotated[tuple[Text, ...], Field(min_length=2)]
    address: Short = ""
    both_ways: bool = False

    @property
    def nodes(self) -> tuple[str, ...]:
        return self.path

    def refuse_invalid(self) -> None:
        if self.address:
            ip_address(self.address)


class _Presence(CheckBase):
    """A thing is at a node, or not.

    Attributes:
        node: the node.
        present: whether it must be there.
    """

    node: Text
    present: bool = True

    @property
    def nodes(self) -> tuple[str, ...]:
        return (self.node,)

    @property
    def is_negative(self) -> bool:
        return not self.present


class Route(_Presence):
    """A route is in the kernel's table of a node, or not.

    Attributes:
        node: a router or host.
        prefix: its exact prefix, or "default".
        present: whether it must be there.
        next_hop: the address of one of its next hops; empty for any.
        protocol: its origin, such as "static", "bgp" or "ospf"; empty for any.
        as_path: AS path of BGP's best path, such as "65001 65002"; None for any.
        local_preference, metric: of BGP's best path; empty for any.
    """

    kind: Literal["route"]
    prefix: Text
    next_hop: Short = ""
    protocol: Literal["", "connected", "static", "bgp", "ospf", "isis", "rip"] = ""
    as_path: Short | None = None
    local_preference: Short = ""
    metric: Short = ""

    @model_validator(mode="after")
    def _attributes_of_present_routes(self) -> Self:
        if not self.present and (self.next_hop or self.protocol or self.has_attributes):
            raise ValueError("a route that must be absent has no next hop, protocol or attribute")
        return self

    @property
    def has_attributes(self) -> bool:
        """Whether it concerns attributes of BGP."""
        return self.as_path is not None or bool(self.local_preference or self.metric)

    def refuse_invalid(self) -> None:
        if self.prefix != "default":
            ip_network(self.prefix)
        if self.next_hop:
            ip_address(self.next_hop)
        for number in filter(None, (self.local_preference, self.metric)):
            int(number)


class Neighbor(CheckBase):
    """A routing protocol has a working adjacency between two nodes, or none.

    Attributes:
        node: the router whose daemon is asked.
        neighbor: the node at the other end.
        protocol: the protocol.
        up: whether the adjacency must work.
    """

    kind: Literal["neighbor"]
    node: Text
    neighbor: Text
    protocol: Literal["ospf", "ospf6", "isis", "bgp", "bfd", "pim", "ldp"]
    up: bool = True

    @property
    def nodes(self) -> tuple[str, ...]:
        return (self.node, self.neighbor)

    @property
    def is_negative(self) -> bool:
        return not self.up


class Configuration(_Presence):
    """The running configuration of a router has a line, or not.

    Attributes:
        node: the router.
        section: headings of the sections around the line, from outside, such as `["router bgp 65001"]`.
        line: the line as `show running-config` prints it.
        present: whether it must be there.
    """

    kind: Literal["configuration"]
    section: tuple[Text, ...] = ()
    line: Text


class InterfaceAddress(CheckBase):
    """A node has an address with its prefix length on an interface.

    Attributes:
        node: the node.
        address: the address with its prefix length, such as `{lan1.1/}`.
        towards: the neighbor on the interface's link; empty for any interface.
    """

    kind: Literal["address"]
    node: Text
    address: Text
    towards: Short = ""

    @property
    def nodes(self) -> tuple[str, ...]:
        return (self.node, *filter(None, (self.towards,)))

    def refuse_invalid(self) -> None:
        ip_interface(self.address)


class Answer(CheckBase):
    """The student types a number with a unit, or a word.

    Attributes:
        expected: the right answer: a number or formula variable, or a word.
        others: further right answers, if it is a word.
        unit: the unit of the number; empty for a number without a unit, and for a word.
        tolerance_percent: accepted difference from the right number.
    """

    kind: Literal["answer"]
    expected: Text
    others: tuple[Text, ...] = ()
    unit: Short = ""
    tolerance_percent: Annotated[float, Field(ge=0, le=100)] = 0.0

    @model_validator(mode="after")
    def _known_unit(self) -> Self:
        if self.unit and self.unit not in UNITS:
            raise ValueError(f"{self.unit} is no unit; the units are {', '.join(UNITS)}")
        return self

    @property
    def needs_lab(self) -> bool:
        return False

    def refuse_invalid(self) -> None:
        if self.unit:
            float(self.expected)


Check = Annotated[
    Ping
    | PathCheck
    | Route
    | Neighbor
    | Configuration
    | InterfaceAddress
    | Answer
    | Measurement
    | Winner
    | FlowControl
    | AfterFault,
    Field(discriminator="kind"),
]


C = TypeVar("C", bound=CheckBase)


def with_values(check: C, variables: Variables, where: str) -> C:
    """The check with the variables in its texts replaced.

    Raises:
        ExerciseError: a variable does not exist.
        ValueError: a text is invalid with these values.
    """
    fields = {
        name: variables.json_value(value, where) if isinstance(value, str) else value
        for name, value in check.model_dump(mode="json").items()
    }
    texts = {name: str(value) if isinstance(getattr(check, name), str) else value for name, value in fields.items()}
    for name, value in fields.items():
        if isinstance(value, list):
            texts[name] = tuple(variables.text(str(element), where) for element in value)
    drawn = type(check).model_validate(texts)
    drawn.refuse_invalid()
    return drawn
