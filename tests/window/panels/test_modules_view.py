"""The editor for congestion controls: their file, their part in the topology, and the compiler's errors."""

from __future__ import annotations

import tkinter as tk
from pathlib import Path
from tkinter import filedialog, ttk
from typing import Any

import pytest
from ttkbootstrap.dialogs import Messagebox

from frrlib.errors import PlaceError
from frrlib.kernels import module_shelf
from frrlib.model.flows import Flow
from frrlib.network.network import Network
from frrlib.place.labkernel import KERNEL_VARIABLE, find_kernel
from frrlib.place.module_compiler import modules
from miniedit_frr.dialogs.forms.shared import congestion_controls
from miniedit_frr.dialogs.sheets import form_context
from miniedit_frr.modules_view.window import CANCEL, DISCARD, ModuleWindow
from tests import keyboard
from tests.window.hands_on_window import User

pytestmark = pytest.mark.gui

_net = Network("pair")
_net.host("h1")
_net.host("h2")
_net.link("h1", "h2")
LAB = _net.topology.model_copy(update={"flows": (Flow(id="f1", source="h1", destination="h2"),)})


@pytest.fixture
def no_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without a lab kernel."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv(KERNEL_VARIABLE, raising=False)


def _new(user: User, name: str = "mine") -> ModuleWindow:
    controller = user.editor.kernel_modules
    controller.ask_name()
    controller.name_dialog.words.set(name)
    controller.name_dialog.accept()
    user.editor.window.update()
    window: ModuleWindow = controller.windows[f"tcp_{name}.c"]
    return window


def _answer(monkeypatch: pytest.MonkeyPatch, answer: str) -> list[str]:
    """Answer all questions; returns the list of them."""
    questions: list[str] = []

    def show(question: str, *args: Any, **options: Any) -> str:
        questions.append(question)
        return answer

    monkeypatch.setattr(Messagebox, "show_question", show)
    return questions


def test_saving_writes_the_file_and_adds_it_to_the_topology(lab: User, tmp_path: Path, no_kernel: None) -> None:
    lab.document.save(tmp_path / "pair.mn")
    window = _new(lab)
    window.source.field.insert("1.0", "/* first */\n")
    window.save_button.invoke()
    file = tmp_path / "tcp_mine.c"
    assert file.read_text() == "/* first */\n" + modules.template(Path("tcp_mine.c"))
    assert lab.topology.kernel_modules == ("tcp_mine.c",) and lab.document.undo_label == "Add tcp_mine.c"
    assert [label for label, _ in lab.editor.kernel_modules.entries()] == ["Own…", "Edit tcp_mine.c"]
    lab.wait(lambda: "miniedit-frr kernel build" in window.notice.get())
    lab.document.undo()
    assert lab.topology.kernel_modules == () and file.exists()


