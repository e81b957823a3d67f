"""The examples, run as a user types them, by an ordinary user, against what the drawing says in numbers."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.lab, pytest.mark.timeout(300)]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def run(ordinary_user: Any, *argv: str) -> tuple[subprocess.CompletedProcess[str], dict[str, Any]]:
    """`miniedit-frr run ARGV --json` and what it printed."""
    done = ordinary_user.run([ordinary_user.python, "-m", "miniedit_frr", "run", *argv, "--json"])
    return done, json.loads(done.stdout) if done.stdout.strip() else {}


def test_two_autonomous_systems_in_a_lab_kernel(ordinary_user: Any, tmp_path: Path) -> None:
    out = ordinary_user.home / "out"
    done, said = run(ordinary_user, str(EXAMPLES / "two-as-bgp.mn"), "--place", "labkernel", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert "B>* 10.1.0.0/16 [20/0] via 10.9.0.2, r1-eth0" in said["routes"]["r1"]
    assert "B>* 10.0.0.0/16 [20/0] via 10.9.0.1, r2-eth1" in said["routes"]["r2"]
    ping = said["pings"][0]
    assert (ping["sent"], ping["received"], set(ping["ttl"])) == (3, 3, {62})
    assert all(abs(rtt - 40) <= 1 for rtt in ping["rtt_ms"])
    flows = {flow["flow"]: flow for flow in said["summary"]["flows"]}
    # 10 Mbit/s of frames of 1514 bytes carry 1448 bytes of data each: 9.56 Mbit/s.
    assert all(9.2 <= flow["goodput_settled_mbit"] <= 9.6 for flow in flows.values())
    assert flows["bbr"]["srtt_median_ms"] < 60
    # The queue of one bandwidth-delay product adds another 40 ms when it is full.
    assert 70 <= flows["cubic"]["srtt_max_ms"] <= 85
    for name in ("figure.png", "samples/tcp.csv", "samples/queue.csv", "topology.mn", "run.json"):
        assert (out / name).stat().st_size > 0


def test_a_ring_of_ospf_routers_with_a_tail(ordinary_user: Any) -> None:
    done, said = run(ordinary_user, str(EXAMPLES / "ospf-multihop.mn"), "--out", str(ordinary_user.home / "out"))
    assert done.returncode == 0, done.stderr
    assert len(said["converged_s"]) == 6
    # A packet starts with a TTL of 64 and each router takes one.
    assert 64 - said["pings"][0]["ttl"][0] >= 3
    flows = said["summary"]["flows"]
    assert 9.0 <= sum(flow["goodput_settled_mbit"] for flow in flows) <= 9.6
