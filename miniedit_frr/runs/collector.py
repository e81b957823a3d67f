"""Looks for runs in a thread: first a card of each, then its figure made small; the window never waits for it."""

from __future__ import annotations

import hashlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from frrlib.results import layout
from frrlib.results.cards import RunCard, card
from frrlib.results.layout import find_results, is_results_folder
from frrlib.system.untrusted_files import open_file

_DRAWING_S = 60.0
#: Pixels of the largest figure that is read; ours have 3 million.
_MOST_PIXELS = 50_000_000
#: Between which parts of a figure's height its first panel is.
_TOP = (0.05, 0.3)


@dataclass(frozen=True, eq=False)
class RunPictures:
    """The figure of a run, small and large."""

    folder: Path
    small: Image.Image
    large: Image.Image


@dataclass(frozen=True)
class CollectorProgress:
    """All runs have been found; their pictures follow, until `is_over`."""

    is_over: bool = False


CollectorEvent = RunCard | RunPictures | CollectorProgress


class RunCollector:
    """A search for runs that goes on in a thread.

    Attributes:
        news: what has been found, in order: cards, `CollectorProgress`, pictures.

    Args:
        below: folders below which runs are looked for.
        known: folders of runs that may be elsewhere; those that are gone are left out.
        cache: the folder in which small figures are kept.
        small, large: the most pixels of pictures, width and height.
    """

    def __init__(
        self, below: Sequence[Path], known: Sequence[Path], cache: Path, small: tuple[int, int], large: tuple[int, int]
    ) -> None:
        self.news: queue.SimpleQueue[CollectorEvent] = queue.SimpleQueue()
        self._below, self._known, self._cache = tuple(below), tuple(known), cache
        self._small, self._large = small, large
        self._is_over = threading.Event()
        threading.Thread(target=self._gather, name="runs", daemon=True).start()

    def stop(self) -> None:
        """End it soon."""
        self._is_over.set()

    def _gather(self) -> None:
        folders = self._folders()
        for folder in folders:
            if self._is_over.is_set():
                return
            self.news.put(card(folder))
        self.news.put(CollectorProgress())
        for folder in folders:
            if self._is_over.is_set():
                return
            with suppress(
                OSError, ValueError, SyntaxError, subprocess.TimeoutExpired
            ):  # a figure that is cut off is no picture
                self._picture(folder)
        self.news.put(CollectorProgress(is_over=True))

    def _folders(self) -> list[Path]:
        found = {folder.resolve(): folder for folder in self._known if is_results_folder(folder)}
        for below in self._below:
            if below.is_dir():
                found |= {folder.resolve(): folder for folder in find_results(below) if folder.resolve() not in found}
        return sorted(found.values(), key=_begun, reverse=True)

    def _picture(self, folder: Path) -> None:
        kept = self._cache / f"{_key(folder)}.png"
        if not kept.is_file():
            self._cache.mkdir(parents=True, exist_ok=True)
            source = folder / layout.FIGURES[0]
            drawn = source if source.is_file() else _drawn(folder, kept.with_name(f"{kept.stem}-drawn.png"))
            large = figure_image(drawn)
            large.thumbnail(self._large, Image.Resampling.LANCZOS)
            beside = kept.with_name(f".{kept.name}.{os.getpid()}")
            large.save(beside, format="png")
            beside.replace(kept)
        large = figure_image(kept)
        # So small only one panel can be told apart: the topmost, of goodput.
        small = large.crop((0, round(large.height * _TOP[0]), large.width, round(large.height * _TOP[1])))
        small.thumbnail(self._small, Image.Resampling.LANCZOS)
        self.news.put(RunPictures(folder, small, large))


def figure_image(path: Path) -> Image.Image:
    """The pixels of a figure, whose folder may be a stranger's.

    Raises:
        OSError: it is not PNG, or has too many pixels. Pillow would start Ghostscript for PostScript of any name.
    """
    try:
        with open_file(path) as file, Image.open(file, formats=("PNG",)) as image:
            if image.width * image.height > _MOST_PIXELS:
                raise OSError(f"{path} has more than {_MOST_PIXELS:,} pixels")
            return image.convert("RGB")
    except Image.DecompressionBombError as error:
        raise OSError(str(error)) from None


def _begun(folder: Path) -> float:
    """When a run last changed its record: near enough to put the newest first."""
    with suppress(OSError):
        return (folder / layout.RUN).stat().st_mtime
    return 0.0


def _key(folder: Path) -> str:
    """The name under which a figure's small picture is kept: another one when the run is written anew."""
    parts = [str(folder.resolve())]
    for name in (layout.FIGURES[0], layout.RUN):
        with suppress(OSError):
            stat = (folder / name).stat()
            parts.append(f"{stat.st_mtime_ns} {stat.st_size}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:24]


def _drawn(folder: Path, to: Path) -> Path:
    """The figure of a run that came to none, drawn by a process of its own."""
    null = subprocess.DEVNULL
    subprocess.run(
        plot_command([folder], "series", to), stdin=null, stdout=null, stderr=null, check=False, timeout=_DRAWING_S
    )
    return to


def plot_command(folders: Sequence[Path], kind: str, to: Path, *options: str) -> list[str]:
    """The command that draws a figure into a file; drawing has a process of its own, so that the window stays quick."""
    program = [sys.executable, "-m", "miniedit_frr", "plot", *map(str, folders)]
    return [*program, "--kind", kind, *options, "--out", str(to), "--overwrite"]
