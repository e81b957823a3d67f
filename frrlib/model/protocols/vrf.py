"""VRFs: several routing tables on one router."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from typing import Annotated

from pydantic import Field

from frrlib.model.base import Value
from frrlib.model.protocols.bgp import Bgp
from frrlib.model.protocols.common import InterfaceName, StaticRoute
from frrlib.model.protocols.ospf import Ospf

#: Number of the kernel's main table, for routes outside of VRFs.
MAIN_TABLE = 254


class Vrf(Value):
    """A separate routing table with its interfaces and protocols. It needs a kernel with VRF devices.

    Attributes:
        name: name of the VRF and of its device.
        table: number of the kernel's routing table; different in all VRFs of a router.
        interfaces: the router's interfaces in the VRF; all others use the default table.
        static_routes, ospf, bgp: routes and protocols of the VRF, as in `Router` for the default table.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,14}$")]
    table: Annotated[int, Field(ge=1, le=4_294_967_295)] = 100
    interfaces: tuple[InterfaceName, ...] = ()
    static_routes: tuple[StaticRoute, ...] = ()
    ospf: Ospf | None = None
    bgp: Bgp | None = None


#: The first table that is offered for a new VRF.
_FIRST_TABLE = 100


def unused_table(vrfs: Iterable[Vrf]) -> int:
    """The lowest table from 100 on that none of the VRFs has."""
    tables = {vrf.table for vrf in vrfs} | {253, MAIN_TABLE, 255}
    return next(table for table in count(_FIRST_TABLE) if table not in tables)
