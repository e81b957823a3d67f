"""A lab whose programs replace the agent on its wire: the program ends in order and reports the failure.

Root in a lab can take the agent's descriptors. So no message on the wire, and no file of a lab, may block the program,
fill its memory, end it with a traceback, or reach the user's terminal as more than text.
"""

from __future__ import annotations

import base64
import json
import os
import re
import resource
import signal
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats.mn import dumps
from frrlib.network.network import Network, Shape
from tests.waiting import PATIENCE_S, pause, wait_for
from tests.walls.strangers import FREEZE, WITH_WIRE

pytestmark = [pytest.mark.lab, pytest.mark.timeout(240)]

_DEEP = (
    WITH_WIRE
    + r"""
time.sleep(2)
wire.sendall(b'\n{"type":"done","id":2,"result":{"a":' + b"[" * 100000 + b"]" * 100000 + b"}}\n")
"""
)
_MARKUP = (
    WITH_WIRE
    + r"""
time.sleep(1)
said = r'[/nothing] [link=http://evil]click[/link] \u001b]0;OWNED\u0007\u001b[2J'
wire.sendall(b'\n{"type":"step","name":"flows","state":"done","time_s":1,"text":"' + said.encode() + b'"}\n')
wire.sendall(b'\n{"type":"step","name":"flows","state":"odd","time_s":1,"text":"' + said.encode() + b'"}\n')
wire.sendall(b'{"type":"daemon_died","router":"../../../../x\\u001b[2J","daemon":"../y","status":1,"log":"L","time_s":1}\n')
"""
)
_FLOOD = (
    WITH_WIRE
    + r"""
time.sleep(1)
data = b"x" * 65536
until = time.time() + 60
while time.time() < until:
    wire.sendall(data)
"""
)
_CONSOLE = (
    WITH_WIRE
    + r"""
os.ftruncate(os.open("/proc/1/fd/1", os.O_RDWR), 1 << 38)
time.sleep(1)
wire.shutdown(socket.SHUT_RDWR)
"""
)
_LOGS = r"""
import os
os.makedirs("/run/lab/files/logs", exist_ok=True)
os.chdir("/run/lab/files/logs")
os.truncate(os.open("sparse.log", os.O_CREAT | os.O_WRONLY), 15 << 30)
for name in ("closed.log", "a" * 250, "\x1b[2J"):
    os.write(os.open(name, os.O_CREAT | os.O_WRONLY, 0), b"said")
try:
    os.chmod(".", 0)
except PermissionError:
    pass  # in a lab kernel a mode is for ever
"""
_WRONG = (
    WITH_WIRE
    + r"""
time.sleep(1)
for number in range(2, 12):
    wire.sendall(b'\n{"type":"done","id":%d,"result":{"flows":[1],"status":"no","sent":[],"seconds":7}}\n' % number)
"""
)
#: Prints escape sequences to the console, and ends the lab.
_LAST_WORDS = (
    WITH_WIRE
    + r"""
time.sleep(2)
for path in ("/proc/1/fd/1", "/dev/console"):
    try:
        with open(path, "w") as console:
            console.write("\x1b]0;OWNED\x07\x1b[2J\x9b31m \u202e[/nothing]\n" * 50)
    except OSError:
        pass
wire.shutdown(socket.SHUT_RDWR)
"""
)
#: Stops the process that carries the streams over a lab kernel's serial line, and writes in its place: bytes of all
#: streams, more than any of their readers has requested. A namespace has no such line.
_SERIAL = r"""
import os, signal, struct, time
line, carriers = "/dev/ttyS0", []
for name in filter(str.isdigit, os.listdir("/proc")):
    try:
        if any(os.readlink(f"/proc/{name}/fd/{each}") == line for each in os.listdir(f"/proc/{name}/fd")):
            carriers.append(int(name))
    except OSError:
        pass
print("carried by", len(carriers), flush=True)
time.sleep(1)
for pid in carriers:
    os.kill(pid, signal.SIGSTOP)
until = time.time() + 5
if carriers:
    out = os.open(line, os.O_RDWR | os.O_NOCTTY)
    frames = b"".join(struct.pack("<BBH", kind, stream, 60000 if not kind else 0) + bytes(60000 if not kind else 0)
                      for stream in (0, 1, 7, 255) for kind in (1, 0, 3, 4, 9))
    while time.time() < until:
        left = memoryview(frames)
        while left:
            left = left[os.write(out, left):]
    for pid in carriers:
        os.kill(pid, signal.SIGCONT)
"""
ATTACKS = {
    "serial": _SERIAL,
    "wrong": _WRONG,
    "deep": _DEEP,
    "flood": _FLOOD,
    "console": _CONSOLE,
    "text and logs": _MARKUP + _LAST_WORDS,  # the lab has the hostile logs, too
}
#: The attacks that depend on the way of the messages out of the lab, which is a serial line in a lab kernel.
_ON_SERIAL_LINES = ("serial", "flood", "console")
#: The program's maximum memory. The floods of the attacks are far larger.
_MEMORY_MIB = 1500


