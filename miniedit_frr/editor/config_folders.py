"""File > Import and Export of FRR's configurations: from a folder into the routers of the topology, and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tkinter import filedialog

from ttkbootstrap.dialogs import Messagebox

from frrlib.configs.folders import ConfigImport, export_folder, import_configs, read_folder
from frrlib.errors import LabError
from miniedit_frr.document.document import Document
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.files.file_menu import FileMenu

_ADD, _SKIP = "Draw Them", "Skip Them"
#: Maximum number of names in a question.
_MOST_NAMES = 12


class ConfigFolders:
    """Reads and writes folders of configurations."""

    def __init__(self, main: MainWindow, document: Document, files: FileMenu) -> None:
        self._main, self._document, self._files = main, document, files
        files.exports.append(("FRR Configurations…", self.ask_export))

    def entries(self) -> list[tuple[str, Callable[[], object]]]:
        """The lines of the Import menu."""
        return [("FRR Configurations…", self.ask_import)]

    def ask_import(self) -> None:
        """Ask for a folder, and add its configurations to the routers with the same names."""
        title = "A folder with r1/frr.conf, r1/zebra.conf or r1.conf"
        folder = filedialog.askdirectory(parent=self._main.root, title=title, mustexist=True)
        if folder:
            self.read(Path(folder))

    def read(self, folder: Path) -> None:
        """Add the configurations of a folder to the routers; ask about routers that are not in the topology."""
        document = self._document
        try:
            configs = read_folder(folder)
            result = import_configs(document.topology, configs)
            if result.missing:
                answer = self._ask(result)
                if answer not in (_ADD, _SKIP):
                    return
                result = import_configs(document.topology, configs, add=answer == _ADD)
        except LabError as error:
            self._files.report_failure("The configurations cannot be imported", error)
            return
        for note in result.notes:
            self._main.say(note)
        document.apply(f"Import Configurations of {folder.name}", result.topology)
        self._main.say(describe_import(result, folder))

    def ask_export(self) -> None:
        """Ask for a folder, and write the configurations of the topology's routers into it."""
        folder = filedialog.askdirectory(parent=self._main.root, title="Export FRR configurations to a folder")
        if folder:
            self.write(Path(folder))

    def write(self, folder: Path) -> None:
        """Write the configurations of the topology's routers into a folder."""
        try:
            names = export_folder(self._document.topology, folder)
        except LabError as error:
            self._files.report_failure("The configurations cannot be exported", error)
            return
        count = f"{len(names)} router{'' if len(names) == 1 else 's'}"
        self._main.say(f"The configurations of {count} were exported to {folder}." if names else "No router runs FRR.")

    def _ask(self, result: ConfigImport) -> str:
        names = ", ".join(result.missing[:_MOST_NAMES]) + (", …" if len(result.missing) > _MOST_NAMES else "")
        routers = "a router that is" if len(result.missing) == 1 else f"{len(result.missing)} routers that are"
        question = f"The folder contains the configuration of {routers} not in the topology: {names}."
        buttons = ["Cancel:secondary-outline", f"{_SKIP}:secondary-outline", f"{_ADD}:primary"]
        answer = Messagebox.show_question(question, "Import", parent=self._main.root, buttons=buttons)
        return str(answer or "")


def describe_import(result: ConfigImport, folder: Path) -> str:
    """Describe the result of an import in one to three sentences."""
    text = f"From {folder}: {', '.join(result.configured) or 'nothing'}."
    if result.missing:
        text += f" Skipped, because they are not in the topology: {', '.join(result.missing)}."
    if result.without:
        text += f" No configuration in the folder for {', '.join(result.without)}."
    return text
