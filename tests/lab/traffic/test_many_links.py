"""A topology with many links that have a delay. The kernel's settings of each are read back when the lab starts."""

from __future__ import annotations

import pytest

from frrlib.lab.lab import Lab
from frrlib.network.network import Network, Shape, Wait

pytestmark = [pytest.mark.lab]

#: The kernel has six objects in the link namespace for each.
LINKS = 150


def test_a_hundred_and_fifty_links_with_delay_start(is_virtual: bool) -> None:
    net = Network("Many", wait=Wait(routes=False))
    for number in range(LINKS):
        for side in "ab":
            net.host(f"{side}{number}")
        net.link(f"a{number}", f"b{number}", both=Shape(delay_ms=1))
    with Lab(net.topology, place="labkernel", virtual_time=is_virtual) as lab:
        for number in (0, LINKS - 1):
            ping = lab.ping(f"a{number}", f"b{number}", 3)
            assert ping["received"] == 3 and min(ping["rtt_ms"]) >= 2
