"""Contents that a dialog can put into each field of a drawing's values: at least two different ones each."""

from __future__ import annotations

from ipaddress import ip_address, ip_interface
from typing import Any

from frrlib.model.base import Value
from frrlib.model.impairments import Impairments
from frrlib.model.links import Shape
from frrlib.model.nodes import PrivateDirectory, VlanInterface
from frrlib.model.queues import FqCodel
from frrlib.model.tcp import TcpTuning
from frrlib.model.topology import Netflow, OpenFlowVersions, Sflow
from frrlib.model.traffic.kinds import KINDS
from tests.contents.routing import ROUTING

#: Of links, and of one direction of a link.
SHAPES = (
    Shape(),
    Shape(rate_mbit=10, delay_ms=20.5, queue_bdp=1),
    Shape(rate_mbit=0.5, jitter_ms=1.25, loss_percent=0.1, queue_bytes=9000),
    Shape(delay_ms=3),
    Shape(rate_mbit=100, queue_packets=33),
    Shape(rate_mbit=1000, queue_ms=2.5),
    Shape(rate_mbit=20, queue=FqCodel(target_ms=3), shaper="htb", burst_frames=2),
    Shape(qdiscs=("root handle 1: netem delay 10ms", "parent 1:1 handle 10: tbf rate 80mbit burst 3028b limit 300kb")),
    Shape(delay_ms=3, jitter_ms=1, impairments=Impairments(jitter_distribution="normal", duplicate_percent=1)),
)
_ADDRESSES = ((), (ip_interface("10.9.0.1/16"),), (ip_interface("10.0.0.7/24"), ip_interface("fd00::7/64")))
_COMMANDS = ("", "echo started > /tmp/x")

#: Kind of value to field to contents.
CONTENTS: dict[str, dict[str, tuple[Any, ...]]] = {
    "Host": {
        "default_route": (None, ip_address("10.0.0.1"), ip_address("fd00::1")),
        "vlan_interfaces": ((), (VlanInterface(address=ip_interface("10.5.0.1/24"), vlan_id=5),)),
        "external_interfaces": ((), ("eth7",)),
        "private_directories": ((), (PrivateDirectory(path="/run"), PrivateDirectory(path="/a", persistent="/b"))),
        "scheduler": ("host", "cfs", "rt"),
        "cpu_percent": (None, 12.5),
        "cores": ("", "0,1"),
        "congestion_control": ("", "bbr"),
        "tcp": (TcpTuning(), TcpTuning(pacing=True, ecn="on", buffer_bdp=2.5), TcpTuning(buffer_bytes=9000)),
    },
    "Router": {
        "loopbacks": ((), (ip_interface("192.168.0.1/32"),)),
        "daemons": ((), ("zebra",), ("isisd", "bfdd")),
        **ROUTING,
        "frr_conf": ("", "ip forwarding\n"),
        "controllers": (None, ()),
    },
    "Switch": {
        "switch_type": ("default", "ovs", "ivs", "user", "userns"),
        "dpid": ("", "00000000000000ab"),
        "controllers": ((), ("c0",)),
        "management_address": ("", "10.0.9.1"),
        "dpctl_port": ("", "6634"),
        "netflow": (False, True),
        "sflow": (False, True),
        "external_interfaces": ((), ("eth8",)),
    },
    "Bridge": {"controllers": ((), ("c0",)), "stp": (False, True)},
    "Controller": {
        "controller_type": ("ref", "ovsc", "remote", "inband"),
        "protocol": ("tcp", "ssl"),
        "address": ("127.0.0.1", "10.0.0.99"),
        "port": (6633, 6653),
    },
    "every node": {
        "number": (None, 7),
        "original_name": ("", "h77"),
        "label": ("", "border", "the core"),
        "colour": ("", "red", "#3366cc"),
        "start_command": _COMMANDS,
        "stop_command": _COMMANDS,
    },
    "Link": {"a_to_b": SHAPES, "b_to_a": SHAPES, "up": (True, False), "speedup_mbit": (None, 2)},
    "End": {
        "interface": ("", "uplink"),
        "addresses": _ADDRESSES,
        "mac": ("", "02:00:00:00:00:01"),
        "mtu_bytes": (None, 9000),
        "ospf_cost": (None, 50),
        "congestion_control": ("", "reno"),
        "offloads": (None, True, False),
    },
    "Flow": {
        "congestion_control": ("cubic", "bbr", ""),
        "start_s": (0.0, 2.5),
        "duration_s": (10.0, 1.0),
        "count": (1, 4),
        "stagger_s": (0.0, 2.0),
        "streams": (1, 3),
        "opened_by": ("source", "destination"),
        "dscp": (None, 46),
        "ecn": (None, True, False),
        "colour": ("", "#3366cc"),
        "traffic": tuple(kind() for kind in KINDS.values()),
    },
    "Wait": {"routes": (True, False), "stable_s": (0.5, 2.0), "timeout_s": (60.0, 5.0), "ping_count": (3, 0)},
    "Annotation": {
        "width": (160.0, 20.5),
        "height": (60.0, 300.0),
        "text": ("", "AS 65001\nOSPF area 0"),
        "fill": ("", "yellow", "#abcdef"),
        "line": ("", "grey"),
    },
    "Preferences": {
        "ip_base": ("10.0.0.0/8", "192.168.0.0/16"),
        "terminal_type": ("xterm", "gterm"),
        "start_cli": (False, True),
        "switch_type": ("ovs", "ivs", "user", "userns"),
        "dpctl": ("", "6640"),
        "openflow": (OpenFlowVersions(), OpenFlowVersions(of10=False, of13=True)),
        "sflow": (Sflow(), Sflow(target="10.0.0.9", polling="10")),
        "netflow": (Netflow(), Netflow(target="10.0.0.9:9996", add_id_to_interface=True)),
    },
}  # fmt: skip

_NOT_IN_DIALOGS = {"kind", "name", "id", "x", "y", "a", "b", "node", "source", "destination", "foreign", "sealed"}


def editable(value: type[Value]) -> set[str]:
    """The fields that dialogs show: neither identity, nor place, nor content of the file that is unknown or hidden."""
    return set(value.model_fields) - _NOT_IN_DIALOGS
