"""The effective settings of an interface: its own, else those of its router."""

from __future__ import annotations

from frrlib.model.protocols.isis import Isis
from frrlib.model.protocols.ospf import Ospf, Ospf6


def network_type_at(settings: Ospf | Ospf6 | Isis, interface: str, *, alone: bool) -> str:
    """The network type of an interface; `alone`: whether one link directly joins two routers."""
    network_type = settings.at(interface).network_type
    if network_type != "auto":
        return network_type
    return "point-to-point" if settings.point_to_point and alone else "broadcast"


def bfd_at(settings: Ospf | Ospf6 | Isis, interface: str) -> bool:
    """Whether a protocol uses BFD at an interface."""
    setting = settings.at(interface).bfd
    return settings.bfd if setting is None else setting
