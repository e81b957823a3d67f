"""Facts of a run that are needed to repeat it: the kernel's file, this program, the command line."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from frrlib import __version__
from frrlib.errors import PlaceError
from frrlib.kernels import shelf
from frrlib.lab.program import CODE
from frrlib.place.base import Place
from frrlib.place.labkernel import LabKernel, kernel_release


def software_facts(place: Place) -> dict[str, Any]:
    """The program and the kernel of a run in a place.

    Returns:
        `commit`, if this program is a checkout; `command_line`; in a lab kernel `kernel_digest`, SHA-256
        of its file, and `kernel_built` if it was built here: its name, its source, and the digest of source and
        configuration.
    """
    facts: dict[str, Any] = {"command_line": list(sys.argv)}
    if commit := _commit(CODE):
        facts["commit"] = commit
    if isinstance(place, LabKernel):
        facts |= _kernel_facts(place)
    return facts


def condition_facts(code: Path, *, in_lab_kernel: bool, kernel: Path | None) -> dict[str, Any]:
    """The conditions of a run, as far as they are known before it: program and kernel.

    Args:
        code: the folder of this program.
        in_lab_kernel: whether the run will be in a lab kernel.
        kernel: the file of that kernel; None for the one that is chosen by itself.
    """
    facts: dict[str, Any] = {"miniedit_frr": __version__}
    if commit := _commit(code):
        facts["commit"] = commit
    if in_lab_kernel:
        place = LabKernel(kernel)
        facts |= _kernel_facts(place)
        with suppress(PlaceError):
            facts["kernel"] = kernel_release(place.kernel())
    return facts


def _kernel_facts(place: LabKernel) -> dict[str, Any]:
    try:
        kernel = place.kernel()
        status = kernel.stat()
        digest = shelf.sha256(kernel, status.st_mtime_ns, status.st_ino)
    except (OSError, PlaceError):
        return {}
    facts: dict[str, Any] = {"kernel_digest": digest}
    built = next(
        (kernel_build for kernel_build in shelf.built_kernels() if kernel_build.path.resolve() == kernel), None
    )
    if built is not None:
        facts["kernel_built"] = {"name": built.name, "source": built.source, "source_digest": built.digest}
    return facts


@lru_cache
def _commit(checkout: Path) -> str:
    """The commit that a checkout stands at, "-changed" behind it if its files differ; empty if it is no checkout."""
    if not (checkout / ".git").exists():
        return ""
    try:
        commit = _git(checkout, "rev-parse", "HEAD")
        changed = _git(checkout, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return ""
    return f"{commit}-changed" if changed else commit


def _git(checkout: Path, *words: str) -> str:
    argv = ["git", "--no-optional-locks", "-C", str(checkout), *words]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=10, check=True, stdin=subprocess.DEVNULL)
    return done.stdout.strip()
