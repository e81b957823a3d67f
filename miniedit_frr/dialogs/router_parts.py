"""Values that the router's form derives from the topology, and its page for frr.conf."""

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
    """The automatic router ID of a router."""
    full = context.filled.node(value.node.name)
    if not isinstance(full, Router):
        return "automatic"
    stated = [loopback.ip for loopback in value.node.loopbacks if isinstance(loopback, IPv4Interface)] if isinstance(
        value.node, Router
    ) else []  # fmt: skip
    return str(min(stated, default=None) or router_id(context.filled, full, None) or "none: enter one")


def free_asn(context: FormContext) -> int:
    """The first unused private AS number, starting at 65001."""
    used = {router.bgp.asn for router in context.topology.routers if router.bgp}
    return next(number for number in range(_FIRST_PRIVATE_AS, _FIRST_PRIVATE_AS + len(used) + 1) if number not in used)


def needed_daemons(context: FormContext, value: NodeSheet) -> tuple[str, ...]:
    """The daemons that the settings of a router need."""
    return daemons(value.node.model_copy(update={"daemons": ()})) if isinstance(value.node, Router) else ()


def needed_daemons_text(context: FormContext, value: NodeSheet) -> str:
    """A sentence about the daemons that the settings of a router need."""
    needed = needed_daemons(context, value)
    if not needed:
        return "The settings need no daemons."
    *most, last = needed
    return f"The settings need {', '.join(most)} and {last}." if most else f"The settings need {last}."


CellTexts = tuple[tuple[str, ...], ...]


def new_neighbor(context: FormContext, value: Any, rows: tuple[Any, ...]) -> dict[str, Content]:
    """The texts of a new BGP neighbor: the next directly connected router without a session, and its AS."""
    listed = {session.address for session in rows}
    for place in _next_to(context, value.node.name) if isinstance(value, NodeSheet) else ():
        for address in place.end.addresses:
            if address.ip not in listed and isinstance(place.node, Router) and not address.ip.is_link_local:
                return {"address": str(address.ip), "remote_as": str(place.node.bgp.asn) if place.node.bgp else ""}
    return {"address": "", "remote_as": ""}


def as_hint(context: FormContext, row: Any) -> str:
    """The hint of an empty AS number: the name of the node with the neighbor's address."""
    if row.address == _UNSTATED:
        return ""
    ends = (end for link in context.filled.links for end in link.ends)
    return next((f"AS of {end.node}" for end in ends if any(at.ip == row.address for at in end.addresses)), "")


def _next_to(context: FormContext, name: str) -> Iterator[Attachment]:
    """Interfaces of other nodes in the broadcast domains of a node."""
    for domain in broadcast_domains(context.filled):
        if any(place.end.node == name for place in domain.ends):
            yield from (place for place in domain.ends if place.end.node != name)


def new_network(context: FormContext, value: NodeSheet | None, rows: CellTexts) -> tuple[str, ...]:
    """The texts of a new announced network: the next connected network that is not listed, first those of hosts."""
    listed = {row[0].strip() for row in rows}
    addresses = [address for row in value.interfaces for address in row.end.addresses or row.automatic] if value else []
    connected = {address.network for address in addresses if address.network.num_addresses > 1}
    filled = context.filled
    ends = [end for link in filled.links for end in link.ends if isinstance(filled.node(end.node), Host)]
    of_hosts = {address.network for end in ends for address in end.addresses}
    offered = sorted(connected, key=lambda network: (network not in of_hosts, network.version, network))
    return (next((str(network) for network in offered if str(network) not in listed), ""),)


def router_configuration(context: FormContext, old_sheet: NodeSheet, new_sheet: NodeSheet) -> tuple[str, str, str]:
    """The daemons of a router, its frr.conf, and its frr.conf without the user's own lines."""
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
    """The page with the user's own lines and the resulting frr.conf."""
    from miniedit_frr.dialogs.forms.frr_conf import ConfPage

    return ConfPage(parent, form, router_configuration)
