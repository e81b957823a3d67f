"""SSH starts this to reach a node of a held lab: `proxy.py FOLDER NODE`, FOLDER being the lab's in the register.

It asks the holder for the command that is a server in the node and becomes it. Standard library only, since it starts
with every connection.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import Any, NoReturn

#: What the server finds in its environment.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}


def main() -> NoReturn:
    """Become the server; ends with status 1 where there is none."""
    folder, node = sys.argv[1:]
    try:
        answer = _ask(folder, {"type": "ssh", "node": node})
    except OSError:
        sys.exit(f"miniedit-frr: the lab {os.path.basename(folder)} has ended")
    if answer.get("kind"):
        remedy = f". Remedy: {answer['remedy']}" if answer.get("remedy") else ""
        sys.exit(f"miniedit-frr: {answer.get('why', '')}{remedy}")
    # The user's terminal, which standard error may be, is none of the lab's business.
    os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
    os.execve(answer["value"][0], answer["value"], ENVIRONMENT)


def _ask(folder: str, order: dict[str, str]) -> dict[str, Any]:
    """Say one thing to the holder; what it answers."""
    handle = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    with socket.socket(socket.AF_UNIX) as holder:
        holder.connect(f"/proc/self/fd/{handle}/socket")
        os.close(handle)
        holder.sendall(json.dumps(order).encode() + b"\n")
        with holder.makefile("rb") as answers:
            line = answers.readline()
    if not line:
        raise ConnectionResetError
    return dict(json.loads(line))


if __name__ == "__main__":
    main()
