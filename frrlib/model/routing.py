"""Settings of routing, from which `frr.conf` is rendered. Each protocol has a module in `protocols`.

Per-interface settings use the topology's interface names and follow their renames (`edits/interfaces.py`). Every class
of settings can be imported from here.
"""

from frrlib.model.protocols.bfd_pim_ldp import Bfd, BfdPeer, Ldp, Pim, PimInterface, PimRp
from frrlib.model.protocols.bgp import Bgp, BgpAggregate, BgpNeighbor, BgpPeerGroup, BgpSession, BgpUnnumbered
from frrlib.model.protocols.common import Asn, Daemon, Network, Redistribution, StaticRoute
from frrlib.model.protocols.isis import Isis, IsisInterface
from frrlib.model.protocols.ospf import Ospf, Ospf6, OspfArea, OspfInterface
from frrlib.model.protocols.policy import (
    AsPathList,
    AsPathRule,
    CommunityList,
    CommunityRule,
    PrefixList,
    PrefixRule,
    RouteMap,
    RouteMapEntry,
)
from frrlib.model.protocols.rip import Rip, RipInterface, Ripng
from frrlib.model.protocols.vrf import Vrf

__all__ = [
    "AsPathList",
    "AsPathRule",
    "Asn",
    "Bfd",
    "BfdPeer",
    "Bgp",
    "BgpAggregate",
    "BgpNeighbor",
    "BgpPeerGroup",
    "BgpSession",
    "BgpUnnumbered",
    "CommunityList",
    "CommunityRule",
    "Daemon",
    "Isis",
    "IsisInterface",
    "Ldp",
    "Network",
    "Ospf",
    "Ospf6",
    "OspfArea",
    "OspfInterface",
    "Pim",
    "PimInterface",
    "PimRp",
    "PrefixList",
    "PrefixRule",
    "Redistribution",
    "Rip",
    "RipInterface",
    "Ripng",
    "RouteMap",
    "RouteMapEntry",
    "StaticRoute",
    "Vrf",
]
