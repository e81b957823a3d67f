"""Errors of words that have rules: a clause that names the right form, empty for a valid word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from frrlib.model.names import CONGESTION_CONTROL, interface_name_fault
from frrlib.model.protocols.ospf import area_number

#: Communities that have a name (RFC 1997 and later), as FRR writes them.
COMMUNITIES = ("no-export", "no-advertise", "local-AS", "internet", "graceful-shutdown", "blackhole", "no-peer")


def listed(options: Iterable[str]) -> str:
    """Some words with "or" before the last."""
    *most, last = [*options]
    return f"{', '.join(most)} or {last}" if most else last


def mac_fault(text: str) -> str:
    """Of a hardware address; empty text is none."""
    if not text:
        return ""
    if not re.fullmatch(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2}){5}", text):
        return "six pairs of hexadecimal digits, as in 02:00:00:00:00:01"
    if int(text[:2], 16) & 1:
        return "is a group's address: the first byte must be even, as in 02:00:00:00:00:01"
    return ""


def interface_fault(text: str) -> str:
    """Of an interface's name; empty text is the automatic one."""
    return interface_name_fault(text) if text else ""


def dpid_fault(text: str) -> str:
    """Of a datapath id; empty text is the automatic one."""
    ok = not text or re.fullmatch(r"[0-9a-fA-F]{1,16}", text.replace(":", ""))
    return "" if ok else "1 to 16 hexadecimal digits, as in 1a or 00:00:00:00:00:00:00:01"


def cores_fault(text: str) -> str:
    """Of a list of processors; empty text is all."""
    ok = not text or re.fullmatch(r"\d+(-\d+)?(\s*,\s*\d+(-\d+)?)*", text)
    return "" if ok else "numbers of processors, as in 0,1 or 0-3"


def area_fault(text: str) -> str:
    """Of an area of OSPF."""
    return "" if area_number(text) is not None else "a number or four, as in 0 or 0.0.0.1"


def optional_area_fault(text: str) -> str:
    """Of an area of OSPF; empty text is the router's."""
    return area_fault(text) if text else ""


def path_fault(text: str) -> str:
    """Of an absolute path."""
    if not text:
        return "is missing"
    return "" if text.startswith("/") else f"must start with /, as in /{text}"


def port_fault(text: str) -> str:
    """Of a TCP or UDP port; empty text is the default."""
    ok = not text or (re.fullmatch("[0-9]{1,5}", text) and 1 <= int(text) <= 65_535)
    return "" if ok else "a port number, 1 to 65535"


def needed_fault(text: str) -> str:
    """Of a text that must be given."""
    return "" if text else "is missing"


def cc_fault(text: str) -> str:
    """Of the name of a congestion control."""
    ok = re.fullmatch(CONGESTION_CONTROL, text)
    return "" if ok else "the kernel's name in small letters, as in cubic or bbr"


def needed_interface_fault(text: str) -> str:
    """Of an interface name that must be given."""
    return interface_name_fault(text) if text else "is missing"


def description_fault(text: str) -> str:
    """Of a description in frr.conf."""
    if len(text) > 80:
        return f"has {len(text)} characters, at most 80"
    return "" if text.isprintable() else "must be one line"


def word_fault(text: str) -> str:
    """Of a name that FRR takes as one word."""
    if re.search(r"\s", text):
        return "has a blank in it; FRR takes one word"
    if len(text) > 64:
        return f"has {len(text)} characters, at most 64"
    return "" if re.fullmatch(r"[!-~]*", text) else "use letters, digits and signs of ASCII"


def key_fault(most: int) -> Callable[[str], str]:
    """Of a password of so many characters at most."""

    def fault(text: str) -> str:
        return f"has {len(text)} characters, at most {most}" if len(text) > most else word_fault(text)

    return fault


def net_fault(text: str) -> str:
    """Of the area of a network entity title."""
    ok = re.fullmatch(r"[0-9a-fA-F]{2}(\.[0-9a-fA-F]{4}){0,6}", text)
    return "" if ok else "two hexadecimal digits, then groups of four, as in 49.0001"


def system_id_fault(text: str) -> str:
    """Of a system id; empty text is the automatic one."""
    ok = re.fullmatch(r"|[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4}){2}", text)
    return "" if ok else "three groups of four hexadecimal digits, as in 0000.0000.0001"


def vrf_fault(text: str) -> str:
    """Of the name of a VRF."""
    if not text:
        return "is missing"
    ok = re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]{0,14}", text)
    return "" if ok else "a letter, then letters, digits, _ and -; 15 at most: it is a device's name"


def community_fault(text: str) -> str:
    """Of one community as route maps set it."""
    if text in COMMUNITIES:
        return ""
    numbers = re.fullmatch(r"([0-9]{1,5}):([0-9]{1,5})", text)
    ok = numbers is not None and all(int(each) <= 65_535 for each in numbers.groups())
    return "" if ok else f"{text}: two numbers up to 65535, as in 65001:100, or {listed(COMMUNITIES[:3])}"
