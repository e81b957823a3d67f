"""The names of a lab's nodes: `ping h2` works in each of them, and unknown names fail at once."""

from __future__ import annotations

import os

from frrlib.agent.network import namespaces

#: The folder of the lab's files, and the machine's files that they cover.
_FOLDER = "/run/lab-names"
_HOSTS, _RESOLVER = "/etc/hosts", "/etc/resolv.conf"
#: No name server can be reached, and a query would wait for seconds.
_NO_SERVER = "# A lab reaches no name server; its nodes are in /etc/hosts.\noptions attempts:1 timeout:1\n"


def install_hosts(hosts: str) -> None:
    """Install this hosts(5) file and no name server. Call it before the nodes have mounts of their own.

    If the machine lacks one of these files, its labs lack it too, and names of nodes are unknown there.
    """
    os.makedirs(_FOLDER, exist_ok=True)
    for path, text in ((_HOSTS, hosts), (_RESOLVER, _NO_SERVER)):
        replacement = f"{_FOLDER}/{os.path.basename(path)}"
        with open(replacement, "w", encoding="utf-8") as file:
            file.write(text)
        if os.path.exists(path):
            namespaces.mount(replacement, os.path.realpath(path), "", namespaces.MS_BIND)


def change_hosts(hosts: str) -> None:
    """Replace the text of the lab's hosts(5) file, which all nodes see at once."""
    with open(f"{_FOLDER}/{os.path.basename(_HOSTS)}", "w", encoding="utf-8") as file:
        file.write(hosts)
