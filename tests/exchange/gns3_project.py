"""A project of GNS3 as its files have it, written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

#: The name and type of each node, and its properties.
NODES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("frr-1", "docker", {"image": "frrouting/frr:v8.2.2", "start_command": "/usr/lib/frr/docker-start"}),
    ("PC1", "vpcs", {}),
    ("Switch 1", "ethernet_switch", {"ports_mapping": [
        {"port_number": 0, "type": "access", "vlan": 1}, {"port_number": 1, "type": "access", "vlan": 20}]}),
    ("server", "docker", {"image": "alpine", "start_command": "/root/start.sh"}),
    ("Cisco", "dynamips", {"platform": "c7200"}),
    ("NAT1", "nat", {}),
    ("gw", "docker", {"image": "debian:12", "start_command": "ip route add 10.9.0.0/16 via 10.0.1.1"}),
)  # fmt: skip
FILES = {
    "docker/{frr-1}/etc/frr/frr.conf": "interface eth0\n ip address 10.0.1.1/24\n ip ospf cost 7\n!\nrouter ospf\n"
    " ospf router-id 1.1.1.1\n network 10.0.0.0/8 area 0\n!\n",
    "docker/{frr-1}/etc/frr/daemons": "bgpd=no\nospfd=yes\nbfdd=yes\nldpd=yes\n",
    "vpcs/{PC1}/startup.vpc": "set pcname PC1\nip 10.0.1.10 255.255.255.0 10.0.1.1\nip dhcp\n",
    "docker/{server}/etc/network/interfaces": "# static\nauto eth0\niface eth0 inet static\n\taddress 10.0.1.20\n"
    "\tnetmask 255.255.255.0\n\tgateway 10.0.1.1\n\tmtu 1400\n\tup echo nameserver 9.9.9.9 > /etc/resolv.conf\n"
    "\tup touch /tmp/up\nauto eth1\niface eth1 inet dhcp\n",
    "docker/{server}/root/start.sh": "#!/bin/bash\ntouch /tmp/started\n",
    "docker/{gw}/etc/network/interfaces": "auto eth0\niface eth0 inet static\n address 10.0.1.30/24\n"
    "\tup sysctl -w net.ipv4.ip_forward=1\n",
}
#: The two ends of each link with the adapter and port, and its filters.
LINKS: tuple[tuple[tuple[str, int, int], tuple[str, int, int], dict[str, Any]], ...] = (
    (("frr-1", 0, 0), ("Switch 1", 0, 0), {"delay": [25, 4], "packet_loss": [3], "corrupt": [2]}),
    (("PC1", 0, 0), ("Switch 1", 0, 1), {"frequency_drop": [4]}),
    (("server", 0, 0), ("Switch 1", 0, 2), {"bpf": ["icmp"]}),
    (("Cisco", 1, 0), ("frr-1", 1, 0), {"frequency_drop": [-1]}),
    (("NAT1", 0, 0), ("frr-1", 2, 0), {}),
    (("gw", 0, 0), ("Switch 1", 0, 3), {}),
)
_PORT = ("node_id", "adapter_number", "port_number")
IDS = {name: f"00000000-0000-0000-0000-00000000000{number}" for number, (name, _, _) in enumerate(NODES)}


def project(links: Any = LINKS, **changes: Any) -> dict[str, Any]:
    """The content of a project."""
    nodes = [
        {"name": name, "node_id": IDS[name], "node_type": kind, "properties": properties, "x": 100 * n - 300, "y": -50,
         "width": 60, "height": 40, "label": {"text": "the PC" if name == "PC1" else name}}
        for n, (name, kind, properties) in enumerate(NODES)
    ]  # fmt: skip
    ends = [
        {"nodes": [dict(zip(_PORT, (IDS[end[0]], *end[1:]), strict=True)) for end in pair], "filters": filters}
        for *pair, filters in links
    ]
    drawings = [
        {"svg": '<svg width="200" height="100"><rect width="200" height="100" fill="#ffffff" stroke="#62a0ea"/></svg>',
         "x": -400, "y": 0, "z": 0},
        {"svg": "<svg><text>AS 65001</text></svg>", "x": 5, "y": 5},
        {"svg": '<svg><line x1="0" x2="5"/></svg>'},
    ]  # fmt: skip
    topology = {"nodes": nodes, "links": ends, "drawings": drawings, "computes": []}
    return {"name": "office", "version": "2.2.49", "revision": 9, "type": "topology", "topology": topology, **changes}


def write_files(folder: Path) -> None:
    """Write the files of the nodes beside a project."""
    for name, content in FILES.items():
        file = folder / "project-files" / name.format(**IDS)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
