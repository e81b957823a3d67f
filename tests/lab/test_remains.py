"""Leftovers of labs: none of intended actions of tests, and all of the others."""

from __future__ import annotations

import json
import re
import resource
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "two-as-no-delay.mn"

#: The leftovers are made in the order in which they are found.
SCRIPT = """
import json, sys, time
from frrlib.expect import expect
from frrlib.formats import mn
from frrlib.lab import Lab
from frrlib.lab.leftovers import LeftoverMonitor

def leftovers(monitor, lab):
    return [[leftover.kind, leftover.node, leftover.text] for leftover in monitor.find_leftovers(lab)]

monitor = LeftoverMonitor()
with Lab(mn.load(sys.argv[1]).topology, place="namespace", listener=monitor.record) as lab:
    monitor.begin(lab)
    lab["r1"].kill("bgpd")
    lab["r1"].restart("bgpd")
    lab["r2"].restart("zebra")
    lab["h1"].run("sh", "-c", "sleep 0.3 &")
    with lab["r1"].vtysh_session() as session:
        session.run("show version")
    clean = leftovers(monitor, lab)
    lab["h2"].run("sh", "-c", "sleep 4321 >/dev/null 2>&1 &")
    lab["r2"].kill("bgpd", 11)
    kinds = lambda: [kind for kind, *_ in leftovers(monitor, lab)]
    expect(kinds, lambda kinds: len(kinds) >= int(sys.argv[2]), timeout_s=20)
    print(json.dumps([clean, leftovers(monitor, lab)]))
"""


def test_leftovers_of_a_lab(ordinary_user: Any) -> None:
    # A core dump is written in the lab only if the kernel does not pass it to a program of the machine, and if the
    # limit of this process allows it.
    pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
    dumps = bool(re.fullmatch(r"core[^/|]*", pattern)) and resource.getrlimit(resource.RLIMIT_CORE)[1] != 0
    line = 'ulimit -S -c hard; exec "$0" -c "$1" "$2" "$3"'
    argv = ["bash", "-c", line, ordinary_user.python, SCRIPT, str(EXAMPLE), "4" if dumps else "3"]
    done = ordinary_user.run(argv, timeout=100)
    assert done.returncode == 0, done.stderr
    clean, remains = json.loads(done.stdout)
    assert clean == []
    crashes = [text for kind, node, text in remains if (kind, node) == ("crash", "r2")]
    assert crashes[0] == "bgpd ended with signal 11"
    assert "Received signal 11" in crashes[1]
    dumped = [(node, text) for kind, node, text in remains if kind == "core dump"]
    assert [node for node, _ in dumped] == ["r2"] * dumps
    assert [leftover for leftover in remains if leftover[0] == "process"] == [["process", "h2", "sleep 4321"]]
    assert len(remains) == 3 + dumps
