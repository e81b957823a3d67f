"""ExaBGP: the installed program is found or refused, and its files are prepared."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from frrlib.topotest import exabgp as speakers
from frrlib.topotest import exabgp_receiver


@pytest.fixture
def exabgp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that prints the version ExaBGP 3.4.17, the only one on the PATH."""
    program = tmp_path / "bin" / "exabgp"
    program.parent.mkdir()
    write_program(program, "3.4.17")
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    monkeypatch.setattr(speakers, "HIDDEN", ())
    return program


def write_program(program: Path, version: str) -> None:
    program.write_text(f"#!/bin/sh\necho 'ExaBGP : {version}'\n", encoding="utf-8")
    program.chmod(0o755)


def test_a_missing_exabgp_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(speakers.NoSpeaker, match="no `exabgp` on the PATH"):
        speakers.program()


def test_another_version_is_reported(exabgp: Path) -> None:
    write_program(exabgp, "4.2.21")
    with pytest.raises(speakers.NoSpeaker, match=r"is version 4\.2\.21"):
        speakers.program()


def test_an_exabgp_hidden_from_labs_is_reported(exabgp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speakers, "HIDDEN", (str(exabgp.parent),))
    with pytest.raises(speakers.NoSpeaker, match="labs have their own"):
        speakers.program()


def test_files_are_copied_and_refer_to_each_other(exabgp: Path, tmp_path: Path) -> None:
    files, folder = tmp_path / "peer1", tmp_path / "lab" / "peer1"
    files.mkdir()
    folder.mkdir(parents=True)
    (files / "exabgp.cfg").write_text('run "/etc/exabgp/exa-send.py 1 10";\n', encoding="utf-8")
    (files / "exa-send.py").write_text("pass\n", encoding="utf-8")
    settings = tmp_path / "exabgp.env"
    settings.write_text("[exabgp.daemon]\nuser = 'exabgp'\n", encoding="utf-8")
    command = shlex.split(speakers.prepare_command(folder, files, settings))
    peer_folder = folder / "exabgp"
    assert (peer_folder / "exabgp.cfg").read_text(encoding="utf-8") == f'run "{peer_folder}/exa-send.py 1 10";\n'
    assert (peer_folder / "exa-send.py").stat().st_mode & 0o111
    assert (peer_folder / "exa-receive.py").read_bytes() == Path(exabgp_receiver.__file__).read_bytes()
    assert command[command.index("-e") + 1 : command.index("-e") + 3] == [
        f"{peer_folder}/exabgp.env",
        f"{peer_folder}/exabgp.cfg",
    ]
    assert "exabgp_daemon_user=root" in command
    assert (
        (files / "exabgp.cfg").read_text(encoding="utf-8").count("/etc/exabgp")
    )  # the files of the test are unchanged
