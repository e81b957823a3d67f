"""The program that SSH starts to reach a lab kernel: `ssh_connect.py SOCKET`, with SSH's option ProxyUseFdpass.

It connects to the lab's supervisor, passes the connection to SSH and exits. Standard library only.
"""

from __future__ import annotations

import os
import socket
import sys


def main() -> None:
    """Connect and pass the connection to SSH, which listens on standard output."""
    with socket.socket(socket.AF_UNIX) as supervisor, socket.socket(fileno=os.dup(1)) as ssh:
        supervisor.connect(sys.argv[1])
        socket.send_fds(ssh, [b"\0"], [supervisor.fileno()])


if __name__ == "__main__":
    main()
