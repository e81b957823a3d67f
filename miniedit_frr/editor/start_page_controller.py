"""The page on an empty canvas that says how to begin, and the examples that it and the File menu offer."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from miniedit_frr.editor.examples import Example, examples, menu_entries, start_page_examples
from miniedit_frr.editor.parts import Parts
from miniedit_frr.editor.start_page import StartPage, StartPageActions
from miniedit_frr.tools.pointer import TOOLS
from miniedit_frr.user.package_files import examples_folder
from miniedit_frr.window.menus import Entries, fill_menu


class StartPageController:
    """Shows the start page while the drawing is empty.

    Attributes:
        page: what is shown; None where something is drawn, or is about to be.
    """

    def __init__(self, parts: Parts) -> None:
        self._parts, self._examples = parts, examples(examples_folder())
        self.page: StartPage | None = None

    def show(self) -> None:
        """Show the page, or take it away."""
        parts, topology = self._parts, self._parts.document.topology
        # Whoever has chosen a tool has begun, and needs the whole canvas.
        wanted = not topology.nodes and not topology.annotations and parts.tool_controller.tool is TOOLS[0]
        if wanted and self.page is None:
            self.page = StartPage(
                parts.view, start_page_examples(self._examples), self._begin_with, self._doors(), parts.ui, parts.theme
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
        parts = self._parts
        return [(each, partial(parts.files.open, Path(each))) for each in parts.settings.recent if Path(each).is_file()]

    def _doors(self) -> StartPageActions:
        parts = self._parts
        return StartPageActions(
            open=parts.files.open,
            insert=parts.canvas_commands.ask_topology,
            recent=lambda menu: fill_menu(menu, self.recent()),
            examples=lambda menu: fill_menu(menu, self.entries()),
        )

    def _remove(self) -> None:
        if self.page is not None:
            self.page.leave()
            self.page = None

    def _begin_with(self, example: Example) -> None:
        self._parts.files.open_example(example.path)
        self._parts.status.tell(f"{example.title}: {example.about}")
