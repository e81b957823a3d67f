"""A topology with hosts that attack in every known way, run by an ordinary user from the command line.

`tests.walls.attacks` has a row for each attack. `tests.walls.test_covered` lists the tests of each way.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats import mn
from frrlib.network.network import Network, Shape, Wait
from tests.traces import traced
from tests.walls import attacks
from tests.walls.attacks import ATTACKS, FORMULA, SECRET, TITLE, AttackedRun
from tests.walls.bait import Bait
from tests.walls.kills import Range

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

#: Runs a program while its user's keyring has a key, passes the key's number, and writes the key's content afterwards.
_WITH_A_KEY = """
import ctypes, os, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
add, keyctl = {"x86_64": (248, 250), "aarch64": (217, 219)}[os.uname().machine]
name, secret, drawing, *argv = sys.argv[1:]
ring = ctypes.c_int(-4)
key = libc.syscall(add, b"user", name.encode(), secret.encode(), len(secret), ring)
text = open(drawing).read().replace("@KEY@", str(key)).replace("@PROGRAM@", str(os.getpid()))
open(drawing, "w").write(text)
done = subprocess.run(argv)
kept = ctypes.create_string_buffer(1000)
size = libc.syscall(keyctl, 11, key, kept, 1000, 0)
open(drawing + ".key", "wb").write(kept.raw[:max(size, 0)])
libc.syscall(keyctl, 9, key, ring)
sys.exit(done.returncode)
"""


def _listening(address: Any, reached: list[str]) -> socket.socket:
    """A server outside that records each connection."""
    server = socket.socket(socket.AF_INET if isinstance(address, tuple) else socket.AF_UNIX)
    server.bind(address)
    server.listen()

    def serve() -> None:
        try:
            server.accept()
        except OSError:
            return  # closed without a connection
        reached.append(repr(address))

    threading.Thread(target=serve, daemon=True).start()
    return server


def _topology_file(folder: Path, words: dict[str, object]) -> Path:
    net = Network(TITLE, wait=Wait(ping_count=0))
    for name, command in attacks.commands(words).items():
        net.host(name, start_command=command, stop_command=attacks.NAMES_END if name == "names" else "")
    net.link("figure", "formulas", both=Shape(rate_mbit=5, queue_packets=50))
    net.flow(FORMULA, "figure", "formulas", duration_s=1)
    topology = json.loads(mn.dumps(net.topology))
    topology["hosts"][0]["x"] = "1e308"
    path = folder / "strangers.mn"
    path.write_text(json.dumps(topology), encoding="utf-8")
    return path


def _attacked(user: Any, place: str) -> AttackedRun:
    """Run all attacks in one lab."""
    range_, bait = Range(user), Bait(user.home / "labs/bait", user.uid, user.gid)
    reached, abstract = bait.reached, f"bait-of-{user.home.name}"
    servers = [_listening(where, reached) for where in ("\0" + abstract, ("127.0.0.1", 0))]
    try:
        words = {
            "SHOWN": range_.shown, "BAIT": bait.folder, "ABSTRACT": abstract, "PORT": servers[1].getsockname()[1],
            "HOME": user.home, "SECRETS": attacks.make_secrets(user.home, user.uid, user.gid),
            "PID": range_.bystander.pid, "KEYNAME": abstract,
        }  # fmt: skip
        topology_file = _topology_file(range_.folder, words)
        os.chown(topology_file, user.uid, user.gid)
        with traced(user) as traces:
            run = [user.python, "-m", "miniedit_frr", "run", str(topology_file), "--place", place]
            run += ["--trust", "--out", str(range_.out)]
            argv = [user.python, "-c", _WITH_A_KEY, abstract, SECRET, str(topology_file), *run]
            process = user.run(argv, env={"TOKEN": SECRET}, timeout=200, stdin=subprocess.DEVNULL)
            assert traces.left() == []
        output = process.stdout + process.stderr
        assert "Traceback" not in output and process.returncode == 1, output  # a command of one host has failed
        reached += [data.decode() for data in [bait.fifo_got()] if data]
        key = Path(f"{topology_file}.key").read_text(encoding="ascii")
        return AttackedRun(place, range_.out, output, user.uid, reached, range_.changed(), key)
    finally:
        range_.close()
        for server in servers:
            server.close()


def _effects(run: AttackedRun) -> dict[str, str]:
    """The effect of each successful attack."""
    by_attack = {}
    for attack in ATTACKS:
        try:
            attack.holds(run)
        except AssertionError as error:
            by_attack[attack.name] = str(error)
    return by_attack


@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_no_attack_has_an_effect(ordinary_user: Any, place: str) -> None:
    run = _attacked(ordinary_user, place)
    assert _effects(run) == {}
    # the results block neither the next run nor their removal by ordinary means
    net = Network("harmless", wait=Wait(ping_count=0))
    net.host("h1")
    topology_file = ordinary_user.home / "labs/harmless.mn"
    topology_file.write_text(mn.dumps(net.topology), encoding="utf-8")
    argv = [ordinary_user.python, "-m", "miniedit_frr", "run", str(topology_file), "--place", place, "--overwrite"]
    done = ordinary_user.run([*argv, "--out", str(run.out)], timeout=100)
    assert done.returncode == 0, done.stderr
    assert list((run.out / "files").rglob("*")) == []
    assert [path.name for path in run.out.parent.iterdir() if path.name.startswith(".replaced")] == []
    shutil.rmtree(run.out)