def test_all_suggestions_offer_modules_of_the_drawing_and_added_ones(
    lab: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    module_shelf.add("tcp_shelf", b"")
    module_shelf.add("sch_queue", b"")
    topology = lab.topology.model_copy(update={"kernel_modules": ("tcp_mine.c",)})
    offered = congestion_controls(form_context(topology, added_controls=lab.editor.dialogs.added_controls()), None)
    assert offered[:3] == ["mine", "shelf", "cubic"] and "queue" not in offered
    lab.document.apply("Add", topology)
    lab.editor.dialogs.open_key(lab.view.scene.key_of("h1"))
    (window,) = [child for child in lab.editor.window.winfo_children() if isinstance(child, tk.Toplevel)]
    boxes = [box for box in _descendants(window) if isinstance(box, ttk.Combobox)]
    assert any({"mine", "shelf", "cubic"} <= set(map(str, box["values"])) for box in boxes)


def _descendants(widget: Any) -> list[Any]:
    return [inner for child in widget.winfo_children() for inner in (child, *_descendants(child))]


def test_a_drawing_without_a_file_is_saved_first(
    lab: User, tmp_path: Path, no_kernel: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = _new(lab)
    assert not window.save() and "Save the drawing first" in window.notice.get()
    monkeypatch.setattr(filedialog, "asksaveasfilename", lambda **options: str(tmp_path / "pair.mn"))
    window.notice_button.invoke()
    assert window.notice.get() == "" and window.save()
    assert (tmp_path / "tcp_mine.c").exists()


def test_unsaved_text_is_not_lost_without_a_question(
    lab: User, tmp_path: Path, no_kernel: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.document.save(tmp_path / "pair.mn")
    window = _new(lab)
    window.save()
    questions = _answer(monkeypatch, CANCEL)
    keyboard.write(window.source.field, "x")
    keyboard.press(window.source.field, "<Escape>")
    assert window.winfo_exists() and questions == ["tcp_mine.c has unsaved changes."]
    lab.editor.quit()
    assert not lab.editor.is_closed and len(questions) == 2
    keyboard.press(window.source.field, "<Control-Key-z>")
    assert window.is_saved
    keyboard.write(window.source.field, "x")
    _answer(monkeypatch, DISCARD)
    keyboard.press(window.source.field, "<Escape>")
    assert not window.winfo_exists()


def test_a_file_that_another_program_changed_is_replaced_only_after_a_question(
    lab: User, tmp_path: Path, no_kernel: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab.document.save(tmp_path / "pair.mn")
    window = _new(lab)
    window.save()
    (tmp_path / "tcp_mine.c").write_text("other")
    questions = _answer(monkeypatch, "Cancel")
    assert not window.save() and "changed by another program" in questions[0]
    assert (tmp_path / "tcp_mine.c").read_text() == "other"


def test_a_module_of_the_drawing_is_opened_beside_it(lab: User, tmp_path: Path, no_kernel: None) -> None:
    (tmp_path / "tcp_mine.c").write_text("int x;\n")
    lab.document.apply("Add", lab.topology.model_copy(update={"kernel_modules": ("tcp_mine.c",)}))
    lab.document.save(tmp_path / "pair.mn")
    edits = lab.edits()
    dict(lab.editor.kernel_modules.entries())["Edit tcp_mine.c"]()
    window = lab.editor.kernel_modules.windows["tcp_mine.c"]
    assert window.source.content == "int x;\n" and window.is_saved
    window.source.field.insert("end", " int y;")
    assert window.save() and (tmp_path / "tcp_mine.c").read_text() == "int x; int y;\n" and lab.edits() == edits


@pytest.mark.parametrize(
    ("name", "reason"),
    [("cubic", "Linux has a congestion control cubic already"), ("a-b", "is not a valid name of a kernel module"),
     ("old", "tcp_old.c exists beside the drawing")],
)  # fmt: skip
def test_names_in_use_and_invalid_names_are_refused(lab: User, tmp_path: Path, name: str, reason: str) -> None:
    lab.document.save(tmp_path / "pair.mn")
    (tmp_path / "tcp_old.c").touch()
    controller = lab.editor.kernel_modules
    controller.ask_name()
    controller.name_dialog.words.set(name)
    controller.name_dialog.accept()
    assert reason in controller.name_dialog.fault.get() and not controller.windows


@pytest.mark.lab
def test_compiler_errors_are_marked_and_a_click_jumps_to_them(lab: User, tmp_path: Path) -> None:
    try:
        kernel = modules.kernel_with_kit(find_kernel())
    except PlaceError as error:
        pytest.skip(str(error))
    lab.document.save(tmp_path / "pair.mn")
    window = _new(lab)
    source = window.source
    correct = source.content
    first = 1 + correct.splitlines().index("static int increase = 1;")
    source.field.insert(f"{first}.0", "int x = ;\n")
    source.field.insert("end", "int last = nothing;")
    last = len(source.content.splitlines())
    window.save_button.invoke()
    lab.wait(lambda: "does not compile" in window.status.get())
    lab.editor.window.update()
    assert {first, last} <= set(source.marked_lines)
    table = window.errors.tree
    rows = [(table.set(item)["0"], item) for item in table.get_children()]
    table.selection_set(next(item for line, item in rows if line == str(last)))
    lab.editor.window.update()
    assert source.field.index("insert").split(".")[0] == str(last)
    source.fill(correct)
    window.save_button.invoke()
    lab.wait(lambda: f"Compiled for {kernel.name}" in window.status.get())
    assert source.marked_lines == [] and not table.winfo_ismapped()
