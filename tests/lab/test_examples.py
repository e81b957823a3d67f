"""The examples, run as a user types them, by an ordinary user, against what the drawing says in numbers.

These labs run in real time, so nothing here depends on how busy the machine is: upper bounds are physics, lower bounds
are generous. The first one runs as it is; the others' flows are shorter. `benchmarks/examples.py` holds the whole runs
against narrow bands.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats import mn
from tests.examples_data import EXAMPLES, short

pytestmark = [pytest.mark.lab, pytest.mark.timeout(300)]

#: Of those that are shorter.
DURATION_S = 3.0
#: Of 10 Mbit/s: a machine that stands still for a moment moves what is counted from one second to another.
LEAST_MBIT, MOST_MBIT = 1.0, 15.0


def run(ordinary_user: Any, *argv: str) -> dict[str, Any]:
    """What `miniedit-frr run ARGV --json` printed; it must end well."""
    done = ordinary_user.run([ordinary_user.python, "-m", "miniedit_frr", "run", *argv, "--json"], timeout=280)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    assert said["failures"] == []
    return said


def _short(ordinary_user: Any, name: str) -> Path:
    """The example in a file of the user's own, with short flows."""
    file: Path = ordinary_user.home / f"{name}.mn"
    file.write_text(mn.dumps(short(name, DURATION_S)))
    file.chmod(0o644)
    return file


def test_two_autonomous_systems_in_a_lab_kernel(ordinary_user: Any) -> None:
    out = ordinary_user.home / "out"
    said = run(ordinary_user, str(EXAMPLES / "two-as-bgp.mn"), "--place", "labkernel", "--out", str(out))
    assert "B>* 10.1.0.0/16 [20/0] via 10.9.0.2, r1-eth0" in said["routes"]["r1"]
    assert "B>* 10.0.0.0/16 [20/0] via 10.9.0.1, r2-eth1" in said["routes"]["r2"]
    ping = said["pings"][0]
    assert (ping["sent"], ping["received"], set(ping["ttl"])) == (3, 3, {62})
    assert min(ping["rtt_ms"]) >= 40
    flows = {flow["flow"]: flow for flow in said["summary"]["flows"]}
    assert {flow["congestion_control"] for flow in flows.values()} == {"cubic", "bbr"}
    assert all(LEAST_MBIT < flow["goodput_settled_mbit"] < MOST_MBIT for flow in flows.values())
    assert all(flow["min_rtt_ms"] >= 40 for flow in flows.values())
    # CUBIC fills the queue of 50 kB, which is 40 ms at 10 Mbit/s, and nothing but the queue counts towards its limit.
    assert flows["cubic"]["srtt_max_ms"] > 70
    queue = next(each for each in said["summary"]["queues"] if each["direction"] == "l2:r1-r2")
    assert 50_000 - 1514 <= queue["backlog_max_bytes"] <= 50_000
    for name in ("figure.png", "samples/tcp.csv", "samples/queue.csv", "topology.mn", "run.json"):
        assert (out / name).stat().st_size > 0
    facts = json.loads((out / "run.json").read_text())["facts"]
    assert {"kernel", "frr", "iperf3", "tc", "mininet", "python"} <= set(facts)


def test_a_ring_of_ospf_routers_with_a_tail(ordinary_user: Any) -> None:
    file = _short(ordinary_user, "ospf-multihop")
    said = run(ordinary_user, str(file), "--out", str(ordinary_user.home / "out"))
    assert "labkernel" in said["place"]
    assert len(said["converged_s"]) == 6
    # A packet starts with a TTL of 64 and each router takes one.
    assert 64 - said["pings"][0]["ttl"][0] >= 3
    assert sum(flow["goodput_settled_mbit"] for flow in said["summary"]["flows"]) < MOST_MBIT


@pytest.mark.parametrize("place", ["namespace", pytest.param("root", marks=pytest.mark.root)])
def test_without_delay_on_the_running_kernel(ordinary_user: Any, place: str, tmp_path: Path) -> None:
    file = str(_short(ordinary_user, "two-as-no-delay"))
    if place == "root":
        argv = [
            sys.executable,
            "-m",
            "miniedit_frr",
            "run",
            file,
            "--place",
            place,
            "--out",
            str(tmp_path / "out"),
            "--json",
        ]
        done = subprocess.run(argv, capture_output=True, text=True, check=False, cwd=EXAMPLES.parent)
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
    else:
        said = run(ordinary_user, file, "--place", place, "--out", "out")  # below the user's current folder
        assert (ordinary_user.home / "out" / "figure.png").exists()
    assert place in said["place"]
    assert "B>* 10.1.0.0/16 [20/0] via 10.9.0.2, r1-eth0" in said["routes"]["r1"]
    assert said["pings"][0]["ttl"] == [62, 62, 62]
    assert all(flow["goodput_settled_mbit"] < MOST_MBIT for flow in said["summary"]["flows"])
