"""Prints BGP routes of the routers of a running lab by netmiko, and changes an interface of each for a moment.

    miniedit-frr start ../two-as-no-delay.mn
    miniedit-frr ssh-config --out lab.ssh
    python3 routes_netmiko.py lab.ssh r1 r2

For netmiko a router is a `cisco_ios`, because vtysh behaves like one.
"""

from __future__ import annotations

import sys
from typing import Any

from netmiko import ConnectHandler
from paramiko import SSHConfig


def connect(ssh_config: str, name: str, device_type: str = "cisco_ios") -> Any:
    """A connection to a router. Netmiko does not read keys from the configuration, so they are named here."""
    options = SSHConfig.from_path(ssh_config).lookup(name)
    return ConnectHandler(
        host=name,
        device_type=device_type,
        ssh_config_file=ssh_config,
        use_keys=True,
        key_file=options["identityfile"][0],
        ssh_strict=True,
        alt_host_keys=True,
        alt_key_file=options["userknownhostsfile"],
    )


def main(ssh_config: str, *routers: str) -> None:
    """Print each router's BGP routes and, with one set, its interface descriptions."""
    for router in routers:
        with connect(ssh_config, router) as device:
            print(device.find_prompt())
            print(device.send_command("show ip route bgp"))
            device.send_config_set(["interface lo", "description set by netmiko"])
            print(device.send_command("show interface description"))
            device.send_config_set(["interface lo", "no description"])


if __name__ == "__main__":
    main(*sys.argv[1:])
