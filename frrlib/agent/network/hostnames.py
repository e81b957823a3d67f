"""The names of a lab's nodes: `ping h2` works in each of them, and a name that nobody has is unknown at once."""

from __future__ import annotations

import os

from frrlib.agent.network import namespaces

#: What the lab reads in the place of the machine's own files: where it stands, and of which file it takes the place.
_FOLDER = "/run/lab-names"
_HOSTS, _RESOLVER = "/etc/hosts", "/etc/resolv.conf"
#: No server is asked: none can be reached, and who asks waits for seconds.
_NO_SERVER = "# A lab reaches no name server; its nodes are in /etc/hosts.\noptions attempts:1 timeout:1\n"


def give(hosts: str) -> None:
    """Give the lab these hosts(5) and no name server. To be called before its nodes have mounts of their own.

    A machine without one of these files has none in its labs either, and names of nodes are unknown there.
    """
    os.makedirs(_FOLDER, exist_ok=True)
    for path, text in ((_HOSTS, hosts), (_RESOLVER, _NO_SERVER)):
        own = f"{_FOLDER}/{os.path.basename(path)}"
        with open(own, "w", encoding="utf-8") as file:
            file.write(text)
        if os.path.exists(path):
            namespaces.mount(own, os.path.realpath(path), "", namespaces.MS_BIND)
