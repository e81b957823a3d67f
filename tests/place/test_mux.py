"""The serial line's streams, without a lab: two ends joined by a line that loses bytes like a lab kernel's."""

from __future__ import annotations

import contextlib
import os
import random
import select
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from frrlib.place.multiplexer import DATA, LINE_WINDOW, OPEN, Mux
from tests.waiting import wait_for

DEAF_AT = 4096 - 128


class Line:
    """Carries bytes between two ends a few at a time; fails if more are under way inwards than a terminal
    holds."""

    def __init__(self, dice: random.Random) -> None:
        self.outside, self._left = socket.socketpair()
        self.inside, self._right = socket.socketpair()
        self._dice = dice
        self.most_under_way = 0
        for end in (self._left, self._right):
            end.setblocking(False)

    def step(self, pending: bytearray) -> None:
        """Take what the outside sent, and hand a random part of what is under way to the inside, and back."""
        with contextlib.suppress(BlockingIOError):
            pending += self._left.recv(65536)
        self.most_under_way = max(self.most_under_way, len(pending))
        part = pending[: self._dice.randint(1, 4096)]
        if part:
            del pending[: self._right.send(part)]
        with contextlib.suppress(BlockingIOError):
            self._left.send(self._right.recv(self._dice.randint(1, 8192)))


def turn(*ends: Mux) -> None:
    """Let each end do what it can do without waiting."""
    for end in ends:
        reading, writing = end.waits_for()
        readable, writable, _ = select.select(reading, writing, [], 0)
        end.serve(readable, writable)


@pytest.mark.parametrize("seed", range(5))
def test_bytes_arrive_as_they_were_and_the_line_never_overflows(seed: int) -> None:
    dice = random.Random(seed)
    line, pending = Line(dice), bytearray()
    served: list[socket.socket] = []

    def opened(_: int) -> int:
        near, far = socket.socketpair()
        served.append(far)
        return near.detach()

    wire_out, wire_in = socket.socketpair(), socket.socketpair()
    outside, inside = Mux(line.outside.fileno(), True, opened), Mux(line.inside.fileno(), False, opened)
    outside.attach(0, wire_out[1].detach())
    inside.attach(0, wire_in[1].detach())
    caller, end = socket.socketpair()
    outside.open(end.detach())
    flows = {
        "wire in": (wire_out[0], wire_in[0], dice.randbytes(50_000)),
        "wire out": (wire_in[0], wire_out[0], dice.randbytes(400_000)),
    }
    while not served:
        turn(outside, inside)
        line.step(pending)
    flows["stream in"] = (caller, served[0], dice.randbytes(50_000))
    flows["stream out"] = (served[0], caller, dice.randbytes(100_000))
    writers = [threading.Thread(target=a.sendall, args=(data,)) for a, _, data in flows.values()]
    for writer in writers:
        writer.start()
    got = dict.fromkeys(flows, b"")
    while any(len(got[name]) < len(data) for name, (_, _, data) in flows.items()):
        turn(outside, inside)
        line.step(pending)
        for name, (_, reader, _) in flows.items():
            if select.select([reader], [], [], 0)[0]:
                got[name] += reader.recv(dice.randint(1, 30_000))
    for writer in writers:
        writer.join()
    assert all(got[name] == data for name, (_, _, data) in flows.items())
    assert line.most_under_way <= LINE_WINDOW < DEAF_AT


def test_an_end_of_one_side_is_seen_on_the_other_after_the_last_byte() -> None:
    a, b = socket.socketpair()
    served: list[socket.socket] = []

    def opened(_: int) -> int:
        near, far = socket.socketpair()
        served.append(far)
        return near.detach()

    outside, inside = Mux(a.fileno(), True, opened), Mux(b.fileno(), False, opened)
    for _ in range(300):  # more than there are numbers: they are used again
        caller, end = socket.socketpair()
        outside.open(end.detach())
        caller.sendall(b"last")
        caller.close()
        sent_before = len(served)
        while len(served) == sent_before:
            turn(outside, inside)
        for _ in range(6):
            turn(outside, inside)
        assert served[-1].recv(100) == b"last"
        assert served[-1].recv(100) == b""
        served[-1].close()


def test_a_refused_stream_closes_the_caller() -> None:
    a, b = socket.socketpair()
    outside, inside = Mux(a.fileno(), True, lambda _: -1), Mux(b.fileno(), False, lambda _: -1)
    caller, end = socket.socketpair()
    outside.open(end.detach())
    for _ in range(4):
        turn(outside, inside)
    assert caller.recv(1) == b""


