"""The page on an empty canvas that says how to begin, and the examples that it and the File menu offer."""

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
        page: what is shown; None where something is drawn, or is about to be.
    """

    def __init__(self, main: MainWindow, tools: ToolSet, files: FileMenu, insert: Callable[[], object]) -> None:
        self._main, self._tools, self._files = main, tools, files
        self._insert, self._examples = insert, examples(examples_folder())
        self.page: StartPage | None = None

    def show(self) -> None:
        """Show the page, or take it away."""
        topology = self._tools.context.document.topology
        # Whoever has chosen a tool has begun, and needs the whole canvas.
        wanted = not topology.nodes and not topology.annotations and self._tools.controller.tool is TOOLS[0]
        if wanted and self.page is None:
            self.page = StartPage(
                self._tools.context.view,
                start_page_examples(self._examples),
                self._begin_with,
                self._doors(),
                self._main.ui,
                self._main.theme,
            )
            self.page.place(relx=0.5, rely=0.5, anchor="center")
        elif not wanted:
            self._remove()

    def renew(self) -> None:
        """Show the page anew, in other colours."""
        if self.page is not None:
            self._remove()
            self.show()

    def entries(self) -> Entries:
        """The drawings to begin with, for a menu."""
        return menu_entries(self._examples, self._begin_with)

    def recent(self) -> Entries:
        """The files that were open lately and are still there, each with what opens it."""
        return [(str(path), partial(self._files.open, path)) for path in self._files.recent() if path.is_file()]

    def _doors(self) -> StartPageActions:
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

    def _begin_with(self, example: Example) -> None:
        self._files.open_example(example.path)
        self._tools.context.tell(f"{example.title}: {example.about}")
