"""Searches for runs in a thread: first a card of each run, then its scaled figure. The window never waits for it."""

from __future__ import annotations

import hashlib
import os
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from frrlib.results import layout
from frrlib.results.cards import RunCard, card
from frrlib.results.layout import ResultsError, find_results, is_results_folder
from frrlib.results.read import open_results
from frrlib.results.statistics.differences import brief_labels
from frrlib.system.untrusted_files import open_file
from miniedit_frr.user.paths import program_argv

_DRAWING_S = 60.0
#: Maximum number of pixels of a figure that is read. Figures of this program have 3 million.
_MOST_PIXELS = 50_000_000
#: Upper and lower edge of a figure's first panel, as parts of its height.
_TOP = (0.05, 0.3)


@dataclass(frozen=True, eq=False)
class RunPictures:
    """The figure of a run, small and large."""

    folder: Path
    small: Image.Image
    large: Image.Image


@dataclass(frozen=True)
class RunDifferences:
    """The values that distinguish runs of one title from each other, by folder; see `brief_labels`."""

    labels: Mapping[str, str]


@dataclass(frozen=True)
class CollectorProgress:
    """All runs have been found. Their pictures follow, until `is_over`."""

    is_over: bool = False


CollectorEvent = RunCard | RunPictures | RunDifferences | CollectorProgress


class RunCollector:
    """A search for runs in a thread.

    Attributes:
        news: the results in order: cards, `CollectorProgress`, differences, pictures.

    Args:
        below: folders to search for runs.
        listed: folders of runs that may be elsewhere; missing folders are skipped.
        cache: the folder with scaled figures.
        small, large: maximum width and height of pictures, in pixels.
    """

    def __init__(
        self, below: Sequence[Path], listed: Sequence[Path], cache: Path, small: tuple[int, int], large: tuple[int, int]
    ) -> None:
        self.news: queue.SimpleQueue[CollectorEvent] = queue.SimpleQueue()
        self._below, self._known, self._cache = tuple(below), tuple(listed), cache
        self._small, self._large = small, large
        self._is_over = threading.Event()
        threading.Thread(target=self._collect, name="runs", daemon=True).start()

    def stop(self) -> None:
        """End the search soon."""
        self._is_over.set()

    def _collect(self) -> None:
        folders = self._folders()
        cards = []
        for folder in folders:
            if self._is_over.is_set():
                return
            cards.append(card(folder))
            self.news.put(cards[-1])
        self.news.put(CollectorProgress())
        self._compare(cards)
        for folder in folders:
            if self._is_over.is_set():
                return
            with suppress(
                OSError, ValueError, SyntaxError, subprocess.TimeoutExpired
            ):  # a truncated figure is not a picture
                self._picture(folder)
        self.news.put(CollectorProgress(is_over=True))

    def _compare(self, cards: Sequence[RunCard]) -> None:
        """Find the differences between the runs of each title."""
        folders_by_title: dict[str, list[Path]] = {}
        for run in cards:
            folders_by_title.setdefault(run.title, []).append(run.folder)
        for folders in folders_by_title.values():
            runs = []
            for folder in folders if len(folders) > 1 else ():
                if self._is_over.is_set():
                    return
                with suppress(ResultsError, OSError):
                    runs.append(open_results(folder))
            if runs:
                self.news.put(RunDifferences({str(path): text for path, text in brief_labels(runs).items()}))

    def _folders(self) -> list[Path]:
        folders = {folder.resolve(): folder for folder in self._known if is_results_folder(folder)}
        for below in self._below:
            if below.is_dir():
                folders |= {
                    folder.resolve(): folder for folder in find_results(below) if folder.resolve() not in folders
                }
        return sorted(folders.values(), key=_start_time, reverse=True)

    def _picture(self, folder: Path) -> None:
        cached = self._cache / f"{_key(folder)}.png"
        if not cached.is_file():
            self._cache.mkdir(parents=True, exist_ok=True)
            source = folder / layout.FIGURES[0]
            figure = source if source.is_file() else _draw_figure(folder, cached.with_name(f"{cached.stem}-drawn.png"))
            large = figure_image(figure)
            large.thumbnail(self._large, Image.Resampling.LANCZOS)
            partial_file = cached.with_name(f".{cached.name}.{os.getpid()}")
            large.save(partial_file, format="png")
            partial_file.replace(cached)
        large = figure_image(cached)
        # At this size only one panel is readable. It is the topmost one, with the goodput.
        small = large.crop((0, round(large.height * _TOP[0]), large.width, round(large.height * _TOP[1])))
        small.thumbnail(self._small, Image.Resampling.LANCZOS)
        self.news.put(RunPictures(folder, small, large))


def figure_image(path: Path) -> Image.Image:
    """The pixels of a figure from a folder that may be untrusted.

    Raises:
        OSError: it is not PNG, or has too many pixels. For PostScript, Pillow would start Ghostscript.
    """
    try:
        with open_file(path) as file, Image.open(file, formats=("PNG",)) as image:
            if image.width * image.height > _MOST_PIXELS:
                raise OSError(f"{path} has more than {_MOST_PIXELS:,} pixels")
            return image.convert("RGB")
    except Image.DecompressionBombError as error:
        raise OSError(str(error)) from None


def _start_time(folder: Path) -> float:
    """The time when a run last changed its record: precise enough to sort the newest first."""
    with suppress(OSError):
        return (folder / layout.RUN).stat().st_mtime
    return 0.0


def _key(folder: Path) -> str:
    """The name of a scaled figure in the cache. It changes when the run is written again."""
    return _digest(_state_of_run(folder))


def comparison_key(folders: Sequence[Path]) -> str:
    """A name for a figure of these runs in this order. It changes when one of them is written again."""
    return _digest([part for folder in folders for part in _state_of_run(folder)])


def _state_of_run(folder: Path) -> list[str]:
    """The path of a run, and times and sizes of files that change when the run is written again."""
    parts = [str(folder.resolve())]
    for name in (layout.FIGURES[0], layout.RUN):
        with suppress(OSError):
            stat = (folder / name).stat()
            parts.append(f"{stat.st_mtime_ns} {stat.st_size}")
    return parts


def _digest(parts: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


def _draw_figure(folder: Path, to: Path) -> Path:
    """The figure of a run without one, drawn by a process of its own."""
    null = subprocess.DEVNULL
    subprocess.run(
        plot_command([folder], "series", to), stdin=null, stdout=null, stderr=null, check=False, timeout=_DRAWING_S
    )
    return to


def plot_command(folders: Sequence[Path], kind: str, to: Path, *options: str) -> list[str]:
    """The command that draws a figure into a file. It runs in a process of its own, so that the window stays
    responsive."""
    program = [*program_argv(), "plot", *map(str, folders)]
    return [*program, "--kind", kind, *options, "--out", str(to), "--overwrite"]


def reason_of_failure(errors: str) -> str:
    """The reason in the standard error of a command of this program that has failed, in one line."""
    return errors.strip().rpartition("miniedit-frr: ")[2].replace("\n", " ")
