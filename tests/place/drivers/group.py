"""Starts a lab kernel, gives a user in it a control group as systemd does, and starts a lab of that user in it.

    drivers/group.py CODE PART

The parts start each other: `outside`, then `root` in the lab kernel, then `user` there. Prints one JSON object. On few
machines can a test make control groups, but in a lab kernel it can.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(sys.argv[1] if __name__ == "__main__" else ".")
#: The path of packages for the system's Python, in the inner lab.
PACKAGES = "/run/lab/site/1"
sys.path[:0] = [str(ROOT), PACKAGES]

from frrlib.place.base import Program  # noqa: E402
from frrlib.place.namespace import Namespace  # noqa: E402

KERNEL = Path("/usr/bin/linux.uml")
UID = 1234
TOP = "/tmp/groups"
MOST_MIB = 120
#: Memory that is counted neither by processes nor by folders: files of a file system without a size.
BOMB = f"""
import os, subprocess
os.mkdir("/tmp/more")
subprocess.run(["mount", "-t", "ramfs", "none", "/tmp/more"], check=True)
with open("/tmp/more/file", "wb") as file:
    for _ in range({3 * MOST_MIB}):
        file.write(bytes(1 << 20))
        file.flush()
"""


def delegate() -> None:
    """Make a user's group with another for that user's programs, and move into it."""
    os.mkdir(TOP)
    subprocess.run(["mount", "-t", "cgroup2", "none", TOP], check=True)
    for folder in ("user", "user/app"):
        Path(f"{TOP}/{folder}").mkdir()
    Path(f"{TOP}/user/app/terminal").mkdir()
    for folder in ("", "user", "user/app"):
        Path(f"{TOP}/{folder}/cgroup.subtree_control").write_text("+memory +pids")
    for path in ("user/app", "user/app/cgroup.procs", "user/app/terminal", "user/app/terminal/cgroup.procs"):
        os.chown(f"{TOP}/{path}", UID, UID)
    Path(f"{TOP}/user/app/terminal/cgroup.procs").write_text("0")


def as_user() -> str:
    """The group of the user's lab, and the end of the lab when it uses too much memory."""
    from frrlib.place.confinement import bounds

    bounds.in_namespace_mib = lambda _: MOST_MIB
    program = Program("echo_agent", ROOT, None, site=(Path(__file__).parent,))
    with Namespace().start(program) as lab:
        assert lab.wire.reader.readline() == b"hello\n"
        group = Path(f"/proc/{lab.pid}/cgroup").read_text().strip()
        entered = lab.command(["cat", "/proc/self/cgroup"]).stdout.decode().strip()
        most = Path(f"{TOP}{group[3:]}/memory.max").read_text().strip()
        lab.command(["sh", "-c", "cat > /tmp/bomb"], data=BOMB.encode())
        lab.command(["sh", "-c", "(python3 /tmp/bomb &) >/dev/null 2>&1"])
        while lab.wire.reader.read(1):
            pass  # until the lab ends
        words = lab.last_words()
    groups_left = sorted(path.name for path in Path(f"{TOP}/user/app").iterdir() if path.is_dir())
    return json.dumps({"group": group, "entered": entered, "most": most, "words": words, "left": groups_left})


def as_root() -> str:
    """The user's part, in the user's group."""
    delegate()
    Path("/tmp/home").mkdir()
    os.chown("/tmp/home", UID, UID)
    done = subprocess.run(
        [sys.executable, __file__, str(ROOT), "user"], user=UID, group=UID, extra_groups=[],
        env={"HOME": "/tmp/home", "PATH": os.environ["PATH"]}, capture_output=True, text=True, timeout=100, check=False,
    )  # fmt: skip
    return done.stdout or done.stderr


def outside() -> str:
    """The part of the lab kernel's root."""
    import platformdirs

    from frrlib.place.labkernel import LabKernel

    packages = Path(platformdirs.__file__).resolve().parents[1]
    program = Program("echo_agent", ROOT, None, site=(Path(__file__).parent, packages))
    with LabKernel(KERNEL).start(program) as lab:
        argv = ["python3", f"/run/lab/site/0/{Path(__file__).name}", "/run/lab/code", "root"]
        done = lab.command(argv, timeout_s=200)
    return (done.stdout or done.stderr).decode()


if __name__ == "__main__":
    sys.stdout.write({"outside": outside, "root": as_root, "user": as_user}[sys.argv[2]]())
