"""Terminals: the options of each program, and windows that close with their lab."""

from __future__ import annotations

import os
import shutil
from functools import partial
from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from miniedit_frr.session import requests
from miniedit_frr.window import terminals
from tests import processes
from tests.session.watching import Watch
from tests.waiting import PATIENCE_S, wait_for

WINDOWS = {
    "xterm": ["xterm", "-T", "r1 {rows}", "-fa", "Monospace", "-fs", "10", "-geometry", "90x25", "-e", "top", "-d1"],
    "gnome-terminal": ["gnome-terminal", "--wait", "--title=r1 {rows}", "--geometry=90x25", "--", "top", "-d1"],
    "konsole": [
        "konsole", "--separate", "-p", "tabtitle=r1 {rows}", "-p", "TerminalColumns=90", "-p", "TerminalRows=25",
        "-e", "top", "-d1",
    ],
    "kitty": [
        "kitty", "--title=r1 {rows}", "-o", "remember_window_size=no", "-o", "initial_window_width=90c",
        "-o", "initial_window_height=25c", "--", "top", "-d1",
    ],
    "xfce4-terminal": [
        "xfce4-terminal", "--disable-server", "--title=r1 {rows}", "--geometry=90x25", "-x", "top", "-d1",
    ],
    "mate-terminal": [
        "mate-terminal", "--disable-factory", "--title=r1 {rows}", "--geometry=90x25", "-x", "top", "-d1",
    ],
    "alacritty": [
        "alacritty", "--title", "r1 {rows}", "-o", "window.dimensions.columns=90",
        "-o", "window.dimensions.lines=25", "-e", "top", "-d1",
    ],
    "foot": ["foot", "--title=r1 {rows}", "--window-size-chars=90x25", "--", "top", "-d1"],
    "wezterm": [
        "wezterm", "--config", "initial_cols=90", "--config", "initial_rows=25", "start", "--always-new-process", "--",
        "top", "-d1",
    ],
    "urxvt": ["urxvt", "-title", "r1 {rows}", "-geometry", "90x25", "-e", "top", "-d1"],
    "x-terminal-emulator": ["x-terminal-emulator", "-T", "r1 {rows}", "-e", "top", "-d1"],
}  # fmt: skip


def test_each_terminal_program_gets_its_own_options() -> None:
    commands = {
        terminal.program: terminal.argv(["top", "-d1"], "r1 {rows}", 90, 25) for terminal in terminals.TERMINALS
    }
    assert commands == WINDOWS


def test_an_installed_terminal_program_is_chosen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PlaceError, match="apt-get install xterm"):
        terminals.choose_terminal()
    for name in ("kitty", "gnome-terminal"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    assert terminals.available_terminals() == ["gnome-terminal", "kitty"]
    assert terminals.choose_terminal().program == "gnome-terminal"
    assert terminals.choose_terminal("kitty").program == "kitty"
    assert terminals.choose_terminal("gterm").program == "gnome-terminal"  # MiniEdit's word
    assert terminals.choose_terminal("xterm").program == "gnome-terminal"  # not there


@pytest.mark.gui
def test_windows_are_closed_by_their_handle() -> None:
    if shutil.which("xterm") is None:
        pytest.skip("xterm is not installed")
    windows = terminals.Terminals()
    windows.open(["sleep", "1000"], "one", choice="xterm")
    windows.open(["sh", "-c", "trap '' HUP TERM; sleep 1000"], "two", choice="xterm")
    pids = {window.pid for window in windows._open}
    assert len(windows) == 2
    windows.end_all()
    assert len(windows) == 0
    assert processes.gone(pids)


@pytest.mark.lab
@pytest.mark.gui
def test_a_terminal_in_a_node_closes_with_its_lab(running: Watch, tmp_path: Path) -> None:
    if shutil.which("xterm") is None:
        pytest.skip("xterm is not installed")
    script = "hostname; stty size; exec sleep 1000"
    argv = running.result(running.session.ask(partial(requests.terminal_command, node="h1", argv=("sh", "-c", script))))
    output = tmp_path / "said"
    window = terminals.open_terminal(
        ["sh", "-c", 'out=$1; shift; "$@" | tee "$out"', "sh", str(output), *argv], "h1", 90, 25
    )

    def is_said() -> bool:
        assert window.poll() is None
        return output.exists() and "\n25 90" in output.read_text().replace("\r", "")

    wait_for(is_said, "the window's size")
    assert output.read_text().replace("\r", "").split("\n")[:2] == ["h1", "25 90"]
    running.session.stop()
    running.until_end()
    window.wait(PATIENCE_S)


def test_a_terminal_is_wide_enough_for_the_summary_of_bgp(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The heading of `show bgp summary` in FRR 8.4 to 10.3 and a row of 10.3 fit in the usual terminal."""
    heading = "Neighbor        V         AS   MsgRcvd   MsgSent   TblVer  InQ OutQ  Up/Down State/PfxRcd   PfxSnt Desc"
    row = f"10.255.255.254  4 {65002:>10}{9:>10}{8:>10}{4:>9}    0    0 00:00:40 {2:>12} {2:>8} FRRouting/10.3.1"
    program, output = tmp_path / "xterm", tmp_path / "said"
    program.write_text(f'#!/bin/sh\necho "$*" > {output}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    terminals.open_terminal(["vtysh"], "r1", choice="xterm").wait(timeout=20)
    columns = int(output.read_text().partition("-geometry ")[2].partition("x")[0])
    assert columns >= max(len(heading), len(row))
