"""Checks of texts with rules. Each function returns a clause that describes the valid form, or an empty text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from frrlib.model.names import CONGESTION_CONTROL, interface_name_fault
from frrlib.model.protocols.ospf import area_number

#: Well-known communities (RFC 1997 and later), as FRR writes them.
COMMUNITIES = ("no-export", "no-advertise", "local-AS", "internet", "graceful-shutdown", "blackhole", "no-peer")


def or_list(options: Iterable[str]) -> str:
    """The options as a list with "or" before the last."""
    *most, last = [*options]
    return f"{', '.join(most)} or {last}" if most else last


def mac_fault(text: str) -> str:
    """The error of a MAC address; an empty text is valid."""
    if not text:
        return ""
    if not re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", text):
        return "must be six pairs of hexadecimal digits, as in 02:00:00:00:00:01"
    if int(text[:2], 16) & 1:
        return "is a multicast address; the first byte must be even, as in 02:00:00:00:00:01"
    return ""


def interface_fault(text: str) -> str:
    """The error of an interface name; an empty text means the automatic name."""
    return interface_name_fault(text) if text else ""


def dpid_fault(text: str) -> str:
    """The error of a datapath ID; an empty text means the automatic one."""
    ok = not text or re.fullmatch(r"[0-9a-fA-F]{1,16}", text.replace(":", ""))
    return "" if ok else "must be 1 to 16 hexadecimal digits, as in 1a or 00:00:00:00:00:00:00:01"


def cores_fault(text: str) -> str:
    """The error of a list of processors; an empty text means all."""
    ok = not text or re.fullmatch(r"\d+(-\d+)?(\s*,\s*\d+(-\d+)?)*", text)
    return "" if ok else "must be numbers of processors, as in 0,1 or 0-3"


def area_fault(text: str) -> str:
    """The error of an OSPF area."""
    return "" if area_number(text) is not None else "must be a number or a dotted number, as in 0 or 0.0.0.1"


def optional_area_fault(text: str) -> str:
    """The error of an OSPF area; an empty text means the area of the router."""
    return area_fault(text) if text else ""


def path_fault(text: str) -> str:
    """The error of an absolute path."""
    if not text:
        return "is missing"
    return "" if text.startswith("/") else f"must start with /, as in /{text}"


def port_fault(text: str) -> str:
    """The error of a TCP or UDP port; an empty text means the default."""
    ok = not text or (re.fullmatch("[0-9]{1,5}", text) and 1 <= int(text) <= 65_535)
    return "" if ok else "must be a port number, 1 to 65535"


def needed_fault(text: str) -> str:
    """The error of a required text."""
    return "" if text else "is missing"


def cc_fault(text: str) -> str:
    """The error of the name of a congestion control."""
    ok = re.fullmatch(CONGESTION_CONTROL, text)
    return "" if ok else "must be the kernel's name in lowercase, as in cubic or bbr"


def needed_interface_fault(text: str) -> str:
    """The error of a required interface name."""
    return interface_name_fault(text) if text else "is missing"


def description_fault(text: str) -> str:
    """The error of a description in frr.conf."""
    if len(text) > 80:
        return f"has {len(text)} characters; at most 80 are allowed"
    return "" if text.isprintable() else "must be a single line"


def word_fault(text: str) -> str:
    """The error of a name that must be one word for FRR."""
    if re.search(r"\s", text):
        return "contains a space; FRR allows one word"
    if len(text) > 64:
        return f"has {len(text)} characters; at most 64 are allowed"
    return "" if re.fullmatch(r"[!-~]*", text) else "must contain only ASCII letters, digits and signs"


def key_fault(most: int) -> Callable[[str], str]:
    """A function that returns the error of a password with a maximum length."""

    def fault(text: str) -> str:
        return f"has {len(text)} characters; at most {most} are allowed" if len(text) > most else word_fault(text)

    return fault


def net_fault(text: str) -> str:
    """The error of the area of a network entity title (NET)."""
    ok = re.fullmatch(r"[0-9a-fA-F]{2}(\.[0-9a-fA-F]{4}){0,6}", text)
    return "" if ok else "must be two hexadecimal digits, then groups of four, as in 49.0001"


def system_id_fault(text: str) -> str:
    """The error of a system ID; an empty text means the automatic one."""
    ok = re.fullmatch(r"|[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2}", text)
    return "" if ok else "must be three groups of four hexadecimal digits, as in 0000.0000.0001"


def vrf_fault(text: str) -> str:
    """The error of the name of a VRF."""
    if not text:
        return "is missing"
    ok = re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,14}", text)
    return (
        ""
        if ok
        else (
            "must start with a letter and contain only letters, digits, _ and -; at most 15, because it names a device"
        )
    )


def community_fault(text: str) -> str:
    """The error of one community in the set clause of a route map."""
    if text in COMMUNITIES:
        return ""
    numbers = re.fullmatch(r"([0-9]{1,5}):([0-9]{1,5})", text)
    ok = numbers is not None and all(int(number) <= 65_535 for number in numbers.groups())
    return "" if ok else f"{text}: must be two numbers up to 65535, as in 65001:100, or {or_list(COMMUNITIES[:3])}"
