"""The program that SSH starts to reach a node of a detached lab: `ssh_proxy.py FOLDER NODE`.

FOLDER is the lab's folder in the register. The program requests the command of an SSH server in the node from the lab
server, and becomes it. Standard library only, since it starts with every connection.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from typing import Any, NoReturn

#: The environment of the server.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}


def main() -> NoReturn:
    """Become the SSH server. Exit with status 1 if the lab has ended or refuses."""
    folder, node = sys.argv[1:]
    try:
        answer = _send_request(folder, {"type": "ssh", "node": node})
    except OSError:
        sys.exit(f"miniedit-frr: the lab {os.path.basename(folder)} has ended")
    if answer.get("kind"):
        remedy = f". Remedy: {answer['remedy']}" if answer.get("remedy") else ""
        sys.exit(f"miniedit-frr: {answer.get('reason', '')}{remedy}")
    # Standard error may be the user's terminal, which the lab must not get.
    os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
    os.execve(answer["value"][0], answer["value"], ENVIRONMENT)


def _send_request(folder: str, request: dict[str, str]) -> dict[str, Any]:
    """Send one request to the lab server, and return its reply."""
    handle = os.open(folder, os.O_PATH | os.O_DIRECTORY)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"/proc/self/fd/{handle}/socket")
        os.close(handle)
        connection.sendall(json.dumps(request).encode() + b"\n")
        with connection.makefile("rb") as answers:
            line = answers.readline()
    if not line:
        raise ConnectionResetError
    return dict(json.loads(line))


if __name__ == "__main__":
    main()
