"""The headers that are kept with a built kernel."""

from __future__ import annotations

from pathlib import Path

from frrlib.kernels import module_kit


def _write(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_kit_merges_headers_of_the_source_and_of_the_build(tmp_path: Path) -> None:
    tree, objects, kit = tmp_path / "tree", tmp_path / "objects", tmp_path / "kit"
    for name in (
        "Makefile", "Kbuild", "arch/um/Makefile", "arch/um/Makefile-os-Linux", "arch/x86/Makefile.um",
        "include/net/tcp.h", "include/drm/drm.h", "arch/x86/include/asm/a.h", "scripts/Makefile.build",
    ):  # fmt: skip
        _write(tree / name)
    for name in (
        ".config", "include/generated/autoconf.h", "include/config/auto.conf", "scripts/mod/modpost",
        "scripts/mod/modpost.o", "arch/um/include/generated/asm/b.h",
    ):  # fmt: skip
        _write(objects / name)
    _write(objects / "vmlinux.symvers", "symbols")
    module_kit.keep(tree, objects, kit)
    files = {str(path.relative_to(kit)) for path in kit.rglob("*") if path.is_file()}
    assert files == {
        "Makefile", "Kbuild", ".config", "Module.symvers", "arch/um/Makefile", "arch/um/Makefile-os-Linux",
        "arch/x86/Makefile.um", "include/net/tcp.h", "arch/x86/include/asm/a.h", "scripts/Makefile.build",
        "include/generated/autoconf.h", "include/config/auto.conf", "scripts/mod/modpost",
        "arch/um/include/generated/asm/b.h",
    }  # fmt: skip
    assert (kit / "Module.symvers").read_text() == "symbols"
    assert module_kit.size_bytes(kit) == len("symbols") + len(files) - 1
