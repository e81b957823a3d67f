"""Resources that the kernel counts by user, not by lab: a lab of namespaces gets half, other programs the rest.

A user has 128 inotify instances. If a lab used all of them, an editor, a file manager or systemd would get none. The
kernel has limits for a user namespace for some of these resources. For others this module sets limits of the process,
which also apply to the namespace that is made next. Standard library only.
"""

from __future__ import annotations

import contextlib
import resource

#: Files of /proc/sys: the limit of a user namespace to the limit of a user.
_COUNTS = {
    "user/max_inotify_instances": "fs/inotify/max_user_instances",
    "user/max_inotify_watches": "fs/inotify/max_user_watches",
    "user/max_fanotify_groups": "fs/fanotify/max_user_groups",
    "user/max_fanotify_marks": "fs/fanotify/max_user_marks",
}
#: Pending signals, and bytes of POSIX message queues.
_LIMITS = (resource.RLIMIT_SIGPENDING, resource.RLIMIT_MSGQUEUE)


def halve_user_limits() -> None:
    """Limit this user namespace, and the one that is made next in it, to half of a user's resources."""
    for namespace_limit, user_limit in _COUNTS.items():
        with contextlib.suppress(OSError), open(f"/proc/sys/{user_limit}", encoding="ascii") as file:
            half = int(file.read()) // 2
            with open(f"/proc/sys/{namespace_limit}", "w", encoding="ascii") as bound:
                bound.write(str(half))
    for kind in _LIMITS:
        _, hard = resource.getrlimit(kind)
        if hard != resource.RLIM_INFINITY:
            resource.setrlimit(kind, (hard // 2, hard // 2))
