"""The choice of a lab's place: the first that meets all needs of the topology, and the reason in words."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from frrlib.errors import PlaceError
from frrlib.kernels import congestion, shelf
from frrlib.place.base import Abilities, Place
from frrlib.place.labkernel import LabKernel
from frrlib.place.namespace import Namespace
from frrlib.place.root import Root
from frrlib.places import PlaceName

AUTO = PlaceName.AUTO
INSTALL_OPEN_VSWITCH = "sudo apt-get install openvswitch-switch openvswitch-testcontroller"


@dataclass(frozen=True)
class Needs:
    """A topology's demands on a place; the fields are those of `Abilities`, and what only some places can give it.

    Attributes:
        external_interfaces: names of interfaces of this machine.
        kernel_modules: names of the user's own kernel modules ("tcp_mine").
        kernel_parameters: constants of kernel modules ("tcp_bbr3.beta=200").
    """

    qdiscs: frozenset[str] = frozenset()
    congestion_controls: frozenset[str] = frozenset()
    device_types: frozenset[str] = frozenset()
    open_vswitch: bool = False
    cpu_limits: bool = False
    cpus: int = 1
    external_interfaces: tuple[str, ...] = ()
    kernel_modules: tuple[str, ...] = ()
    kernel_parameters: tuple[str, ...] = ()


#: Names for people of devices that are not links.
_DEVICES = {"mpls": "MPLS", "vrf": "VRFs", "pimreg": "multicast routing"}


def all_places(kernel: Path | None = None) -> tuple[Place, ...]:
    """The places of this machine in the order in which `auto` tries them. `kernel` is the user's own lab kernel."""
    return Namespace(), LabKernel(kernel), Root()


def unmet_needs(needs: Needs, abilities: Abilities) -> list[str]:
    """The `needs` that `abilities` do not meet, as words for the user; empty if all are met."""
    missing = [f"the queueing discipline {name}" for name in sorted(needs.qdiscs - abilities.qdiscs)]
    controls = needs.congestion_controls - abilities.congestion_controls
    missing += [f"the congestion control {name}" for name in sorted(controls)]
    devices = sorted(needs.device_types - abilities.device_types)
    missing += [_DEVICES.get(name, f"links of type {name}") for name in devices]
    if needs.open_vswitch and not abilities.open_vswitch:
        missing.append("Open vSwitch")
    if needs.cpu_limits and not abilities.cpu_limits:
        missing.append("limits on a node's share of the CPU")
    if needs.cpus > abilities.cpus:
        missing.append(f"the CPU {needs.cpus - 1} (it has {abilities.cpus})")
    if needs.external_interfaces and not abilities.external_interfaces:
        missing.append(f"the right to attach this machine's {', '.join(needs.external_interfaces)}")
    if abilities.place != PlaceName.LABKERNEL:  # the kernel of other places is this machine's
        missing += [f"kernel modules of one's own ({', '.join(needs.kernel_modules)})"] if needs.kernel_modules else []
        missing += [f"kernel parameters ({', '.join(needs.kernel_parameters)})"] if needs.kernel_parameters else []
    return missing


def choose(name: str, needs: Needs, kernel: Path | None = None) -> tuple[Place, str]:
    """The place to use and why, in one line.

    Args:
        name: "auto", or the name of a place, which is used if it meets the needs.
        needs: what the topology asks for.
        kernel: a lab kernel of one's own for `labkernel`.

    Raises:
        PlaceError: there is no such place, or it lacks something; the text names what, and a place that has
            it.
    """
    places = all_places(kernel)
    if name == AUTO:
        return _first(places, needs)
    for place in places:
        if place.name == name:
            return place, _insist(place, needs, places)
    raise PlaceError(f"there is no place {name!r}", f"choose one of {', '.join([AUTO, *(p.name for p in places)])}")


