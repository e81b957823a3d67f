"""The options of links and wireless networks of CORE as the shape of a direction."""

from __future__ import annotations

from pydantic import ValidationError

from frrlib.exchange.xml_text import Element
from frrlib.formats import own
from frrlib.formats.mininet_remarks import Remarks
from frrlib.model.impairments import Impairments
from frrlib.model.links import Shape

#: Networks whose stations share a medium by radio.
WIRELESS = ("WIRELESS_LAN", "WIRELESS", "EMANE")
_LARGEST_QUEUE = 10_000_000


def shape_of(options: Element, remarks: Remarks) -> Shape:
    """The shape of a direction.

    Args:
        options: `options` of a link, with a rate in bit/s, times in microseconds, and shares in percent.
        remarks: receives remarks on options without an equivalent.

    Raises:
        InvalidXml: a value is no number, or out of range.
    """
    rate_mbit = options.number("bandwidth") / 1e6
    buffer_packets = int(options.number("buffer"))
    for name in ("burst", "mburst", "mer", "key"):
        if options.get(name) not in ("", "0", "None"):
            remarks.add(name, f"line {options.line}: is {options.get(name)[:20]}, which has no equivalent here")
    if buffer_packets and rate_mbit <= 0:
        remarks.add("buffer", f"line {options.line}: is {buffer_packets}, which needs a bandwidth and is left out")
    try:
        return Shape(
            rate_mbit=rate_mbit if rate_mbit > 0 else None,
            delay_ms=options.number("delay") / 1000,
            jitter_ms=options.number("jitter") / 1000,
            loss_percent=options.number("loss", "per"),
            queue_packets=buffer_packets if buffer_packets and rate_mbit > 0 else None,
            impairments=Impairments(duplicate_percent=options.number("dup")),
        )
    except ValidationError as problem:
        raise options.fault(own.refusal(problem, None, ()).reason, "a value in the unit of CORE") from None


def wireless_values(root: Element, network: Element) -> Element | None:
    """The options of a wireless network as an element like `options`; None if CORE does not shape it.

    Args:
        root: the scenario.
        network: the element of the network.
    """
    groups = [network.child("wireless")] if network.get("type") == "WIRELESS" else []
    if network.get("type") == "WIRELESS_LAN":
        groups = [
            element for element in root.all("mobility_configurations", "mobility_configuration")
            if element.get("node") == network.get("id") and element.get("model") == "basic_range"
        ]  # fmt: skip
    for group in groups:
        if group is not None:
            values = {child.get("name"): child.get("value") for child in group.all("configuration")}
            values = {key: values.get(key, "") for key in ("bandwidth", "delay", "jitter")} | {
                "loss": values.get("loss") or values.get("error", "")
            }
            return Element("options", group.line, group.place, values)
    return None
