"""Shows the start page on an empty canvas, and lists the examples for it and for the File menu."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from miniedit_frr.editor.examples import Example, examples, menu_entries, start_page_examples
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.editor.start_page import StartPage, StartPageActions
from miniedit_frr.editor.tool_set import ToolSet
from miniedit_frr.files.file_menu import FileMenu
from miniedit_frr.tools.pointer import TOOLS
from miniedit_frr.user.package_files import examples_folder
from miniedit_frr.window.menus import Entries, fill_menu


class StartPageController:
    """Shows the start page while the drawing is empty.

    Attributes:
        page: the visible page; None if the drawing is not empty, or a tool is selected.

    Args:
        insert: asks for a generated network and inserts it.
    """

    def __init__(self, main: MainWindow, tools: ToolSet, files: FileMenu, insert: Callable[[], object]) -> None:
        self._main, self._tools, self._files = main, tools, files
        self._insert, self._examples = insert, examples(examples_folder())
        self.page: StartPage | None = None

    def show(self) -> None:
        """Show the page, or remove it if it is not needed."""
        topology = self._tools.context.document.topology
        # A user who has selected a tool needs the whole canvas.
        is_needed = not topology.nodes and not topology.annotations and self._tools.controller.tool is TOOLS[0]
        if is_needed and self.page is None:
            self.page = StartPage(
                self._tools.context.view,
                start_page_examples(self._examples),
                self._open_example,
                self._actions(),
                self._main.ui,
                self._main.theme,
            )
            self.page.place(relx=0.5, rely=0.5, anchor="center")
        elif not is_needed:
            self._remove()

    def renew(self) -> None:
        """Show the page again, in the colors of another theme."""
        if self.page is not None:
            self._remove()
            self.show()

    def entries(self) -> Entries:
        """The examples, for a menu."""
        return menu_entries(self._examples, self._open_example)

    def recent(self) -> Entries:
        """The recent files that still exist, each with the command that opens it."""
        return [(str(path), partial(self._files.open, path)) for path in self._files.recent() if path.is_file()]

    def _actions(self) -> StartPageActions:
        return StartPageActions(
            open=self._files.open,
            insert=self._insert,
            recent=lambda menu: fill_menu(menu, self.recent()),
            examples=lambda menu: fill_menu(menu, self.entries()),
        )

    def _remove(self) -> None:
        if self.page is not None:
            self.page.leave()
            self.page = None

    def _open_example(self, example: Example) -> None:
        self._files.open_example(example.path)
        self._tools.context.tell(f"{example.title}: {example.about}")
