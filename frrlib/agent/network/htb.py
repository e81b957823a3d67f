"""htb's classes as the kernel has them: `tc` shows them rounded, and not as data."""

from __future__ import annotations

import socket
import struct
from typing import Any

from frrlib.agent.network.netlink import Message, Netlink, attributes
from frrlib.agent.network.rtnetlink import TC_BODY, tc_body

_GETTCLASS = 42
_KIND, _OPTIONS = 1, 2
_PARAMETERS, _RATE64, _CEIL64 = 1, 6, 7
#: struct tc_htb_opt: two times struct tc_ratespec, of which the rate is the last; buckets, quantum, level, priority.
_HTB = struct.Struct("=8xI8xI5I")
#: Buckets are kept as time, in units of 64 ns.
_UNIT_S = 64e-9


def classes(interfaces: list[str]) -> list[dict[str, Any]]:
    """The classes of some interfaces of the calling thread's node, in the form of `tc -j qdisc show`.

    Rates are in bytes a second, buckets in bytes.
    """
    line, found = Netlink(""), []
    try:
        for interface in interfaces:
            body = tc_body(socket.if_nametoindex(interface), 0, 0, 0)
            for reply in line.dump(Message(_GETTCLASS, 0, body, f"classes of {interface}")):
                _, _, handle, _, _ = TC_BODY.unpack_from(reply.body)
                there = attributes(reply.body[TC_BODY.size :])
                if bytes(there.get(_KIND, b"")).rstrip(b"\0") == b"htb" and _OPTIONS in there:
                    name = f"{handle >> 16:x}:{handle & 0xFFFF:x}"
                    options = _options(attributes(there[_OPTIONS]))
                    found.append({"kind": "htb", "dev": interface, "handle": name, "options": options})
    finally:
        line.close()
    return found


def _options(there: dict[int, memoryview]) -> dict[str, Any]:
    rate, ceil, buffer, cbuffer, quantum, _, _ = _HTB.unpack_from(there[_PARAMETERS])
    rate = struct.unpack("=Q", there[_RATE64])[0] if _RATE64 in there else rate
    ceil = struct.unpack("=Q", there[_CEIL64])[0] if _CEIL64 in there else ceil
    return {
        "rate": rate,
        "ceil": ceil,
        "burst": round(buffer * _UNIT_S * rate),
        "cburst": round(cbuffer * _UNIT_S * ceil),
        "quantum": quantum,
    }
