"""Details that users notice: the focus, remarks in empty lists, and reverted edits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from frrlib.model.links import End, Link
from frrlib.model.nodes import Host, Router
from frrlib.model.problem import Problem, Severity
from frrlib.model.topology import Topology
from frrlib.picture.scene import Key
from miniedit_frr.dialogs.fields import inputs
from miniedit_frr.tools.pointer import ANNOTATE_TOOLS, TOOLS
from miniedit_frr.user.window_state import fit_to_screen
from miniedit_frr.window import help_menu, menus
from tests import keyboard
from tests.window.widgets import box, buttons, selected_texts, texts

LAB = Topology(
    nodes=(
        Host(name="h1", x=100, y=200, start_command="echo one"),
        Host(name="h2", x=100, y=400, start_command="echo two"),
        Router(name="r1", x=250, y=200, daemons=("zebra",)),
    ),
    links=(Link(id="l1", a=End(node="h1"), b=End(node="r1")), Link(id="l2", a=End(node="h2"), b=End(node="r1"))),
)


def open_form(user: Any, *names: str) -> Any:
    """The form of some nodes."""
    keys = [Key("node", name) for name in names]
    user.view.select(keys)
    form = user.editor.dialogs.open_keys(keys, keys[0]).form
    user.editor.window.update()
    return form


def press(user: Any, widget: Any, *keys: str) -> None:
    """Press keys with the focus on a widget, or at the current focus."""
    keyboard.press(widget, *keys)


def page(form: Any, title: str) -> int:
    return [tab.title for tab in form.tabs].index(title)


def revert_buttons(form: Any) -> list[Any]:
    """The shown buttons that revert the edits of a field."""
    return [button for button in buttons(form.window, "↺") if button.winfo_manager()]


@pytest.mark.parametrize(
    ("geometry", "expected"),
    [
        ("", ""),
        ("800x600+10+20", "800x600+10+20"),
        ("800x600+3000+20", "800x600+600+20"),
        ("800x600+-50+2000", "800x600+0+300"),
        ("3000x2000+0+0", "1400x900+0+0"),
        ("800x600-10-20", "800x600+590+280"),
    ],
)
def test_a_remembered_geometry_is_moved_onto_the_screen(geometry: str, expected: str) -> None:
    assert fit_to_screen(geometry, 1400, 900) == expected


def test_the_help_lists_the_key_of_every_tool() -> None:
    listed = {key for group in help_menu.KEYS.values() for keys, _ in group for key in keys.split()}
    assert {tool.key.upper() for tool in (*TOOLS, *ANNOTATE_TOOLS) if tool.key} <= listed


def test_the_help_lists_the_keys_of_undo_and_redo() -> None:
    items = {item.label: item for _, lines in menus.MENUS for item in lines if isinstance(item, menus.MenuLine)}
    drawing = dict(help_menu.KEYS["Drawing"])
    assert drawing["Ctrl + Z"].startswith("Undo") and items["Undo"].shortcut == "Ctrl+Z"
    assert (
        drawing[f"{items['Redo'].shortcut.replace('+', ' + ')}   {items['Redo'].second_shortcut.replace('+', ' + ')}"]
        == "Redo"
    )


@pytest.mark.gui
class TestForms:
    def test_a_button_and_ctrl_z_revert_edits_of_several_values(self, lab: Any) -> None:
        form = open_form(lab, "h1", "h2")
        entry = form.inputs["node.start_command"]
        for uses_key in (False, True):
            entry.variable.set("echo both")
            assert form.draft.values[1].node.start_command == "echo both"
            (revert_button,) = revert_buttons(form)
            if uses_key:
                press(lab, entry.focus, "<Control-z>")
            else:
                revert_button.invoke()
            assert [value.node.start_command for value in form.draft.values] == ["echo one", "echo two"]
            assert entry.variable.get() == ""
            assert not revert_buttons(form)
        form.cancel()

    def test_a_disabled_part_shows_its_initial_values(self, lab: Any) -> None:
        form = open_form(lab, "r1")
        form.book.select(page(form, "OSPF"))
        lab.editor.window.update()
        cell = form.inputs["node.ospf.hello_s"]
        assert (cell.variable.get(), cell.entry.instate(["disabled"])) == ("1", True)
        assert not form.draft.is_dirty
        form.draft.set("node.ospf", "1")
        assert (cell.variable.get(), cell.entry.instate(["disabled"])) == ("1", False)
        form.cancel()

    def test_the_daemons_page_names_the_needed_daemons(self, lab: Any) -> None:
        form = open_form(lab, "r1")
        form.book.select(page(form, "Daemons"))
        lab.editor.window.update()
        widget = form.inputs["node.daemons"]
        assert "The settings need no daemons." in texts(widget.widget)
        form.draft.set("node.ospf", "1")
        lab.editor.window.update()
        assert "The settings need zebra and ospfd." in texts(widget.widget)
        form.cancel()

    def test_needed_daemons_are_always_ticked(self, lab: Any) -> None:
        form = open_form(lab, "r1")
        form.book.select(page(form, "Daemons"))
        lab.editor.window.update()
        widget = form.inputs["node.daemons"]

        def boxes(state: str) -> set[str]:
            return selected_texts(widget.widget, state)

        assert (boxes("selected"), boxes("disabled")) == ({"zebra"}, set())  # enabled by the user
        form.draft.set("node.ospf", "1")
        lab.editor.window.update()
        assert boxes("selected") == boxes("disabled") == {"zebra", "ospfd"}
        box(widget.widget, "bfdd").invoke()
        assert form.draft.content("node.daemons") == "zebra bfdd"  # ospfd is required, but not enabled by the user
        assert boxes("selected") == {"zebra", "ospfd", "bfdd"}
        form.draft.set("node.ospf", "")
        lab.editor.window.update()
        assert (boxes("selected"), boxes("disabled")) == ({"zebra", "bfdd"}, set())
        form.cancel()

    def test_control_tab_turns_pages_with_any_focus(self, lab: Any) -> None:
        form = open_form(lab, "r1")
        press(lab, form.cancel_button, "<Control-Tab>", "<Control-Tab>", "<space>")
        assert form.page_index == page(form, "OSPF")
        assert form.draft.content("node.ospf") == "1"  # the keyboard was on the page's first field at once
        press(lab, form.ok_button, "<Control-Shift-Tab>")
        assert form.page_index == page(form, "Interfaces")
        form.cancel()

    def test_control_return_on_a_button_presses_ok_only(self, lab: Any) -> None:
        form = open_form(lab, "r1")
        press(lab, form.inputs["node.loopbacks"].add_button, "<Control-Return>")
        assert not form.is_open
        assert lab.topology == LAB

    def test_a_dialog_grows_with_its_table(self, lab: Any) -> None:
        lab.editor.dialogs.flows()
        (dialog,) = lab.editor.dialogs.open_dialogs.values()
        form = dialog.form
        table = form.inputs["flows"]
        for _ in range(6):
            table.add()
            lab.editor.window.update()
        button = table.add_button
        lab.wait(lambda: button.winfo_rooty() + button.winfo_height() <= form.ok_button.winfo_rooty())
        form.cancel()

    def test_a_folder_is_selected_in_a_dialog(self, lab: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(inputs.filedialog, "askdirectory", lambda **_: str(tmp_path))
        lab.editor.preferences.open()
        form = lab.editor.preferences.dialog
        form.inputs["results_folder"].browse.invoke()
        form.ok()
        assert lab.editor.preferences.now.results_root() == tmp_path


@pytest.mark.gui
class TestWindow:
    def test_an_empty_list_shows_a_remark_without_a_scroll_bar(self, user: Any) -> None:
        problems = user.editor.problems
        user.wait(lambda: not user.editor.checker.is_busy)
        bar = next(child for child in problems.winfo_children() if child.winfo_class() == "TScrollbar")
        wrong = Problem(severity=Severity.ERROR, kind="", node="h1", field="", message="is wrong")
        problems.show([wrong] * 60)
        user.wait(bar.winfo_manager)
        assert "No problems." not in texts(problems)
        problems.show([])
        user.wait(lambda: not bar.winfo_manager())
        assert "No problems." in texts(problems)

    def test_messages_after_closing_the_window_are_dropped(self, display: str, tmp_path: Path) -> None:
        from miniedit_frr.app.app import Editor
        from miniedit_frr.document.document import Document

        editor = Editor(Document(), tmp_path / "window.json")
        editor.close()
        editor.say("too late")

    def test_the_file_dialog_has_the_colors_of_the_theme(self, user: Any) -> None:
        window = user.editor.window
        grounds = []
        for theme in ("light", "dark"):
            user.editor.preferences.change(theme=theme)
            window.tk.eval("::tk::IconList .files")
            (hull,) = window.tk.splitlist(window.tk.eval("winfo children .files"))
            grounds.append(window.tk.eval(f"{hull}.canvas cget -background"))
            window.tk.eval("destroy .files")
        assert grounds[0] == "#ffffff"
        assert grounds[1] not in ("white", grounds[0])

    @pytest.mark.parametrize("at", ["+0+0", "+500+400"])
    def test_a_dialog_opens_on_the_screen(self, lab: Any, at: str) -> None:
        window = lab.editor.window
        window.geometry(f"900x500{at}")
        window.update()
        help_menu.show_keys(window)
        lab.editor.dialogs.open_keys([Key("link", "l1")], Key("link", "l1"))
        for _ in range(5):
            window.update()
        dialogs = [dialog for dialog in window.winfo_children() if dialog.winfo_class() == "Toplevel"]
        assert len(dialogs) == 2
        for dialog in dialogs:
            assert (
                dialog.winfo_rootx() >= 0 and dialog.winfo_rootx() + dialog.winfo_width() <= dialog.winfo_screenwidth()
            )
            assert (
                dialog.winfo_rooty() >= 0
                and dialog.winfo_rooty() + dialog.winfo_height() <= dialog.winfo_screenheight()
            )
            assert dialog.winfo_height() >= dialog.winfo_reqheight()
            dialog.destroy()
