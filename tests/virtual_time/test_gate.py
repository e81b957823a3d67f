"""The wire of a lab in virtual time, with both ends in this process."""

from __future__ import annotations

import os
import select
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.virtual_time import gate
from frrlib.virtual_time.gate import InnerGate, OuterGate
from tests.waiting import PATIENCE_S, pause, wait_for


class Carried:
    """The supervisor's end, served by a thread, and the program's socket."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder / "gate")
        self.program, far = socket.socketpair()
        self.program.settimeout(20)
        self.outside = OuterGate(self.folder, far.detach())
        self._over = False
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while not self._over:
            reading, writing = self.outside.waits_for()
            self.outside.serve(*select.select(reading, writing, [], 0.05)[:2])
            self.outside.review()

    def end(self) -> None:
        self._over = True
        self._thread.join()
        self.program.close()


@pytest.fixture
def carried(tmp_path: Path) -> Iterator[Carried]:
    found = Carried(tmp_path)
    yield found
    found.end()


def _received(program: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += program.recv(1 << 16)
    return data


def test_the_lab_waits_until_input_is_handed_in(carried: Carried) -> None:
    inside, got = InnerGate(carried.folder), []
    waiting = threading.Thread(target=lambda: got.append(inside.wait()))
    waiting.start()
    waiting.join(0.3)
    assert waiting.is_alive()
    assert not inside.is_handed_in()
    carried.program.sendall(b"half a line")
    waiting.join(0.3)
    assert waiting.is_alive()  # only whole lines are handed in
    carried.program.sendall(b", and the rest\n")
    waiting.join(PATIENCE_S)
    assert got == [b"half a line, and the rest\n"]


def test_input_that_arrives_early_is_kept_in_order(carried: Carried) -> None:
    inside = InnerGate(carried.folder)
    for number in range(3):
        carried.program.sendall(b"%d\n" % number)
        pause(0.1)
    outcome = b""
    while len(outcome) < 6:
        assert inside.is_handed_in()
        outcome += inside.wait()
    assert outcome == b"0\n1\n2\n"
    assert not inside.is_handed_in()


def test_output_over_many_files_arrives_in_order(carried: Carried, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "PART_BYTES", 50_000)
    inside = InnerGate(carried.folder)
    outcome = b"".join(b"%07d\n" % number for number in range(40_000))
    writer = threading.Thread(
        target=lambda: [inside.write(outcome[at : at + 1000]) for at in range(0, len(outcome), 1000)]  # type: ignore[func-returns-value]
    )
    writer.start()
    assert _received(carried.program, len(outcome)) == outcome
    writer.join()

    def left() -> list[str]:
        return [name for name in os.listdir(carried.folder) if name.startswith("out-")]

    wait_for(lambda: len(left()) <= 2, "the outside to remove what it has read")


def test_a_long_wait_is_renewed(carried: Carried, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_patience_s", lambda: 0.2)
    inside = InnerGate(carried.folder)
    assert inside.wait() == b""
    monkeypatch.setattr(gate, "_patience_s", lambda: 20.0)
    carried.program.sendall(b"now\n")
    assert inside.wait() == b"now\n"


@pytest.mark.parametrize("way", ["link", "fifo", "folder", "file"])
def test_files_that_a_lab_puts_in_the_way_are_not_written_and_block_nothing(tmp_path: Path, way: str) -> None:
    """Root in the lab owns the folder: it makes links to files of the user's, and pipes that nobody reads."""
    private = tmp_path / "private"
    private.write_text("the user's")
    carried = Carried(tmp_path)
    make = {
        "link": lambda path: os.symlink(private, path), "fifo": os.mkfifo, "folder": os.mkdir,
        "file": lambda path: os.link(private, path),
    }[way]  # fmt: skip
    for number in range(3):
        make(f"{carried.folder}/in-{number}.new")
    carried.program.sendall(b"question\n")
    assert carried.program.recv(10) == b""
    carried.end()
    assert private.read_text() == "the user's"


@pytest.mark.parametrize("way", ["link", "fifo", "folder"])
def test_only_ordinary_files_are_passed_on(tmp_path: Path, way: str) -> None:
    private = tmp_path / "private"
    private.write_text("the user's")
    carried = Carried(tmp_path)
    make = {"link": lambda path: os.symlink(private, path), "fifo": os.mkfifo, "folder": os.mkdir}[way]
    make(f"{carried.folder}/out-0")
    carried.program.sendall(b"question\n")  # it is served all the same
    wait_for(lambda: os.path.exists(f"{carried.folder}/in-0"), "the question to be handed in")
    carried.program.setblocking(False)
    with pytest.raises(BlockingIOError):
        carried.program.recv(10)
    carried.end()


def test_a_folder_in_the_place_of_the_gates_is_not_entered(tmp_path: Path) -> None:
    carried, other = Carried(tmp_path), tmp_path / "other"
    other.mkdir()
    os.rename(carried.folder, f"{carried.folder}.away")
    os.symlink(other, carried.folder)
    carried.program.sendall(b"question\n")
    wait_for(lambda: os.path.exists(f"{carried.folder}.away/in-0"), "the question to be handed in")
    carried.end()
    assert os.listdir(other) == []


def test_the_last_words_of_a_lab_are_passed_on(carried: Carried) -> None:
    inside = InnerGate(carried.folder)
    carried._over = True
    carried._thread.join()
    inside.write(b"the end\n")
    carried.outside.finish()
    assert _received(carried.program, 8) == b"the end\n"
