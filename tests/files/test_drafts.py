"""Drafts of unsaved work: found again when their editor is dead, never while it lives, and never half of one."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from frrlib.errors import PlaceError, TopologyError
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from miniedit_frr.files import drafts as module
from miniedit_frr.files.drafts import Drafts

ROOT = Path(__file__).resolve().parents[2]
DRAWING = Topology(nodes=(Host(name="h1", x=1, y=2), Host(name="h2", x=3, y=4)))

#: Keeps a draft, says so, and lives until its input ends or it is killed.
OTHER = """
import sys
from pathlib import Path
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from miniedit_frr.files.drafts import Drafts
drafts = Drafts(Path(sys.argv[1]))
path = Path(sys.argv[2]) if sys.argv[2] else None
drafts.keep(Topology(nodes=(Host(name="h1", x=1, y=2), Host(name="h2", x=3, y=4))), path, "d1", 5.0, drafts.next_turn())
print("kept", flush=True)
sys.stdin.read()
"""


def other(folder: Path, path: str = "") -> subprocess.Popen[bytes]:
    """An editor in another process, its draft written."""
    argv = [sys.executable, "-c", OTHER, str(folder), path]
    process = subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"kept\n"
    return process


def killed(folder: Path, path: str = "") -> None:
    process = other(folder, path)
    process.kill()
    process.communicate()


def keep(drafts: Drafts, topology: Topology = DRAWING) -> None:
    drafts.keep(topology, None, "", 1.0, drafts.next_turn())


def test_drafts_of_killed_editors_are_claimed_and_those_of_running_editors_are_not(tmp_path: Path) -> None:
    process = other(tmp_path, "/labs/a.mn")
    mine = Drafts(tmp_path)
    assert mine.claim() == []
    process.kill()
    process.communicate()
    (draft,) = mine.claim()
    assert (draft.path, draft.digest, draft.changed_at, draft.nodes, draft.links) == (
        Path("/labs/a.mn"), "d1", 5.0, 2, 0,
    )  # fmt: skip
    assert draft.read() == DRAWING
    mine.discard(draft)
    assert list(tmp_path.iterdir()) == []


def test_the_lock_protects_a_draft_whose_process_cannot_be_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = other(tmp_path)
    monkeypatch.setattr(module, "_start_ticks", lambda pid: 0)  # as from another container
    mine = Drafts(tmp_path)
    assert mine.claim() == []
    process.kill()
    process.communicate()
    assert len(mine.claim()) == 1
    mine.close()


def test_without_locks_the_process_protects_its_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(37, "No locks available")

    process = other(tmp_path)
    monkeypatch.setattr(module.fcntl, "flock", refuse)
    mine = Drafts(tmp_path)
    assert mine.claim() == []
    process.kill()
    process.communicate()
    assert len(mine.claim()) == 1
    mine.close()


def test_a_later_process_with_the_same_pid_is_another_owner(tmp_path: Path) -> None:
    killed(tmp_path)
    (file,) = tmp_path.glob("*.draft")
    head, _, content = file.read_bytes().partition(b"\n")
    alive = module.this_process()
    start = head.index(b'"owner"')
    owner = b'"owner": {"pid": %d, "start_ticks": %d, "boot": "%s"}}' % (
        alive.pid, alive.start_ticks - 1, alive.boot.encode(),
    )  # fmt: skip
    file.write_bytes(head[:start] + owner + b"\n" + content)
    mine = Drafts(tmp_path)
    assert len(mine.claim()) == 1
    mine.close()


def test_a_claimed_draft_is_not_offered_again_until_it_is_released(tmp_path: Path) -> None:
    killed(tmp_path)
    first, second = Drafts(tmp_path), Drafts(tmp_path)
    assert len(first.claim()) == 1
    assert second.claim() == []
    first.release()
    assert len(second.claim()) == 1
    second.close()


def test_several_are_offered_newest_first(tmp_path: Path) -> None:
    for _ in range(3):
        killed(tmp_path)
    for index, file in enumerate(sorted(tmp_path.glob("*.draft"))):
        file.write_bytes(file.read_bytes().replace(b'"changed_at": 5.0', b'"changed_at": %d.0' % (index + 10)))
    mine = Drafts(tmp_path)
    assert [draft.changed_at for draft in mine.claim()] == [12, 11, 10]
    mine.close()


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[1]", b"\xff\xfe", b'{"draft": 2}\n{}', b'{"draft": 1, "owner": 3}', b"[" * 60_000]
)
def test_invalid_drafts_stay_in_the_folder(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x.draft"
    file.write_bytes(content)
    assert Drafts(tmp_path).claim() == []
    assert file.read_bytes() == content


def test_reading_a_draft_with_a_broken_topology_is_an_error(tmp_path: Path) -> None:
    killed(tmp_path)
    (file,) = tmp_path.glob("*.draft")
    file.write_bytes(file.read_bytes()[:-40])
    mine = Drafts(tmp_path)
    (draft,) = mine.claim()
    with pytest.raises(TopologyError):
        draft.read()
    mine.close()


def test_a_late_worker_does_not_write_a_dropped_draft(tmp_path: Path) -> None:
    mine = Drafts(tmp_path)
    keep(mine)
    turn = mine.next_turn()
    mine.drop()
    mine.keep(DRAWING, None, "", 1.0, turn)
    assert list(tmp_path.iterdir()) == []
    keep(mine)
    assert len(list(tmp_path.glob("*.draft"))) == 1
    mine.close()


def test_dropping_does_not_wait_for_the_disk_and_the_draft_is_removed_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing, written = threading.Event(), threading.Event()
    replace = module.replace_file

    def slow(path: Path, data: bytes) -> None:
        writing.set()
        assert written.wait(60)
        replace(path, data)

    mine = Drafts(tmp_path)
    monkeypatch.setattr(module, "replace_file", slow)
    worker = threading.Thread(target=keep, args=(mine,))
    worker.start()
    assert writing.wait(60)
    mine.drop()  # while the disk takes its time
    written.set()
    worker.join(60)
    assert list(tmp_path.iterdir()) == []


def test_the_folder_is_created_and_others_cannot_read_it(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "unsaved"
    mine = Drafts(folder)
    assert mine.claim() == []
    keep(mine)
    assert folder.stat().st_mode & 0o077 == 0
    mine.drop()
    mine.close()


def test_a_full_disk_keeps_the_last_draft(tmp_path: Path) -> None:
    """The kernel stops the file after 100 bytes, in the middle of writing, as a full disk does."""
    mine = Drafts(tmp_path)
    keep(mine)
    (file,) = tmp_path.glob("*.draft")
    content = file.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(PlaceError):
            keep(mine, Topology(title="newer"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert file.read_bytes() == content
    assert not list(tmp_path.glob(".*"))
    mine.drop()
    mine.close()


def test_temporary_files_of_killed_writers_are_removed(tmp_path: Path) -> None:
    old, new = tmp_path / ".a.draft.x.tmp", tmp_path / ".b.draft.x.tmp"
    for file in (old, new):
        file.write_bytes(b"half")
    os.utime(old, (time.time() - 7200,) * 2)
    Drafts(tmp_path).claim()
    assert (old.exists(), new.exists()) == (False, True)


@pytest.mark.timeout(20)
def test_pipes_and_links_in_the_place_of_drafts_are_left_alone(tmp_path: Path) -> None:
    folder, target = tmp_path / "unsaved", tmp_path / "target"
    folder.mkdir()
    os.mkfifo(folder / "pipe.draft")  # opening it would wait for a writer
    (folder / "device.draft").symlink_to("/dev/zero")
    killed(folder)
    (kept,) = [file for file in folder.glob("*.draft") if file.is_file()]
    (folder / "link.draft").symlink_to(kept)
    kept.with_suffix(".lock").unlink()
    kept.with_suffix(".lock").symlink_to(target)  # locking it would create the file
    drafts = Drafts(folder)
    assert drafts.claim() == []
    assert not target.exists()
    kept.with_suffix(".lock").unlink()
    assert [draft.file for draft in drafts.claim()] == [kept]
    drafts.close()
