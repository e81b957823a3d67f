"""htb's classes as the kernel has them. `tc` rounds them and has no JSON for them."""

from __future__ import annotations

import socket
import struct
from typing import Any

from frrlib.agent.network.netlink import Message, Netlink, attributes
from frrlib.agent.network.rtnetlink import TC_BODY, tc_body

_GETTCLASS = 42
_KIND, _OPTIONS = 1, 2
_PARAMETERS, _RATE64, _CEIL64 = 1, 6, 7
#: struct tc_htb_opt: two times struct tc_ratespec, with the rate last; then buckets, quantum, level, priority.
_HTB = struct.Struct("=8xI8xI5I")
#: Buckets are stored as times, in units of 64 ns.
_UNIT_S = 64e-9


def classes(interfaces: list[str]) -> list[dict[str, Any]]:
    """The classes of interfaces in the calling thread's node, in the format of `tc -j qdisc show`.

    Rates are in bytes per second, buckets in bytes.
    """
    netlink, entries = Netlink(""), []
    try:
        for interface in interfaces:
            body = tc_body(socket.if_nametoindex(interface), 0, 0, 0)
            for reply in netlink.dump(Message(_GETTCLASS, 0, body, f"classes of {interface}")):
                _, _, handle, _, _ = TC_BODY.unpack_from(reply.body)
                values = attributes(reply.body[TC_BODY.size :])
                if bytes(values.get(_KIND, b"")).rstrip(b"\0") == b"htb" and _OPTIONS in values:
                    name = f"{handle >> 16:x}:{handle & 0xFFFF:x}"
                    options = _options(attributes(values[_OPTIONS]))
                    entries.append({"kind": "htb", "dev": interface, "handle": name, "options": options})
    finally:
        netlink.close()
    return entries


def _options(values: dict[int, memoryview]) -> dict[str, Any]:
    rate, ceil, buffer, cbuffer, quantum, _, _ = _HTB.unpack_from(values[_PARAMETERS])
    rate = struct.unpack("=Q", values[_RATE64])[0] if _RATE64 in values else rate
    ceil = struct.unpack("=Q", values[_CEIL64])[0] if _CEIL64 in values else ceil
    return {
        "rate": rate,
        "ceil": ceil,
        "burst": round(buffer * _UNIT_S * rate),
        "cburst": round(cbuffer * _UNIT_S * ceil),
        "quantum": quantum,
    }
