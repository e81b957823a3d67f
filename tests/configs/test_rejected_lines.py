"""Lines of configuration that FRR rejects: their positions in the output of vtysh, and the errors in a lab."""

from __future__ import annotations

import pytest

from frrlib.errors import CommandFailed, LabFailed
from frrlib.lab.lab import Lab
from frrlib.model.routing import Pim
from frrlib.network.network import Network
from frrlib.vtysh.session import Rejection, rejection

#: Output of vtysh -E in FRR 8.4.
UNKNOWN = """r1# configure terminal
r1(config)# interface r1-eth0
r1(config-if)# ip ospf color 5
% Unknown command: ip ospf color 5
"""
INVALID_VALUE = """r1# configure terminal
r1(config)# interface r1-eth0
r1(config-if)# ip pim hello 300
% Failed to edit configuration.

YANG error(s):
 Value "300" is out of type uint8 min/max bounds.

r1(config-if)# ip pim drpriority 7
"""
ACCEPTED = """r1# configure terminal
r1(config)# interface r1-eth0
r1(config-if)# description % Failed
"""


def test_rejected_lines_are_found_in_the_output_of_vtysh() -> None:
    assert rejection(ACCEPTED, 0) is None
    assert rejection(UNKNOWN, 1) == Rejection(1, "ip ospf color 5", "% Unknown command: ip ospf color 5")
    assert rejection("vtysh: not found\n", 127) == Rejection(-1, "", "vtysh: not found")


def test_an_invalid_value_is_rejected_though_vtysh_continues() -> None:
    rejected = rejection(INVALID_VALUE, 0)
    assert rejected is not None and (rejected.position, rejected.line) == (1, "ip pim hello 300")
    assert (
        rejected.message.startswith("% Failed to edit configuration.") and 'Value "300" is out of' in rejected.message
    )
    assert "drpriority" not in rejected.message


@pytest.mark.lab
def test_a_value_that_a_daemon_rejects_is_an_error_in_a_lab() -> None:
    net = Network("hellos")
    for name in ("r1", "r2"):
        net.router(name, pim=Pim())
    net.link("r1", "r2")
    with Lab(net.topology, place="namespace") as lab:
        lab["r1"].configure(["interface r1-eth0", "ip pim hello 255"])
        with pytest.raises(CommandFailed, match="ip pim hello 256") as caught:
            lab["r1"].configure(["interface r1-eth0", "ip pim hello 256", "ip pim drpriority 7"])
        assert "Failed to edit configuration" in str(caught.value)
        assert "ip pim hello 255" in lab["r1"].running_config().now


@pytest.mark.lab
def test_a_typed_value_that_a_daemon_rejects_ends_the_start() -> None:
    net = Network("hellos")
    net.router("r1", pim=Pim(), frr_conf="interface r1-eth0\n ip pim hello 300\nexit\n")
    net.host("h1")
    net.link("r1", "h1")
    with (
        pytest.raises(LabFailed, match=r'r1: pimd rejected values of its configuration: Value "300" is out of'),
        Lab(net.topology, place="namespace"),
    ):
        pass
