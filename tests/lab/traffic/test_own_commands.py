"""Links with custom tc commands in a lab: they are executed, read back and sampled, and the verdict ignores them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from frrlib.errors import CommandFailed
from frrlib.formats.mn import dumps
from frrlib.lab.lab import Lab
from frrlib.model.topology import Topology
from frrlib.network.network import Network, Shape, Wait, end
from frrlib.results.read import open_results
from frrlib.run.run import RunSettings, run

pytestmark = [pytest.mark.lab]

#: A slow shaper with a queue of 20 packets that no field describes: htb above tbf, and the queue two levels below.
LIMIT_PACKETS = 20
COMMANDS = (
    "root handle 1: stab overhead 4 htb default 7",
    "class parent 1: classid 1:7 htb rate 50mbit burst 15k",
    "parent 1:7 handle 2: tbf rate 4mbit burst 5k limit 200k",
    f"parent 2:1 handle 3: pfifo limit {LIMIT_PACKETS}",
)


def pair(*lines: str) -> Topology:
    net = Network("Own commands", wait=Wait(routes=False, ping_count=1))
    net.host("h1")
    net.router("r1")
    net.host("h2")
    net.link(end("h1", "10.1.0.10/24"), end("r1", "10.1.0.1/24"))
    net.link(end("r1", "10.2.0.1/24"), end("h2", "10.2.0.2/24"), a_to_b=Shape(qdiscs=lines))
    net.flow("f", "h1", "h2", congestion_control="cubic", duration_s=2)
    return net.topology


def test_custom_commands_are_executed_and_read_back_and_their_innermost_queue_is_sampled(tmp_path: Path) -> None:
    topology, out = pair(*COMMANDS), tmp_path / "out"
    outcome = run(topology, dumps(topology), out, RunSettings(place="namespace"), figure=False)
    assert outcome.failures == []
    results = open_results(out)
    (own_commands,) = results.info.facts["own_commands"].values()
    assert own_commands["asked"] == list(COMMANDS)
    qdiscs = {entry["handle"]: (entry["kind"], entry.get("parent")) for entry in own_commands["there"]}
    assert qdiscs["1:"] == ("htb", None) and qdiscs["2:"] == ("tbf", "1:7") and qdiscs["3:"] == ("pfifo", "2:1")
    # CUBIC fills the queue, which is the pfifo. It never exceeds its limit, and drops packets.
    assert set(results.queue["direction"]) == {"l2:r1-h2"}
    assert results.queue["backlog_packets"].max() == LIMIT_PACKETS
    drops = results.queue["drops"].max()
    assert drops > 0
    # The qdiscs above are named by kind and handle. The same packets wait in them.
    named = results.aqm["discipline"]
    assert set(named) == {"htb 1:", "tbf 2:"}
    above = results.aqm["value"][(named == "tbf 2:") & (results.aqm["statistic"] == "backlog_packets")]
    assert above.max() == pytest.approx(LIMIT_PACKETS, abs=1)
    # The rate of the commands is recorded for figures. No finding is about it, nor about the round trip.
    assert results.info.queues["l2:r1-h2"].rate_mbit == 4
    assert outcome.summary is not None
    subjects = {(finding.what, finding.subject) for finding in outcome.summary.findings}
    assert not {name for name, _ in subjects} & {"rate", "queue", "base RTT", "loss"}
    sent = results.queue["sent_bytes"]
    assert float(np.nanmax(sent)) * 8e-6 / 2 < 4.3
    assert json.loads((out / "run.json").read_text())["facts"]["own_commands"]


def test_a_refused_command_is_reported_with_link_direction_and_tcs_message() -> None:
    topology = pair("root handle 1: tbf rate 4mbit burst 5k limit 100k", "parent 1:1 pfifo limit many")
    lab = Lab(topology, place="namespace")
    with pytest.raises(CommandFailed) as caught, lab:
        pass
    message = str(caught.value)
    assert "tc qdisc add dev r1-eth1 parent 1:1 pfifo limit many" in message
    assert "link l2 from r1 to h2" in message
    assert 'Illegal value for "limit": "many"' in message
