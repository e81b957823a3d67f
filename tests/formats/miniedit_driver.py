"""Opens files in MiniEdit's own window and has MiniEdit save them again: `miniedit_driver.py FILE...` to FILE.back.

Three lines that Python 3 does not accept are replaced: two lists of pairs that are added, and a file that is opened for
bytes but receives text. Everything else is MiniEdit's own code, including its canvas.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any
from unittest import mock


class Pairs(dict[str, Any]):
    """A dict whose items can be added up, as in the Python that MiniEdit was written for."""

    def items(self) -> Any:
        return list(super().items())


def main() -> None:
    from mininet.examples import miniedit

    for name in sys.argv[1:]:
        editor = miniedit.MiniEdit()
        editor.appPrefs = Pairs(editor.appPrefs)
        editor.convertJsonUnicode = lambda document: {
            **document,
            "application": Pairs(document["application"]),
        }
        text = io.StringIO(Path(name).read_text(encoding="utf-8"))
        with mock.patch.object(miniedit.tkFileDialog, "askopenfile", return_value=text):
            editor.loadTopology()
        editor.update()
        with (
            mock.patch.object(miniedit.tkFileDialog, "asksaveasfilename", return_value=f"{name}.back"),
            mock.patch.object(miniedit, "open", lambda path, mode: open(path, "w"), create=True),
        ):
            editor.saveTopology()
        editor.winfo_toplevel().destroy()


if __name__ == "__main__":
    main()
