"""What ordinary users of earlier tests have probed, compiled and listed, for those of later tests of the same run.

Each test has a user with a new home. Without this, each would probe the places anew and compile the small libraries,
which takes longer than most of these tests do. All workers share one folder, which `remove` deletes in the end.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from frrlib.errors import PlaceError
from frrlib.kernels import shelf
from frrlib.place.labkernel import find_kernel

#: The files below the home that are kept: the abilities of places, compiled libraries and programs with a digest in
#: their names, and the list of fonts.
_KEPT = (
    ".cache/miniedit-frr/place-*-*.json",
    ".cache/miniedit-frr/*-????????????????.so",
    ".cache/miniedit-frr/enter-????????????????",
    ".cache/matplotlib/fontlist-*.json",
)


class KeptCache:
    """The folder that all workers of a run share."""

    def __init__(self) -> None:
        # workers inherit the number of the process that starts them
        run = os.environ.setdefault("MINIEDIT_FRR_TEST_RUN", str(os.getpid()))
        self._folder = Path(tempfile.gettempdir()) / f"frr-kept-{run}"

    def kernel(self) -> Path | None:
        """A copy of the lab kernel in use that every user can read: the user's cache may be closed to others.

        None if no lab kernel is built here: Debian's can be read by everyone.
        """
        copy = self._folder / "linux"
        if copy.exists():
            return copy
        with suppress(PlaceError):
            kernel = find_kernel()
            if kernel in [built.path for built in shelf.built_kernels()]:
                self._copy(kernel, copy)
                return copy
        return None

    def give(self, home: Path, uid: int, gid: int) -> None:
        """Copy what is kept into the home of a user."""
        for path in (path for pattern in _KEPT for path in self._folder.glob(pattern)):
            target = home / path.relative_to(self._folder)
            for folder in (target.parent.parent, target.parent):
                if not folder.exists():
                    folder.mkdir(mode=0o700)
                    os.chown(folder, uid, gid)
            shutil.copy2(path, target)
            os.chown(target, uid, gid)

    def keep(self, home: Path) -> None:
        """Keep what a user has added."""
        with suppress(OSError):  # some tests close the home
            for path in (path for pattern in _KEPT for path in home.glob(pattern)):
                self._copy(path, self._folder / path.relative_to(home))

    def _copy(self, path: Path, target: Path) -> None:
        if target.exists() or path.is_symlink() or not path.is_file():
            return
        target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as other:
            pass
        shutil.copy2(path, other.name)
        os.replace(other.name, target)

    def remove(self) -> None:
        """Delete the folder, if it belongs to this process."""
        if os.environ["MINIEDIT_FRR_TEST_RUN"] == str(os.getpid()):
            shutil.rmtree(self._folder, ignore_errors=True)
