"""Values that the router's form derives from the drawing, and its page for frr.conf."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Interface
from typing import Any

from frrlib.addressing.domains import Attachment, broadcast_domains
from frrlib.addressing.resolved import resolved
from frrlib.errors import LabError
from frrlib.model.nodes import Host, Router
from frrlib.render.frr import daemons, frr_conf, router_id
from miniedit_frr.dialogs.fields.kinds import Content
from miniedit_frr.dialogs.sheets import FormContext, NodeSheet, write_sheet

_FIRST_PRIVATE_AS = 65_001
_UNSTATED = IPv4Address("0.0.0.0")


def router_id_hint(context: FormContext, value: NodeSheet) -> str:
    """The router id that a router without a stated one gets."""
    full = context.filled.node(value.node.name)
    if not isinstance(full, Router):
        return "automatic"
    stated = [loopback.ip for loopback in value.node.loopbacks if isinstance(loopback, IPv4Interface)] if isinstance(
        value.node, Router
    ) else []  # fmt: skip
    return str(min(stated, default=None) or router_id(context.filled, full, None) or "none: enter one")


def free_asn(context: FormContext) -> int:
    """The first private AS number from 65001 on that no router has."""
    used = {router.bgp.asn for router in context.topology.routers if router.bgp}
    return next(number for number in range(_FIRST_PRIVATE_AS, _FIRST_PRIVATE_AS + len(used) + 1) if number not in used)


def needed_daemons(context: FormContext, value: NodeSheet) -> tuple[str, ...]:
    """The daemons that run without being asked for."""
    return daemons(value.node.model_copy(update={"daemons": ()})) if isinstance(value.node, Router) else ()


def needed_daemons_text(context: FormContext, value: NodeSheet) -> str:
    """Which daemons run without being asked for, in words."""
    needed = needed_daemons(context, value)
    if not needed:
        return "The settings need no daemons."
    *most, last = needed
    return f"The settings need {', '.join(most)} and {last}." if most else f"The settings need {last}."


CellTexts = tuple[tuple[str, ...], ...]


def new_neighbor(context: FormContext, value: Any, rows: tuple[Any, ...]) -> dict[str, Content]:
    """The texts of a new neighbour: the next router on a link of this one's that is not listed, and its AS."""
    listed = {session.address for session in rows}
    for place in _next_to(context, value.node.name) if isinstance(value, NodeSheet) else ():
        for address in place.end.addresses:
            if address.ip not in listed and isinstance(place.node, Router) and not address.ip.is_link_local:
                return {"address": str(address.ip), "remote_as": str(place.node.bgp.asn) if place.node.bgp else ""}
    return {"address": "", "remote_as": ""}


def as_hint(context: FormContext, row: Any) -> str:
    """The router that lacks an AS number: the one at the address of a neighbour, where it runs no BGP yet."""
    if row.address == _UNSTATED:
        return ""
    ends = (end for link in context.filled.links for end in link.ends)
    return next((f"AS of {end.node}" for end in ends if any(at.ip == row.address for at in end.addresses)), "")


def _next_to(context: FormContext, name: str) -> Iterator[Attachment]:
    """Interfaces of other nodes on the same nets."""
    for domain in broadcast_domains(context.filled):
        if any(place.end.node == name for place in domain.ends):
            yield from (place for place in domain.ends if place.end.node != name)


def new_network(context: FormContext, value: NodeSheet | None, rows: CellTexts) -> tuple[str, ...]:
    """Texts of a new announcement: the next network that the router is connected to and that is not listed, those with
    hosts first, since others must find them."""
    listed = {row[0].strip() for row in rows}
    addresses = [address for row in value.interfaces for address in row.end.addresses or row.automatic] if value else []
    connected = {address.network for address in addresses if address.network.num_addresses > 1}
    filled = context.filled
    ends = [end for link in filled.links for end in link.ends if isinstance(filled.node(end.node), Host)]
    of_hosts = {address.network for end in ends for address in end.addresses}
    offered = sorted(connected, key=lambda network: (network not in of_hosts, network.version, network))
    return (next((str(network) for network in offered if str(network) not in listed), ""),)


def router_configuration(context: FormContext, old_sheet: NodeSheet, new_sheet: NodeSheet) -> tuple[str, str, str]:
    """The result of a router's settings: the daemons that run, the text of its frr.conf, and that without own lines."""
    filled = context.filled
    if new_sheet != old_sheet:
        try:
            filled = resolved(write_sheet(context.topology, old_sheet.node.name, old_sheet, new_sheet))
        except LabError as error:
            return "", f"! {error}", f"! {error}"
    router = filled.node(new_sheet.node.name)
    if not isinstance(router, Router):
        return "", "", ""
    running = daemons(router)
    if not running:
        remark = "! No FRR daemon runs on this router. It only forwards packets between its own networks."
        return "", remark, remark
    configuration = frr_conf(filled, router)
    plain = router.model_copy(update={"frr_conf": ""})
    base = frr_conf(filled, plain) if router.frr_conf.strip() and daemons(plain) else configuration
    return ", ".join(running), configuration, base


def make_conf_page(parent: Any, form: Any) -> Any:
    """The page with the user's own lines, and the result of all settings."""
    from miniedit_frr.dialogs.forms.frr_conf import ConfPage

    return ConfPage(parent, form, router_configuration)
