"""Labs in virtual time: they repeat byte for byte, their clock stops between requests, and stalled labs are ended."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

from frrlib import wire
from frrlib.errors import LabFailed, PlaceError
from frrlib.expect.expectation import UnmetExpectation, expect, text
from frrlib.formats.mn import dumps
from frrlib.lab import virtual_clock
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from frrlib.model.traffic.kinds import ConstantRate
from frrlib.network.network import Network, Shape, Wait, end
from frrlib.results.read import open_results
from frrlib.results.records import Results
from frrlib.results.statistics.statistics import statistics as figures_of
from frrlib.results.statistics.summary import Summary, summarize
from frrlib.run.run import RunOutcome, RunSettings, measure, run
from tests.waiting import pause

RATE_MBIT, RTT_MS, SECONDS = 10.0, 40.0, 4.0
#: A full frame of 1514 bytes carries 1448 bytes of the flow.
GOODPUT_MBIT = RATE_MBIT * 1448 / 1514

pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]


def _two_hosts(loss_percent: float = 0.0) -> Topology:
    net = Network("Two hosts", wait=Wait(ping_count=2))
    net.host("h1")
    net.host("h2")
    shape = Shape(rate_mbit=RATE_MBIT, delay_ms=RTT_MS / 2, queue_ms=100, loss_percent=loss_percent)
    net.link(end("h1", "10.0.0.1/24"), end("h2", "10.0.0.2/24"), both=shape)
    net.flow("f", "h1", "h2", congestion_control="cubic", duration_s=SECONDS)
    return net.topology


def _run(out: Path, topology: Topology, seed: int = 1) -> tuple[Results, dict[str, bytes]]:
    outcome = run(topology, dumps(topology), out, RunSettings(virtual_time=True, seed=seed))
    assert outcome.failures == []
    return open_results(out), {path.name: path.read_bytes() for path in (out / "samples").iterdir()}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Results, dict[str, bytes]]]:
    """One topology with random losses, run twice with the same seed and once with another."""
    folder = tmp_path_factory.mktemp("virtual")
    return [_run(folder / str(number), _two_hosts(0.1), seed) for number, seed in enumerate((1, 1, 2))]


def test_the_same_seed_gives_the_same_samples_byte_for_byte(runs: list[tuple[Results, dict[str, bytes]]]) -> None:
    (_, first), (_, second), (_, other_seed) = runs
    # both ends, a hundred times a second; the connection takes another second if the first packet is lost
    assert len(first["tcp.csv"].splitlines()) > (SECONDS - 1.2) * 2 * 90
    assert first == second
    assert first["tcp.csv"] != other_seed["tcp.csv"]  # other packets are lost


def test_measurements_equal_the_values_of_the_topology(tmp_path: Path) -> None:
    results, samples = _run(tmp_path / "out", _two_hosts())
    report = results.flow_report("f")
    assert report is not None
    received = report["end"]["sum_received"]
    assert received["bytes"] * 8 / received["seconds"] / 1e6 == pytest.approx(GOODPUT_MBIT, rel=0.03)
    (ping,) = results.info.pings
    assert min(ping.rtt_ms) == pytest.approx(RTT_MS, abs=0.2)
    assert results.info.settings["virtual_time"] is True
    assert results.info.settings["seed"] == 1
    assert len(samples["cpu.csv"].splitlines()) == 1  # computing takes no virtual time, so there are no samples
    events = [event for event in results.events if event.kind == "flow"]
    assert events[-1].time_s is not None
    assert events[-1].time_s >= SECONDS
    summary = summarize(results)
    assert (summary.verdict, [row.message for row in summary.findings if row.severity != "ok"]) == ("trustworthy", [])
    assert [row.subject for row in summary.findings if row.what == "processors"] == ["virtual time"]
    stored = Summary.model_validate_json((tmp_path / "out" / "summary.json").read_text())
    assert stored.verdict == "trustworthy"


def test_pings_keep_their_interval_and_do_not_wait_for_hardware_addresses() -> None:
    """This holds in a lab that has just started, and on a path where a hardware address takes 600 ms to resolve."""
    net = Network("Three hosts")
    for name in ("h1", "h2", "h3"):
        net.host(name)
    net.link(end("h1", "10.0.0.1/24"), end("h2", "10.0.0.2/24"), both=Shape(delay_ms=RTT_MS / 2))
    net.link(end("h1", "10.0.1.1/24"), end("h3", "10.0.1.3/24"), both=Shape(delay_ms=300))
    with Lab(net.topology, virtual_time=True) as lab:
        begin_s = lab.now_s()
        lab["h1"].run("ping", "-q", "-c", "3", "-i", "0.2", "10.0.0.2")
        # Two intervals, and a round trip for the last ping. To `ping`, a clock of 0 s is one that it has not read yet.
        assert lab.now_s() - begin_s >= 0.4 + RTT_MS / 1000
        ping = lab.ping("h1", "h3")
        assert (ping["sent"], ping["received"]) == (3, 3)
        assert ping["rtt_ms"] == pytest.approx([600.0] * 3, abs=0.1)


def test_no_round_trip_is_longer_than_the_base_rtt_and_a_full_queue(tmp_path: Path) -> None:
    """Neighbor entries age during the run, and the reply to the receiver's request waits in the queue for 12 s."""
    rate_mbit, delay_ms, queue_bytes = 0.512, 10.0, 786_432
    net = Network("Full downlink")
    net.host("h1")
    net.router("r1")
    net.host("h2")
    down = Shape(rate_mbit=rate_mbit, delay_ms=delay_ms, queue_bytes=queue_bytes, burst_frames=1)
    net.link("h1", "r1")
    net.link("r1", "h2", a_to_b=down, b_to_a=Shape(rate_mbit=8, delay_ms=delay_ms))
    # Reno leaves slow start only after a loss, so it fills the queue at once.
    net.flow("f", "h1", "h2", congestion_control="reno", duration_s=66)
    out, settings = tmp_path / "out", RunSettings(virtual_time=True, sample_hz=10, captures=("h2:h2-eth0",))
    outcome = run(net.topology, dumps(net.topology), out, settings, figure=False)
    assert outcome.failures == [] and outcome.summary is not None
    longest_ms = 2 * delay_ms + (queue_bytes + 1514) * 8e-3 / rate_mbit
    assert 0.9 * longest_ms < (outcome.summary.flow("f").srtt_max_ms or 0) <= longest_ms
    [capture] = (out / "captures").iterdir()
    # Destination, source and type of Ethernet, then ARP up to its operation: h2's requests are all to the known r1.
    requests = re.findall(rb"(.{6}).{6}\x08\x06\x00\x01\x08\x00\x06\x04\x00\x01", capture.read_bytes(), re.DOTALL)
    assert len(requests) > 3 and len(set(requests)) == 1 and requests[0] != b"\xff" * 6


