"""Lines that FRR refuses: an error for a lab, unless the topology intends them; then routers start without them."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.checks.check import with_intended_errors
from frrlib.errors import LabFailed, TopologyError
from frrlib.exchange import opening
from frrlib.lab.checks import refuse_unsupported, refused_lines
from frrlib.lab.lab import Lab
from frrlib.model.nodes import Router
from frrlib.model.problem import REFUSED_LINE
from frrlib.model.topology import Topology
from frrlib.network.network import Network, end
from frrlib.place.checker import frr_check

#: vtysh does not know the first of these lines; bgpd refuses the second one, since there is no such neighbor.
MISSPELLED, UNDEFINED = "reistribute connected", "neighbor 198.51.100.1 activate"
CLAB = """\
name: two
topology:
  nodes:
    r1: {kind: linux, image: frrouting/frr, binds: ["r1.conf:/etc/frr/frr.conf"]}
    h1: {kind: linux, image: alpine}
  links: [{endpoints: ["r1:eth1", "h1:eth1"]}]
"""


def network(*lines: str) -> Topology:
    """r1 - r2, two AS; r1 also has the lines in its BGP section."""
    net = Network("Refused lines")
    own_lines = "\n".join([*(f"router bgp 65001\n {line}" for line in lines), "exit"]) if lines else ""
    neighbor = {"address": "192.0.2.2", "remote_as": 65002}
    net.router("r1", bgp={"asn": 65001, "neighbors": [neighbor]}, frr_conf=own_lines)
    net.router("r2", bgp={"asn": 65002, "neighbors": [{"address": "192.0.2.1", "remote_as": 65001}]})
    net.link(end("r1", "192.0.2.1/30"), end("r2", "192.0.2.2/30"))
    return net.topology


needs_frr = pytest.mark.skipif(not frr_check.can_check(), reason="needs FRR")


@needs_frr
def test_an_unknown_line_is_an_error_and_an_intended_one_a_warning() -> None:
    topology = network(MISSPELLED)
    assert [(problem.kind, problem.severity.value) for problem in refused_lines(topology)] == [(REFUSED_LINE, "error")]
    with pytest.raises(TopologyError, match="reistribute"):
        refuse_unsupported(topology)
    intended = with_intended_errors(topology)
    assert [(problem.kind, problem.severity.value) for problem in refused_lines(intended)] == [
        (REFUSED_LINE, "warning")
    ]
    refuse_unsupported(intended)


def test_lines_that_vtysh_must_not_read_stay_errors() -> None:
    with pytest.raises(TopologyError, match="command of vtysh itself"):
        refuse_unsupported(with_intended_errors(network("output file /tmp/x")))


def test_a_topology_without_lines_of_its_own_intends_none() -> None:
    assert with_intended_errors(network()).intended_problems == ()


def test_a_file_of_another_program_intends_refused_lines_of_its_routers(tmp_path: Path) -> None:
    file = tmp_path / "two.clab.yml"
    file.write_text(CLAB)
    (tmp_path / "r1.conf").write_text("")
    assert opening.load(file).topology.intended_problems == ()
    (tmp_path / "r1.conf").write_text(f"router bgp 65001\n {MISSPELLED}\nexit\n")
    assert opening.load(file).topology.intended_problems == (REFUSED_LINE,)


@pytest.mark.lab
@needs_frr
def test_a_router_starts_without_intended_lines() -> None:
    """bgpd's own configuration has the other lines, the session forms, and each refused line is in a warning."""
    topology = with_intended_errors(network(MISSPELLED, UNDEFINED))
    with Lab(topology) as lab:
        lab.wait_converged(timeout_s=60)
        running = lab["r1"].vtysh("show running-config")
        assert "neighbor 192.0.2.2 remote-as 65002" in running
        assert not any(words in running for words in ("reistribute", "redistribute", "198.51.100.1"))
        warnings = [warning for warning in lab.warnings if warning.startswith("r1: ")]
        assert MISSPELLED in " ".join(warnings)
        assert UNDEFINED in " ".join(warnings)
        r1, r2 = topology.routers
        described = Router.model_validate(
            {**r1.model_dump(), "frr_conf": r1.frr_conf.replace("exit", " timers bgp 5 15\nexit")}
        )
        changes = lab.apply(topology.model_copy(update={"nodes": (described, r2)}))
        assert len(changes) == 1
        assert "timers bgp 5 15" in lab["r1"].vtysh("show running-config")


@pytest.mark.lab
@needs_frr
def test_a_line_that_a_daemon_refuses_keeps_a_lab_from_starting_otherwise() -> None:
    with pytest.raises(LabFailed, match=f"r1: .*{UNDEFINED}"), Lab(network(UNDEFINED)):
        pass
