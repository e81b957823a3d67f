"""An experiment that runs in a process of its own: the command, its progress, and its end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

#: Lines of `experiment run`, see `terminal.sweep_progress.SweepProgress`.
_RUN_LINE = re.compile(r"(\d+) of (\d+): (?:.*; (.+) left$)?")
_EARLIER_LINE = re.compile(r"(\d+) runs were finished earlier$")
_FAILED = "failed: "
#: The beginning of the message with which the program ends after an error.
_ERROR = "miniedit-frr: "
#: Exit statuses of `experiment run` after which the folder has a verdict: all runs finished, or some of them failed.
_FINISHED, _FAILED_RUNS = 0, 1
#: Variables by which a program assumes a terminal, where it draws a progress bar instead of printing lines.
_TERMINAL_VARIABLES = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")


@dataclass(frozen=True)
class ExperimentOrder:
    """A request to run an experiment.

    Attributes:
        name, title: the name of the experiment and its short description.
        is_quick: whether the shortened cases are run.
        virtual_time: whether the runs are in virtual time.
        out: the output folder, which may have other experiments, too.
    """

    name: str
    title: str
    is_quick: bool
    virtual_time: bool
    out: Path

    @property
    def folder(self) -> Path:
        """The folder of the experiment's runs, figures and verdict."""
        return self.out / self.name

    def command(self, program: Sequence[str]) -> list[str]:
        """The command that runs it.

        Args:
            program: the beginning of a command that starts this program.
        """
        options = ["--quick"] * self.is_quick + ["--real-time"] * (not self.virtual_time)
        return [*program, "experiment", "run", self.name, *options, "--out", str(self.out)]


@dataclass(frozen=True)
class RunProgress:
    """The numbers of runs.

    Attributes:
        ended: runs that have ended since the command was started, with failed ones.
        failed: runs that failed.
        remaining: runs that the command had to carry out; None before their number is known.
        earlier: runs that an earlier command had finished.
        left: the estimated remaining time, such as "3 min"; empty if it is not known.
    """

    ended: int = 0
    failed: int = 0
    remaining: int | None = None
    earlier: int = 0
    left: str = ""

    @property
    def done(self) -> int:
        """All runs that have ended."""
        return self.earlier + self.ended

    @property
    def total(self) -> int | None:
        """All runs of the experiment; None before their number is known."""
        return None if self.remaining is None else self.earlier + self.remaining

    def after(self, lines: Iterable[str]) -> RunProgress:
        """The progress after further lines of the command."""
        progress = self
        for line in lines:
            if match := _RUN_LINE.match(line):
                progress = replace(progress, ended=int(match[1]), remaining=int(match[2]), left=match[3] or "")
            elif match := _EARLIER_LINE.match(line):
                progress = replace(progress, earlier=int(match[1]))
            elif line.startswith(_FAILED):
                progress = replace(progress, ended=progress.ended + 1, failed=progress.failed + 1)
        return progress


class ExperimentProcess:
    """The process of a command. No method waits for it.

    Its messages go into a file without a name. A pipe would block the process when nobody reads it, and would disturb
    its end after the window was closed.

    Attributes:
        lines: the complete lines that it has printed.
        progress: the progress according to these lines.
        is_stopped: whether `stop` was called.

    Args:
        command: the command.

    Raises:
        OSError: the command cannot be started.
    """

    def __init__(self, command: Sequence[str]) -> None:
        self.lines: list[str] = []
        self.progress = RunProgress()
        self.is_stopped = False
        self._unread = b""
        self._output = tempfile.TemporaryFile()  # noqa: SIM115 - closed at the end of the process
        environment = {name: value for name, value in os.environ.items() if name not in _TERMINAL_VARIABLES}
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._output, env=environment,
                start_new_session=True,
            )  # fmt: skip
        except OSError:
            self._output.close()
            raise
        self._offset, self._start_s, self._end_s = 0, time.monotonic(), 0.0

    @property
    def seconds(self) -> float:
        """The time since its start, until its end."""
        return (self._end_s or time.monotonic()) - self._start_s

    @property
    def has_verdict(self) -> bool:
        """Whether it has ended and written a verdict, perhaps with failed runs."""
        return self.process.returncode in (_FINISHED, _FAILED_RUNS) and not self.error

    @property
    def error(self) -> str:
        """The message of an error that ended it; empty without one."""
        index = next((index for index, line in enumerate(self.lines) if line.startswith(_ERROR)), None)
        return "" if index is None else " ".join(self.lines[index:]).removeprefix(_ERROR)

    def poll(self) -> bool:
        """Read its new lines; returns whether it still runs."""
        if self._end_s:
            return False
        is_running = self.process.poll() is None
        self._read(is_last=not is_running)
        if not is_running:
            self._end_s = time.monotonic()
            self._output.close()
        return is_running

    def stop(self) -> None:
        """Ask it to stop its labs and to end. Finished runs are kept."""
        self.is_stopped = True
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def _read(self, is_last: bool) -> None:
        handle = self._output.fileno()
        # The process writes at the common offset of the file, so it is read without moving this offset.
        while chunk := os.pread(handle, 65536, self._offset):
            self._offset += len(chunk)
            self._unread += chunk
        *complete, self._unread = self._unread.split(b"\n")
        if is_last and self._unread:
            complete.append(self._unread)
        new_lines = [line.decode(errors="replace").rstrip() for line in complete]
        self.lines += new_lines
        self.progress = self.progress.after(new_lines)


def clock_text(seconds: float) -> str:
    """A time span as on a clock: "0:07", "12:05", "1:02:05"."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
