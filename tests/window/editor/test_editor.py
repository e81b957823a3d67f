"""The editor as a program: its start, opened and saved files, its end, and internal errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from frrlib.formats import mn
from frrlib.model.topology import Topology
from miniedit_frr.editor.examples import examples, start_page_examples
from tests.waiting import PATIENCE_S, wait_for
from tests.window.hands_on_window import draw

pytestmark = pytest.mark.gui

ROOT = Path(__file__).resolve().parents[3]


# --- how it begins --------------------------------------------------------------------------------------------------


def test_an_example_of_the_start_page_opens(user: Any) -> None:
    page = user.editor.start_page.page
    assert len(page.cards) == 6
    page.cards[0].event_generate("<ButtonRelease-1>")
    user.editor.window.update()
    assert user.topology == mn.load(ROOT / "examples" / "two-hosts.mn").topology
    assert user.document.path is None  # saving must not write into the examples
    assert user.editor.start_page.page is None


def test_the_start_page_shows_distinct_topologies_and_fits_a_low_window(user: Any) -> None:
    cards = [mn.load(example.path).topology for example in start_page_examples(examples(ROOT / "examples"))]
    kinds = [sorted(f"{link.a.node}-{link.b.node}" for link in topology.links) for topology in cards]
    assert all(pairs not in kinds[:index] for index, pairs in enumerate(kinds))
    page, view = user.editor.start_page.page, user.editor.view
    whole_px = page.winfo_reqheight()
    for height_px, is_low in ((850, False), (720, True), (850, False)):
        user.editor.window.geometry(f"1100x{height_px}")
        user.wait(lambda height=height_px: user.editor.window.winfo_height() == height)
        user.wait(lambda low=is_low: (page.winfo_reqheight() < whole_px) == low)
        assert page.winfo_reqheight() <= view.winfo_height()


def test_the_start_page_inserts_networks_and_lists_recent_files(user: Any, tmp_path: Path) -> None:
    recent_file = tmp_path / "kept.mn"
    mn.save(mn.load(ROOT / "examples" / "static.mn").topology, recent_file)
    user.editor.note_file(recent_file)
    buttons = {str(button.cget("text")).strip(): button for button in user.editor.start_page.page.buttons}
    assert list(buttons) == ["Open…", "Recent", "Insert Topology…", "All examples"]
    menu = buttons["Recent"].nametowidget(buttons["Recent"].cget("menu"))
    menu.tk.call(menu.cget("postcommand"))
    assert menu.entrycget(0, "label") == str(recent_file)
    buttons["Insert Topology…"].invoke()
    assert user.editor.canvas_commands.generator.window.winfo_exists()
    menu.invoke(0)
    user.editor.window.update()
    assert user.document.path == recent_file


def test_every_example_is_in_the_menu_and_opens_from_there(user: Any) -> None:
    subjects = dict(user.editor.start_page.entries())
    listed = [line for lines in subjects.values() for line in lines]
    assert len(listed) == len(list((ROOT / "examples").glob("*.mn")))
    bar = user.editor.window.nametowidget(user.editor.window.cget("menu"))
    file = bar.nametowidget(bar.entrycget(0, "menu"))
    names = [file.entrycget(i, "label") if file.type(i) == "cascade" else "" for i in range(file.index("end") + 1)]
    menu = file.nametowidget(file.entrycget(names.index("Examples"), "menu"))
    menu.tk.call(menu.cget("postcommand"))
    assert [menu.entrycget(i, "label") for i in range(menu.index("end") + 1)] == list(subjects)
    of_bgp = menu.nametowidget(menu.entrycget(list(subjects).index("BGP"), "menu"))
    of_bgp.invoke(1)
    user.editor.window.update()
    assert user.topology == mn.load(ROOT / "examples" / "bgp-reflector.mn").topology
    assert user.document.path is None


def test_choosing_a_tool_hides_the_start_page(user: Any) -> None:
    user.tool("h")
    assert user.editor.start_page.page is None
    user.tool("v")
    assert user.editor.start_page.page is not None


def test_without_a_display_the_message_names_a_remedy(tmp_path: Path) -> None:
    env = {key: value for key, value in os.environ.items() if key not in ("DISPLAY", "WAYLAND_DISPLAY")}
    argv = [sys.executable, "-m", "miniedit_frr", "edit"]
    done = subprocess.run(argv, env={**env, "PYTHONPATH": str(ROOT)}, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 3
    assert "display" in done.stderr and "Traceback" not in done.stderr


def test_an_invalid_file_is_rejected_before_a_window_opens(tmp_path: Path) -> None:
    path = tmp_path / "bad.mn"
    path.write_text("{")
    argv = [sys.executable, "-m", "miniedit_frr", "edit", str(path)]
    done = subprocess.run(argv, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


# --- drawings, defects, the end -------------------------------------------------------------------------------------


def test_opening_a_saved_file_restores_the_topology(user: Any, tmp_path: Path) -> None:
    draw(user)
    topology, path = user.topology, tmp_path / "lab.mn"
    user.document.path = path
    user.press_key("<Control-Key-s>")
    assert user.document.is_saved
    user.editor.files.new()
    assert user.topology == Topology()
    user.editor.files.open(path)
    assert user.topology == topology == mn.load(path).topology
    assert "lab.mn" in user.editor.window.title()
    assert user.editor.settings.recent == (str(path),)


def test_closing_asks_about_unsaved_changes(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from miniedit_frr.files import file_menu

    questions: list[str] = []
    answers = iter(["Cancel", "Discard"])
    question = lambda message, *_, **__: (questions.append(message), next(answers))[1]  # noqa: E731
    monkeypatch.setattr(file_menu.Messagebox, "show_question", question)
    draw(user)
    topology = user.topology
    user.editor.files.new()
    assert user.topology == topology  # cancelled
    user.editor.files.new()
    assert user.topology == Topology()
    user.editor.files.new()
    assert len(questions) == 2  # an empty topology is not asked about


def test_garbage_is_collected_in_the_windows_thread_only(user: Any) -> None:
    import gc

    assert not gc.isenabled()
    user.editor._collector.close()
    assert gc.isenabled()


def test_an_internal_error_is_reported_and_the_editor_continues(user: Any, capsys: pytest.CaptureFixture[str]) -> None:
    try:
        raise KeyError("oops")
    except KeyError as error:
        user.editor._unexpected(KeyError, error, error.__traceback__)
    assert "oops" in user.editor.log.text.get("1.0", "end")
    assert "Traceback" in capsys.readouterr().err


def test_a_signal_closes_the_window(display: str, tmp_path: Path) -> None:
    import signal

    env = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(tmp_path)}
    argv = [sys.executable, "-m", "miniedit_frr", "edit", str(ROOT / "examples" / "two-as-bgp.mn")]
    process = subprocess.Popen(argv, env=env, stderr=subprocess.PIPE)
    settings_file = tmp_path / "miniedit-frr" / "window.json"
    wait_for(settings_file.exists, "the window")
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, stderr
    assert "two-as-bgp.mn" in settings_file.read_text()
