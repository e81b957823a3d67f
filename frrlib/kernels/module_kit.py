"""The parts of a kernel's source and build that are needed to compile modules for it later: headers and scripts."""

from __future__ import annotations

import shutil
from pathlib import Path

#: Folders of `include/` that no congestion control or queueing discipline needs.
_OTHER_HEADERS = frozenset(
    ("acpi", "drm", "dt-bindings", "kvm", "math-emu", "media", "pcmcia", "rdma", "scsi", "soc", "sound", "target",
     "ufs", "video", "xen")
)  # fmt: skip
#: Folders in which headers and scripts of a source tree and of its build are merged.
_MERGED = ("scripts", "arch/um/include", "arch/x86/include", "arch/x86/um", "arch/x86/entry/syscalls")
_LEFT_OUT = shutil.ignore_patterns(
    "*.o", "*.a", ".*.cmd", "coccinelle", "dtc", "gcc-plugins", "gdb", "kconfig", "ksymoops", "package", "selinux",
    "tracing",
)  # fmt: skip
_MAKEFILES = ("Makefile", "Kbuild", "arch/um/Makefile*", "arch/x86/Makefile*")


def keep(tree: Path, objects: Path, kit: Path) -> None:
    """Copy all that `make M=... modules` needs into one folder, after `make modules_prepare`.

    Args:
        tree: the source tree.
        objects: the folder of its build, with a complete kernel.
        kit: a new folder.

    Raises:
        OSError: a file is missing, or the disk is full.
    """
    kit.mkdir()
    for folder in (tree / "include").iterdir():
        if folder.is_dir() and folder.name not in _OTHER_HEADERS:
            shutil.copytree(folder, kit / "include" / folder.name, symlinks=True)
    for base in (tree, objects):
        for name in _MERGED:
            if (base / name).is_dir():
                shutil.copytree(base / name, kit / name, symlinks=True, dirs_exist_ok=True, ignore=_LEFT_OUT)
    for pattern in _MAKEFILES:
        for file in tree.glob(pattern):
            shutil.copyfile(file, kit / file.relative_to(tree))
    (kit / "arch/um/os-Linux").mkdir(exist_ok=True)  # the Makefile includes this folder's, if there is one
    for name in ("generated", "config"):
        shutil.copytree(objects / "include" / name, kit / "include" / name, dirs_exist_ok=True)
    shutil.copyfile(objects / ".config", kit / ".config")
    # Modules are checked against the symbols that the kernel exports.
    shutil.copyfile(objects / "vmlinux.symvers", kit / "Module.symvers")


def size_bytes(kit: Path) -> int:
    """The size of all files in a kit."""
    return sum(path.lstat().st_size for path in kit.rglob("*") if path.is_file())
