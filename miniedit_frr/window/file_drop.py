"""Files dropped on the window from a file manager, where Tk's extension for that is there."""

from __future__ import annotations

import importlib.util
import platform
import tkinter as tk
from collections.abc import Callable
from pathlib import Path

#: Folders in the Python package that hold the extension for this machine, in newer and older versions.
_FOLDERS = {"x86_64": ("linux-x64", "linux64"), "aarch64": ("linux-arm64",)}


def accept_files(window: tk.Tk, take: Callable[[list[Path]], None]) -> bool:
    """Hand over files dropped on a window; returns whether this machine can do that.

    Args:
        window: anything in it is a target.
        take: called in the window's thread, when the file manager no longer waits.
    """

    def dropped(data: str) -> str:
        paths = [Path(each) for each in window.tk.splitlist(data)]
        window.after_idle(take, paths)
        return "copy"

    try:
        for folder in _folders():
            window.tk.call("lappend", "auto_path", str(folder))
        window.tk.call("package", "require", "tkdnd")
        window.tk.call("tkdnd::drop_target", "register", ".", "DND_Files")
        command = window.register(dropped)
        window.tk.call("bind", ".", "<<Drop:DND_Files>>", f"{command} %D")
    except tk.TclError:
        return False
    return True


def _folders() -> list[Path]:
    """The Python package's folder with the extension; the package is not imported, for it changes all widgets."""
    spec = importlib.util.find_spec("tkinterdnd2")
    above = spec.submodule_search_locations if spec is not None else None
    below = _FOLDERS.get(platform.machine(), ())
    found = [Path(each) / "tkdnd" / name for each in above or () for name in below]
    return [folder for folder in found if folder.is_dir()]
