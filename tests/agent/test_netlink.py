"""Requests by the hundred: the kernel answers all of a portion at once, and the answers must fit."""

from __future__ import annotations

import errno
import struct

import pytest

from frrlib.agent.network.netlink import Message, Netlink, NetlinkError

_DELLINK = 17
#: Of a link that nobody has: refused, whoever asks.
REFUSED = [Message(_DELLINK, 0, struct.pack("=BxHiII", 0, 0, 2**30, 0, 0), f"link {n}") for n in range(1000)]


def test_a_thousand_answers_are_read() -> None:
    asked = Netlink("r1")
    try:
        with pytest.raises(NetlinkError) as caught:
            asked.apply(REFUSED)
        assert caught.value.code in (errno.ENODEV, errno.EPERM) and caught.value.request_text == "r1: link 0"
    finally:
        asked.close()


def test_answers_that_overflow_are_called_so() -> None:
    asked = Netlink("r1")
    try:
        asked._portion_size = len(REFUSED)
        with pytest.raises(
            NetlinkError, match=r"r1: link 0: .*the kernel's answers overflowed the receive buffer of \d+"
        ):
            asked.apply(REFUSED)
    finally:
        asked.close()
