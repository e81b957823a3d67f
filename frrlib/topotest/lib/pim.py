"""`lib.pim`: senders and receivers of multicast."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from frrlib.topotest import multicast
from frrlib.topotest.config.description import listed
from frrlib.topotest.unsupported import absent

#: Every other name that tests import from here.
__getattr__ = absent("lib.pim")
_PROGRAM = Path(multicast.__file__).resolve()


class McastTesterHelper:
    """Programs that join groups, or send to them, until they are stopped."""

    def __init__(self, tgen: Any = None) -> None:
        self.tgen = tgen
        self.host_conn: dict[str, list[subprocess.Popen[Any]]] = {}

    def init(self, tgen: Any = None) -> Self:
        """Set the network of the nodes."""
        self.tgen = tgen or self.tgen
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cleanup()

    def run(self, host: str, args: Sequence[str]) -> None:
        """Start the program on a node."""
        copy = Path(self.tgen.logdir) / _PROGRAM.name
        if not copy.exists():
            copy.write_bytes(_PROGRAM.read_bytes())
        process = self.tgen.gears[host].popen(["python3", str(copy), *args], stdin=subprocess.DEVNULL)
        self.host_conn.setdefault(host, []).append(process)

    def run_join(
        self, host: str, join_addrs: str | Sequence[str], join_towards: str | None = None, join_intf: str | None = None
    ) -> bool:
        """Join groups on an interface, or on the interface towards a neighbor."""
        interface = join_intf or self._towards(host, join_towards)
        for group in listed(join_addrs):
            self.run(host, [group, interface])
        return True

    def run_traffic(
        self, host: str, send_to_addrs: str | Sequence[str], bind_towards: str | None = None,
        bind_intf: str | None = None,
    ) -> bool:  # fmt: skip
        """Send to groups from an interface, or from the interface towards a neighbor."""
        interface = bind_intf or self._towards(host, bind_towards)
        for group in listed(send_to_addrs):
            self.run(host, ["--send=0.7", group, interface])
        return True

    def _towards(self, host: str, neighbor: str | None) -> str:
        return str(self.tgen.json_topo["routers"][host]["links"][neighbor]["interface"])

    def stop_host(self, host: str) -> None:
        """End the programs of a node."""
        for process in self.host_conn.pop(host, []):
            process.kill()
            process.wait()
        # The program in the lab outlives the process that carried its streams.
        self.tgen.net[host].cmd_status(f"pkill --nslist net --ns $$ -f {_PROGRAM.name}")

    def stop_all_hosts(self) -> None:
        """End all programs."""
        for host in list(self.host_conn):
            self.stop_host(host)

    def cleanup(self) -> None:
        """End all programs."""
        self.stop_all_hosts()
