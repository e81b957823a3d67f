"""A drawing whose hosts attack in every way that is known, run by an ordinary user from the command line.

`tests.walls.attacks` has a row for each attack. Which test tries which way is in `tests.walls.test_covered`.
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
from tests.walls.attacks import ATTACKS, FORMULA, SECRET, TITLE, Seen
from tests.walls.bait import Bait
from tests.walls.kills import Range

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

#: Runs a program while its user's keyring has a key, of whose number the program is told; says what became of it.
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


def _listening(where: Any, reached: list[str]) -> socket.socket:
    """A server outside that enters who comes."""
    server = socket.socket(socket.AF_INET if isinstance(where, tuple) else socket.AF_UNIX)
    server.bind(where)
    server.listen()

    def serve() -> None:
        try:
            server.accept()
        except OSError:
            return  # closed, and nobody had come
        reached.append(repr(where))

    threading.Thread(target=serve, daemon=True).start()
    return server


def _drawing(folder: Path, words: dict[str, object]) -> Path:
    net = Network(TITLE, wait=Wait(ping_count=0))
    for name, command in attacks.commands(words).items():
        net.host(name, start_command=command, stop_command=attacks.NAMES_END if name == "names" else "")
    net.link("figure", "formulas", both=Shape(rate_mbit=5, queue_packets=50))
    net.flow(FORMULA, "figure", "formulas", duration_s=1)
    said = json.loads(mn.dumps(net.topology))
    said["hosts"][0]["x"] = "1e308"
    path = folder / "strangers.mn"
    path.write_text(json.dumps(said), encoding="utf-8")
    return path


def _attacked(user: Any, place: str) -> Seen:
    """Run all attacks in one lab."""
    own, bait = Range(user), Bait(user.home / "labs/bait", user.uid, user.gid)
    reached, abstract = bait.reached, f"bait-of-{user.home.name}"
    servers = [_listening(where, reached) for where in ("\0" + abstract, ("127.0.0.1", 0))]
    try:
        words = {
            "SHOWN": own.shown, "BAIT": bait.folder, "ABSTRACT": abstract, "PORT": servers[1].getsockname()[1],
            "HOME": user.home, "SECRETS": attacks.own_home(user.home, user.uid, user.gid),
            "PID": own.bystander.pid, "KEYNAME": abstract,
        }  # fmt: skip
        drawing = _drawing(own.folder, words)
        os.chown(drawing, user.uid, user.gid)
        with traced(user) as traces:
            run = [user.python, "-m", "miniedit_frr", "run", str(drawing), "--place", place]
            run += ["--trust", "--out", str(own.out)]
            argv = [user.python, "-c", _WITH_A_KEY, abstract, SECRET, str(drawing), *run]
            done = user.run(argv, env={"TOKEN": SECRET}, timeout=200, stdin=subprocess.DEVNULL)
            assert traces.left() == []
        said = done.stdout + done.stderr
        assert "Traceback" not in said and done.returncode == 1, said  # a command of one host has failed
        reached += [data.decode() for data in [bait.fifo_got()] if data]
        key = Path(f"{drawing}.key").read_text(encoding="ascii")
        return Seen(place, own.out, said, user.uid, reached, own.changed(), key)
    finally:
        own.close()
        for server in servers:
            server.close()


def _wrong(seen: Seen) -> dict[str, str]:
    """What has come of which attack."""
    found = {}
    for attack in ATTACKS:
        try:
            attack.holds(seen)
        except AssertionError as error:
            found[attack.name] = str(error)
    return found


@pytest.mark.parametrize("place", ["namespace", "labkernel"])
def test_nothing_comes_of_it(ordinary_user: Any, place: str) -> None:
    seen = _attacked(ordinary_user, place)
    assert _wrong(seen) == {}
    # what is left is no hindrance to the next run, nor to who removes it by plain means
    net = Network("harmless", wait=Wait(ping_count=0))
    net.host("h1")
    drawing = ordinary_user.home / "labs/harmless.mn"
    drawing.write_text(mn.dumps(net.topology), encoding="utf-8")
    argv = [ordinary_user.python, "-m", "miniedit_frr", "run", str(drawing), "--place", place, "--overwrite"]
    done = ordinary_user.run([*argv, "--out", str(seen.out)], timeout=100)
    assert done.returncode == 0, done.stderr
    assert list((seen.out / "files").rglob("*")) == []
    assert [path.name for path in seen.out.parent.iterdir() if path.name.startswith(".replaced")] == []
    shutil.rmtree(seen.out)
