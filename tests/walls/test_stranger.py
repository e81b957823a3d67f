"""An untrusted topology: its start commands try to do harm, and no byte outside the results folder changes.

The commands run as the lab's root. They contain the paths of the test's canaries, so the attack is aimed.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats import mn
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology

pytestmark = [pytest.mark.lab, pytest.mark.timeout(120)]

#: The attacks, line by line. `VICTIM` is a folder of the user's, `SECRET` is a file that only another user may read.
ATTACKS = """
echo harmed > VICTIM/file; echo harmed >> VICTIM/new; rm -f VICTIM/file; chmod 777 VICTIM; ln -s /etc VICTIM/link
mount -o remount,rw / ; echo harmed > VICTIM/file; echo harmed > VICTIM/remounted
mkdir -p /tmp/h && mount -t hostfs none /tmp/h -o / && echo harmed > /tmp/hVICTIM/file; echo harmed > /tmp/hVICTIM/new
mkdir -p /tmp/h2 && mount -t hostfs none /tmp/h2 -o VICTIM && echo harmed > /tmp/h2/file && rm /tmp/h2/file
unshare --user --map-root-user --mount sh -c 'mount -o remount,rw,bind /; echo harmed > VICTIM/nested'
nsenter --target 1 --mount sh -c 'echo harmed > VICTIM/entered'
for p in /proc/[0-9]*/root /proc/[0-9]*/cwd; do echo harmed > $p/VICTIM/proc; done
cat SECRET > $LAB_WRITABLE/secret; cp SECRET $LAB_WRITABLE/copied; dd if=SECRET of=$LAB_WRITABLE/dd
kill -9 PID; echo ended
ln -s VICTIM/file $LAB_WRITABLE/link; ln -s VICTIM $LAB_WRITABLE/logs
echo tried > $LAB_WRITABLE/tried
umount -l / ; umount -R /home ; umount -R /tmp; echo harmed > VICTIM/unmounted; true
"""


@pytest.mark.parametrize("place", ["namespace", "labkernel", pytest.param("root", marks=pytest.mark.root)])
def test_start_commands_harm_nothing(ordinary_user: Any, place: str) -> None:
    user = ordinary_user.who_starts(place)
    victim = user.home / "victim"
    victim.mkdir()
    (victim / "file").write_text("whole")
    for path in (victim, victim / "file"):
        os.chown(path, user.uid, user.gid)
        path.chmod(0o777)  # modes are not what keeps a lab out
    status_before = (victim.stat().st_mode, victim.stat().st_mtime_ns)
    bystander = user.popen(["sleep", "300"])
    secret = Path("/etc/gshadow")  # the lab has its own /etc/shadow
    assert not secret.stat().st_mode & 0o004
    try:
        commands = (
            ATTACKS.replace("VICTIM", str(victim)).replace("SECRET", str(secret)).replace("PID", str(bystander.pid))
        )
        topology_file = user.home / "stranger.mn"
        mn.save(Topology(nodes=(Host(name="h1", start_command=commands), Host(name="h2"))), topology_file)
        topology_file.chmod(0o644)
        out = user.home / "out"
        argv = [
            user.python,
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
        done = user.run(argv, timeout=110)
        assert done.returncode in (0, 1), done.stderr
        assert (out / "files" / "tried").read_text() == "tried\n", "the attack did not run to its end"
        assert sorted(path.name for path in victim.iterdir()) == ["file"]
        assert (victim / "file").read_text() == "whole"
        assert (victim.stat().st_mode, victim.stat().st_mtime_ns) == status_before
        assert bystander.poll() is None, "a process outside was ended"
        for name in ("secret", "copied", "dd"):
            copy = out / "files" / name
            assert not copy.exists() or copy.read_bytes() == b""
    finally:
        bystander.kill()
        bystander.wait()