def _command(code: str) -> str:
    packed = base64.b64encode(code.encode()).decode()
    return f"python3 -c 'import base64; exec(base64.b64decode(\"{packed}\"))'"


def _topology_file(user: Any, code: str, duration_s: float = 3, logs: str = "") -> Path:
    """A topology in whose lab h1 runs `code` in the background, and h2 runs `logs` before the lab is ready."""
    net = Network("hostile")
    net.host("h1", start_command=f"{_command(code)} > /run/lab/files/said 2>&1 &")
    net.host("h2", start_command=_command(logs) if logs else "")
    net.link("h1", "h2", both=Shape(rate_mbit=5, queue_packets=50))
    net.flow("f", "h1", "h2", duration_s=duration_s)
    path: Path = user.home / "hostile.mn"
    path.write_text(dumps(net.topology))
    path.chmod(0o644)
    return path


@pytest.mark.parametrize(
    ("attack", "place"),
    [*((attack, "namespace") for attack in ATTACKS), *((attack, "labkernel") for attack in _ON_SERIAL_LINES)],
)
def test_the_program_survives_attacks_on_its_wire(ordinary_user: Any, attack: str, place: str) -> None:
    # a lab kernel's line may be too slow for a flood to have an effect before the run is over
    ends = attack == "deep" or (attack == "flood" and place == "namespace")
    logs = _LOGS if attack == "text and logs" else ""
    topology_file = _topology_file(ordinary_user, ATTACKS[attack], 30 if ends else 3, logs)
    out = ordinary_user.home / "out"
    argv = [
        ordinary_user.python,
        "-m",
        "miniedit_frr",
        "run",
        str(topology_file),
        "--place",
        place,
        "--out",
        str(out),
        "--trust",
    ]
    memory_before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    done = ordinary_user.run(argv, timeout=150)
    output = done.stdout + done.stderr
    # Not "its last output: Traceback": the message quotes the console, where a lab's own programs may print one.
    assert not re.search(r"^\W*Traceback", output, re.MULTILINE), output
    assert done.returncode in (0, 1), (done.returncode, output)
    assert "\x1b" not in output and "\x07" not in output
    if (memory_after := resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) > memory_before:
        assert memory_after < _MEMORY_MIB << 10, f"{memory_after >> 10} MiB"
    status = json.loads((out / "run.json").read_text())["status"]
    assert status == ("failed" if done.returncode else "finished")
    if ends:
        assert "sends malformed messages" in output, (out / "files/said").read_text()
    if attack == "serial":
        assert (out / "files/said").read_text() == f"carried by {int(place == 'labkernel')}\n"
    if attack == "wrong":
        assert "the agent's reply to" in output and "is malformed: " in output
    if attack == "text and logs":
        assert "[/nothing] [link=http://evil]click[/link]" in output and "�]0;OWNED��[2J" in output
        assert (out / "logs/sparse.log").stat().st_size < 17 << 20
        short = [path for path in (out / "logs").iterdir() if path.stat().st_size == 4]
        assert [path.read_text() for path in short] == ["said"] * 3, (
            "logs that were closed, or had a name that is too long"
        )


@pytest.mark.parametrize("place", ["namespace", "labkernel"])
@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM])
def test_an_agent_that_reads_nothing_does_not_block_the_program(
    ordinary_user: Any, place: str, signal_: signal.Signals
) -> None:
    """The agent is stopped by a debugger's system calls. Ctrl-C ends the program at once."""
    topology_file, out = _topology_file(ordinary_user, FREEZE), ordinary_user.home / "out"
    argv = [
        ordinary_user.python,
        "-m",
        "miniedit_frr",
        "run",
        str(topology_file),
        "--place",
        place,
        "--out",
        str(out),
        "--trust",
    ]
    run = ordinary_user.popen(argv)
    try:
        wait_for((out / "files/stopped").exists, "the agent's stop")
        assert run.poll() is None
        os.kill(run.pid, signal_)
        pause(1.0)
        if signal_ == signal.SIGINT and run.poll() is None:  # it requested an orderly end, which this lab never reaches
            os.kill(run.pid, signal.SIGINT)
        assert run.wait(PATIENCE_S) == 128 + signal_
    finally:
        run.kill()
        run.wait()
