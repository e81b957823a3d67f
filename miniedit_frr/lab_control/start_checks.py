"""The checks of the topology before a lab starts."""

from __future__ import annotations

from tkinter.ttk import Notebook

from miniedit_frr.dialogs.background_check import Checker
from miniedit_frr.document.document import Document
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.panels.problems import ProblemList


class StartChecks:
    """Finds the reason why the topology of the window cannot run.

    Args:
        bottom: the panel with the list of problems.
    """

    def __init__(
        self, main: MainWindow, document: Document, checker: Checker, problems: ProblemList, bottom: Notebook
    ) -> None:
        self._main, self._document, self._checker = main, document, checker
        self._problems, self._bottom = problems, bottom

    def pass_all(self) -> bool:
        """Whether the topology can run; the reason is reported if it cannot."""
        # Text that was typed into a focused field is applied first.
        if fault := self._document.commit_typed_text():
            self._refuse(f"{fault}. Then the lab can run.")
            return False
        if not self._document.topology.nodes:
            self._main.say("The drawing is empty. Draw some nodes first.")
            return False
        # While the check is not finished, the lab itself finds the errors.
        errors = 0 if self._checker.is_busy else self._problems.errors
        if errors:
            self._bottom.select(self._problems)
            many = f"{errors} errors prevent" if errors > 1 else "An error prevents"
            self._refuse(f"{many} the lab from running; see Problems.")
        return not errors

    def _refuse(self, reason: str) -> None:
        self._main.say(reason)
        self._main.root.bell()
