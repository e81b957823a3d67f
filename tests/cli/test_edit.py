"""The command line of the editor. These tests open no window."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from frrlib.edits import mininet_topologies
from frrlib.errors import TopologyError
from frrlib.formats import mininet_topo, mn
from frrlib.model.links import Shape
from frrlib.model.topology import Topology
from miniedit_frr.cli.edit import initial_topology
from miniedit_frr.experiments import catalogue
from miniedit_frr.experiments.topologies import annotated_topology, find_case
from tests.cli.commands import invoke
from tests.experiments.small import SMALL

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "two-as-bgp.mn"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Path | None, Topology]]:
    """The files and topologies with which the window was opened."""
    from miniedit_frr.app import app

    windows: list[tuple[Path | None, Topology]] = []
    monkeypatch.setattr(app, "edit", lambda path, topology: windows.append((path, topology)))
    return windows


def test_miniedits_options(opened: list[tuple[Path | None, Topology]]) -> None:
    assert invoke("edit", "--topo", "tree,depth=2,fanout=3", "--link", "tc,bw=10,delay=5ms").exit_code == 0
    assert invoke("edit", "--topo=linear,3", "--no-controller").exit_code == 0
    assert invoke("edit").exit_code == 0
    assert invoke("edit", EXAMPLE).exit_code == 0
    shape = Shape(rate_mbit=10, delay_ms=5)
    assert opened == [
        (None, mininet_topologies.topology_of("tree,2,3", shape)),
        (None, mininet_topologies.topology_of("linear,3", controller=False)),
        (None, Topology()),
        (EXAMPLE, Topology()),
    ]


def test_a_case_of_an_experiment(
    tmp_path: Path, opened: list[tuple[Path | None, Topology]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "experiments", lambda: {SMALL.name: SMALL})
    assert invoke("experiment", "open", "cf5", "right-cubic").exit_code == 0
    ((path, topology),) = opened
    assert path is None and topology == annotated_topology(SMALL, find_case(SMALL, "right-cubic"))
    to = tmp_path / "case.mn"
    assert invoke("experiment", "export", "CF5", "right-cubic", "--out", to).output.strip() == str(to)
    assert mn.load(to).topology == topology
    assert invoke("experiment", "export", "CF5", "--out", to).exit_code == 2  # it is there already
    assert invoke("experiment", "export", "CF5", "--out", to, "--overwrite").exit_code == 0
    assert mn.load(to).topology.title.startswith("CF5, published-bbr")
    refused = invoke("experiment", "open", "CF5", "right-cubick")
    assert refused.exit_code == 2 and "did you mean right-cubic" in refused.output


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--topo", "star"], "not a topology of Mininet"), (["--topo", "tree,size=3"], "no parameter"),
        (["--link", "wifi"], "not a link type"), (["--link", "tc,colour=red"], "no option"),
        (["--link", "default,bw=3"], "no option"), (["--link", "tc,bw=fast"], "rate_mbit"),
        (["--link", "tc,delay=soon"], "not a time"), (["--link", "tc,loss=200"], "loss_percent"),
        ([str(EXAMPLE), "--topo", "minimal"], "cannot be combined"), (["a.mn", "b.mn"], "unexpected"),
    ],
)  # fmt: skip
def test_invalid_options_are_refused_and_no_window_opens(
    opened: list[tuple[Path | None, Topology]], argv: list[str], words: str
) -> None:
    result = invoke("edit", *argv)
    assert result.exit_code == 2
    assert words in result.stderr
    assert opened == []


def test_a_custom_file_is_never_executed(tmp_path: Path, opened: list[tuple[Path | None, Topology]]) -> None:
    custom, mark = tmp_path / "custom.py", tmp_path / "ran"
    custom.write_text(f"open({str(mark)!r}, 'w')")
    result = invoke("edit", "--custom", custom)
    assert result.exit_code == 2
    assert "never executes files that it opens" in result.stderr
    assert "mininet_topo.topology_of" in result.stderr
    assert opened == [] and not mark.exists()


@pytest.mark.parametrize("spec", ["minimal", "single,3", "reversed,3", "linear,3,2", "tree,2,2", "torus,3,3"])
def test_a_topology_in_python_is_converted(spec: str, tmp_path: Path) -> None:
    util, topo, topolib = (pytest.importorskip(f"mininet.{name}") for name in ("util", "topo", "topolib"))
    topo_classes = {
        "minimal": topo.MinimalTopo, "linear": topo.LinearTopo, "reversed": topo.SingleSwitchReversedTopo,
        "single": topo.SingleSwitchTopo, "tree": topolib.TreeTopo, "torus": topolib.TorusTopo,
    }  # fmt: skip
    theirs = mininet_topo.topology_of(util.buildTopo(topo_classes, spec))
    ours = mininet_topologies.topology_of(spec, controller=False)
    assert {node.name: node.kind for node in theirs.nodes} == {node.name: node.kind for node in ours.nodes}
    pairs = lambda topology: sorted(tuple(sorted((link.a.node, link.b.node))) for link in topology.links)  # noqa: E731
    assert pairs(theirs) == pairs(ours)
    mn.save(theirs, tmp_path / "a.mn")
    assert mn.load(tmp_path / "a.mn").topology == theirs


def test_addresses_and_links_of_a_topology_in_python() -> None:
    class Mine(pytest.importorskip("mininet.topo").Topo):  # type: ignore[misc]
        def build(self) -> None:
            self.addHost("h1", ip="10.0.1.5/24", defaultRoute="via 10.0.1.1")
            self.addHost("h2")
            self.addSwitch("s1", dpid="1a")
            self.addLink("h1", "s1", bw=10, delay="5ms", loss=0.5, max_queue_size=100, jitter="1ms", use_htb=True)
            self.addLink("s1", "h2", max_queue_size=100)

    with pytest.warns(mininet_topo.MininetRemark, match=r"l2\.max_queue_size: .* no bw"):
        topology = mininet_topo.topology_of(Mine())
    first, second = topology.links
    assert [str(address) for address in first.a.addresses] == ["10.0.1.5/24"]
    assert first.a_to_b == first.b_to_a
    assert first.a_to_b == Shape(rate_mbit=10, delay_ms=5, loss_percent=0.5, queue_packets=100, jitter_ms=1)
    assert second.a_to_b == Shape()
    h1, s1 = topology.node("h1"), topology.node("s1")
    assert (str(h1.default_route), s1.dpid) == ("10.0.1.1", "1a")  # type: ignore[union-attr]


def test_invalid_values_of_a_topology_in_python_are_refused_with_their_node() -> None:
    class Mine(pytest.importorskip("mininet.topo").Topo):  # type: ignore[misc]
        def build(self) -> None:
            self.addHost("h1", ip="somewhere")

    with pytest.raises(TopologyError, match="h1"):
        mininet_topo.topology_of(Mine())
    for options in ({"latency_ms": "soon"}, {"bw": "fast"}, {"params1": {"ip": "somewhere"}}, {"addr2": "first"}):
        topo = pytest.importorskip("mininet.topo").Topo()
        topo.addLink(topo.addHost("h1"), topo.addHost("h2"), **{"bw": 10, "use_tbf": True, **options})
        with pytest.raises(TopologyError, match="l1"):
            mininet_topo.topology_of(topo)
    with pytest.raises(TopologyError, match="--link"):
        initial_topology("minimal", "tc,bw=-1")


def test_the_help_lists_options_and_topologies() -> None:
    help_text = invoke("edit", "--help").stdout
    for word in ("--topo", "--link", "--custom", "tree", "torus", "tc,bw=10"):
        assert word in help_text
    assert "--overwrite" in invoke("export", "--help").stdout


def test_the_shell_completes(tmp_path: Path) -> None:
    def completed(words: str, count: int) -> set[str]:
        env = {**os.environ, "PYTHONPATH": str(ROOT), "_MINIEDIT_FRR_COMPLETE": "complete_bash"}
        env |= {"COMP_WORDS": words, "COMP_CWORD": str(count)}
        script = "from miniedit_frr.cli.main import app; app(prog_name='miniedit-frr')"
        result = subprocess.run([sys.executable, "-c", script], env=env, capture_output=True, text=True, cwd=tmp_path)
        return set(result.stdout.split())

    assert {"edit", "export", "run", "check"} <= completed("miniedit-frr ", 1)
    assert "--topo" in completed("miniedit-frr edit --", 2)
    assert completed("miniedit-frr export a.mn --to ", 4) >= {"script"}
