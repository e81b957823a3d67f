"""The project's congestion controls in a source tree of Linux."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from frrlib.kernels import congestion

MAKEFILE = "obj-$(CONFIG_TCP_CONG_CUBIC) += tcp_cubic.o\nobj-$(CONFIG_TCP_CONG_BBR) += tcp_bbr.o\n"
HEADER = "union tcp_cc_info {\n\tstruct tcpvegas_info\tvegas;\n};\n"
KCONFIG = 'config TCP_CONG_BBR\n\ttristate "BBR TCP"\n\nchoice\n\tprompt "Default TCP congestion control"\nendchoice\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder `net/ipv4` of a source tree."""
    path = tmp_path / "net" / "ipv4"
    path.mkdir(parents=True)
    (path / "Makefile").write_text(MAKEFILE)
    (path / "Kconfig").write_text(KCONFIG)
    header = tmp_path / "include" / "uapi" / "linux" / "inet_diag.h"
    header.parent.mkdir(parents=True)
    header.write_text(HEADER)
    return path


def test_both_versions_are_added_once(folder: Path, tmp_path: Path) -> None:
    assert congestion.add(tmp_path) == ("bbr2", "bbr3")
    texts = {path.name: path.read_text() for path in folder.iterdir()}
    assert texts["Makefile"].count("+= tcp_bbr2.o") == texts["Makefile"].count("+= tcp_bbr3.o") == 1
    before_choice = texts["Kconfig"].partition("choice\n")[0]
    assert "config TCP_CONG_BBR2\n" in before_choice and "config TCP_CONG_BBR3\n" in before_choice
    assert '#define BBR_NAME "bbr3"' in texts["tcp_bbr3.c"] and "bbr_model.h" in texts
    header = tmp_path / "include" / "uapi" / "linux" / "inet_diag.h"
    assert header.read_text().startswith("union tcp_cc_info {\n\t__u32\t\t\troom[16];")
    stamps = {path: path.stat().st_mtime_ns for path in (*folder.iterdir(), header)}
    assert congestion.add(tmp_path) == ("bbr2", "bbr3")
    assert {path: path.stat().st_mtime_ns for path in (*folder.iterdir(), header)} == stamps  # make compiles nothing


def test_a_version_that_the_tree_has_is_kept(folder: Path, tmp_path: Path) -> None:
    (folder / "Kconfig").write_text("config TCP_CONG_BBR2\n\ttristate\n\n" + KCONFIG)
    (folder / "tcp_bbr2.c").write_text("int theirs;\n")
    assert congestion.add(tmp_path) == ("bbr3",)
    assert (folder / "tcp_bbr2.c").read_text() == "int theirs;\n"
    assert "tcp_bbr2.o" not in (folder / "Makefile").read_text()


def test_an_unknown_tree_is_refused_and_unchanged(folder: Path, tmp_path: Path) -> None:
    (folder / "Makefile").write_text("obj-y += tcp.o\n")
    with pytest.raises(PlaceError, match="no line to which bbr2 could be added"):
        congestion.add(tmp_path)
    assert (folder / "Kconfig").read_text() == KCONFIG and not (folder / "tcp_bbr3.c").exists()
