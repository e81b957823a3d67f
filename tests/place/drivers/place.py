"""A program of its own, mostly run as an ordinary user: it starts a lab and carries out one scenario in it.

`drivers/place.py PLACE SCENARIO FOLDER [SERVER...]` or `... --site FOLDER...`. It prints one line of JSON, which a
test checks from outside.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import pexpect

from frrlib.place import temporary_folder as scratch
from frrlib.place.base import Program
from frrlib.place.labkernel import LabKernel
from frrlib.place.launch import LabLaunch
from frrlib.place.namespace import Namespace
from frrlib.place.root import Root
from frrlib.place.sandbox import SupervisedSandbox
from tests.place.drivers.ways_in import go_in

ROOT = Path(__file__).resolve().parents[3]
PLACES: dict[str, Namespace | LabKernel] = {
    "namespace": Namespace(),
    "labkernel": LabKernel(),
    "root": Root(),
}
#: Steps of a start, before which a program may be killed.
STEPS: dict[str, tuple[Any, str]] = {
    "dies before the folder": (scratch, "take"),
    "dies before the plan": (LabLaunch, "plan"),
    "dies before the launch": (LabLaunch, "launch"),
    "dies before the reply": (LabLaunch, "_await_supervisor"),
    "dies before the lab": (LabLaunch, "_await_init"),
}


def start(place: str, writable: Path, servers: tuple[str, ...] = (), site: tuple[Path, ...] = ()) -> SupervisedSandbox:
    """A lab with the echo program."""
    program = Program("echo_agent", ROOT, writable, site=(Path(__file__).parent, *site), servers=servers)
    lab = PLACES[place].start(program)
    assert lab.wire.reader.readline() == b"hello\n"
    return lab


def talk(lab: SupervisedSandbox, folder: Path) -> dict[str, Any]:
    """Commands, terminals, files and the wire."""
    outcome: dict[str, Any] = {"kernel": lab.facts.kernel}
    outcome["id"] = lab.command(["id", "-u"]).stdout.decode().strip()
    outcome["uname"] = lab.command(["uname", "-r"]).stdout.decode().strip()
    outcome["status"] = lab.command(["sh", "-c", "echo out; echo err >&2; exit 3"])._asdict()
    outcome["status"] = [
        outcome["status"]["status"],
        outcome["status"]["stdout"].decode(),
        outcome["status"]["stderr"].decode(),
    ]
    big = os.urandom(300_000)
    outcome["through"] = lab.command(["cat"], data=big).stdout == big
    lab.command(["ip", "netns", "add", "r1"])
    outcome["node"] = lab.command(["ip", "netns", "identify"], node="r1").status
    outcome["links"] = lab.command(["ls", "/sys/class/net"]).stdout.decode().split()
    outcome["terminal"] = terminal(lab)
    outcome["files"] = files(lab, folder)
    outcome["wire"] = wire(lab)
    return outcome


def terminal(lab: SupervisedSandbox) -> dict[str, Any]:
    """Two terminals at a time: size, change of size, interrupt, exit status."""
    shell, second_terminal = (
        lab.terminal_argv(),
        lab.terminal_argv(["sh", "-c", "tty; read word; echo got $word"], "r1"),
    )
    outcome: dict[str, Any] = {}
    child = pexpect.spawn(shell[0], shell[1:], dimensions=(33, 101), timeout=20, encoding="utf-8")
    second = pexpect.spawn(second_terminal[0], second_terminal[1:], timeout=20, encoding="utf-8")
    second.expect(r"/dev/pts/\d+")
    child.expect("# ")
    child.sendline("stty size; tty")
    child.expect(r"33 101\s+/dev/pts/\d+")
    child.setwinsize(40, 90)
    child.sendline("until [ \"$(stty size)\" = '40 90' ]; do :; done; echo re''sized")
    child.expect("resized")
    child.sendline("sh -c 'echo sle\"\"eping; exec sleep 1000'")
    child.expect("sleeping")
    child.sendintr()
    child.expect("# ")
    child.sendline("exit 7")
    child.expect(pexpect.EOF)
    child.close()
    outcome["exit"] = child.exitstatus
    second.sendline("word")
    second.expect("got word")
    second.expect(pexpect.EOF)
    second.close()
    outcome["second"] = second.exitstatus
    return outcome


def files(lab: SupervisedSandbox, folder: Path) -> dict[str, Any]:
    """A tree goes in and comes out again, without the link that the lab adds."""
    tree = folder / "tree"
    (tree / "deep").mkdir(parents=True)
    (tree / "a").write_text("alpha")
    (tree / "deep" / "b").write_bytes(bytes(range(256)) * 300)
    lab.put(tree, "/tmp/new/place")
    lab.command(["ln", "-s", "/etc/passwd", "/tmp/new/place/link"])
    lab.get("/tmp/new/place", folder / "back")
    returned = sorted(str(path.relative_to(folder / "back")) for path in (folder / "back").rglob("*"))
    same = (folder / "back/deep/b").read_bytes() == (tree / "deep/b").read_bytes()
    lab.command(["sh", "-c", "echo result > /run/lab/files/result"])
    return {"back": returned, "same": same}


def wire(lab: SupervisedSandbox) -> bool:
    """A line far longer than the buffer, in both directions at once, and then a short one."""
    line = bytes([97 + number % 26 for number in range(200_000)]) + b"\n"

    def send() -> None:
        pending = memoryview(line)
        while pending:
            pending = pending[lab.wire.writer.write(pending) :]

    thread = threading.Thread(target=send)
    thread.start()
    received = b""
    while len(received) < len(line):
        received += lab.wire.reader.read(65536)
    thread.join()
    lab.wire.writer.write(b"short\n")
    return received == line.upper() and lab.wire.reader.readline() == b"SHORT\n"


def attack(lab: SupervisedSandbox, folder: Path) -> dict[str, Any]:
    """Run the shell script that the test has written into the folder."""
    script = (folder / "attack.sh").read_bytes()
    done = lab.command(["bash"], data=script, timeout_s=200)
    return {"output": (done.stdout + done.stderr).decode(errors="replace")}


def reach(lab: SupervisedSandbox, folder: Path) -> dict[str, Any]:
    """Run the program that the test has written into the folder, which prints one value."""
    done = lab.command(["python3", "-"], data=(folder / "client.py").read_bytes(), timeout_s=200)
    assert done.status == 0, done.stderr.decode(errors="replace")
    return dict(json.loads(done.stdout))


def hold(lab: SupervisedSandbox) -> None:
    """Fill the lab with possible leftovers, print the processes, and wait to be ended."""
    script = "ip netns add n1; ip link add left type veth peer name right netns n1; "
    script += "cd /run/lab/files; ln -s /etc/passwd out; mkfifo pipe; mkdir -m 0 closed; "
    script += "setsid sleep 1000 >/dev/null 2>&1 &"
    assert lab.command(["bash", "-c", script]).status == 0
    scratch = str(lab.scratch)
    print(json.dumps({"pid": lab.pid, "supervisor": lab.supervisor_pid, "scratch": scratch}), flush=True)


def die(place: str, step: str) -> None:
    """Be killed just before a step of a start."""
    setattr(*STEPS[step], lambda *_: os.kill(os.getpid(), signal.SIGKILL))
    PLACES[place].start(Program("echo_agent", ROOT, None, site=(Path(__file__).parent,)))


def main() -> None:
    """Run the scenario of the arguments."""
    place, scenario, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    if scenario in STEPS:
        die(place, scenario)
    writable = Path(tempfile.mkdtemp(dir=folder))
    site = tuple(map(Path, sys.argv[5:])) if sys.argv[4:5] == ["--site"] else ()
    lab = start(place, writable, () if site else tuple(sys.argv[4:]), site)
    if scenario == "finish":
        hold(lab)
        sys.stdin.readline()
        lab.stop()
    elif scenario == "raise":
        hold(lab)
        sys.stdin.readline()
        raise RuntimeError("a defect of the program")
    elif scenario == "hold":
        hold(lab)
        with lab:
            time.sleep(1000)
    else:
        with lab:
            outcome = {"talk": talk, "attack": attack, "reach": reach, "go in": go_in}[scenario](lab, folder)
        outcome["left"] = sorted(path.name for path in writable.iterdir())
        outcome["scratch_left"] = lab.scratch.exists()
        print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
