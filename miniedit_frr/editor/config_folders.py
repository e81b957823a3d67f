"""File > Import and Export of FRR's configurations: folders of them onto the drawn routers, and back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tkinter import filedialog

from ttkbootstrap.dialogs import Messagebox

from frrlib.configs.folders import ConfigImport, export_folder, import_configs, read_folder
from frrlib.errors import LabError
from miniedit_frr.editor.parts import Parts

_ADD, _SKIP = "Draw Them", "Skip Them"
#: How many names a question lists.
_NAMES = 12


class ConfigFolders:
    """Reads and writes folders of configurations."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        parts.files.exports.append(("FRR Configurations…", self.ask_export))

    def entries(self) -> list[tuple[str, Callable[[], object]]]:
        """The lines of the Import menu."""
        return [("FRR Configurations…", self.ask_import)]

    def ask_import(self) -> None:
        """Ask for a folder, and put its configurations onto the routers of those names."""
        title = "A folder with r1/frr.conf, r1/zebra.conf or r1.conf"
        asked = filedialog.askdirectory(parent=self._parts.window, title=title, mustexist=True)
        if asked:
            self.read(Path(asked))

    def read(self, folder: Path) -> None:
        """Put the configurations of a folder onto the routers; asks about those that are not drawn."""
        parts, document = self._parts, self._parts.document
        try:
            configs = read_folder(folder)
            found = import_configs(document.topology, configs)
            if found.missing:
                answer = self._ask(found)
                if answer not in (_ADD, _SKIP):
                    return
                found = import_configs(document.topology, configs, add=answer == _ADD)
        except LabError as error:
            parts.files.report_failure("The configurations cannot be imported", error)
            return
        for note in found.notes:
            parts.say(note)
        document.apply(f"Import Configurations of {folder.name}", found.topology)
        parts.say(describe_import(found, folder))

    def ask_export(self) -> None:
        """Ask for a folder, and write the configurations that the drawing makes."""
        asked = filedialog.askdirectory(parent=self._parts.window, title="Export FRR configurations to a folder")
        if asked:
            self.write(Path(asked))

    def write(self, folder: Path) -> None:
        """Write the configurations that the drawing makes."""
        try:
            names = export_folder(self._parts.document.topology, folder)
        except LabError as error:
            self._parts.files.report_failure("The configurations cannot be exported", error)
            return
        many = f"{len(names)} router{'' if len(names) == 1 else 's'}"
        self._parts.say(f"The configurations of {many} were exported to {folder}." if names else "No router runs FRR.")

    def _ask(self, found: ConfigImport) -> str:
        names = ", ".join(found.missing[:_NAMES]) + (", …" if len(found.missing) > _NAMES else "")
        what = "a router that is" if len(found.missing) == 1 else f"{len(found.missing)} routers that are"
        question = f"The folder contains the configuration of {what} not in the drawing: {names}."
        buttons = ["Cancel:secondary-outline", f"{_SKIP}:secondary-outline", f"{_ADD}:primary"]
        answer = Messagebox.show_question(question, "Import", parent=self._parts.window, buttons=buttons)
        return str(answer or "")


def describe_import(found: ConfigImport, folder: Path) -> str:
    """What came of an import, in a sentence or two."""
    text = f"From {folder}: {', '.join(found.configured) or 'nothing'}."
    if found.missing:
        text += f" Skipped, because they are not in the drawing: {', '.join(found.missing)}."
    if found.without:
        text += f" No configuration in the folder for {', '.join(found.without)}."
    return text
