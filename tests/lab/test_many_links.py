"""A drawing with many links that delay: what the kernel has of each was read back when it started."""

from __future__ import annotations

import pytest

from frrlib.lab.lab import Lab
from frrlib.network.network import Network, Shape, Wait

pytestmark = [pytest.mark.lab]

#: Each asks the kernel for six things in the link namespace.
LINKS = 150


def test_a_hundred_and_fifty_links_that_delay(is_virtual: bool) -> None:
    net = Network("Many", wait=Wait(routes=False))
    for number in range(LINKS):
        for side in "ab":
            net.host(f"{side}{number}")
        net.link(f"a{number}", f"b{number}", both=Shape(delay_ms=1))
    with Lab(net.topology, place="labkernel", virtual_time=is_virtual) as lab:
        for number in (0, LINKS - 1):
            found = lab.ping(f"a{number}", f"b{number}", 3)
            assert found["received"] == 3 and min(found["rtt_ms"]) >= 2
