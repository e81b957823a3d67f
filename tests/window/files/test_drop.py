"""A file dropped on the window opens. The test uses the real protocol between programs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import platformdirs
import pytest

from frrlib.formats import mn
from miniedit_frr.window import file_drop
from tests.desktop import desktop, wait_for

pytestmark = pytest.mark.gui

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "examples" / "ospf-multihop.mn"

#: A file manager with one file in it.
MANAGER = """
import sys, tkinter as tk, urllib.parse
from miniedit_frr.window import file_drop
root = tk.Tk()
root.title("file manager")
root.geometry("100x100+1290+700")
for folder in file_drop._folders():
    root.tk.call("lappend", "auto_path", str(folder))
try:
    root.tk.call("package", "require", "tkdnd")
except tk.TclError:
    sys.exit(77)
root.tk.call("tkdnd::drag_source", "register", ".", "DND_Files", 1)
root.tk.setvar("uri", "file://" + urllib.parse.quote(sys.argv[1]) + "\\r\\n")
root.tk.eval('''
    bind . <<DragInitCmd>> {list copy DND_Files [list unused]}
    # Bytes, as other programs send them; by itself the extension sends them as numbers, which is for Tk only.
    proc bytes {offset size} {string range $::uri $offset [expr {$offset + $size - 1}]}
    trace add execution ::tkdnd::xdnd::registerSelectionHandler leave {apply {args {
        selection handle -selection XdndSelection -type text/uri-list -format UTF8_STRING . bytes
    }}}
''')
root.mainloop()
"""


def test_a_file_dropped_from_another_program_opens(tmp_path: Path) -> None:
    with desktop() as screen:
        env = {**screen.env, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path)}
        env["XDG_CACHE_HOME"] = str(platformdirs.user_cache_path())  # places need not be tried again
        env |= {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_CONFIG_HOME": str(tmp_path / "config")}
        argv = [[sys.executable, "-m", "miniedit_frr", "edit"], [sys.executable, "-c", MANAGER, str(EXAMPLE)]]
        started = [subprocess.Popen(words_of_program, env=env, cwd=tmp_path) for words_of_program in argv]
        try:
            window = screen.window("^untitled - MiniEdit-FRR$")
            source = wait_for(lambda: started[1].poll() or screen.find("^file manager$"), "the file manager")
            if source == 77:
                pytest.skip("this machine has no tkdnd")
            assert not isinstance(source, int)
            target = (window.x + window.width * 0.5, window.y + window.height * 0.1)
            path = [
                (source.x + 50, source.y + 50),
                (source.x - 100, source.y - 50),
                (target[0] + 40, target[1]),
                target,
            ]
            words: list[object] = ["mousemove", *map(round, path[0]), "sleep", 0.3, "mousedown", 1]
            for x, y in path[1:]:
                words += ["mousemove", round(x), round(y), "sleep", 0.3]
            screen.do(*words, "sleep", 0.3, "mouseup", 1)
            screen.window("^ospf-multihop.mn - MiniEdit-FRR$")
        finally:
            for process in started:
                process.kill()
                process.wait()


def test_dropping_several_files_opens_the_topology(user: Any, tmp_path: Path) -> None:
    user.editor.files.open_dropped([tmp_path / "notes.txt", EXAMPLE, tmp_path / "b.mn"])
    assert user.topology == mn.load(EXAMPLE).topology
    assert "b.mn was not opened" in user.editor.log.text.get("1.0", "end")


def test_without_tkdnd_dropping_is_disabled(user: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import tkinter as tk

    real = user.editor.window.tk

    class Tk:
        def call(self, *words: Any) -> Any:
            if words[:2] == ("package", "require"):
                raise tk.TclError("can't find package tkdnd")
            return real.call(*words)

    monkeypatch.setattr(user.editor.window, "tk", Tk())
    assert file_drop.accept_files(user.editor.window, lambda paths: None) is False
    monkeypatch.undo()
