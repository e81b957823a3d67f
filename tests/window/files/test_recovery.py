"""Recovery: after any end of an editor, the next one offers its unsaved work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from frrlib.formats import mn
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from miniedit_frr.files import autosave
from miniedit_frr.files.drafts import Drafts
from tests import keyboard
from tests.desktop import Desktop, desktop, rest, wait_for

pytestmark = pytest.mark.gui

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "two-as-bgp.mn"


def folder(home: Path) -> Path:
    return home / "state" / "miniedit-frr" / "unsaved"


@contextmanager
def editor(screen: Desktop, home: Path, *argv: str) -> Iterator[subprocess.Popen[bytes]]:
    """The real editor, as a user starts it."""
    env = {key: value for key, value in screen.env.items() if not key.startswith("XDG_")}
    env |= {"PYTHONPATH": str(ROOT), "HOME": str(home)}
    env["XDG_CACHE_HOME"] = str(platformdirs.user_cache_path())  # places need not be tried again
    env |= {"XDG_STATE_HOME": str(home / "state"), "XDG_CONFIG_HOME": str(home / "config")}
    log = home / "said.txt"
    with open(log, "ab") as stderr:
        process = subprocess.Popen(
            [sys.executable, "-m", "miniedit_frr", "edit", *argv], env=env, cwd=home, stderr=stderr
        )
    try:
        yield process
    except AssertionError as error:
        error.add_note(log.read_text())
        raise
    finally:
        process.kill()
        process.wait()
    assert b"Traceback" not in log.read_bytes(), log.read_text()


def draw(screen: Desktop, process: subprocess.Popen[bytes]) -> None:
    """Draw h1 - r1 - h2 with the pointer and the keys, and wait for the effect of each action."""
    screen.window("MiniEdit-FRR$")
    rest(process)
    window = screen.window("MiniEdit-FRR$")
    x, y = window.x + window.width * 0.25, window.y + window.height * 0.25
    for key, dx in (("h", 0), ("h", 300), ("r", 150)):
        screen.point(x + dx, y)
        screen.keys(key)
        rest(process)  # the first tool hides the start page, which may be below the pointer
        screen.click(x + dx, y)
        rest(process)
    screen.keys("l")
    rest(process)
    for dx in (0, 150):
        screen.drag((x + dx, y), (x + dx + 150, y))
        rest(process)
    screen.keys("v")


def first_line_of_draft(home: Path) -> dict[str, Any] | None:
    """The first line of the draft if it has the whole topology; else None."""
    for file in folder(home).glob("*.draft") if folder(home).is_dir() else ():
        head: dict[str, Any] = json.loads(file.read_bytes().partition(b"\n")[0])
        if (head["nodes"], head["links"]) == (3, 2):
            return head
    return None


def test_a_killed_editor_offers_its_work_at_the_next_start(tmp_path: Path) -> None:
    with desktop() as screen:
        with editor(screen, tmp_path) as process:
            draw(screen, process)
            wait_for(lambda: first_line_of_draft(tmp_path), "a draft of the whole drawing")
            process.kill()
            process.wait()
        with editor(screen, tmp_path) as process:
            screen.window("^Unsaved work$")
            rest(process)
            offer = screen.window("^Unsaved work$")
            screen.click(offer.x + offer.width - 50, offer.y + offer.height - 30)
            window = screen.window(r"^\*untitled - MiniEdit-FRR$")
            screen.point(window.x + window.width / 2, window.y + 120)
            rest(process)
            screen.keys("ctrl+s")
            question = screen.window("^Save the topology$")
            rest(process)
            screen.point(question.x + question.width / 2, question.y + question.height - 10)
            rest(process)
            screen.type(str(tmp_path / "lab"))
            screen.keys("Return")
            screen.window(r"^lab\.mn - MiniEdit-FRR$")
            saved = mn.load(tmp_path / "lab.mn").topology
            assert [node.name for node in saved.nodes] == ["h1", "h2", "r1"]
            assert [(link.a.node, link.b.node) for link in saved.links] == [("h1", "r1"), ("r1", "h2")]
            wait_for(lambda: not list(folder(tmp_path).iterdir()), "the end of all drafts")
            screen.point(window.x + window.width / 2, window.y + 120)
            rest(process)
            screen.keys("ctrl+q")
            assert process.wait(30) == 0


@pytest.mark.parametrize(
    ("number", "key", "title"),
    [(signal.SIGTERM, "", ""), (signal.SIGINT, "", ""), (signal.SIGHUP, "ctrl+s", "^Save the topology$")],
)
def test_a_signal_keeps_the_unsaved_work(tmp_path: Path, number: signal.Signals, key: str, title: str) -> None:
    with desktop() as screen, editor(screen, tmp_path) as process:
        draw(screen, process)
        screen.window(r"^\*untitled")
        rest(process)
        if key:  # a question is open
            screen.keys(key)
            screen.window(title)
            rest(process)
        process.send_signal(number)
        assert process.wait(30) == 0
    assert first_line_of_draft(tmp_path)
    (draft,) = Drafts(folder(tmp_path)).claim()
    assert len(draft.read().nodes) == 3


def test_a_lost_display_keeps_the_unsaved_work(tmp_path: Path) -> None:
    with desktop() as screen:
        lost_editor = editor(screen, tmp_path, str(EXAMPLE))
        process = lost_editor.__enter__()
        window = screen.window("two-as-bgp.mn - MiniEdit-FRR$")
        screen.point(window.x + window.width * 0.3, window.y + window.height * 0.15)
        rest(process)
        screen.keys("h")
        screen.click(window.x + window.width * 0.3, window.y + window.height * 0.15)
        wait_for(lambda: list(folder(tmp_path).glob("*.draft")) if folder(tmp_path).is_dir() else None, "a draft")
    process.wait(30)
    lost_editor.__exit__(None, None, None)
    (draft,) = Drafts(folder(tmp_path)).claim()
    assert draft.path == EXAMPLE
    assert len(draft.read().nodes) == len(mn.load(EXAMPLE).topology.nodes) + 1


# --- in one process, with the window's own events -----------------------------------------------------------------


@pytest.fixture
def fast_autosave(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave, "PAUSE_S", 0.02)


def drafts_of(user: Any) -> list[Path]:
    return list(user.editor.drafts_folder.glob("*.draft")) if user.editor.drafts_folder.is_dir() else []


def leave(user: Any, count: int, path: Path | None = None, digest: str = "") -> None:
    """Drafts of editors that are dead: the first has one host, the second two."""
    argv = [sys.executable, "-c", _DEAD, str(user.editor.drafts_folder), str(path or ""), digest, str(count)]
    subprocess.run(argv, check=True, env={**os.environ, "PYTHONPATH": str(ROOT)})


_DEAD = """
import os, sys, time
from pathlib import Path
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from miniedit_frr.files.drafts import Drafts
path = Path(sys.argv[2]) if sys.argv[2] else None
editors = [Drafts(Path(sys.argv[1])) for _ in range(int(sys.argv[4]))]
for hosts, drafts in enumerate(editors, start=1):
    nodes = tuple(Host(name=f"h{n + 1}", x=80 * n, y=50) for n in range(hosts))
    drafts.keep(Topology(nodes=nodes), path, sys.argv[3], time.time(), drafts.next_turn())
