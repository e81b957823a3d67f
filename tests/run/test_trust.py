"""A lab that is changed after all settings were compared: the run's verdict must show it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from frrlib.formats.mn import dumps
from frrlib.network.network import Network, Shape, Wait, end
from frrlib.run.run import RunSettings, run

pytestmark = [pytest.mark.lab]

LIMIT_BYTES = 60_000
#: Commands wait until pings pass: then the lab is up, and its settings were read back.
AFTER_PINGS = "while [ $(awk '/^{0}: [0-9]/{{print ${1}}}' /proc/net/snmp) -lt 3 ]; do sleep 0.1; done; "
FORWARDED, ANSWERS = ("Ip", 7), ("Icmp", 11)
SLOWER = f"tc qdisc change dev r1-eth1 root handle 1: tbf rate 6mbit burst 4542b limit {LIMIT_BYTES}b"
OTHER_CONTROL = "ip route replace default via 10.1.0.1 dev h1-eth0 congctl reno"


def test_changes_behind_the_topology_are_found(tmp_path: Path) -> None:
    net = Network("Otherwise than drawn", wait=Wait(routes=False, ping_count=4))
    net.host("h1", start_command=AFTER_PINGS.format(*ANSWERS) + OTHER_CONTROL)
    net.router("r1", start_command=AFTER_PINGS.format(*FORWARDED) + SLOWER)
    net.host("h2")
    net.link(end("h1", "10.1.0.10/24", congestion_control="bbr"), end("r1", "10.1.0.1/24"))
    net.link(end("r1", "10.2.0.1/24"), end("h2", "10.2.0.2/24"), a_to_b=Shape(rate_mbit=10, queue_bytes=LIMIT_BYTES))
    net.flow("f", "h1", "h2", congestion_control="", duration_s=3)
    out = tmp_path / "out"
    outcome = run(net.topology, dumps(net.topology), out, RunSettings(place="namespace"))
    assert outcome.failures == []
    assert outcome.summary is not None and outcome.summary.verdict == "not as drawn"
    findings = {(finding.what, finding.subject): finding for finding in outcome.summary.findings}
    control, rate = findings["control", "f"], findings["rate", "l2:r1-h2"]
    assert (control.severity, control.configured, control.measured) == ("wrong", "bbr", "reno")
    # If the machine is busy, too, that may be the reason of the low rate.
    assert rate.severity != "ok" and rate.configured == pytest.approx(10)
    assert float(rate.measured or 0) < 6.2
    # Unchanged settings are correct: the machine may delay a ping, but no queue holds more than its limit.
    assert findings["queue", "l2:r1-h2"].severity == "ok"
    assert findings["base RTT", "h1 - h2"].configured == 0
    # All findings are in the folder, and at least one processor was observed.
    stored = json.loads((out / "summary.json").read_text())
    assert stored["verdict"] == "not as drawn"
    assert "processors" in {finding["what"] for finding in stored["findings"]}


def test_a_run_in_real_time_without_flows_gets_a_verdict(tmp_path: Path) -> None:
    net = Network("No flows", wait=Wait(routes=False))
    net.host("h1")
    net.host("h2")
    net.link("h1", "h2")
    outcome = run(net.topology, dumps(net.topology), tmp_path / "out", RunSettings(place="namespace"), figure=False)
    assert outcome.failures == [] and outcome.summary is not None
    assert [(row.what, row.subject) for row in outcome.summary.findings] == [("processors", "machine")]
    assert outcome.summary.verdict in ("trustworthy", "doubtful")  # this machine may be busy
