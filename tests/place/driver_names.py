"""A lab that is shown folders with odd names: `driver_names.py PLACE FOLDER`, which gets them.

In each there are a file, a named pipe that somebody reads, and a socket that somebody serves. Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from frrlib.place.base import Program  # noqa: E402
from frrlib.place.labkernel import LabKernel  # noqa: E402
from frrlib.place.namespace import Namespace  # noqa: E402
from frrlib.place.root import Root  # noqa: E402

PLACES = {"namespace": Namespace, "labkernel": LabKernel, "root": Root}
NAMES = (
    b"plain", b"with a space", b"a,b", b"x,upperdir=u", b"c:d", b"back\\slash", b"quo'te\"s", b"$x `y` {z} %n", b"-rf",
    b"line\nend", b"\xff\xfe", b"l" * 200 + b"/" + b"m" * 200,
)  # fmt: skip
#: What a program in the lab does with a folder: read, call, write into the pipe.
TRY = r"""
import os, socket, sys
os.chdir(sys.argv[1])
print(open("data").read(), flush=True)
for work in (lambda: socket.socket(socket.AF_UNIX).connect("sock"),
             lambda: os.write(os.open("fifo", os.O_WRONLY | os.O_NONBLOCK), b"reached"),
             lambda: open("new", "w").close()):
    try:
        work()
    except OSError:
        pass
"""


class Bait:
    """A folder with a file, a pipe that is read, and a socket that is served."""

    def __init__(self, folder: bytes) -> None:
        os.makedirs(folder)
        self.folder, self.reached = folder, False
        Path(os.fsdecode(folder), "data").write_text("for the lab", encoding="ascii")
        os.mkfifo(folder + b"/fifo")
        self._pipe = os.open(folder + b"/fifo", os.O_RDWR | os.O_NONBLOCK)
        server = socket.socket(socket.AF_UNIX)
        within = os.open(folder, os.O_RDONLY)  # the path of a socket has no more than 107 bytes
        server.bind(f"/proc/self/fd/{within}/sock")
        for name in (b"/fifo", b"/sock"):
            os.chmod(folder + name, 0o777)
        server.listen()
        threading.Thread(target=self._serve, args=(server,), daemon=True).start()

    def _serve(self, server: socket.socket) -> None:
        server.accept()
        self.reached = True

    def touched(self) -> list[str]:
        """By what it was reached."""
        try:
            got = os.read(self._pipe, 100)
        except BlockingIOError:
            got = b""
        changed = sorted(os.listdir(self.folder)) != [b"data", b"fifo", b"sock"]
        return [word for word, so in (("socket", self.reached), ("pipe", got), ("folder", changed)) if so]


def main() -> None:
    """Do it."""
    place, top = sys.argv[1], tempfile.mkdtemp(dir=sys.argv[2])
    os.chmod(top, 0o755)
    baits = [Bait(os.fsencode(top) + b"/" + name) for name in NAMES]
    results = Path(top, "results")
    results.mkdir()
    shown = tuple(Path(os.fsdecode(bait.folder)) for bait in baits)
    said = {}
    program = Program("echo_agent", ROOT, results, site=(Path(__file__).parent,), visible_folders=shown, memory_mib=256)
    with PLACES[place]().start(program) as lab:
        assert lab.wire.reader.readline() == b"hello\n"
        for name, bait in zip(NAMES, baits, strict=True):
            done = lab.command(["python3", "-c", TRY, os.fsdecode(bait.folder)], timeout_s=20)
            said[repr(name[:20])] = done.stdout.decode(errors="replace").strip() or done.stderr.decode(errors="replace")
    touched = {repr(bait.folder[-30:]): how for bait in baits if (how := bait.touched())}
    sys.stdout.write(json.dumps({"read": said, "touched": touched}))


if __name__ == "__main__":
    main()
