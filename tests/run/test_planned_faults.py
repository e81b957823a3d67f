"""Faults that are planned beside flows: each is made, stored in the results, and shown in the timeline."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.edits.fault_plan import set_faults
from frrlib.formats import mn
from frrlib.model.fault_words import parse_planned
from frrlib.model.faults import CLEARING, KINDS
from frrlib.network.network import Network, Ospf, Shape
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.timeline import fault_timeline
from frrlib.run.run import RunSettings, run
from tests.examples.data import DEMONSTRATIONS, EXAMPLES

pytestmark = pytest.mark.lab

#: The times and words of faults, and the words in labs with netem if they differ.
PLAN = (
    (0.5, "link-down l1", ""), (1.0, "link-up l1", ""), (1.5, "loss l1 0.4s", "loss l1 30% 0.4s towards r2"),
    (2.2, "set l1 rate=5 queue=20", "set l1 rate=5 delay=4ms queue=20"), (2.6, "interface-down r1-eth0", ""),
    (3.0, "interface-up r1-eth0", ""), (3.4, "flap r1-eth0 2 0.4s", ""), (4.6, "kill r3 ospfd", ""),
    (5.2, "restart r3 ospfd", ""), (6.2, "stop r2 ospfd", ""), (6.6, "cont r2 ospfd", ""), (7.0, "freeze r2", ""),
    (7.4, "thaw r2", ""), (7.8, "partition r1,h1", ""), (8.3, "heal", ""), (8.7, "power-cycle r3 500ms", ""),
)  # fmt: skip
#: Events that are the end of a planned fault.
ENDINGS = {"loss-over", "power-on"}


def _results_of(settings: RunSettings, folder: Path) -> Results:
    has_netem = settings.virtual_time
    net = Network("A bit of everything")
    for name in ("r1", "r2", "r3"):
        net.router(name, ospf=Ospf(hello_s=1, dead_s=4))
    net.host("h1")
    net.host("h2")
    both = Shape(rate_mbit=10, delay_ms=1 if has_netem else 0)
    for a, b in (("r1", "r2"), ("r2", "r3"), ("r3", "r1")):
        net.link(a, b, both=both)
    net.link("h1", "r1")
    net.link("h2", "r2")
    net.flow("f", "h1", "h2", duration_s=12)
    planned = []
    for at_s, words, with_netem in PLAN:
        chosen_words = with_netem if has_netem and with_netem else words
        planned.append(parse_planned(net.topology, f"{at_s} {chosen_words}"))
    topology = set_faults(net.topology, planned)
    outcome = run(topology, mn.dumps(topology), folder, settings, figure=False)
    assert outcome.failures == []
    return open_results(folder)


@pytest.mark.alone  # it compares an order in time
def test_every_kind_of_fault_begins_as_planned_in_a_namespace(tmp_path: Path) -> None:
    _check_faults(_results_of(RunSettings("namespace"), tmp_path / "run"), latest_s=5.0)


def test_every_kind_of_fault_begins_as_planned_in_virtual_time(virtual_time: None, tmp_path: Path) -> None:
    _check_faults(_results_of(RunSettings(virtual_time=True, sample_hz=20), tmp_path / "run"), latest_s=0.5)


def _check_faults(results: Results, *, latest_s: float) -> None:
    """Compare events and timeline of a run with its plan. Each fault begins less than `latest_s` after its time."""
    events = sorted((event for event in results.events if event.kind == "fault"), key=lambda event: event.time_s)
    assert {event.what for event in events} == {*KINDS, *ENDINGS} - {"varied"}  # that one appears as changed values
    topology = mn.loads((results.folder / "topology.mn").read_text()).topology
    assert len(topology.faults) == len(PLAN)
    for fault in topology.faults:
        at_s = [event.time_s for event in events if (event.what, event.subject) == (fault.kind, fault.target)]
        assert any(fault.time_s <= event_s < fault.time_s + latest_s for event_s in at_s), (fault, at_s)
    flapping = [event.what for event in events if event.subject == "r1:r1-eth0" and event.time_s >= 3.4]
    assert flapping == ["flap", *["interface-down", "interface-up"] * 2]

    timeline = fault_timeline(results)
    assert [chapter.fault for chapter in timeline.chapters] == [
        fault.kind for fault in topology.faults if fault.kind not in CLEARING
    ]
    carrier = timeline.chapters[0]
    assert carrier.detected_by == "carrier"
    assert carrier.detected_s < 3  # long before any timer of OSPF
    cleared = [moment.text.partition(",")[0] for chapter in timeline.chapters for moment in chapter.moments
              if moment.what == "cleared"]  # fmt: skip
    assert set(cleared) == CLEARING


@pytest.mark.parametrize("name", DEMONSTRATIONS)
def test_a_demonstration_shows_detection_new_routes_and_the_gap(name: str, virtual_time: None, tmp_path: Path) -> None:
    """A shorter run of the examples: the link loses all packets and keeps its carrier."""
    topology = mn.load(EXAMPLES / f"{name}.mn").topology
    with_bfd = name.endswith("bfd")
    flow = topology.flows[0].model_copy(update={"duration_s": 6.0 if with_bfd else 14.0})
    fault = topology.faults[0].model_copy(update={"duration_s": None, "time_s": 3.0})
    shorter = topology.model_copy(update={"flows": (flow,), "faults": (fault,)})
    outcome = run(
        shorter, mn.dumps(shorter), tmp_path / "run", RunSettings(virtual_time=True, sample_hz=20), figure=False
    )
    assert outcome.failures == []
    assert outcome.summary is not None
    assert outcome.summary.verdict != "not as drawn", outcome.summary.findings
    (chapter,) = fault_timeline(open_results(tmp_path / "run")).chapters
    assert (chapter.fault, chapter.target) == ("loss", "l1")
    assert 0 <= chapter.time_s - 3.0 < 2
    (gap,) = chapter.gaps
    assert chapter.detected_by == ("bfd" if with_bfd else "ospf's timer")
    # The dead interval is 8 s and a hello comes every 2 s; BFD waits for three packets, 100 ms apart.
    assert chapter.detected_s < 5.9 if with_bfd else chapter.detected_s >= 5.9
    # The times are from different clocks: FRR's log, and netlink for the routes.
    assert chapter.detected_s <= chapter.spf_s + 0.5 and chapter.spf_s <= chapter.first_route_s + 0.5
    assert gap.lasted_s > chapter.detected_s - 1
