"""Folders that a node has for itself: empty ones for as long as the lab runs, and ones that outlive it.

What outlives a lab is below the one folder that the lab may write, wherever the drawing wanted it: a drawing is
somebody else's, and must not choose where on this machine it writes.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from frrlib.agent.network import namespaces
from frrlib.errors import LabFailed
from frrlib.wire.plan import PrivateDirPlan

#: Below the lab's writable folder.
KEPT = "kept"


def give(node: str, plans: Sequence[PrivateDirPlan]) -> None:
    """Put a node's own folders in their places, in their order. To be called in the node's thread.

    Raises:
        LabFailed: there is no such place.
    """
    with contextlib.ExitStack() as opened:
        # All are opened first: one may cover the lab's writable folder.
        behind = {plan: _open_kept(plan.kept, opened) for plan in plans if plan.kept}
        for plan in plans:
            try:
                _give(plan.path, behind.get(plan))
            except OSError as error:
                why = f"{error.filename or plan.path}: {error.strerror}"
                text = f"{node}: no private folder at {plan.path}, since a lab makes no folder among this machine's own"
                raise LabFailed(f"{text} ({why})") from error


def _open_kept(name: str, opened: contextlib.ExitStack) -> int:
    folder = f"{os.environ.get('LAB_WRITABLE', '/tmp')}/{KEPT}/{name}"
    os.makedirs(folder, exist_ok=True)
    handle = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    opened.callback(os.close, handle)
    return handle


def _give(path: str, behind: int | None) -> None:
    if behind is None:
        namespaces.tmpfs(path)
        return
    os.makedirs(path, exist_ok=True)
    namespaces.mount(f"/proc/self/fd/{behind}", path, "", namespaces.MS_BIND)
