"""The examples: every file runs in virtual time, and in real time in a namespace, or else in a lab kernel.

Numbers are compared in virtual time, where they do not depend on the machine. In real time a lab is built (which reads
back its queues and delays), converges, and answers one ping; a lab kernel, which has run all of them in virtual time,
does so with one example for each set of abilities that a namespace lacks. `benchmarks/examples.py --everywhere` runs
all examples in real time in both places, and without that option compares whole runs with narrow bands.
"""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats import mn
from frrlib.lab.needs import needs_of
from frrlib.place.choice import unmet_needs
from frrlib.place.labkernel import LabKernel
from frrlib.place.namespace import Namespace
from frrlib.run.run import RunSettings, run
from tests.examples.data import DEMONSTRATIONS, EXAMPLES, short, tried

pytestmark = [pytest.mark.lab, pytest.mark.timeout(300)]

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.mn"))
#: Labs that start at the same time. Most of them wait for a protocol's timers most of the time.
TOGETHER = 4


def test_two_autonomous_systems_in_virtual_time_by_an_ordinary_user(ordinary_user: Any, virtual_time: None) -> None:
    """The whole run, by the command line and without rights, against the numbers of the topology."""
    out = ordinary_user.home / "out"
    argv = ["run", str(EXAMPLES / "two-as-bgp.mn"), "--virtual-time", "--out", str(out), "--json"]
    done = ordinary_user.run([ordinary_user.python, "-m", "miniedit_frr", *argv], timeout=280)
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    assert printed["failures"] == []
    assert "B>* 10.1.0.0/16 [20/0] via 10.9.0.2, r1-eth0" in printed["routes"]["r1"]
    assert "B>* 10.0.0.0/16 [20/0] via 10.9.0.1, r2-eth1" in printed["routes"]["r2"]
    ping = printed["pings"][0]
    assert (ping["sent"], ping["received"], ping["ttl"]) == (3, 3, [62, 62, 62])
    # 20 ms each way, and 98 bytes at 10 Mbit/s each way that wait for no other packet.
    assert all(40 <= rtt_ms < 40.2 for rtt_ms in ping["rtt_ms"])
    flows = {flow["flow"]: flow for flow in printed["summary"]["flows"]}
    assert {flow["congestion_control"] for flow in flows.values()} == {"cubic", "bbr"}
    # 1448 of 1514 bytes of 10 Mbit/s are data: 9.564 Mbit/s.
    assert all(9.2 < flow["goodput_settled_mbit"] < 9.57 for flow in flows.values())
    assert all(flow["min_rtt_ms"] >= 40 for flow in flows.values())
    # CUBIC fills the queue of 50 kB, which is 40 ms at 10 Mbit/s, and nothing but the queue counts towards its limit.
    assert 70 < flows["cubic"]["srtt_max_ms"] < 82
    queue = next(row for row in printed["summary"]["queues"] if row["direction"] == "l2:r1-r2")
    assert 50_000 - 1514 <= queue["backlog_max_bytes"] <= 50_000
    for name in ("figure.png", "samples/tcp.csv", "samples/queue.csv", "topology.mn", "run.json"):
        assert (out / name).stat().st_size > 0
    facts = json.loads((out / "run.json").read_text())["facts"]
    assert {"kernel", "frr", "iperf3", "tc", "mininet", "python"} <= set(facts)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in DEMONSTRATIONS])
def test_in_virtual_time(name: str, virtual_time: None, tmp_path: Path) -> None:
    """A run with short flows and without faults. `test_faults_planned.py` has the demonstrations of faults."""
    topology = short(name).model_copy(update={"faults": ()})
    outcome = run(
        topology, mn.dumps(topology), tmp_path / "out", RunSettings(virtual_time=True, sample_hz=10), figure=False
    )
    assert outcome.failures == []
    assert set(outcome.converged_s) == {router.name for router in topology.routers if router.runs_frr}
    # A ping may be lost by chance, which differs from kernel to kernel.
    is_lossy = any(shape.loss_percent for link in topology.links for shape in (link.a_to_b, link.b_to_a))
    assert all(ping["received"] == ping["sent"] or (is_lossy and ping["received"]) for ping in outcome.pings)
    assert outcome.summary is not None
    assert outcome.summary.verdict == "trustworthy", outcome.summary.findings


@pytest.mark.parametrize("place", [Namespace.name, LabKernel.name])
def test_in_real_time(place: str, record_property: Any) -> None:
    """A place cannot run the examples for which it lacks an ability. The message of the lab names the ability."""
    topologies = {name: mn.load(EXAMPLES / f"{name}.mn").topology for name in NAMES}
    abilities = {kind.name: kind.abilities() for kind in (Namespace(), LabKernel())}
    if not abilities[place].available:
        pytest.skip(abilities[place].reason)
    if place == LabKernel.name:
        in_namespace = abilities[Namespace.name]
        lacking = {name: tuple(unmet_needs(needs_of(topology), in_namespace)) for name, topology in topologies.items()}
        first = {needs: name for name, needs in reversed(lacking.items()) if needs or not in_namespace.available}
        topologies = {name: topologies[name] for name in first.values()}
    missing = {
        name: ", ".join(unmet_needs(needs_of(topology), abilities[place])) for name, topology in topologies.items()
    }
    with ThreadPoolExecutor(TOGETHER) as pool:
        reasons = dict(
            zip(topologies, pool.map(lambda topology: tried(topology, place), topologies.values()), strict=True)
        )
    for name, reason in reasons.items():
        if missing[name]:
            record_property(f"{name} in {place}", reason)
            assert missing[name] in reason
    assert {name: reason for name, reason in reasons.items() if reason and not missing[name]} == {}
