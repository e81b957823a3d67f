"""Adds the project's own congestion controls to a Linux source tree: the files of `kernel/congestion/`."""

from __future__ import annotations

from pathlib import Path

from frrlib.errors import PlaceError
from frrlib.kernels import material, source_tree

#: The kernel's name and the title of each congestion control.
CONTROLS = {"bbr2": "BBR TCP, version 2", "bbr3": "BBR TCP, version 3"}
_SHARED = ("bbr_model.h",)
#: Lines of Linux' own files, before which the new ones are inserted.
_MAKE_ANCHOR = "obj-$(CONFIG_TCP_CONG_BBR) += tcp_bbr.o\n"
_KCONFIG_ANCHOR = 'choice\n\tprompt "Default TCP congestion control"\n'
#: The union that a congestion control fills for `ss -i`. It gets room for the state of later versions of BBR.
_DIAG_HEADER = "include/uapi/linux/inet_diag.h"
_DIAG_ANCHOR = "union tcp_cc_info {\n"
_DIAG_ROOM = "\t__u32\t\t\troom[16]; /* of the lab kernel */\n"


def sources() -> dict[str, str]:
    """The text of each source file, by its name in `net/ipv4`."""
    names = [*_SHARED, *(f"tcp_{name}.c" for name in CONTROLS)]
    return {name: material.read(f"congestion/{name}") for name in names}


def add(tree: Path) -> tuple[str, ...]:
    """Add the congestion controls that a source tree lacks. A tree that has them already is only brought up to date.

    `ss -i` and the samples show their whole state, for which `union tcp_cc_info` is enlarged.

    Returns:
        The names of those that are the project's own. A control that the tree came with is kept.

    Raises:
        PlaceError: the tree's files differ so much that no place for the new lines is found.
    """
    folder = tree / "net" / "ipv4"
    makefile, kconfig = folder / "Makefile", folder / "Kconfig"
    make_text, kconfig_text = makefile.read_text(encoding="utf-8"), kconfig.read_text(encoding="utf-8")
    added = []
    for name, title in CONTROLS.items():
        line = f"obj-$(CONFIG_TCP_CONG_{name.upper()}) += tcp_{name}.o # of the lab kernel\n"
        if line not in make_text:
            if f"config TCP_CONG_{name.upper()}\n" in kconfig_text:
                continue
            if _MAKE_ANCHOR not in make_text or _KCONFIG_ANCHOR not in kconfig_text:
                raise PlaceError(
                    f"{folder} has no line to which {name} could be added", "use the sources of another Linux"
                )
            entry = f'config TCP_CONG_{name.upper()}\n\ttristate "{title}"\n\tdefault n\n\n'
            make_text = make_text.replace(_MAKE_ANCHOR, line + _MAKE_ANCHOR)
            kconfig_text = kconfig_text.replace(_KCONFIG_ANCHOR, entry + _KCONFIG_ANCHOR, 1)
        added.append(name)
    source_tree.write(makefile, make_text)
    source_tree.write(kconfig, kconfig_text)
    files = {*_SHARED, *(f"tcp_{name}.c" for name in added)} if added else set()
    for name, text in sources().items():
        if name in files:
            source_tree.write(folder / name, text)
    if added:
        _enlarge_report(tree / _DIAG_HEADER)
    return tuple(added)


def _enlarge_report(header: Path) -> None:
    """Enlarge `union tcp_cc_info`. Where that fails, `ss -i` shows the fields of version 1 only."""
    text = header.read_text(encoding="utf-8") if header.exists() else ""
    if _DIAG_ANCHOR in text and _DIAG_ROOM not in text:
        source_tree.write(header, text.replace(_DIAG_ANCHOR, _DIAG_ANCHOR + _DIAG_ROOM))
