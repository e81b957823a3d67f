"""A flow of bulk data sent by iperf3: its command lines, and the state of its server."""

from __future__ import annotations

from frrlib.agent import processes
from frrlib.agent.network.nodes import LabNode
from frrlib.wire.plan import FlowPlan

CONNECT_TIMEOUT_MS = 10_000
_LISTENING = "0A"
_WAITING_MOST = "/proc/sys/net/ipv4/tcp_max_tw_buckets"


class Iperf3Flow:
    """A running flow of iperf3."""

    def __init__(self, plan: FlowPlan, source: LabNode, destination: LabNode, folder: str) -> None:
        self.plan, self.source, self.destination = plan, source, destination
        self.source_address = ""
        self.server: processes.Process | None = None
        self.client: processes.Process | None = None
        self.deadline_s = 0.0
        plain = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in plan.id)
        self.report_path = f"{folder}/flow-{plain}.json"
        self.server_log = f"{folder}/flow-{plain}-server.log"

    @property
    def server_text(self) -> str:
        """The name of its server, for messages."""
        return f"{self.destination.name}: the server of flow {self.plan.id}"

    def server_argv(self) -> list[str]:
        """The command line of the server."""
        return ["iperf3", "-s", "-1", "-B", self.plan.address, "-p", str(self.plan.port)]

    def client_argv(self) -> list[str]:
        """The command line of the client."""
        plan = self.plan
        amount = ["-n", str(plan.size_bytes)] if plan.size_bytes else ["-t", f"{plan.duration_s:g}"]
        control = ["-C", plan.congestion_control] if plan.congestion_control else []
        return [
            *("iperf3", "-c", plan.address, "-p", str(plan.port), "-B", self.source_address),
            *("--cport", str(plan.source_port), *control, *amount),
            *("-J", "--connect-timeout", str(CONNECT_TIMEOUT_MS)),
        ]

    def streams(self) -> list[tuple[str, int]]:
        """The name of its connection in samples, and its port at the source."""
        return [(self.plan.id, self.plan.source_port)]


def forget_ended_connections(source: LabNode) -> None:
    """Have a node forget ended connections at once, instead of waiting for late packets (TIME-WAIT).

    A repeated flow uses the same source port, since fq_codel and equal-cost paths hash it. iperf3 cannot bind a port in
    TIME-WAIT, which lasts a minute after the sender ended the connection.
    """

    def in_node() -> None:
        with open(_WAITING_MOST, "w", encoding="ascii") as file:
            file.write("0")

    source.thread.call(in_node)


def listens(flow: Iperf3Flow) -> bool:
    """Whether the server's port is open, in the kernel's list for the destination's namespace."""
    table = "tcp6" if ":" in flow.plan.address else "tcp"
    with open(f"/proc/{flow.destination.thread.tid}/net/{table}", encoding="ascii") as file:
        next(file)
        rows = [line.split()[1:4] for line in file]
    return any(int(local.rpartition(":")[2], 16) == flow.plan.port and state == _LISTENING for local, _, state in rows)