def test_the_line_ends() -> None:
    a, b = socket.socketpair()
    outside = Mux(a.fileno(), True, lambda _: -1)
    b.close()
    turn(outside)
    assert outside.ended
    assert os.fstat(a.fileno())


def test_the_last_output_is_outside_before_the_line_ends(tmp_path: Path) -> None:
    """The end of a lab kernel: its first program waits until the outside has all, however slowly that reads."""
    master, slave = os.openpty()
    outcome = b"last words " * 30_000
    script = tmp_path / "inside.py"
    script.write_text(
        "import contextlib, os\n"
        "from frrlib.place.init import serial\n"
        f"wire, server = serial.serve({os.ttyname(slave)!r})\n"
        f"data = memoryview({outcome[:11]!r} * 30_000)\n"
        "while data:\n    data = data[os.write(wire, data):]\n"
        "serial.finish(wire, server)\n"
        "with contextlib.suppress(ProcessLookupError):\n    os.kill(server, 9)\n"  # power off
        "os.write(1, b'finished')\n"
    )
    inside = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, env={"PYTHONPATH": os.getcwd()})
    near, far = socket.socketpair()
    outside = Mux(master, True, lambda _: -1)
    outside.attach(0, near.detach())
    far.setblocking(False)
    heard, ended = bytearray(), False
    assert inside.stdout is not None
    while not ended:
        reading, writing = outside.waits_for()
        readable, writable, _ = select.select(reading, writing, [], 0.05)
        outside.serve(readable, writable)
        with contextlib.suppress(BlockingIOError):
            part = far.recv(3000)
            ended = not part
            heard += part
        if inside.stdout in select.select([inside.stdout], [], [], 0)[0]:
            # It has left the line: whatever is still missing is on this side.
            ended = True

            def passes_on() -> bool:
                nonlocal heard
                outside.serve(*select.select(*outside.waits_for(), [], 0.05)[:2])
                with contextlib.suppress(BlockingIOError):
                    heard += far.recv(65536)
                return not outside.holds()

            wait_for(passes_on, "the rest of what was said")
    with contextlib.suppress(BlockingIOError):
        while part := far.recv(65536):
            heard += part
    assert inside.communicate()[0] == b"finished" and bytes(heard) == outcome
    os.close(slave)


def test_an_end_that_ignores_the_window_loses_its_stream() -> None:
    """A hostile lab sends on and on what nobody takes: no buffer grows without limit."""
    a, b = socket.socketpair()
    near, stalled = socket.socketpair()
    outside = Mux(a.fileno(), False, lambda _: near.detach())
    b.sendall(struct.pack("<BBH", OPEN, 7, 0))
    frame = struct.pack("<BBH", DATA, 7, 32768) + bytes(32768)
    for _ in range(64):  # 2 MiB
        for part in (frame[:20_000], frame[20_000:]):
            b.sendall(part)
            turn(outside)
    assert not outside.ended
    while stalled.recv(65536):  # what its socket had taken; then its end
        pass


def test_a_stream_that_is_begun_twice_is_one() -> None:
    a, b = socket.socketpair()
    requested: list[int] = []

    def opened(number: int) -> int:
        requested.append(number)
        return socket.socketpair()[0].detach()

    outside = Mux(a.fileno(), False, opened)
    b.sendall(struct.pack("<BBH", OPEN, 7, 0) * 2)
    turn(outside)
    assert requested == [7]
    outside.close()


def test_reading_and_writing_may_use_two_descriptors() -> None:
    """As a program's standard input and output are."""
    to_inside, from_outside = os.pipe()
    to_outside, from_inside = os.pipe()
    served: list[socket.socket] = []

    def opened(_: int) -> int:
        near, far = socket.socketpair()
        served.append(far)
        return near.detach()

    outside = Mux(to_outside, False, opened, out=from_outside)
    inside = Mux(to_inside, False, lambda _: -1, out=from_inside)
    caller, end = socket.socketpair()
    inside.open(end.detach())
    caller.sendall(b"question")
    for _ in range(4):
        turn(outside, inside)
    assert served[0].recv(100) == b"question"
    served[0].sendall(b"answer")
    for _ in range(4):
        turn(outside, inside)
    assert caller.recv(100) == b"answer"
    outside.close()
    os.close(from_outside)
    turn(inside)
    assert inside.ended
    for descriptor in (to_inside, to_outside, from_inside):
        os.close(descriptor)
