"""Files dropped on the window from a file manager, if Tk's extension for it is installed."""

from __future__ import annotations

import importlib.util
import platform
import tkinter as tk
from collections.abc import Callable
from pathlib import Path

#: Folders in the Python package that hold the extension for this machine, in newer and older versions.
_FOLDERS = {"x86_64": ("linux-x64", "linux64"), "aarch64": ("linux-arm64",)}


def accept_files(window: tk.Tk, take: Callable[[list[Path]], None]) -> bool:
    """Pass on files that are dropped on a window. Returns whether this machine supports that.

    Args:
        window: files can be dropped anywhere in it.
        take: called in the window's thread, after the reply to the file manager.
    """

    def open_dropped(data: str) -> str:
        paths = [Path(name) for name in window.tk.splitlist(data)]
        window.after_idle(take, paths)
        return "copy"

    try:
        for folder in _folders():
            # Tcl would search all folders of auto_path if it had to find the extension itself.
            window.tk.call("apply", "dir {source [file join $dir pkgIndex.tcl]}", str(folder))
        window.tk.call("package", "require", "tkdnd")
        window.tk.call("tkdnd::drop_target", "register", ".", "DND_Files")
        command = window.register(open_dropped)
        window.tk.call("bind", ".", "<<Drop:DND_Files>>", f"{command} %D")
    except tk.TclError:
        return False
    return True


def _folders() -> list[Path]:
    """The folders of the Python package with the extension. It is not imported, since that changes all widgets."""
    spec = importlib.util.find_spec("tkinterdnd2")
    locations = spec.submodule_search_locations if spec is not None else None
    names = _FOLDERS.get(platform.machine(), ())
    candidates = [Path(location) / "tkdnd" / name for location in locations or () for name in names]
    return [folder for folder in candidates if folder.is_dir()]
