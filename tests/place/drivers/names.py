"""A lab with visible folders that have odd names: `drivers/names.py PLACE FOLDER`; the folders are made in FOLDER.

Each has a file, a named pipe with a reader, and a socket with a server. Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
import threading
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
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
#: A program in the lab that reads the file, connects to the socket and writes into the pipe of a folder.
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
    """A folder with a file, a pipe with a reader, and a socket with a server."""

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
        """The objects that were reached."""
        try:
            data = os.read(self._pipe, 100)
        except BlockingIOError:
            data = b""
        changed = sorted(os.listdir(self.folder)) != [b"data", b"fifo", b"sock"]
        return [
            word for word, was_reached in (("socket", self.reached), ("pipe", data), ("folder", changed)) if was_reached
        ]


def main() -> None:
    """Run the program in each folder, and print what it read and reached."""
    place, top = sys.argv[1], tempfile.mkdtemp(dir=sys.argv[2])
    os.chmod(top, 0o755)
    baits = [Bait(os.fsencode(top) + b"/" + name) for name in NAMES]
    results = Path(top, "results")
    results.mkdir()
    visible = tuple(Path(os.fsdecode(bait.folder)) for bait in baits)
    outputs = {}
    site = (Path(__file__).parent,)
    program = Program("echo_agent", ROOT, results, site=site, visible_folders=visible, memory_mib=256)
    with PLACES[place]().start(program) as lab:
        assert lab.wire.reader.readline() == b"hello\n"
        for name, bait in zip(NAMES, baits, strict=True):
            done = lab.command(["python3", "-c", TRY, os.fsdecode(bait.folder)], timeout_s=20)
            outputs[repr(name[:20])] = done.stdout.decode(errors="replace").strip() or done.stderr.decode(
                errors="replace"
            )
    touched = {repr(bait.folder[-30:]): objects for bait in baits if (objects := bait.touched())}
    sys.stdout.write(json.dumps({"read": outputs, "touched": touched}))


if __name__ == "__main__":
    main()
