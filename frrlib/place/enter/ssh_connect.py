"""The program that SSH starts to reach a lab kernel: `connect.py SOCKET`, with SSH's option ProxyUseFdpass.

It connects to the lab's keeper, hands the connection to SSH and is gone. Standard library only.
"""

from __future__ import annotations

import os
import socket
import sys


def main() -> None:
    """Connect and pass the connection to SSH, which listens on standard output."""
    with socket.socket(socket.AF_UNIX) as keeper, socket.socket(fileno=os.dup(1)) as ssh:
        keeper.connect(sys.argv[1])
        socket.send_fds(ssh, [b"\0"], [keeper.fileno()])


if __name__ == "__main__":
    main()
