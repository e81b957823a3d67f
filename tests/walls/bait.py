"""Objects that a lab could reach outside by a path: a socket with a server, and a pipe with a reader."""

from __future__ import annotations

import os
import socket
import threading
from pathlib import Path


class Bait:
    """A folder of the user's with a file, a pipe with a reader, and a socket with a server."""

    def __init__(self, folder: Path, uid: int, gid: int, mode: int = 0o700) -> None:
        folder.mkdir()
        self.folder = folder
        self.reached: list[str] = []
        (folder / "canary").write_text("safe")
        os.mkfifo(folder / "fifo")
        self._listen("sock")
        for path in [folder, *folder.iterdir()]:
            os.chown(path, uid, gid)
            path.chmod(mode)
        self._fifo = os.open(folder / "fifo", os.O_RDWR | os.O_NONBLOCK)

    def _listen(self, name: str) -> None:
        server = socket.socket(socket.AF_UNIX)
        server.bind(str(self.folder / name))
        server.listen()
        threading.Thread(target=self._serve, args=(server, name), daemon=True).start()

    def _serve(self, server: socket.socket, name: str) -> None:
        server.accept()
        self.reached.append(name)

    def fifo_got(self) -> bytes:
        """The data that was written into the pipe."""
        try:
            return os.read(self._fifo, 100)
        except BlockingIOError:
            return b""