def test_the_drops_of_a_run_equal_the_kernels_count(tmp_path: Path) -> None:
    net = Network("Too much", wait=Wait(ping_count=0))
    net.host("h1")
    net.host("h2")
    shape = Shape(rate_mbit=RATE_MBIT, delay_ms=100, queue_ms=5)  # it drops long before the first byte arrives
    net.link(end("h1", "10.0.0.1/24"), end("h2", "10.0.0.2/24"), both=shape)
    net.flow("f", "h1", "h2", duration_s=0.5, traffic=ConstantRate(rate_mbit=2 * RATE_MBIT))
    lab, outcome, qdiscs = Lab(net.topology, virtual_time=True), RunOutcome(tmp_path / "out"), []

    def read_tc() -> None:
        qdiscs.extend(json.loads(lab["h1"].run("tc", "-s", "-j", "qdisc", "show", "dev", "h1-eth0")))

    measure(
        lab, dumps(net.topology), outcome, RunSettings(virtual_time=True), lambda _: None, linger=read_tc, figure=False
    )
    assert outcome.summary is not None
    (queue,) = (queue for queue in outcome.summary.queues if queue.drops)
    assert queue.drops == max(qdisc["drops"] for qdisc in qdiscs) > 100
    (statistics,) = (
        queue_statistics
        for queue_statistics in figures_of(open_results(tmp_path / "out")).queues
        if queue_statistics.dropped_percent
    )
    sent = max(qdisc["packets"] for qdisc in qdiscs)
    assert statistics.dropped_percent == pytest.approx(100 * queue.drops / (queue.drops + sent), abs=0.2)


def test_time_passes_only_during_requests() -> None:
    with Lab(_two_hosts(), virtual_time=True) as lab:
        pause(0.5)  # the last messages may still be on their way
        before_s = lab.now_s()
        pause(1.0)
        assert lab.now_s() == before_s
        result = lab.ask(wire.Execute("h1", ("sleep", "600"), 700))  # longer than the timeout of any test
        assert result["status"] == 0
        assert lab.now_s() - before_s == pytest.approx(600, abs=1.0)
        with pytest.raises(PlaceError, match="cannot be entered"):
            lab.terminal_argv(["bash"], "h1")


def test_expect_waits_by_the_clock_of_the_lab() -> None:
    with Lab(_two_hosts(), virtual_time=True) as lab:
        begin_s, real_begin_s = lab.now_s(), time.monotonic()
        with pytest.raises(UnmetExpectation, match=r"in 600\.0 s") as raised:
            expect(lambda: lab["h1"].run("echo", "no"), text("yes"), timeout_s=600, interval_s=100)
        assert raised.value.times == 7
        assert lab.now_s() - begin_s == pytest.approx(600, abs=1.0)
        assert time.monotonic() - real_begin_s < 600


def test_a_program_that_never_sleeps_is_reported_and_ends_the_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(virtual_clock, "COMPUTING_S", 0.5)
    with Lab(_two_hosts(), virtual_time=True) as lab:
        with pytest.raises(LabFailed, match=r"^/usr/bin/python3 -c while True: pass computes without sleeping"):
            lab.ask(wire.Execute("h1", ("/usr/bin/python3", "-c", "while True: pass"), 5.0))
        with pytest.raises(LabFailed):
            lab.ping("h1", "h2")


#: A program that uses up the descriptors of inotify that a user may have, and then starts a lab in virtual time.
_WITHOUT_INOTIFY = """
import ctypes
libc = ctypes.CDLL(None)
while libc.inotify_init1(0) >= 0:
    pass
from frrlib.errors import PlaceError
from frrlib.lab.lab import Lab
from frrlib.network.network import Network
net = Network("One host")
net.host("h1")
try:
    Lab(net.topology, virtual_time=True).start()
except PlaceError as error:
    print(error)
"""


def test_a_failure_of_the_supervisor_is_named(ordinary_user: Any) -> None:
    user = ordinary_user.as_daemon()  # other tests of the same user would free descriptors
    ended = user.run([user.python, "-c", _WITHOUT_INOTIFY])
    assert "its supervisor failed" in ended.stdout, ended.stderr
    assert "the lab's folder cannot be watched (Too many open files)" in ended.stdout
    assert "Remedy: raise the limit (sudo sysctl fs.inotify.max_user_instances" in ended.stdout
