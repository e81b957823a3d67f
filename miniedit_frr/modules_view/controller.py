"""Edit > Congestion Control: the user's own congestion controls, edited, stored beside the drawing, and compiled."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from ttkbootstrap.dialogs import Messagebox

from frrlib.errors import LabError, TopologyError
from frrlib.formats.files import replace_file
from frrlib.lab.program import module_files
from frrlib.model import flow_words
from frrlib.model.topology import Topology
from frrlib.place.labkernel import find_kernel
from frrlib.place.module_compiler import modules
from frrlib.place.module_compiler.modules import CompilationFailure, ModuleSource
from miniedit_frr.document.document import Document
from miniedit_frr.editor.main_window import MainWindow
from miniedit_frr.files.file_menu import FileMenu
from miniedit_frr.modules_view.window import ModuleWindow
from miniedit_frr.widgets.words_dialog import WordsDialog
from miniedit_frr.widgets.worker import Worker

_USAGE = "The name that flows use: up to 15 small letters, digits and underscores.\nThe file is tcp_NAME.c."
_SAVE_FIRST = "The drawing has no file yet, and the congestion control is stored beside it. Save the drawing first."
_NO_KERNEL = (
    "The file is saved, but not compiled: {reason}. A lab kernel with its headers is built in a terminal by: "
    "miniedit-frr kernel build --again"
)


class ModulesController:
    """Opens windows of congestion controls, saves their files, and compiles them.

    Attributes:
        windows: the windows of files, open or closed, by file name.
        name_dialog: the dialog for the name of a new congestion control; None before its first use.
    """

    def __init__(self, main: MainWindow, document: Document, files: FileMenu) -> None:
        self._main, self._document, self._files = main, document, files
        self.windows: dict[str, ModuleWindow] = {}
        self.name_dialog: WordsDialog | None = None
        self._paths: dict[ModuleWindow, Path] = {}
        self._newest: dict[ModuleWindow, str] = {}
        files.on_saved.append(self._hide_notices)

    def entries(self) -> list[tuple[str, Callable[[], object]]]:
        """The lines of the menu: a new congestion control, and those of the drawing."""
        names = [file for file in self._document.topology.kernel_modules if Path(file).name.startswith("tcp_")]
        return [("Own…", self.ask_name), *((f"Edit {file}", partial(self.open, file)) for file in names)]

    def ask_name(self) -> None:
        """Ask for the name of a new congestion control, and open its template."""
        self.name_dialog = WordsDialog(self._main.root, "Open Template", "mine", _USAGE, self._begin, style="primary")
        self.name_dialog.title("New congestion control")

    def open(self, file: str) -> None:
        """Open a kernel module of the topology.

        Args:
            file: its path, as in the topology.
        """
        topology, drawing = self._document.topology, self._document.path
        index = topology.kernel_modules.index(file)
        try:
            only = topology.model_copy(update={"kernel_modules": (topology.kernel_modules[index],)})
            path = module_files(only, drawing.absolute().parent if drawing else None)[0]
            text = modules.read_source(path).text.decode()
        except UnicodeDecodeError:
            self._main.say(f"{file} cannot be edited here: it is not encoded as UTF-8.")
            return
        except LabError as error:
            self._main.say(f"{file} cannot be opened: {error}")
            return
        self._paths[self._show(path.name, text, path)] = path

    def may_close(self) -> bool:
        """Whether the main window may close: no window has unsaved text, or the user has decided about it."""
        return all(window.may_close() for window in self._open_windows())

    def set_theme(self) -> None:
        """Show the windows in the new theme."""
        for window in self._open_windows():
            window.source.set_theme(self._main.theme)

    def _open_windows(self) -> list[ModuleWindow]:
        return [window for window in self.windows.values() if window.winfo_exists()]

    def _begin(self, name: str) -> str:
        """Open the template of a new congestion control. Returns why its name is refused; empty if it is not."""
        file, drawing = f"tcp_{name.strip()}.c", self._document.path
        if name.strip() in flow_words.CONTROLS:
            return f"Linux has a congestion control {name.strip()} already. Choose another name."
        if name.strip() in self._document.topology.own_controls:
            return f"The drawing has {file} already. Edit it from the menu, or choose another name."
        if drawing is not None and drawing.with_name(file).exists():
            return f"{file} exists beside the drawing. Choose another name, or add it in the topology preferences."
        try:
            text = modules.template(Path(file))
        except TopologyError as error:
            return f"{error.message}: {error.remedy}."
        self._show(file, text, None)
        return ""

    def _show(self, file: str, text: str, path: Path | None) -> ModuleWindow:
        """The window of a file: the one that is open, or a new one."""
        window = self.windows.get(file)
        if window is not None and window.winfo_exists() and self._paths.get(window) == path:
            window.lift()
            return window
        main = self._main
        window = self.windows[file] = ModuleWindow(main.root, main.ui, main.theme, file, text, path is not None)
        window.on_save = partial(self._save, window)
        window.on_notice = self._files.save
        if self._document.path is None and path is None:
            window.show_notice(_SAVE_FIRST, "Save Drawing…")
        return window

    def _hide_notices(self) -> None:
        for window in self._open_windows():
            if window.notice.get() == _SAVE_FIRST:
                window.show_notice("")

    def _save(self, window: ModuleWindow) -> bool:
        """Write the file, add it to the topology, and begin to compile it. Returns whether the file was written."""
        drawing, path = self._document.path, self._paths.get(window)
        if drawing is None and path is None:
            window.show_notice(_SAVE_FIRST, "Save Drawing…")
            return False
        if path is None:
            assert drawing is not None
            path = drawing.absolute().with_name(window.file)
        text = window.source.content
        if not self._may_replace(window, path):
            return False
        try:
            replace_file(path, text.encode())
        except LabError as error:
            window.status.set(str(error))
            return False
        self._paths[window] = path
        window.note_stored(text)
        refusal = self._add(path)
        window.show_notice(f"{path.name} is saved, but it is not part of the drawing: {refusal}" if refusal else "")
        self._compile(window, path)
        return True

    def _may_replace(self, window: ModuleWindow, path: Path) -> bool:
        """Whether the file holds the text that was last read or saved here, or the user lets it be replaced."""
        try:
            current = path.read_bytes().decode(errors="replace") if path.exists() else None
        except OSError:
            return True  # writing reports the reason
        if current is None or current == window.stored:
            return True
        question = f"{path.name} was changed by another program. Overwrite replaces those changes."
        answer = Messagebox.show_question(
            question, "The file has changed", parent=window, buttons=["Cancel:primary", "Overwrite:danger"]
        )
        return answer == "Overwrite"

    def _add(self, path: Path) -> str:
        """Add a file to the topology. Returns why this is refused; empty if the topology has it."""
        topology, drawing = self._document.topology, self._document.path
        if path.name in {Path(file).name for file in topology.kernel_modules}:
            return ""
        if drawing is None or drawing.absolute().parent != path.parent:
            return "it is stored in the folder of another drawing"
        new: Topology = topology.model_copy(update={"kernel_modules": (*topology.kernel_modules, path.name)})
        refusal = self._document.refusal(new)
        if not refusal:
            self._document.apply(f"Add {path.name}", new)
        return refusal

    def _compile(self, window: ModuleWindow, path: Path) -> None:
        def work() -> tuple[ModuleSource, str]:
            source = modules.read_source(path)
            kernel = modules.kernel_with_kit(find_kernel())
            modules.compiled_module(kernel, source)
            return source, kernel.name

        window.show_progress(is_compiling=True)
        window.status.set(f"Compiling {path.name} …")
        self._newest[window] = text = window.source.content
        then, failed = partial(self._show_success, window, text), partial(self._show_failure, window, text)
        Worker(window).do("compile", work, then, failed)

    def _show_success(self, window: ModuleWindow, text: str, result: tuple[ModuleSource, str]) -> None:
        if self._newest[window] != text:
            return  # a newer text is being compiled
        source, kernel = result
        window.show_progress(is_compiling=False)
        window.show_errors(())
        window.status.set(f"Compiled for {kernel}. Flows choose {source.feature}; the next run uses this text.")

    def _show_failure(self, window: ModuleWindow, text: str, error: Exception) -> None:
        if self._newest[window] != text:
            return
        window.show_progress(is_compiling=False)
        if isinstance(error, CompilationFailure):
            window.show_errors(error.errors)
            count = len(error.errors)
            window.status.set(f"{window.file} does not compile: {count} {'error' if count == 1 else 'errors'}.")
        elif isinstance(error, TopologyError):
            window.status.set(str(error))
        elif isinstance(error, LabError):
            reason = getattr(error, "missing", str(error))
            window.status.set(f"{window.file} is saved, but not compiled.")
            window.show_notice(_NO_KERNEL.format(reason=reason))
        else:
            raise error
