"""Captures of packets: from a command that prints them in pcap's format into a file, or live into Wireshark."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

_WIRESHARK = ("wireshark", "-k", "-i", "-")


class Captures:
    """The captures that are under way."""

    def __init__(self) -> None:
        self._sources: list[subprocess.Popen[bytes]] = []

    def __len__(self) -> int:
        """How many are under way."""
        return sum(source.poll() is None for source in self._sources)

    def keep(self, path: Path, command: Sequence[str]) -> None:
        """Write a command's output into a file. Raises OSError where it cannot be written."""
        with path.open("wb") as file:
            self._start(command, file)

    def show(self, command: Sequence[str]) -> None:
        """Hand a command's output to Wireshark, which stays when the capture ends. Raises OSError without it."""
        source = self._start(command, subprocess.PIPE)
        null = subprocess.DEVNULL
        try:
            subprocess.Popen(_WIRESHARK, stdin=source.stdout, stdout=null, stderr=null, start_new_session=True)
        except OSError:
            source.terminate()
            raise
        finally:
            if source.stdout is not None:
                source.stdout.close()  # Wireshark has it; where it is closed there, the source shall notice

    def end_all(self) -> int:
        """End all; how many were under way."""
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
        # An input that stays open: at its end the terminal in the lab would be told so with a byte of its own.
        source = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=target, stderr=subprocess.DEVNULL, start_new_session=True
        )  # type: ignore[call-overload]
        self._sources.append(source)
        return source
