"""The commands for DualPI2 as netlink requests, compared with the kernel's layout written out by hand."""

from __future__ import annotations

import struct

import pytest

from frrlib.agent.network import dualpi2
from frrlib.agent.network.netlink import attributes
from frrlib.model.links import End, Shape
from frrlib.render.tc import differences, queue_qdiscs
from tests.disciplines import DUALPI2

LINE = "qdisc replace dev r1-eth0 parent 1:1 handle 10: dualpi2 limit 100 target 16000us alpha 0.2 any_ect"
#: struct tcmsg: family, padding, index, handle, parent, info. Then TCA_KIND and TCA_OPTIONS (nested).
BODY = (
    struct.pack("=BBHiIII", 0, 0, 0, 7, 0x100000, 0x10001, 0)
    + struct.pack("=HH8s", 12, 1, b"dualpi2\0")
    + struct.pack("=HH", 36, 2 | 0x8000)
    + struct.pack("=HHI", 8, 1, 100)  # TCA_DUALPI2_LIMIT
    + struct.pack("=HHI", 8, 3, 16_000)  # TCA_DUALPI2_TARGET, µs
    + struct.pack("=HHI", 8, 5, 51)  # TCA_DUALPI2_ALPHA, 0.2 Hz in 1/256
    + struct.pack("=HHBxxx", 5, 14, 3)  # TCA_DUALPI2_ECN_MASK, any ECT
)


def test_a_command_becomes_the_request_of_the_kernels_layout() -> None:
    request = dualpi2.request(LINE, {"r1-eth0": 7}.__getitem__)
    assert (request.type, request.flags, request.body) == (36, 0x400 | 0x100, BODY)


def test_only_commands_for_dualpi2_are_taken_from_tc() -> None:
    others = [
        "qdisc replace dev dualpi2 root handle 1: tbf rate 1mbit",
        "qdisc show dev r1-eth0",
        "qdisc del dev x root",
    ]
    assert dualpi2.without_commands([others[0], LINE, *others[1:]]) == others


@pytest.mark.parametrize("options", ["limit", "limit many", "step_thresh 5 pie", "target -1us"])
def test_unknown_options_and_values_are_refused(options: str) -> None:
    with pytest.raises(ValueError, match="has no option"):
        dualpi2.request(f"qdisc add dev x root dualpi2 {options}", lambda _: 1)


def test_every_parameter_reads_back_as_it_is_rendered() -> None:
    """A kernel that keeps all values as they are set shows no difference; one that keeps none shows all of them."""
    qdiscs = queue_qdiscs(End(node="r1", interface="r1-eth0"), Shape(rate_mbit=9, queue=DUALPI2), Shape())
    body = dualpi2.request(qdiscs[-1].command, lambda _: 7).body
    read_options = dualpi2.options(attributes(attributes(body[20:])[2]))
    entry = {"dev": "r1-eth0", "handle": "10:", "kind": "dualpi2"}
    assert differences(qdiscs[-1:], [{**entry, "options": read_options}]) == []
    assert len(differences(qdiscs[-1:], [{**entry, "options": {}}])) == len(qdiscs[-1].expected) - 1  # split_gso is off
