"""A summary of a router's routing in a few lines."""

from __future__ import annotations

from typing import Any

from frrlib.edits import routing_presets
from frrlib.model.nodes import Router


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def routing_summary(router: Router) -> str:
    """One line for each enabled protocol and each other source of routes, or a line that begins with "none"."""
    return "\n".join([*_protocols(router), *_other_sources(router)]) or "none: only forwards packets"


def _protocols(router: Router) -> list[str]:
    lines = []
    for name, settings in (("OSPF", router.ospf), ("OSPFv3", router.ospf6)):
        if settings is not None:
            areas = dict.fromkeys([settings.area, *(row.area for row in settings.interfaces if row.area)])
            lines.append(f"{name}: area {', '.join(areas)}{_timers(settings)}")
    if router.isis is not None:
        lines.append(f"IS-IS: {router.isis.area}, level {router.isis.level}{_timers(router.isis)}")
    lines += [name for name, settings in (("RIP", router.rip), ("RIPng", router.ripng)) if settings is not None]
    bgp = router.bgp
    if bgp is not None:
        sessions = len(bgp.neighbors) + len(bgp.unnumbered)
        lines.append(f"BGP: AS {bgp.asn}, {_count(sessions, 'session')}, {_count(len(bgp.networks), 'network')}")
    unlisted_settings = (("BFD", router.bfd), ("PIM", router.pim), ("LDP", router.ldp))
    return lines + [name for name, settings in unlisted_settings if settings is not None]


def _timers(settings: Any) -> str:
    for label, is_lab in ((", lab timers", True), (", FRR default timers", False)):
        if all(
            getattr(settings, name) == value for name, value in routing_presets.timers(type(settings), is_lab).items()
        ):
            return label
    return ""


def _other_sources(router: Router) -> list[str]:
    lines = []
    if router.static_routes:
        lines.append(_count(len(router.static_routes), "static route"))
    if router.vrfs:
        lines.append(f"VRFs: {', '.join(vrf.name for vrf in router.vrfs)}")
    policies = (
        (router.route_maps, "route map"), (router.prefix_lists, "prefix list"),
        (router.community_lists, "community list"), (router.as_path_lists, "AS path list"),
    )  # fmt: skip
    lines += [_count(len(listed), word) for listed, word in policies if listed]
    line_count = len(router.frr_conf.strip().splitlines())
    return [*lines, f"{_count(line_count, 'own line')} in frr.conf"] if line_count else lines
