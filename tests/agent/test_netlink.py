"""Hundreds of requests at once: the kernel acknowledges a whole portion together, and the replies must fit the
buffer."""

from __future__ import annotations

import errno
import struct

import pytest

from frrlib.agent.network.netlink import Message, Netlink, NetlinkError

_DELLINK = 17
#: A request for a missing link, which is refused for any user.
REFUSED = [Message(_DELLINK, 0, struct.pack("=BxHiII", 0, 0, 2**30, 0, 0), f"link {n}") for n in range(1000)]


def test_a_thousand_acknowledgements_are_read() -> None:
    netlink = Netlink("r1")
    try:
        with pytest.raises(NetlinkError) as caught:
            netlink.apply(REFUSED)
        assert caught.value.code in (errno.ENODEV, errno.EPERM) and caught.value.request_text == "r1: link 0"
    finally:
        netlink.close()


def test_an_overflow_of_the_receive_buffer_is_named() -> None:
    netlink = Netlink("r1")
    try:
        netlink._portion_size = len(REFUSED)
        with pytest.raises(
            NetlinkError, match=r"r1: link 0: .*the kernel's answers overflowed the receive buffer of \d+"
        ):
            netlink.apply(REFUSED)
    finally:
        netlink.close()