os._exit(0)  # without a word to anybody
"""


@pytest.mark.usefixtures("fast_autosave")
def test_a_draft_follows_the_topology_and_saving_deletes_it(user: Any, tmp_path: Path) -> None:
    user.put("h", (200, 200))
    user.wait(lambda: drafts_of(user))
    user.document.path = tmp_path / "a.mn"
    user.press_key("<Control-Key-s>")
    assert drafts_of(user) == []
    user.put("h", (300, 300))
    user.wait(lambda: drafts_of(user))
    user.press_key("<Control-Key-z>")  # back to the file's content
    assert drafts_of(user) == []


@pytest.mark.usefixtures("fast_autosave")
def test_continuous_edits_do_not_delay_the_draft_forever(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave, "PAUSE_S", 1000.0)
    monkeypatch.setattr(autosave, "MAX_WAIT_S", 0.2)
    user.put("h", (200, 200))
    user.put("h", (300, 300))
    user.wait(lambda: drafts_of(user))


@pytest.mark.usefixtures("fast_autosave")
def test_discarded_work_is_not_kept(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from miniedit_frr.files import file_menu as filing

    user.put("h", (200, 200))
    user.wait(lambda: drafts_of(user))
    monkeypatch.setattr(filing.Messagebox, "show_question", lambda *_, **__: "Discard")
    monkeypatch.setattr(user.editor, "close", lambda: user.editor.recovery.close())
    user.editor.quit()
    assert drafts_of(user) == []
    monkeypatch.undo()


@pytest.mark.usefixtures("fast_autosave")
def test_a_failure_to_store_drafts_is_reported_once(user: Any) -> None:
    user.editor.drafts_folder.write_text("a file is where the folder should be")
    user.put("h", (200, 200))
    user.wait(lambda: "cannot be stored" in user.editor.log.text.get("1.0", "end"))
    user.put("h", (300, 300))
    user.wait(lambda: not user.editor.recovery.autosave._watch)
    assert user.editor.log.text.get("1.0", "end").count("cannot be stored") == 1


def test_nothing_to_recover_is_reported_on_request_only(user: Any) -> None:
    user.editor.recovery.offer(quiet=True)
    assert user.editor.recovery.dialog is None
    user.editor.recovery.offer()
    assert "no unsaved work" in user.editor.log.text.get("1.0", "end")


def test_one_of_several_drafts_is_recovered_and_the_others_stay(user: Any) -> None:
    leave(user, 3)
    user.editor.recovery.offer()
    dialog = user.editor.recovery.dialog
    rows = dialog.list.get_children()
    assert [dialog.list.set(row, "size") for row in rows] == ["3 nodes, 0 links", "2 nodes, 0 links", "1 node, 0 links"]
    dialog.list.selection_set(rows)
    user.editor.window.update()
    assert str(dialog.recover_button.cget("state")) == "disabled"
    dialog.list.selection_set(rows[1])
    user.editor.window.update()
    dialog.recover_button.invoke()
    assert user.editor.recovery.dialog is None
    assert [node.name for node in user.topology.nodes] == ["h1", "h2"]
    assert not user.document.is_saved
    assert len(drafts_of(user)) == 3  # two that wait, and this window's own
    other_drafts = Drafts(user.editor.drafts_folder)
    assert [draft.nodes for draft in other_drafts.claim()] == [3, 1]
    other_drafts.close()


def test_look_later_keeps_all_drafts(user: Any) -> None:
    leave(user, 2)
    for _ in range(2):
        user.editor.recovery.offer()
        dialog = user.editor.recovery.dialog
        assert len(dialog.list.get_children()) == 2
        dialog.later_button.invoke()
    assert user.topology == Topology()
    assert len(drafts_of(user)) == 2


def test_discarding_a_draft_takes_two_presses(user: Any) -> None:
    leave(user, 2)
    user.editor.recovery.offer()
    dialog = user.editor.recovery.dialog
    dialog.discard_button.invoke()
    assert len(drafts_of(user)) == 2
    dialog.discard_button.invoke()
    assert len(drafts_of(user)) == 1
    user.editor.window.update()
    dialog.discard_button.invoke()
    dialog.discard_button.invoke()
    assert drafts_of(user) == []
    assert user.editor.recovery.dialog is None


def recover(user: Any) -> None:
    user.editor.recovery.offer()
    user.editor.recovery.dialog.recover_button.invoke()


def test_recovered_work_is_modified_and_has_no_undo(user: Any, tmp_path: Path) -> None:
    path = tmp_path / "lab.mn"
    mn.save(Topology(nodes=(Host(name="old"),)), path)
    user.document.open(path)
    leave(user, 1, path, user.document.digest)
    recover(user)
    assert (user.document.path, [node.name for node in user.topology.nodes]) == (path, ["h1"])
    assert not user.document.has_changed_outside
    assert user.document.undo_label == ""
    user.press_key("<Control-Key-z>")
    assert [node.name for node in user.topology.nodes] == ["h1"]
    assert not user.document.is_saved
    user.put("h", (300, 300))
    user.press_key("<Control-Key-z>")  # back to the recovered topology, which no file holds
    assert not user.document.is_saved
    assert len(drafts_of(user)) == 1
    user.press_key("<Control-Key-s>")
    assert user.document.is_saved
    assert drafts_of(user) == []
    assert [node.name for node in mn.load(path).topology.nodes] == ["h1"]


def test_closing_recovered_work_asks_and_keeps_the_draft(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from miniedit_frr.files import file_menu as filing

    questions: list[str] = []

    def cancel(question: str, *_: Any, **__: Any) -> str:
        questions.append(question)
        return "Cancel"

    leave(user, 1)
    recover(user)
    user.press_key("<Control-Key-z>")
    monkeypatch.setattr(filing.Messagebox, "show_question", cancel)
    user.press_key("<Control-Key-q>")
    assert len(questions) == 1
    assert "unsaved changes" in questions[0]
    assert len(drafts_of(user)) == 1
    user.editor.close()  # as a signal does: the draft stays for the next window
    (draft,) = drafts_of(user)
    rescued = mn.loads(draft.read_bytes().partition(b"\n")[2], draft.name).topology
    assert [node.name for node in rescued.nodes] == ["h1"]


def test_without_autosave_the_draft_of_recovered_work_stays(user: Any, tmp_path: Path) -> None:
    """With the keeping of drafts off, the old draft is the only copy until the work is saved."""
    leave(user, 1)
    user.editor.recovery.autosave.set_enabled(False)
    recover(user)
    assert len(drafts_of(user)) == 1
    user.document.path = tmp_path / "saved.mn"
    user.press_key("<Control-Key-s>")
    assert user.document.is_saved
    assert drafts_of(user) == []


def test_a_file_that_changed_after_the_crash_is_reported(user: Any, tmp_path: Path) -> None:
    path = tmp_path / "lab.mn"
    mn.save(Topology(nodes=(Host(name="newer"),)), path)
    leave(user, 1, path, "what it was then")
    user.editor.recovery.offer()
    user.editor.recovery.dialog.recover_button.invoke()
    assert user.document.has_changed_outside
    assert "Another program" in user.editor.log.text.get("1.0", "end")


def test_closing_keeps_the_typed_text(user: Any) -> None:
    user.put("h", (200, 200))
    user.click((200, 200))
    user.editor.window.update()
    entry = user.editor.properties.form.inputs["node.default_route"].focus
    keyboard.write(entry, "10.0.0.1")
    user.editor.close()
    (draft,) = drafts_of(user)
    (host,) = mn.loads(draft.read_bytes().partition(b"\n")[2], draft.name).topology.nodes
    assert str(host.default_route) == "10.0.0.1"


def test_a_second_window_on_one_file_is_announced(tmp_path: Path) -> None:
    """Real editors: Escape closes the second one; the mark of a killed window does not count."""
    path = tmp_path / "labs" / "lab.mn"
    path.parent.mkdir()
    mn.save(Topology(nodes=(Host(name="h1"),)), path)
    title = "^The file is open in another window$"
    with desktop() as screen:
        with editor(screen, tmp_path, str(path)) as first:
            screen.window(r"^lab\.mn - MiniEdit-FRR$")
            with editor(screen, tmp_path, str(path)) as second:
                screen.window(title)
                rest(second)
                question = screen.window(title)
                screen.click(question.x + question.width / 2, question.y + 20)
                screen.keys("Escape")
                assert second.wait(30) == 0
            first.kill()
            first.wait()
        with editor(screen, tmp_path, str(path)) as third:
            screen.window(r"^lab\.mn - MiniEdit-FRR$")
            rest(third)
            assert screen.find(title) is None
            third.terminate()
            assert third.wait(30) == 0
    assert not list((tmp_path / "state" / "miniedit-frr" / "open").iterdir())
    assert list(path.parent.iterdir()) == [path]
