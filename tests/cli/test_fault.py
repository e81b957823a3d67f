"""`miniedit-frr fault` on a detached lab, and `miniedit-frr timeline` with topologies and invalid folders."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.edits.fault_plan import set_faults
from frrlib.formats import mn
from frrlib.model.fault_words import VERBS, parse_planned
from frrlib.network.network import Network, Ospf
from tests.cli.commands import ROOT, command_output, detached_lab, output_in, process_output


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A detached lab of two routers with a unique name."""
    folder = tmp_path_factory.mktemp("faults")
    net = Network("Two routers")
    net.router("r1", ospf=Ospf())
    net.router("r2", ospf=Ospf())
    net.link("r1", "r2")
    with detached_lab(net.topology, folder, "fault-cli") as name:
        yield name, folder


@pytest.mark.lab
def test_faults_are_injected_into_a_running_lab_and_cleared(lab: tuple[str, Path]) -> None:
    name, folder = lab
    assert "There are no faults" in command_output("fault", name)
    assert "link-down l1: has lost its carrier" in process_output("fault", name, "link-down", "l1", cwd=folder)
    carrier = ("exec", name, "r1", "cat", "/sys/class/net/r1-eth0/operstate")
    assert "down" in process_output(*carrier, cwd=folder)
    assert "1 processes" not in command_output("fault", name, "freeze", "r2")
    state = command_output("fault", name)
    assert "without carrier: l1" in state and "frozen: r2" in state
    clear_output = process_output("fault", name, "clear", cwd=folder)
    assert "thawed r2: continues" in clear_output and "link-up l1: has carrier again" in clear_output
    assert "no fault to clear" in command_output("fault", name, "mend")
    assert "up" in process_output(*carrier, cwd=folder)
    assert "answers after" in command_output("fault", name, "restart", "r1", "ospfd")
    # every command has left the lab running
    assert name in process_output("labs", cwd=folder)


#: Each verb once, with the lab's reply. Together they clear all faults.
REPLIES_TO_VERBS = {
    "link-down l1": "link-down l1: has lost its carrier",
    "link-up l1": "link-up l1: has carrier again",
    "loss l1": "loss l1: all packets are lost",
    "loss l1 0%": "loss-over l1: loses no more packets",
    "set l1 rate=8 queue=40": "link-values l1: rate=8mbit queue=40packets",
    "interface-down r1-eth0": "interface-down r1:r1-eth0: r1-eth0 put down",
    "interface-up r1-eth0": "interface-up r1:r1-eth0: r1-eth0 put up",
    "flap r1-eth0 1 200ms": "flap r1:r1-eth0: flaps once, 0.2 s each",
    "stop r1 ospfd": "daemon-stopped r1:ospfd: ospfd stopped",
    "cont r1 ospfd": "daemon-continued r1:ospfd: ospfd continues",
    "kill r1 ospfd": "daemon-killed r1:ospfd: ospfd killed",
    "restart r1 ospfd": "daemon-restarted r1:ospfd: ospfd restarted",
    "freeze r1": "frozen r1: ",
    "thaw r1": "thawed r1: continues",
    "partition r1": "partition r1: is cut off: l1 down",
    "heal": "healed: l1 up again",
    "power-cycle r2 300ms": "power-on r2: its daemons answer",
}


@pytest.mark.lab
def test_every_verb_does_something_in_a_running_lab(lab: tuple[str, Path]) -> None:
    name, _ = lab
    assert {words.split()[0] for words in REPLIES_TO_VERBS} == VERBS.keys() - {"vary"}  # which needs the clock of a run
    assert "plan it beside the flows" in command_output("fault", name, "vary", "l1", "rate=ramp:1:5", "9s", status=2)
    for words, answer in REPLIES_TO_VERBS.items():
        assert answer in command_output("fault", name, *words.split()), words
    assert "with changed values: l1" in (state := command_output("fault", name))
    assert len(state.splitlines()) == 1  # and nothing else is left of it


@pytest.mark.lab
def test_a_refused_fault_names_the_alternatives(lab: tuple[str, Path]) -> None:
    name, _ = lab
    assert "one of zebra, ospfd" in command_output("fault", name, "kill", "r1", "bgpd", status=2)
    assert "there is no link l7; choose one such as l1" in command_output("fault", name, "link-down", "l7", status=2)
    assert "'much' is not a time" in command_output("fault", name, "loss", "l1", "much", status=2)


def test_planned_faults_are_checked_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    example = str(ROOT / "examples" / "two-as-no-delay.mn")
    wrong = {
        "link-down l9": "'link-down l9' does not begin with a time",
        "1 link-down l9": "there is no link l9",
        "1 kill r1 ospfd": "r1 has no ospfd. Expected one of zebra, bgpd.",
        "1 kill r9 bgpd": "there is no node r9",
        "1 kill h1 bgpd": "h1 does not run FRR",
        "1 loss l2 soon": "'soon' is not a time",
    }
    for command in ("run", "timeline"):
        for words, message in wrong.items():
            assert message in command_output(command, example, "--fault", words, status=2)
    assert not (tmp_path / "results").exists()
    assert "a fault at 500 s starts after the end of all flows" in _late(tmp_path)


def _late(folder: Path) -> str:
    """The output of `check` for a fault after the end of all flows."""
    topology = mn.load(ROOT / "examples" / "two-as-no-delay.mn").topology
    late = set_faults(topology, [parse_planned(topology, "500 link-down l2")])
    (folder / "late.mn").write_text(mn.dumps(late))
    return command_output("check", folder / "late.mn")


@pytest.mark.lab
def test_a_run_with_a_fault_has_a_timeline(tmp_path: Path) -> None:
    topology = mn.load(ROOT / "examples" / "two-as-no-delay.mn").topology
    flow = topology.flows[0].model_copy(update={"duration_s": 12.0})  # BGP may need several attempts to connect again
    (tmp_path / "short.mn").write_text(mn.dumps(topology.model_copy(update={"flows": (flow,)})))
    run = process_output("run", "short.mn", "--out", "kept", "--fault", "1 link-down l2 1s", cwd=tmp_path)
    assert "miniedit-frr timeline kept" in run
    story = output_in(tmp_path, "timeline", "kept")
    assert "link-down l2 at 1." in story and "has lost its carrier for 1 s" in story and "has carrier again" in story
    assert "data arrives again" in story


def test_a_timeline_needs_results(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert "contains no results" in process_output("timeline", "empty", cwd=tmp_path, status=2)
    assert "shows one run" in output_in(tmp_path, "timeline", "empty", "empty", "--figure", "x.png", status=2)
    stored = ROOT / "tests" / "data" / "results-v1"
    assert "fault" in process_output("timeline", str(stored), cwd=tmp_path)
