"""`lib.common_config`: actions of tests on routers and their daemons. Other subjects have separate modules."""

from __future__ import annotations

import platform
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from frrlib.topotest.checks import (
    verify_admin_distance_for_static_routes,
    verify_cli_json,
    verify_create_community_list,
    verify_ip_nht,
    verify_vrf_vni,
)
from frrlib.topotest.config.create import (
    create_bgp_community_lists,
    create_interfaces_cfg,
    create_prefix_lists,
    create_route_maps,
    create_static_routes,
    create_vrf_cfg,
    delete_route_maps,
    generate_ips,
)
from frrlib.topotest.config.description import number_to_column
from frrlib.topotest.config.entry import (
    InvalidCLIError,
    apply_raw_config,
    load_config_to_routers,
    prep_load_config_to_routers,
    reset_config_on_routers,
    reset_with_new_configs,
    save_initial_config_on_routers,
)
from frrlib.topotest.interfaces import (
    addKernelRoute,
    create_interface_in_kernel,
    get_frr_ipv6_linklocal,
    interface_status,
    shutdown_bringup_interface,
)
from frrlib.topotest.kinds import TopoRouter
from frrlib.topotest.log import logger
from frrlib.topotest.retry import retry, step
from frrlib.topotest.unsupported import absent
from frrlib.topotest.verify import (
    verify_bgp_community,
    verify_fib_routes,
    verify_prefix_lists,
    verify_rib,
    verify_route_maps,
)
from frrlib.topotest.versions import compare

__all__ = [
    "InvalidCLIError",
    "addKernelRoute",
    "apply_raw_config",
    "create_bgp_community_lists",
    "create_interface_in_kernel",
    "create_interfaces_cfg",
    "create_prefix_lists",
    "create_route_maps",
    "create_static_routes",
    "create_vrf_cfg",
    "delete_route_maps",
    "generate_ips",
    "get_frr_ipv6_linklocal",
    "interface_status",
    "load_config_to_routers",
    "number_to_column",
    "prep_load_config_to_routers",
    "reset_config_on_routers",
    "reset_with_new_configs",
    "retry",
    "save_initial_config_on_routers",
    "shutdown_bringup_interface",
    "step",
    "verify_admin_distance_for_static_routes",
    "verify_bgp_community",
    "verify_cli_json",
    "verify_create_community_list",
    "verify_fib_routes",
    "verify_ip_nht",
    "verify_prefix_lists",
    "verify_rib",
    "verify_route_maps",
    "verify_vrf_vni",
]

#: Every other name that tests import from here.
__getattr__ = absent("lib.common_config")


# --- a test's start and end -----------------------------------------------------------------------------------------


def write_test_header(tc_name: str) -> None:
    """Log that a test begins."""
    step(f"{tc_name} begins", reset=True)


def write_test_footer(tc_name: str) -> None:
    """Log that a test ends."""
    logger.info("%s ends", tc_name)


def do_countdown(secs: int) -> None:
    """Wait for this many seconds."""
    time.sleep(secs)


def required_linux_kernel_version(required_version: str) -> Any:
    """True, or a sentence if this machine's kernel is older than that."""
    release = platform.release()
    if compare(release, required_version) >= 0:
        return True
    return f"these tests need a kernel of at least {required_version}, this is {release}"


def generate_support_bundle() -> bool:
    """Nothing: the logs are in the lab's folder."""
    return True


# --- routers and daemons --------------------------------------------------------------------------------------------


def topo_daemons(tgen: Any, topo: Mapping[str, Any] | None = None) -> list[str]:
    """The daemons that a network's JSON needs."""
    routers = (topo or tgen.json_topo)["routers"].values()
    keys = {key for router in routers for key in router}
    names = {"ospf": "ospfd", "ospf6": "ospf6d", "pim": "pimd", "pim6": "pim6d", "igmp": "pimd"}
    daemons = ["zebra", "bgpd", *(daemon for key, daemon in names.items() if key in keys)]
    return list(dict.fromkeys(daemons))


def start_topology(tgen: Any, daemon: Iterable[str] | None = None) -> None:
    """Start the network, then zebra, bgpd and the named daemons on all routers, with empty files."""
    tgen.start_topology()
    named = {TopoRouter.RD[number]: number for number in TopoRouter.RD}
    numbers = [named[name] for name in daemon or () if name in named]
    for router in tgen.routers().values():
        for number in dict.fromkeys([TopoRouter.RD_ZEBRA, TopoRouter.RD_BGP, *numbers]):
            router.load_config(number)
    tgen.start_router()


def kill_router_daemons(tgen: Any, router: str, daemons: Iterable[str], save_config: bool = True) -> str:
    """Kill daemons of a router; with `save_config` they load their configuration when they are started again."""
    node = tgen.routers()[router]
    if save_config:
        node.vtysh_cmd("write memory")
    errors: str = node.killDaemons(daemons)
    return errors


def start_router_daemons(tgen: Any, router: str, daemons: Iterable[str]) -> str:
    """Start daemons of a router again. Returns errors, empty for none."""
    errors: str = tgen.routers()[router].startDaemons(daemons)
    return errors


def check_router_status(tgen: Any) -> bool:
    """Start every daemon that does not run."""
    for router in tgen.routers().values():
        output = router.check_router_running()
        missing = [name for name in router.net.loaded if f"daemon {name} " in output]
        if missing:
            router.startDaemons(missing)
    return True


def stop_router(tgen: Any, router: str) -> None:
    """End all daemons of a router; they load their configuration when they are started again."""
    node = tgen.routers()[router]
    node.vtysh_cmd("write memory")
    node.stop()


def start_router(tgen: Any, router: str) -> bool:
    """Start all daemons of a router again."""
    tgen.routers()[router].startDaemons(tgen.net[router].loaded)
    return True


# --- commands -------------------------------------------------------------------------------------------------------


def run_frr_cmd(rnode: Any, cmd: str, isjson: bool = False) -> Any:
    """The output of a router's vtysh. Raises InvalidCLIError for an empty command."""
    if not cmd:
        raise InvalidCLIError("there is no command")
    return rnode.vtysh_cmd(cmd, isjson=isjson)


def create_debug_log_config(tgen: Any, input_dict: Mapping[str, Mapping[str, Any]], build: bool = False) -> bool:
    """Configure daemons' debug logs: router to {"debug": {"log_file", "enable": [...], "disable": {...}}}."""
    for name, description in input_dict.items():
        debug = description["debug"]
        lines = [f"log file {Path(tgen.logdir) / name / debug['log_file']}"] if debug.get("log_file") else []
        lines += [
            f"debug {daemon.removesuffix('d') if daemon != 'zebra' else 'zebra events'}"
            for daemon in debug.get("enable", [])
        ]
        lines += [f"no {line}" for lines_of_daemon in debug.get("disable", {}).values() for line in lines_of_daemon]
        tgen.routers()[name].vtysh_multicmd(["configure terminal", *lines])
    return True


def check_address_types(addr_type: str | None = None) -> Any:
    """The families to test, always both; or whether one of them is to be tested."""
    return ["ipv4", "ipv6"] if addr_type is None else addr_type in ("ipv4", "ipv6")