def _first(places: tuple[Place, ...], needs: Needs) -> tuple[Place, str]:
    reasons: list[str] = []
    for place in places:
        abilities = place.abilities()
        reason = _against(abilities, needs)
        if not reason:
            has = f"{place.name} (kernel {abilities.kernel}) can do all that is needed"
            return place, "; ".join([*reasons, has])
        reasons.append(reason)
    raise PlaceError("; ".join(reasons), _remedy(needs, places) or _useful_remedy(needs, places, places))


def _useful_remedy(needs: Needs, candidates: Sequence[Place], places: Sequence[Place]) -> str:
    """The remedy of an unavailable place that could meet all needs then. Empty if there is none.

    A lab kernel comes before a place whose kernel is this machine's, if that kernel is known to lack something.
    """
    have = {place.name: place.abilities() for place in places}
    ordinary = have.get(PlaceName.NAMESPACE)
    is_kernel_poor = ordinary is not None and ordinary.available and not _has_kernel_parts(needs, ordinary)
    useful = [
        able for able in (have[place.name] for place in candidates)
        if able.remedy and not able.available and _could_meet(needs, able.place)
    ]  # fmt: skip
    useful.sort(key=lambda able: is_kernel_poor and able.place != PlaceName.LABKERNEL)  # keeps the order otherwise
    return useful[0].remedy if useful else ""


def _has_kernel_parts(needs: Needs, able: Abilities) -> bool:
    return (
        needs.qdiscs <= able.qdiscs
        and needs.congestion_controls <= able.congestion_controls
        and needs.device_types <= able.device_types
    )


def _could_meet(needs: Needs, place: str) -> bool:
    """Whether a place of this kind could meet the needs on a suitable machine."""
    if needs.external_interfaces and place != PlaceName.ROOT:
        return False
    return place == PlaceName.LABKERNEL or not (needs.kernel_modules or needs.kernel_parameters)


def _kernel_remedy(needs: Needs, places: tuple[Place, ...]) -> str:
    """The lab kernel to use for queueing disciplines and congestion controls that no place has. Empty for none."""
    have = [place.abilities() for place in places]
    if any(needs.qdiscs <= able.qdiscs and needs.congestion_controls <= able.congestion_controls for able in have):
        return ""
    for built in shelf.built_kernels():
        able = LabKernel(built.path).abilities()
        if able.available and not unmet_needs(needs, able):
            return f"use the lab kernel {built.name}, which supports it: miniedit-frr kernel use {built.name}"
    if needs.congestion_controls & congestion.CONTROLS.keys():
        return "miniedit-frr kernel build builds a lab kernel with BBRv2 and BBRv3"
    return ""


def _against(abilities: Abilities, needs: Needs) -> str:
    """The reason why a place cannot be used. Empty if it can."""
    if not abilities.available:
        return f"{abilities.place} is not available: {abilities.reason}"
    missing = unmet_needs(needs, abilities)
    return f"{abilities.place} (kernel {abilities.kernel}) lacks {', '.join(missing)}" if missing else ""


def _insist(place: Place, needs: Needs, places: tuple[Place, ...]) -> str:
    abilities = place.abilities()
    reason = _against(abilities, needs)
    if not reason:
        return f"{place.name} (kernel {abilities.kernel}) was requested and has all required abilities"
    for other_place in places:
        if other_place is not place and not _against(other_place.abilities(), needs):
            raise PlaceError(reason, f"use the place {other_place.name}, which supports it")
    remedy = _useful_remedy(needs, [place], places) or _useful_remedy(needs, places, places)
    raise PlaceError(reason, _remedy(needs, places) or remedy)


def _remedy(needs: Needs, places: tuple[Place, ...]) -> str:
    """The remedy for a need that no place meets. Empty if another reason comes first."""
    if needs.open_vswitch and not any(place.abilities().open_vswitch for place in places):
        return INSTALL_OPEN_VSWITCH
    if remedy := _kernel_remedy(needs, places):
        return remedy
    return "sudo miniedit-frr ..., for the place root" if needs.external_interfaces and os.geteuid() else ""
