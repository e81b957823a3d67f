"""A sealed router in a lab: it routes like any other, and its users get no shell in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.edits.generators import line
from frrlib.edits.routing_presets import lab_timers_everywhere, ospf_everywhere
from frrlib.errors import SealedNode
from frrlib.lab.lab import Lab
from frrlib.model.nodes import Router
from frrlib.model.sealed import seal
from frrlib.model.topology import Topology
from miniedit_frr.session import requests
from tests.cli.commands import detached_lab, process_output

pytestmark = pytest.mark.lab


def sealed_middle() -> Topology:
    """Three OSPF routers in a line; the one in the middle is sealed."""
    topology = lab_timers_everywhere(ospf_everywhere(line(3, hosts=0)))
    nodes = tuple(seal(node) if isinstance(node, Router) and node.name == "r2" else node for node in topology.nodes)
    return topology.model_copy(update={"nodes": nodes})


def test_a_sealed_router_routes_and_is_not_shown() -> None:
    with Lab(sealed_middle(), place="namespace") as lab:
        lab.wait_converged()
        assert lab.ping("r1", "r3")["received"] == 3
        assert sorted(lab.running_configs()) == ["r1", "r3"]
        assert requests.terminal_command(lab, "r1", ["vtysh"])
        with pytest.raises(SealedNode, match="r2 is sealed"):
            requests.terminal_command(lab, "r2", ["vtysh"])


def test_commands_refuse_a_sealed_router(tmp_path: Path) -> None:
    with detached_lab(sealed_middle(), tmp_path, "sealed") as name:
        assert process_output("exec", name, "r1", "echo", "here", cwd=tmp_path) == "here\n"
        for words in (("exec", name, "r2", "true"), ("shell", name, "r2"), ("vtysh", name, "r2", "-c", "show run")):
            assert "r2 is sealed" in process_output(*words, cwd=tmp_path, status=1)
        output = process_output("config", "show", name, cwd=tmp_path)
        assert "---- r1" in output and "---- r2" not in output
