"""What labs leave behind: nothing for what tests do on purpose, everything for what they do not."""

from __future__ import annotations

import json
import re
import resource
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "two-as-no-delay.mn"

#: In the order of what is found in the end.
SCRIPT = """
import json, sys, time
from frrlib.expect import expect
from frrlib.formats import mn
from frrlib.lab import Lab
from frrlib.lab.leftovers import LeftoverMonitor

def told(watch, lab):
    return [[each.kind, each.node, each.text] for each in watch.find_leftovers(lab)]

watch = LeftoverMonitor()
with Lab(mn.load(sys.argv[1]).topology, place="namespace", listener=watch.record) as lab:
    watch.begin(lab)
    lab["r1"].kill("bgpd")
    lab["r1"].restart("bgpd")
    lab["r2"].restart("zebra")
    lab["h1"].run("sh", "-c", "sleep 0.3 &")
    with lab["r1"].vtysh_session() as session:
        session.run("show version")
    clean = told(watch, lab)
    lab["h2"].run("sh", "-c", "sleep 4321 >/dev/null 2>&1 &")
    lab["r2"].kill("bgpd", 11)
    expect(lambda: [each[0] for each in told(watch, lab)], lambda kinds: len(kinds) >= int(sys.argv[2]), timeout_s=20)
    print(json.dumps([clean, told(watch, lab)]))
"""


def test_what_a_lab_leaves_behind(ordinary_user: Any) -> None:
    # A core dump comes into the lab only where the kernel does not hand it to a program of the machine's own, and
    # where whoever started us allows it.
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
    assert [each for each in remains if each[0] == "process"] == [["process", "h2", "sleep 4321"]]
    assert len(remains) == 3 + dumps
