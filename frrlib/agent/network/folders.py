"""Private folders of a node: empty ones that end with the lab, and ones that outlive it.

Contents that outlive a lab are stored below the one folder that the lab may write, for any path in the topology: a
topology may come from someone else, and must not choose where on this machine it writes.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence

from frrlib.agent.network import namespaces
from frrlib.errors import LabFailed
from frrlib.wire.plan import PrivateDirPlan

#: The folder of such contents, below the lab's writable folder.
PERSISTENT_FOLDER = "kept"


def mount_private(node: str, plans: Sequence[PrivateDirPlan]) -> None:
    """Mount a node's private folders, in order. Call it in the node's thread.

    Raises:
        LabFailed: a path cannot be made.
    """
    with contextlib.ExitStack() as opened:
        # All are opened first, since one may cover the lab's writable folder.
        handles = {plan: _open_persistent(plan.kept, opened) for plan in plans if plan.kept}
        for plan in plans:
            try:
                _mount(plan.path, handles.get(plan))
            except OSError as error:
                detail = f"{error.filename or plan.path}: {error.strerror}"
                text = f"{node}: no private folder at {plan.path}, since a lab makes no folder among this machine's own"
                raise LabFailed(f"{text} ({detail})") from error


def _open_persistent(name: str, opened: contextlib.ExitStack) -> int:
    folder = f"{os.environ.get('LAB_WRITABLE', '/tmp')}/{PERSISTENT_FOLDER}/{name}"
    os.makedirs(folder, exist_ok=True)
    handle = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    opened.callback(os.close, handle)
    return handle


def _mount(path: str, handle: int | None) -> None:
    if handle is None:
        namespaces.tmpfs(path)
        return
    os.makedirs(path, exist_ok=True)
    namespaces.mount(f"/proc/self/fd/{handle}", path, "", namespaces.MS_BIND)
