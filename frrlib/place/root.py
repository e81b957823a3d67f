"""The place `root`: a lab on the running kernel, started by root, with a full range of ids and the kernel's
modules.

The lab runs behind the same wall as in `namespace`, and its root is not this machine's. Root only adds loaded modules,
and enough ids for FRR's daemons to run as their own user.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace

from frrlib.errors import PlaceError
from frrlib.place.base import Abilities, Program
from frrlib.place.launch import ONE_ID
from frrlib.place.namespace import Namespace
from frrlib.place.sandbox import SupervisedSandbox
from frrlib.place.supervisor import external_interfaces, ownership
from frrlib.places import PlaceName

#: Loaded before a lab starts, if this machine has them as modules.
MODULES = (
    "veth", "bridge", "dummy", "ifb", "8021q", "vrf", "vxlan", "macvlan", "bonding", "tun", "ip_gre",
    "mpls_router", "mpls_iptunnel", "sch_netem", "sch_tbf", "sch_htb", "sch_fq", "sch_fq_codel",
    "sch_cake", "sch_red", "sch_pie", "sch_ingress", "act_mirred", "cls_matchall", "tcp_bbr",
    "tcp_vegas", "tcp_westwood", "tcp_htcp", "openvswitch",
)  # fmt: skip


class Root(Namespace):
    """Labs on the running kernel, started by root."""

    name = PlaceName.ROOT.value

    def abilities(self, refresh: bool = False) -> Abilities:
        """Its abilities on this machine. It is available to root only."""
        if os.geteuid() != 0:
            return Abilities(self.name, False, "this program does not run as root", "sudo miniedit-frr ...")
        if problem := _no_ids():
            return Abilities(self.name, False, problem, ONE_ID)
        load_modules()
        return replace(super().abilities(refresh), external_interfaces=True)

    def start(self, program: Program) -> SupervisedSandbox:
        """Start a lab and return when its first program is about to run.

        Raises:
            PlaceError: the caller is not root, an interface cannot be lent, or the lab could not be made.
        """
        if os.geteuid() != 0:
            raise PlaceError("the place root needs root", "sudo miniedit-frr ..., or use namespace or labkernel")
        if problem := _no_ids():
            raise PlaceError(problem, ONE_ID)
        external_interfaces.check(program.interfaces)
        load_modules()
        return super().start(program)


def _no_ids() -> str:
    """The reason why root has no ids for a lab. Empty if it has some."""
    try:
        return "" if ownership.lab_ids() else "root has no ids here but its own"
    except PermissionError as error:
        return str(error.strerror)


def load_modules() -> None:
    """Load those of `MODULES` that this machine has. A kernel without modules is no error."""
    if os.path.isdir(f"/lib/modules/{os.uname().release}"):
        subprocess.run(["/sbin/modprobe", "-a", "-q", *MODULES], capture_output=True, check=False)
