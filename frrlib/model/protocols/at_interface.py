"""The effective settings at an interface: its own, else its router's."""

from __future__ import annotations

from frrlib.model.protocols.isis import Isis
from frrlib.model.protocols.ospf import Ospf, Ospf6


def network_type_at(settings: Ospf | Ospf6 | Isis, interface: str, *, alone: bool) -> str:
    """The network type of an interface; `alone`: whether one cable joins two routers by it."""
    own = settings.at(interface).network_type
    if own != "auto":
        return own
    return "point-to-point" if settings.point_to_point and alone else "broadcast"


def bfd_at(settings: Ospf | Ospf6 | Isis, interface: str) -> bool:
    """Whether a protocol asks for BFD at an interface."""
    own = settings.at(interface).bfd
    return settings.bfd if own is None else own
