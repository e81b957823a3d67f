"""Files of a lab are removed and disarmed, also hostile ones; `find` judges the result."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from frrlib.place.supervisor import ownership
from frrlib.system import removal

ROOT = Path(__file__).resolve().parents[2]
#: Makes a tree that is hard to remove or to disarm, in the folder where it stands.
HOSTILE = """
import os
os.makedirs("closed/inner/more"); open("closed/inner/sh", "w").close(); os.chmod("closed/inner/sh", 0o6755)
os.symlink("/etc/passwd", "closed/inner/out"); os.mkfifo("pipe"); os.mkdir("kept"); open("kept/file", "w").close()
open("kept/program", "w").close(); os.chmod("kept/program", 0o2755)
os.makedirs("p/q/r/s"); os.symlink("../../../..", "p/q/r/s/link"); os.symlink("p/q/r/s/link/../..", "round")
os.symlink("kept/file", "within"); os.symlink("kept/../kept", "within2"); os.symlink("x" * 4000, "long")
open(b"\\xff\\n*", "w").close()
import struct
rules = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in (
    (1, 7, 0xFFFFFFFF), (2, 7, 12345), (4, 7, 0xFFFFFFFF), (16, 7, 0xFFFFFFFF), (32, 0, 0xFFFFFFFF)))
os.umask(0); os.makedirs("others/sticky", 0o1777); os.chmod("others/sticky", 0o3777); os.mkdir("others/list")
open("others/file", "w").close()
for path, kind in (("others/list", "default"), ("others/list", "access"), ("others/file", "access")):
    os.setxattr(path, f"system.posix_acl_{kind}", rules)
top = os.getcwd()
for number in range(1500):
    os.mkdir("deep"); os.chdir("deep")
os.chdir(top)
for mode, path in ((0o000, "closed/inner/more"), (0o011, "closed/inner"), (0o000, "closed"), (0o555, "p/q")):
    os.chmod(path, mode)
"""


@pytest.fixture
def hostile(ordinary_user: Any) -> Path:
    """Such a tree, which an ordinary user owns."""
    folder: Path = ordinary_user.home / "hostile"
    folder.mkdir()
    os.chown(folder, ordinary_user.uid, ordinary_user.gid)
    _as_user(ordinary_user, f"import os; os.chdir({str(folder)!r})\n{HOSTILE}")
    return folder


def _as_user(user: Any, code: str) -> str:
    done = user.run([user.python, "-c", code], timeout=60)
    assert done.returncode == 0, done.stderr
    return str(done.stdout)


def test_the_owner_can_remove_everything(ordinary_user: Any, hostile: Path) -> None:
    failures = _as_user(
        ordinary_user, f"from frrlib.system import removal; print(repr(removal.remove({str(hostile)!r})))"
    )
    assert failures.strip() == "''"
    assert not os.path.lexists(hostile)


def test_two_may_remove_the_same(tmp_path: Path) -> None:
    for number in range(20):
        tree = tmp_path / str(number)
        for folder in range(30):
            (tree / f"a{folder}/b/c").mkdir(parents=True)
            (tree / f"a{folder}/b/file").write_text("x")
        code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nfrom frrlib.system import removal\n"
        argv = [sys.executable, "-c", code + f"print(removal.remove({str(tree)!r}), end='')"]
        both = [subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) for _ in range(2)]
        assert [process.communicate()[0] for process in both] == ["", ""]
        assert not tree.exists()


def test_a_link_is_removed_and_not_what_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    (tmp_path / "whole/file").write_text("x")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/link").symlink_to(tmp_path / "whole")
    (tmp_path / "link").symlink_to(tmp_path / "whole")
    assert [removal.remove(tmp_path / name) for name in ("link", "tree", "nothing", "no/folder")] == [""] * 4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["whole"]
    assert (tmp_path / "whole/file").read_text() == "x"


def test_a_folder_that_cannot_be_removed_is_named(ordinary_user: Any, tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for parent in (tmp_path, *tmp_path.parents):  # somebody else's, but in sight
        if parent.stat().st_uid == os.getuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    (tmp_path / "others").mkdir()
    (tmp_path / "others/file").write_text("")
    if os.stat(tmp_path).st_uid == ordinary_user.uid:
        pytest.skip("everything here is the same user's")
    path = str(tmp_path / "others")
    failures = _as_user(ordinary_user, f"from frrlib.system import removal; print(removal.remove({path!r}))")
    assert failures.startswith(f"{path}: ") and "ermission" in failures
    assert (tmp_path / "others/file").exists()


def test_returned_results_are_disarmed(ordinary_user: Any, hostile: Path) -> None:
    code = f"""
from frrlib.place.supervisor import ownership
import os, json
loan = ownership.Loan({str(hostile)!r}, None)
os.chmod({str(hostile)!r}, 0o700)
print(json.dumps(ownership.take_back(loan)))
"""
    before = stat.S_IMODE(hostile.stat().st_mode)
    assert json.loads(_as_user(ordinary_user, code)) == []
    assert stat.S_IMODE(hostile.stat().st_mode) == before
    armed = ["-perm", "/7022", "!", "-type", "l", "-o", "-type", "p", "-o", "-type", "d", "!", "-perm", "-700"]
    assert subprocess.run(["find", str(hostile), *armed], capture_output=True, text=True, check=True).stdout == ""
    links = subprocess.run(["find", str(hostile), "-type", "l"], capture_output=True, text=True, check=True).stdout
    lists = [os.listxattr(path) for path in (hostile / "others").rglob("*")]
    assert lists == [[], [], []]
    # what leads to the folder itself or to nothing in it stays; what leads out by way of another link does not
    assert sorted(Path(line).name for line in links.split()) == ["link", "long", "within", "within2"]
    assert (hostile / "kept/file").exists() and (hostile / "closed/inner/sh").exists()


def test_a_folder_stays_closed_as_long_as_something_is_armed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "out"
    folder.mkdir(mode=0o755)
    (folder / "sh").write_text("")
    (folder / "sh").chmod(0o4755)
    loan = ownership.lend(str(folder), None)

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(1, "Operation not permitted")

    with monkeypatch.context() as patched:
        patched.setattr(ownership, "_disarm", refuse)
        (outcome, *_) = ownership.take_back(loan)
    assert outcome == f"{folder}/sh: Operation not permitted"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert ownership.take_back(loan) == []
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert stat.S_IMODE((folder / "sh").stat().st_mode) == 0o755
