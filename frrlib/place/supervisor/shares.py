"""Resources that the kernel counts by user, not by lab: a lab of namespaces gets half, other programs the rest.

A lab that had all inotify instances, of which there are 128 to a user, would leave an editor, a file manager or systemd
without. The kernel's own bounds for a user namespace say so where it has one; others are limits of processes, which it
counts for the namespace that is made next, too. Standard library only.
"""

from __future__ import annotations

import contextlib
import resource

#: How many a user namespace may have, and how many a user may: files of /proc/sys.
_COUNTS = {
    "user/max_inotify_instances": "fs/inotify/max_user_instances",
    "user/max_inotify_watches": "fs/inotify/max_user_watches",
    "user/max_fanotify_groups": "fs/fanotify/max_user_groups",
    "user/max_fanotify_marks": "fs/fanotify/max_user_marks",
}
#: Signals that wait, and bytes of POSIX message queues.
_LIMITS = (resource.RLIMIT_SIGPENDING, resource.RLIMIT_MSGQUEUE)


def halve_user_limits() -> None:
    """Leave this user namespace, and the one that is made next in it, half of what a user may have."""
    for namespace_limit, user_limit in _COUNTS.items():
        with contextlib.suppress(OSError), open(f"/proc/sys/{user_limit}", encoding="ascii") as file:
            half = int(file.read()) // 2
            with open(f"/proc/sys/{namespace_limit}", "w", encoding="ascii") as bound:
                bound.write(str(half))
    for kind in _LIMITS:
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            resource.setrlimit(kind, (hard // 2, hard // 2))
