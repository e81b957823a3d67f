"""A program that ignores and blocks signals starts labs whose programs receive all of them, as after a login."""

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
#: The caller ignores and blocks some signals. The program starts a lab and prints the signal masks of its programs.
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
status = {}
with Lab(net.topology, place=sys.argv[1]) as lab:
    status["command"] = lab["h1"].run("grep", "Sig", "/proc/self/status")
    lab.run_flows()
    for name in ("started", "flowed"):
        status[name] = wait_for(lambda: lab["h1"].run("cat", f"/tmp/{name}"), name)
    status["zebra"] = lab["r1"].run("sh", "-c", "grep Sig /proc/$(cat /var/run/frr/zebra.pid)/status")
    status["terminal"] = lab.terminal_argv(["grep", "Sig", "/proc/self/status"], "h1")
    print(json.dumps(status), flush=True)
    sys.stdin.readline()
"""


def _ignored_and_blocked(status: str) -> tuple[int, int]:
    """The sets of ignored and blocked signals, from the text of /proc/PID/status.

    SSH's server ignores SIGXFSZ itself, as in every login, and the C library its own signals (32 and 33). They are left
    out.
    """
    sets = {name: int(mask, 16) for name, mask in re.findall(r"(SigIgn|SigBlk):\s*(\w+)", status)}
    return sets["SigIgn"] & ~_set(25, 32, 33), sets["SigBlk"]


def _set(*numbers: int) -> int:
    return sum(1 << number - 1 for number in numbers)


@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_programs_of_a_lab_receive_every_signal(place: str, tmp_path: Path) -> None:
    # `trap ''` of a shell ignores signals, and its children inherit that. A shell has no command that blocks signals.
    deaf = "trap '' INT QUIT HUP USR1 PIPE TERM; exec \"$@\""
    block = "import os, signal, sys; signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR2, signal.SIGTSTP});"
    argv = ["sh", "-c", deaf, "sh", sys.executable, "-c", f"{block} os.execv(sys.argv[1], sys.argv[1:])",
            sys.executable, "-c", PROGRAM, place]  # fmt: skip
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as program:
        assert program.stdin and program.stdout
        status: dict[str, Any] = json.loads(program.stdout.readline())
        command, *words = status.pop("terminal")
        with pexpect.spawn(command, words, encoding="utf-8", timeout=PATIENCE_S) as terminal:
            status["terminal"] = terminal.read()
        program.stdin.write("\n")
        program.stdin.close()
        assert program.wait(PATIENCE_S) == 0
    frr = status.pop("zebra")
    no_signals = (0, 0)
    assert {name: _ignored_and_blocked(mask) for name, mask in status.items()} == dict.fromkeys(status, no_signals)
    # FRR ignores SIGPIPE itself, and blocks the signals that it waits for
    ignored, _ = _ignored_and_blocked(frr)
    assert ignored & ~_set(13) == 0
