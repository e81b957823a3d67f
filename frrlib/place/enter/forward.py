"""The inner end of the forwarding to one server outside: `forward ADDRESS PORT`, on standard input and output.

It listens at the server's address in the lab's own network. Each connection to it becomes a stream of the line to the
outside, where `port_forwarding` connects it with the server. Standard library only.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from ipaddress import ip_address

from frrlib.place.multiplexer import Mux
from frrlib.system.ready import ready


def main() -> None:
    """Listen, and copy bytes until the outer end closes the line."""
    address, port = sys.argv[1:]
    listener = _listen(address, int(port))
    line = Mux(0, False, lambda _: -1, out=1)
    while not line.ended:
        reading, writing = line.waits_for()
        readable, writable = ready([listener.fileno(), *reading], writing)
        line.serve(readable, writable)
        if listener.fileno() in readable:
            line.open(listener.accept()[0].detach())


def _listen(address: str, port: int) -> socket.socket:
    where = ip_address(address)
    listener = socket.socket(socket.AF_INET if where.version == 4 else socket.AF_INET6)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if not where.is_loopback:  # the lab's own network gets the server's address
        argv = ["ip", "address", "replace", f"{address}/{where.max_prefixlen}", "dev", "lo"]
        subprocess.run(argv, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    listener.bind((address, port))
    listener.listen(64)
    os.set_blocking(listener.fileno(), False)
    return listener
