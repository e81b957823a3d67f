"""One end of a flow: what it is told, its sockets, when it begins, and how it tells what comes of it.

An end is a process of its own in its node. It is told by lines of JSON on a pipe and tells by lines on another one,
which all ends of a node share: none is longer than what the kernel writes in one piece.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import select
import socket
import struct
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import io
    from typing import Any, TypedDict

    class Config(TypedDict):
        """The settings of an end.

        `role` is "ask" (connects, or sends first) or "serve"; `sends` whether it is the end that data come from. The
        flow's own settings are named as in `wire_plan.FlowPlan`; `here` and `there` are addresses with the port of the
        first stream. `folder` is where it may leave files.
        """

        flow: str
        role: str
        kind: str
        sends: bool
        here: tuple[str, int]
        there: tuple[str, int]
        streams: int
        start_s: float
        duration_s: float
        size_bytes: int
        congestion_control: str
        dscp: int | None
        ecn: bool | None
        settings: dict[str, Any]


#: Lines are shorter than what a pipe takes in one piece (PIPE_BUF), so that those of several ends do not mix.
_LINE_BYTES = 4096
_ROWS_BYTES = 3500
#: Rows are passed on at least this often, in seconds.
BATCH_S = 0.1
#: How long after its time an end still waits for what is under way.
GRACE_S = 5.0
_NOTSENT_LOWAT, _MAX_PACING_RATE, _RCVBUFFORCE, _SNDBUFFORCE = 25, 47, 33, 32
_ECT0 = 2
_ECN_FILE = "/proc/sys/net/ipv4/tcp_ecn"
CONNECTION_LOST = (ConnectionResetError, BrokenPipeError, ConnectionAbortedError)


class FlowEnd:
    """An end of a flow.

    Args:
        config: what it is told.
        control: descriptor of the pipe by which it is told when to begin and when the other end is done.
        lock: descriptor of a file that all ends of the node share.
    """

    def __init__(self, config: Config, control: int, lock: int) -> None:
        self.config, self.settings, self.flow = config, config["settings"], config["flow"]
        # Lists in JSON; an address of a socket is a tuple.
        self.here: tuple[str, int] = (config["here"][0], config["here"][1])
        self.there: tuple[str, int] = (config["there"][0], config["there"][1])
        self._control, self._lock = control, lock
        self._rest = b""
        self._rows: dict[str, list[str]] = {}
        self._bytes, self._passed_on_s = 0, 0.0
        self.zero_s = 0.0
        #: What the other end told when it was done; None until then.
        self.other_report: dict[str, Any] | None = None

    # --- telling ---

    def send_message(self, what: str, **more: object) -> None:
        """A message to the agent: "ready", "begun", "report" or "failed"."""
        said = {"flow": self.flow, "role": self.config["role"], "what": what, "pid": os.getpid(), **more}
        line = json.dumps(said, separators=(",", ":")).encode() + b"\n"
        if len(line) <= _LINE_BYTES:
            os.write(1, line)
        else:
            self.send_message("failed", why=f"what it has to tell is too long: {line[:500]!r}")

    def row(self, table: str, *values: object) -> None:
        """A row of a table, from its third column on; passed on in time, together with others."""
        text = json.dumps(values, separators=(",", ":"))
        self._rows.setdefault(table, []).append(text)
        self._bytes += len(text) + 1
        if self._bytes > _ROWS_BYTES or time.monotonic() - self._passed_on_s > BATCH_S:
            self.flush()

    def flush(self) -> None:
        """Pass all rows on."""
        for table, rows in self._rows.items():
            while rows:
                piece, size = [], 0
                while rows and size + len(rows[0]) < _ROWS_BYTES:
                    size += len(rows[0]) + 1
                    piece.append(rows.pop(0))
                os.write(1, f'{{"type":"samples","table":"{table}","rows":[{",".join(piece)}]}}\n'.encode())
        self._bytes, self._passed_on_s = 0, time.monotonic()

    def app(self, begun_s: float, what: str, number: int, size_bytes: int, outcome: str = "") -> None:
        """A row of "app" for what began at `begun_s` of the monotonic clock and ends now."""
        took_ms = round((time.monotonic() - begun_s) * 1e3, 4)
        self.row("app", self.since(begun_s), self.flow, what, number, size_bytes, took_ms, outcome)

    # --- time ---

    def since(self, at_s: float) -> float:
        """A time of the monotonic clock, counted from the start of all flows."""
        return round(at_s - self.zero_s, 6)

    @property
    def begins_s(self) -> float:
        """The time of its begin, by the monotonic clock."""
        return self.zero_s + self.config["start_s"]

    @property
    def until_s(self) -> float:
        """The planned time of its end, by the monotonic clock; far away for a flow that ends by size."""
        return self.begins_s + (self.config["duration_s"] or 1e9)

    def wait_begin(self) -> None:
        """Tell that it is ready, wait until it is to begin, and say that it does."""
        self.send_message("ready")
        while not self.zero_s:
            self._hear(None)
        sleep_until(self.begins_s)
        self.send_message("begun", time_s=self.since(time.monotonic()))

    def wait_zero(self) -> None:
        """Tell that it is ready and wait until the zero of time is known: for the end that is asked."""
        self.send_message("ready")
        while not self.zero_s:
            self._hear(None)

    def other_is_done(self, timeout_s: float | None = 0.0, *watched: socket.socket | io.RawIOBase) -> bool:
        """Whether the other end is done; waits for that, or for something to read, for so long (None: for ever)."""
        if self.other_report is None and self._is_told(timeout_s, *watched):
            self._hear(0.0)
        return self.other_report is not None

    def _is_told(self, timeout_s: float | None, *watched: socket.socket | io.RawIOBase) -> bool:
        descriptors = [self._control, *(each.fileno() for each in watched)]
        return self._control in select.select(descriptors, [], [], timeout_s)[0]

    def _hear(self, timeout_s: float | None) -> None:
        if timeout_s is not None and not self._is_told(timeout_s):
            return
        chunk = os.read(self._control, 65536)
        if not chunk:
            os._exit(0)  # the receiver of the reports is gone
        *lines, self._rest = (self._rest + chunk).split(b"\n")
        for line in lines:
            told = json.loads(line)
            self.zero_s = told.get("zero_s", self.zero_s)
            if "other" in told:
                self.other_report = told["other"]

    # --- sockets ---

    @property
    def family(self) -> int:
        """The address family of the flow."""
        return socket.AF_INET6 if ":" in self.here[0] else socket.AF_INET

    def listener(self, number: int = 0) -> socket.socket:
        """A socket that listens at the end's address, at the port of a stream, with all settings of the flow."""
        address, port = self.here
        opened = socket.socket(self.family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.set_up(opened)
        opened.bind((address, port + number))
        opened.listen(64)
        return opened

    def connect(self, number: int = 0, *, own_port: bool = True, timeout_s: float = 10.0) -> socket.socket:
        """A connection to the other end, from the port of a stream, or from any. Raises OSError."""
        (here, port), there = self.here, self.there
        opened = socket.socket(self.family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.set_up(opened)
        streams_here = self.config["sends"]  # the ports of streams are those of the flow's source
        opened.bind((here, (port + number if streams_here else port) if own_port else 0))
        to = (there[0], there[1] if streams_here else there[1] + number)
        self._connect(opened, to, timeout_s)
        opened.settimeout(None)
        return opened

    def _connect(self, opened: socket.socket, to: tuple[str, int], timeout_s: float) -> None:
        """Connect while the node's setting of ECN is what the flow wants: the SYN is made when connecting begins.

        Ends of other flows in this node may want it otherwise at that moment. Those that want nothing share it.
        """
        asks = self.config["ecn"]
        opened.setblocking(False)
        fcntl.lockf(self._lock, fcntl.LOCK_SH if asks is None else fcntl.LOCK_EX)
        try:
            failed = opened.connect_ex(to) if asks is None else _connect_asking(opened, to, asks)
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)
        if failed and failed != errno.EINPROGRESS:
            raise OSError(failed, os.strerror(failed))
        if not select.select([], [opened], [], timeout_s)[1]:
            raise TimeoutError("timed out")
        if failed := opened.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            raise OSError(failed, os.strerror(failed))

    def set_up(self, opened: socket.socket) -> None:
        """Give a socket the flow's settings: congestion control, class, and for UDP marks."""
        config = self.config
        is_tcp = opened.type == socket.SOCK_STREAM
        if is_tcp and config["congestion_control"]:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, config["congestion_control"].encode())
        if is_tcp:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        bits = ((config["dscp"] or 0) << 2) | (_ECT0 if config["ecn"] and not is_tcp else 0)
        if bits:
            level, name = (
                (socket.IPPROTO_IPV6, socket.IPV6_TCLASS)
                if self.family == socket.AF_INET6
                else (socket.IPPROTO_IP, socket.IP_TOS)
            )
            opened.setsockopt(level, name, bits)
        if config["sends"] and is_tcp:
            if rate_mbit := self.settings.get("rate_mbit"):
                opened.setsockopt(socket.SOL_SOCKET, _MAX_PACING_RATE, struct.pack("=Q", int(rate_mbit * 125_000)))
            if lowat := self.settings.get("notsent_lowat_bytes"):
                opened.setsockopt(socket.IPPROTO_TCP, _NOTSENT_LOWAT, lowat)


