"""`lib.topogen`: the network of a test and its gears."""

from __future__ import annotations

from frrlib.topotest.gears import Topogen, get_topogen, set_topogen
from frrlib.topotest.kinds import TopoExaBGP, TopoGear, TopoHost, TopoRouter, TopoSwitch
from frrlib.topotest.log import logger

__all__ = [
    "TopoExaBGP",
    "TopoGear",
    "TopoHost",
    "TopoRouter",
    "TopoSwitch",
    "Topogen",
    "get_topogen",
    "logger",
    "set_topogen",
]
