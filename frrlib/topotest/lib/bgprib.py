"""`lib.bgprib`: expected BGP routes, in scripts of single commands."""

from __future__ import annotations

import json
from collections.abc import Sequence

from frrlib.topotest.config.description import Json, within
from frrlib.topotest.state import current_script


def bgpribRequireVpnRoutes(target: str, title: str, wantroutes: Sequence[Json], debug: int = 0) -> None:  # noqa: N802
    """Count whether a router has routes for VPNs: distinguisher "rd", prefix "p", next hop "n", maybe "bp"."""
    tables = _answer(target, "show bgp ipv4 vpn json").get("routes", {}).get("routeDistinguishers", {})
    missing = [expected for expected in wantroutes if not _has(tables.get(expected["rd"], {}), expected)]
    current_script().result(target, not missing, title, str(missing) if missing else None)


def bgpribRequireUnicastRoutes(  # noqa: N802
    target: str, afi: str, vrf: str, title: str, wantroutes: Sequence[Json], debug: int = 0
) -> None:
    """Count whether a router has routes, in a VRF if one is named."""
    table = _answer(target, f"show bgp {within(vrf)}{afi} unicast json").get("routes", {})
    missing = [expected for expected in wantroutes if not _has(table, expected)]
    current_script().result(target, not missing, title, str(missing) if missing else None)


def _answer(target: str, command: str) -> Json:
    output = str(current_script().net[target].cmd(f'vtysh -c "{command}"'))
    try:
        value: Json = json.loads(output)
    except ValueError:
        return {}
    return value


def _has(table: Json, expected: Json) -> bool:
    """Whether a table has a route with that next hop, as the best route or not, as requested."""
    for path in table.get(expected["p"], []):
        best = path.get("bestpath", False)
        hops = [hop.get("ip") for hop in path.get("nexthops", [])]
        if expected["n"] in hops and best == expected.get("bp", best):
            return True
    return False
