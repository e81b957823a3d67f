"""Captures of packets: from a command that prints them in pcap's format into a file, or live into Wireshark."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

_WIRESHARK = ("wireshark", "-k", "-i", "-")


class Captures:
    """The captures in progress."""

    def __init__(self) -> None:
        self._sources: list[subprocess.Popen[bytes]] = []

    def __len__(self) -> int:
        """Number of captures in progress."""
        return sum(source.poll() is None for source in self._sources)

    def keep(self, path: Path, command: Sequence[str]) -> None:
        """Write a command's output into a file. Raises OSError if it cannot be written."""
        with path.open("wb") as file:
            self._start(command, file)

    def show(self, command: Sequence[str]) -> None:
        """Send a command's output to Wireshark, which stays open when the capture ends. Raises OSError without
        Wireshark."""
        source = self._start(command, subprocess.PIPE)
        null = subprocess.DEVNULL
        try:
            subprocess.Popen(_WIRESHARK, stdin=source.stdout, stdout=null, stderr=null, start_new_session=True)
        except OSError:
            source.terminate()
            raise
        finally:
            if source.stdout is not None:
                source.stdout.close()  # Wireshark has it; the source must notice when Wireshark closes it

    def end_all(self) -> int:
        """End all captures; returns their number."""
        ended = 0
        for source in self._sources:
            if source.poll() is None:
                source.terminate()
                ended += 1
            if source.stdin is not None:
                source.stdin.close()
        self._sources = [source for source in self._sources if source.poll() is None]
        return ended

    def _start(self, command: Sequence[str], target: object) -> subprocess.Popen[bytes]:
        # The input stays open, since the terminal in the lab would turn its end into a byte.
        source = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=target, stderr=subprocess.DEVNULL, start_new_session=True
        )  # type: ignore[call-overload]
        self._sources.append(source)
        return source
