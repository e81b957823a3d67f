"""`lib.topojson`: networks that are described in a file of JSON, down to their routers' configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from frrlib.topotest.config import create, entry, routers
from frrlib.topotest.config.description import Json
from frrlib.topotest.config.ospf import WORDS
from frrlib.topotest.gears import Topogen
from frrlib.topotest.json_network import build_topo_from_json
from frrlib.topotest.lib import common_config
from frrlib.topotest.parallel import run_on_routers


def linux_intf_config_from_json(tgen: Any, topo: Json | None = None) -> None:
    """Give interfaces their addresses in the kernel, without FRR."""
    for router, described in (topo or tgen.json_topo)["routers"].items():
        for key, link in described["links"].items():
            for family in ("ipv4", "ipv6"):
                if family in link:
                    interface = "lo" if key == "lo" else link["interface"]
                    six = "-6 " if family == "ipv6" else ""
                    tgen.net[router].cmd_raises(f"ip {six}addr add {link[family]} dev {interface}")


def build_config_from_json(tgen: Any, topo: Json | None = None, save_bkup: bool = True) -> None:
    """Configure all routers as described, and save this configuration for later resets."""
    described = (topo or tgen.json_topo)["routers"]
    create.make_vrfs(tgen, described)
    lines = routers.everything(tgen, described)
    run_on_routers(
        tgen, lambda name: entry.configure(tgen, name, lines[name]), [name for name in described if lines[name]]
    )
    for name, router in described.items():
        for key, words in WORDS.items():
            if key in router:
                tgen.gears[name].vtysh_cmd(f"clear {words} process")
    if save_bkup:
        entry.save_initial_config_on_routers(tgen)


def create_tgen_from_json(testfile: str, json_file: str | None = None) -> Topogen:
    """The network of the JSON beside a test's file, with or without the word "test_"."""
    path = Path(testfile)
    named = [Path(json_file)] if json_file else []
    candidates = [*named, path.with_suffix(".json"), path.with_name(path.stem.removeprefix("test_") + ".json")]
    topo = json.loads(next(candidate for candidate in candidates if candidate.exists()).read_text(encoding="utf-8"))
    tgen = Topogen(lambda network: build_topo_from_json(network, topo), path.stem)
    tgen.json_topo = topo
    return tgen


def setup_module_from_json(testfile: str, json_file: str | None = None) -> Topogen:
    """The same, started and configured."""
    tgen = create_tgen_from_json(testfile, json_file)
    common_config.start_topology(tgen, common_config.topo_daemons(tgen))
    build_config_from_json(tgen)
    return tgen
