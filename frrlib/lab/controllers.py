"""Controllers outside of a lab that its switches may reach."""

from __future__ import annotations

from collections.abc import Sequence

from frrlib.errors import PlaceError, TopologyError
from frrlib.model import openflow
from frrlib.model.topology import Topology
from frrlib.place.port_forwarding import Endpoint


def outside_controllers(topology: Topology, allowed: Sequence[str], *, virtual_time: bool = False) -> tuple[str, ...]:
    """The addresses of controllers outside of a lab that it may reach, each once and in one notation.

    Args:
        topology: with all addresses.
        allowed: "ADDRESS:PORT" of the allowed controllers.
        virtual_time: whether the lab runs in virtual time; it cannot wait for programs outside then.

    Raises:
        TopologyError: an entry has another format, or no controller of the topology has this address.
        PlaceError: the lab runs in virtual time.
    """
    controllers = {str(Endpoint.parse(address)): names for address, names in openflow.outside(topology).items()}
    addresses = []
    for text in allowed:
        try:
            address = str(Endpoint.parse(text))
        except ValueError as problem:
            raise TopologyError(f"an allowed controller is not an address: {problem}") from None
        if address not in controllers:
            remedy = (
                f"allow {' or '.join(controllers)}"
                if controllers
                else "allow none: all controllers of the topology are in the lab"
            )
            raise TopologyError(
                f"no controller of the topology outside of the lab has the address {address}", remedy=remedy
            )
        addresses.append(address)
    if addresses and virtual_time:
        raise PlaceError(
            f"a lab in virtual time cannot wait for the controller at {addresses[0]}", "run the lab in real time"
        )
    return tuple(dict.fromkeys(addresses))
