"""What the router's form works out from the drawing, and its page for frr.conf."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Interface
from typing import Any

from frrlib.errors import LabError
from frrlib.model.addressing import addressed
from frrlib.model.domains import Attachment, broadcast_domains
from frrlib.model.nodes import Router
from frrlib.render.frr import daemons, frr_conf, router_id
from miniedit_frr.dialogs.sheets import Sheet, Surroundings, write_sheet

_FIRST_PRIVATE_AS = 65_001


def identity_hint(around: Surroundings, value: Sheet) -> str:
    """The router id that a router without a stated one gets."""
    full = around.filled.node(value.node.name)
    if not isinstance(full, Router):
        return "automatic"
    stated = [each.ip for each in value.node.loopbacks if isinstance(each, IPv4Interface)] if isinstance(
        value.node, Router
    ) else []  # fmt: skip
    return str(min(stated, default=None) or router_id(around.filled, full, None) or "none: state one")


def free_asn(around: Surroundings) -> int:
    """The first private AS number from 65001 on that no router has."""
    used = {router.bgp.asn for router in around.topology.routers if router.bgp}
    return next(number for number in range(_FIRST_PRIVATE_AS, _FIRST_PRIVATE_AS + len(used) + 1) if number not in used)


def needed_daemons(around: Surroundings, value: Sheet) -> str:
    """Which daemons run without being asked for, in words."""
    if not isinstance(value.node, Router):
        return ""
    needed = daemons(value.node.model_copy(update={"daemons": ()}))
    if not needed:
        return "The settings need none."
    *most, last = needed
    return f"The settings need {', '.join(most)} and {last}." if most else f"The settings need {last}."


Rows = tuple[tuple[str, ...], ...]


def new_neighbor(around: Surroundings, value: Sheet | None, rows: Rows) -> tuple[str, ...]:
    """Texts of a new neighbour: the next router on a link of this one's that is not listed, and its AS."""
    listed = {row[0].strip() for row in rows}
    for place in _next_to(around, value.node.name) if value else ():
        for address in place.end.addresses:
            if str(address.ip) not in listed and isinstance(place.node, Router):
                return (str(address.ip), str(place.node.bgp.asn) if place.node.bgp else "", "")
    return ("", "", "")


def _next_to(around: Surroundings, name: str) -> Iterator[Attachment]:
    """Interfaces of other nodes on the same nets."""
    for domain in broadcast_domains(around.filled):
        if any(place.end.node == name for place in domain.ends):
            yield from (place for place in domain.ends if place.end.node != name)


def new_network(around: Surroundings, value: Sheet | None, rows: Rows) -> tuple[str, ...]:
    """Texts of a new announcement: the next network that the router is connected to and that is not listed."""
    listed = {row[0].strip() for row in rows}
    addresses = [address for row in value.interfaces for address in row.end.addresses or row.automatic] if value else []
    connected = (str(address.network) for address in addresses if address.network.num_addresses > 1)
    return (next((network for network in connected if network not in listed), ""),)


def whole_configuration(around: Surroundings, before: Sheet, after: Sheet) -> tuple[str, str]:
    """What a router's settings come to: the daemons that run, and the text of its frr.conf."""
    filled = around.filled
    if after != before:
        try:
            filled = addressed(write_sheet(around.topology, before.node.name, before, after))
        except LabError as error:
            return "", f"! {error}"
    router = filled.node(after.node.name)
    if not isinstance(router, Router):
        return "", ""
    running = daemons(router)
    if not running:
        return "", "! No daemon of FRR runs here: the router only forwards between its own networks."
    return ", ".join(running), frr_conf(filled, router)


def configuration(parent: Any, form: Any) -> Any:
    """The page with lines of one's own, and what becomes of all settings."""
    from miniedit_frr.dialogs.conf import ConfPage

    return ConfPage(parent, form, whole_configuration)
