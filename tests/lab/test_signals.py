"""A program that hears few signals starts labs whose programs hear all of them, as after a login."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.lab

ROOT = Path(__file__).resolve().parents[2]
#: Its caller ignores and blocks what it likes to; then it starts a lab and tells what programs of the lab do.
PROGRAM = """
import json, signal, sys
from frrlib.lab import Lab
from frrlib.network import Command, Network
from frrlib.network import Ospf
from tests.waiting import wait_for
net = Network("Deaf")
net.host("h1", start_command="grep Sig /proc/self/status > /tmp/started")
net.router("r1", ospf=Ospf())
net.link("h1", "r1")
net.flow("f", "h1", "r1", duration_s=1, traffic=Command(command="grep Sig /proc/self/status > /tmp/flowed; sleep 1"))
told = {}
with Lab(net.topology, place=sys.argv[1]) as lab:
    told["command"] = lab["h1"].run("grep", "Sig", "/proc/self/status")
    lab.run_flows()
    for name in ("started", "flowed"):
        told[name] = wait_for(lambda: lab["h1"].run("cat", f"/tmp/{name}"), name)
    told["zebra"] = lab["r1"].run("sh", "-c", "grep Sig /proc/$(cat /var/run/frr/zebra.pid)/status")
    told["terminal"] = lab.terminal_argv(["grep", "Sig", "/proc/self/status"], "h1")
    print(json.dumps(told), flush=True)
    sys.stdin.readline()
"""


def _ignored_and_blocked(status: str) -> tuple[int, int]:
    """Of the lines of /proc/PID/status that tell of signals: the sets of what is ignored and what is blocked.

    Some ignore signals by themselves: SSH's server SIGXFSZ, as in every login, and the C library its own (32 and 33).
    """
    sets = {name: int(mask, 16) for name, mask in re.findall(r"(SigIgn|SigBlk):\s*(\w+)", status)}
    return sets["SigIgn"] & ~_set(25, 32, 33), sets["SigBlk"]


def _set(*numbers: int) -> int:
    return sum(1 << number - 1 for number in numbers)


@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_what_starts_in_a_lab_hears_every_signal(place: str, tmp_path: Path) -> None:
    # a shell's own words: `trap ''` ignores, and what it starts inherits that; nothing in a shell blocks
    deaf = "trap '' INT QUIT HUP USR1 PIPE TERM; exec \"$@\""
    block = "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2, signal.SIGTSTP});"
    argv = ["sh", "-c", deaf, "sh", sys.executable, "-c", f"{block} os.execv(sys.argv[1], sys.argv[1:])",
            sys.executable, "-c", PROGRAM, place]  # fmt: skip
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as program:
        assert program.stdin and program.stdout
        told: dict[str, Any] = json.loads(program.stdout.readline())
        ask, *words = told.pop("terminal")
        with pexpect.spawn(ask, words, encoding="utf-8", timeout=PATIENCE_S) as terminal:
            told["terminal"] = terminal.read()
        program.stdin.write("\n")
        program.stdin.close()
        assert program.wait(PATIENCE_S) == 0
    frr = told.pop("zebra")
    none = (0, 0)
    assert {name: _ignored_and_blocked(status) for name, status in told.items()} == dict.fromkeys(told, none)
    # FRR ignores SIGPIPE itself, and blocks what it waits for
    ignored, _ = _ignored_and_blocked(frr)
    assert ignored & ~_set(13) == 0