def _connect_asking(opened: socket.socket, to: tuple[str, int], asks: bool) -> int:
    """Begin to connect with a setting of ECN that the node has for that moment; the error number, 0 for none."""
    with open(_ECN_FILE, "r+", encoding="ascii") as file:
        before = file.read().strip()
        _written(_ECN_FILE, "1" if asks else "0")
        failed = opened.connect_ex(to)
        _written(_ECN_FILE, before)
    return failed


def _written(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def roomy(opened: socket.socket, size_bytes: int = 8_000_000) -> None:
    """Large buffers, so that it is the link that loses; as large as the kernel lets us."""
    for forced, plain in ((_RCVBUFFORCE, socket.SO_RCVBUF), (_SNDBUFFORCE, socket.SO_SNDBUF)):
        try:
            opened.setsockopt(socket.SOL_SOCKET, forced, size_bytes)
        except OSError:
            opened.setsockopt(socket.SOL_SOCKET, plain, size_bytes)


def sleep_until(at_s: float) -> None:
    """Sleep until a time of the monotonic clock."""
    while (left_s := at_s - time.monotonic()) > 0:
        time.sleep(left_s)


def hang_up(opened: socket.socket) -> None:
    """Close a connection at once, with a reset, so that neither end keeps its ports."""
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("=ii", 1, 0))
    opened.close()


def amount(size_bytes: int, seconds: float) -> dict[str, float]:
    """An amount of data as iperf3's reports have it."""
    rate = size_bytes * 8 / seconds if seconds > 0 else 0.0
    return {"bytes": size_bytes, "seconds": round(seconds, 6), "bits_per_second": round(rate, 1)}
