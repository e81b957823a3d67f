"""An untrusted topology runs as the lab's root and tries to get out. Nothing outside its folder may change."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.walls.bait import Bait

DRIVER = Path(__file__).parents[1] / "place/drivers/place.py"

# Each line is one attack. H is a folder of the user's, S is a host file system that the lab mounts itself.
_ATTACKS = r"""
H=%(home)s; S=/tmp/second; mkdir -p $S
try() { timeout 10 bash -c "$1" </dev/null; }
export H S
for top in "" $S /mnt; do
  export T=$top/$H
  [ "$top" != $S ] || mount -t hostfs none $S -o / || true
  [ "$top" != /mnt ] || mount --rbind / /mnt || true
  try 'echo evil > $T/canary'
  try 'echo evil >> $T/canary'
  try 'chmod 777 $T/canary; chmod 777 $T'
  try 'chown 12 $T/canary'
  try 'touch -d 2001-01-01 $T/canary'
  try 'truncate -s 0 $T/canary'
  try 'python3 -c "import os; os.truncate(os.environ[\"T\"] + \"/canary\", 0)"'
  try 'python3 -c "import os; os.open(os.environ[\"T\"] + \"/canary\", os.O_RDONLY | os.O_TRUNC)"'
  try 'mv $T/canary $T/moved; rm -f $T/canary'
  try 'ln $T/canary $T/hard; ln -s canary $T/soft; mkdir $T/folder; mkfifo $T/pipe; echo new > $T/new'
  try 'ln $T/canary /run/lab/files/hard; echo evil > /run/lab/files/hard'
  try 'echo evil > $T/fifo'
  try 'python3 -c "import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ[\"T\"] + \"/sock\")"'
  try 'python3 -c "import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ[\"T\"] + \"/late\")"'
done
try 'mount -o remount,rw /; echo evil > $H/canary'
try 'mount -o remount,rw,bind /; echo evil > $H/canary'
try 'mount -o remount,rw,bind /home /work; echo evil > $H/canary'
try 'unshare -Urm sh -c "mount -o remount,rw,bind /; mount --rbind / /mnt; echo evil > /mnt/$H/canary"'
try 'cd /proc/1/cwd && echo evil > .$H/canary'
for shown in /run/lab/code/bait /run/lab/site/1; do
  export T=$shown
  try 'echo evil > $T/fifo'
  try 'python3 -c "import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ[\"T\"] + \"/sock\")"'
  try 'python3 -c "import os, socket; socket.socket(socket.AF_UNIX).connect(os.environ[\"T\"] + \"/late\")"'
done
try 'echo evil > /run/lab/bin/enter; echo evil > /run/lab/bin/other; mount -o remount,rw /run/lab/bin'
[ ! -e /run/lab/bin/other ] || echo "enter can be replaced"
[ -p /run/lab/site/1/fifo ] && echo "the bait is in sight"
try 'for p in /proc/[0-9]*; do echo evil > $p/root/$H/canary; echo evil > $p/cwd/$H/canary; done'
try 'echo "|/bin/false" > /proc/sys/kernel/core_pattern'
try 'kill -9 %(pid)d'
try 'cp /bin/sh /run/lab/files/suid; chmod 6755 /run/lab/files/suid; ln -s /etc/passwd /run/lab/files/out'
try 'ln -s suid /run/lab/files/within'
try 'mkdir -p /tmp/cg; mount -t cgroup2 none /tmp/cg && echo "cgroup mounted"'
try 'unshare -C mount -t cgroup2 none /tmp/cg && echo "cgroup mounted"'
echo "secret: $(cat /%(secret)s 2>/dev/null) $(cat $S/%(secret)s 2>/dev/null)"
try 'cat /proc/self/uid_map'
try 'umount -l $S; umount -R /mnt; umount -l /etc; umount -l /home; umount -l /tmp; umount -l /; echo evil >
$H/canary'
"""


def _snapshot(folder: Path) -> list[tuple[object, ...]]:
    entries: list[tuple[object, ...]] = []
    for path in [folder, *sorted(folder.rglob("*"))]:
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        entries.append((str(path), status.st_mode, status.st_uid, status.st_nlink, status.st_mtime_ns, content))
    return entries


@pytest.mark.lab
@pytest.mark.parametrize("place", ["namespace", "labkernel", pytest.param("root", marks=pytest.mark.root)])
def test_nothing_outside_changes(place: str, ordinary_user: Any, tmp_path: Path) -> None:
    user = ordinary_user.who_starts(place)
    home = user.home
    # a lab that root starts has none of root's rights: only the walls keep it out here
    bait = Bait(home / "bait", user.uid, user.gid, 0o777 if place == "root" else 0o700)
    secret = Path("/etc/shadow")
    text = _ATTACKS % {"home": home / "bait", "pid": os.getpid(), "secret": str(secret)}
    (home / "attack.sh").write_text(text)
    pattern = Path("/proc/sys/kernel/core_pattern").read_text()
    state_before = _snapshot(bait.folder)
    argv = [user.python, str(DRIVER), place, "attack", str(home), "--site", str(bait.folder)]
    done = user.run(argv, timeout=300)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert _snapshot(bait.folder) == state_before, report["output"]
    assert bait.reached == []
    assert bait.fifo_got() == b""
    assert Path("/proc/sys/kernel/core_pattern").read_text() == pattern
    if os.geteuid() == 0 and (line := secret.read_text().splitlines()[0]):
        assert line not in report["output"] or line.startswith("root:*:")
    assert "the bait is in sight" in report["output"]
    if place != "labkernel":
        assert "cgroup mounted" not in report["output"]
        assert "enter can be replaced" not in report["output"]
    assert "out" not in report["left"], "a link out of the results folder was left"
    assert "suid" in report["left"]
    for path in home.rglob("suid"):
        assert not path.stat().st_mode & 0o6000, "a set-user-id program was left"
        assert path.stat().st_uid == user.uid
