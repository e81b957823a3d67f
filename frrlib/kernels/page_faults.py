"""Makes page faults in a lab kernel rarer: `kernel/page_faults.h`, added to a Linux source tree."""

from __future__ import annotations

from pathlib import Path

from frrlib.kernels import material, source_tree

#: The added file. It has the same name in the source tree, beside `trap.c`.
HEADER = "page_faults.h"
_FOLDER = Path("arch/um/kernel")
_INCLUDE_ANCHOR = "#include <skas.h>\n"
#: The line of Linux' handler after which the page of the fault is ready, and the line that follows it.
_CALL_ANCHOR = "\terr = 0;\n"
_CALL = "\thandle_block(vma, address, is_write);\n"


def source() -> str:
    """The text of the added file."""
    return material.read(HEADER)


def add(tree: Path) -> bool:
    """Let page faults in a source tree handle whole blocks. A tree with this change is only brought up to date.

    Returns:
        Whether the tree has the change. A tree without a place for it stays as it is, and its kernel is only slower.
    """
    file = tree / _FOLDER / "trap.c"
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    include = f'#include "{HEADER}"\n'
    if include not in text:
        if text.count(_CALL_ANCHOR) != 1 or text.count(_INCLUDE_ANCHOR) != 1:
            return False
        text = text.replace(_INCLUDE_ANCHOR, _INCLUDE_ANCHOR + include).replace(_CALL_ANCHOR, _CALL_ANCHOR + _CALL)
    source_tree.write(tree / _FOLDER / HEADER, source())
    source_tree.write(file, text)
    return True
