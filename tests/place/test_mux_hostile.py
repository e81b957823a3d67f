"""A serial line with a hostile program at the other end: the multiplexer continues, with limited memory."""

from __future__ import annotations

import os
import select
import socket
import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from frrlib.place import multiplexer
from frrlib.place.multiplexer import Mux
from tests.example_counts import examples

#: Frames that may be ones: kind, stream, value, and as many bytes as follow.
_FRAMES = st.builds(
    lambda kind, number, value, size: struct.pack("<BBH", kind, number, value) + bytes(size),
    st.integers(0, 6),
    st.sampled_from([0, 1, 2, 7, 255]),
    st.sampled_from([0, 1, 4, 300, 32768, 65535]),
    st.sampled_from([0, 0, 1, 300, 32768, 65535]),
)
_SAID = st.lists(_FRAMES | st.binary(max_size=20), max_size=30)


def _count() -> int:
    return len(os.listdir("/proc/self/fd"))


@settings(max_examples=examples(60))
@given(_SAID, st.booleans(), st.booleans())
def test_the_multiplexer_survives_any_input(chunks: list[bytes], outside: bool, refuses: bool) -> None:
    before = _count()
    line, far_line = socket.socketpair()
    far: list[socket.socket] = []

    def opened(_: int) -> int:
        if refuses and len(far) % 2:
            return -1
        near, end = socket.socketpair()
        far.append(end)
        return near.detach()

    wire, program = socket.socketpair()
    carrier = Mux(line.fileno(), outside, opened)
    carrier.attach(0, wire.detach())
    program.send(b"a request\n")
    far_line.setblocking(False)
    for data in chunks:
        unsent = memoryview(data)
        while unsent:
            _, writable, _ = select.select([], [far_line], [], 0)
            if writable:
                unsent = unsent[far_line.send(unsent) :]
            _turn(carrier)
            held = (carrier._incoming, carrier._outgoing, *(stream.incoming for stream in carrier._streams.values()))
            assert max(map(len, held)) <= 2 * multiplexer._MOST_WAITING
            assert len(carrier._streams) <= 256
            if select.select([far_line], [], [], 0)[0]:
                far_line.recv(1 << 16)
    far_line.close()
    _turn(carrier)
    _turn(carrier)
    assert carrier.ended
    carrier.close()
    for open_socket in (line, program, *far):
        open_socket.close()
    assert _count() == before


def _turn(carrier: Mux) -> None:
    carrier.serve(*select.select(*carrier.waits_for(), [], 0)[:2])
