"""One end of a flow: its settings, its sockets, its start, and its reports.

An end is a process of its own in its node. It receives lines of JSON on a pipe, and sends lines on another pipe, which
all ends of a node share. No line is longer than the kernel's atomic write.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import socket
import struct
import time

from frrlib.system.ready import ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    import io
    from typing import Any, TypedDict

    class Config(TypedDict):
        """The settings of an end.

        `role` is "ask" (connects, or sends first) or "serve"; `sends` is whether the data come from this end. The
        flow's own settings are named as in `FlowPlan`; `here` and `there` are addresses with the port of the first
        stream. `folder` is for its files.
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


#: Lines are shorter than an atomic write to a pipe (PIPE_BUF), so that those of several ends do not mix.
_LINE_BYTES = 4096
_ROWS_BYTES = 3500
#: Rows are sent at least this often, in seconds.
BATCH_S = 0.1
#: After its time an end still waits this long for data under way.
GRACE_S = 5.0
_NOTSENT_LOWAT, _MAX_PACING_RATE, _RCVBUFFORCE, _SNDBUFFORCE = 25, 47, 33, 32
_ECT0 = 2
_ECN_FILE = "/proc/sys/net/ipv4/tcp_ecn"
CONNECTION_LOST = (ConnectionResetError, BrokenPipeError, ConnectionAbortedError)


class FlowEnd:
    """An end of a flow.

    Args:
        config: its settings.
        control: descriptor of the pipe with the messages about the start and about the end of the other end.
        lock: descriptor of a file that all ends of the node share.
    """

    def __init__(self, config: Config, control: int, lock: int) -> None:
        self.config, self.settings, self.flow = config, config["settings"], config["flow"]
        # JSON has lists; a socket's address is a tuple.
        self.local: tuple[str, int] = (config["here"][0], config["here"][1])
        self.remote: tuple[str, int] = (config["there"][0], config["there"][1])
        self._control, self._lock = control, lock
        self._incomplete = b""
        self._rows: dict[str, list[str]] = {}
        self._bytes, self._flushed_s = 0, 0.0
        self.zero_s = 0.0
        #: The other end's report; None until it is done.
        self.other_report: dict[str, Any] | None = None

    # --- reports ---

    def send_message(self, kind: str, **fields: object) -> None:
        """Send a message to the agent: "ready", "begun", "report" or "failed"."""
        message = {"flow": self.flow, "role": self.config["role"], "what": kind, "pid": os.getpid(), **fields}
        line = json.dumps(message, separators=(",", ":")).encode() + b"\n"
        if len(line) <= _LINE_BYTES:
            os.write(1, line)
        else:
            self.send_message("failed", reason=f"its message is too long: {line[:500]!r}")

    def row(self, table: str, *values: object) -> None:
        """Add a row of a table, from its third column on. Rows are sent in batches."""
        text = json.dumps(values, separators=(",", ":"))
        self._rows.setdefault(table, []).append(text)
        self._bytes += len(text) + 1
        if self._bytes > _ROWS_BYTES or time.monotonic() - self._flushed_s > BATCH_S:
            self.flush()

    def flush(self) -> None:
        """Send all rows."""
        for table, rows in self._rows.items():
            while rows:
                piece, size = [], 0
                while rows and size + len(rows[0]) < _ROWS_BYTES:
                    size += len(rows[0]) + 1
                    piece.append(rows.pop(0))
                os.write(1, f'{{"type":"samples","table":"{table}","rows":[{",".join(piece)}]}}\n'.encode())
        self._bytes, self._flushed_s = 0, time.monotonic()

    def app(self, begun_s: float, kind: str, number: int, size_bytes: int, outcome: str = "") -> None:
        """Add a row of "app" for an item that began at `begun_s` of the monotonic clock and ends now."""
        took_ms = round((time.monotonic() - begun_s) * 1e3, 4)
        self.row("app", self.since(begun_s), self.flow, kind, number, size_bytes, took_ms, outcome)

    # --- time ---

    def since(self, at_s: float) -> float:
        """A time of the monotonic clock, counted from the start of all flows."""
        return round(at_s - self.zero_s, 6)

    @property
    def begins_s(self) -> float:
        """The time of its start, by the monotonic clock."""
        return self.zero_s + self.config["start_s"]

    @property
    def until_s(self) -> float:
        """The planned time of its end, by the monotonic clock; far away for a flow that ends by size."""
        return self.begins_s + (self.config["duration_s"] or 1e9)

    def wait_begin(self) -> None:
        """Report that it is ready, wait until its start, and report that."""
        self.send_message("ready")
        while not self.zero_s:
            self._read_control(None)
        sleep_until(self.begins_s)
        self.send_message("begun", time_s=self.since(time.monotonic()))

    def wait_zero(self) -> None:
        """Report that it is ready, and wait for the zero of time. For the serving end."""
        self.send_message("ready")
        while not self.zero_s:
            self._read_control(None)

    def other_is_done(self, timeout_s: float | None = 0.0, *watched: socket.socket | io.RawIOBase) -> bool:
        """Whether the other end is done. Waits for that, or for data on `watched`, up to this time (None: forever)."""
        if self.other_report is None and self._has_message(timeout_s, *watched):
            self._read_control(0.0)
        return self.other_report is not None

    def _has_message(self, timeout_s: float | None, *watched: socket.socket | io.RawIOBase) -> bool:
        descriptors = [self._control, *(source.fileno() for source in watched)]
        return self._control in ready(descriptors, timeout_s=timeout_s)[0]

    def _read_control(self, timeout_s: float | None) -> None:
        if timeout_s is not None and not self._has_message(timeout_s):
            return
        chunk = os.read(self._control, 65536)
        if not chunk:
            os._exit(0)  # the process that receives the reports has ended
        *lines, self._incomplete = (self._incomplete + chunk).split(b"\n")
        for line in lines:
            message = json.loads(line)
            self.zero_s = message.get("zero_s", self.zero_s)
            if "other" in message:
                self.other_report = message["other"]

    # --- sockets ---

    @property
    def family(self) -> int:
        """The address family of the flow."""
        return socket.AF_INET6 if ":" in self.local[0] else socket.AF_INET

    def listener(self, number: int = 0) -> socket.socket:
        """A listening socket at the end's address and the port of a stream, with all settings of the flow."""
        address, port = self.local
        opened = socket.socket(self.family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.set_up(opened)
        opened.bind((address, port + number))
        opened.listen(64)
        return opened

    def connect(self, number: int = 0, *, own_port: bool = True, timeout_s: float = 10.0) -> socket.socket:
        """A connection to the other end, from the port of a stream, or from any port. Raises OSError."""
        (local_address, port), remote = self.local, self.remote
        opened = socket.socket(self.family, socket.SOCK_STREAM)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.set_up(opened)
        streams_here = self.config["sends"]  # the ports of streams are those of the flow's source
        opened.bind((local_address, (port + number if streams_here else port) if own_port else 0))
        to = (remote[0], remote[1] if streams_here else remote[1] + number)
        self._connect(opened, to, timeout_s)
        opened.settimeout(None)
        self._set_congestion_control(opened)  # connecting replaced it by that of the route, if the route has one
        return opened

    def _connect(self, opened: socket.socket, to: tuple[str, int], timeout_s: float) -> None:
        """Connect while the node's ECN setting is that of the flow, since connecting makes the SYN at once.

        Ends of other flows in this node may need another setting at that moment. Flows without a setting share the
        lock.
        """
        ecn = self.config["ecn"]
        opened.setblocking(False)
        fcntl.lockf(self._lock, fcntl.LOCK_SH if ecn is None else fcntl.LOCK_EX)
        try:
            failed = opened.connect_ex(to) if ecn is None else _connect_with_ecn(opened, to, ecn)
        finally:
            fcntl.lockf(self._lock, fcntl.LOCK_UN)
        if failed and failed != errno.EINPROGRESS:
            raise OSError(failed, os.strerror(failed))
        if not ready([], [opened], timeout_s)[1]:
            raise TimeoutError("timed out")
        if failed := opened.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
            raise OSError(failed, os.strerror(failed))

    def set_up(self, opened: socket.socket) -> None:
        """Apply the flow's settings to a socket: congestion control, traffic class, and ECN marks for UDP."""
        config = self.config
        is_tcp = opened.type == socket.SOCK_STREAM
        if is_tcp:
            self._set_congestion_control(opened)
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
            rate_mbit = self.settings.get("rate_mbit")
            if rate_mbit and self.settings.get("paced_by") != "application":
                opened.setsockopt(socket.SOL_SOCKET, _MAX_PACING_RATE, struct.pack("=Q", int(rate_mbit * 125_000)))
            if lowat := self.settings.get("notsent_lowat_bytes"):
                opened.setsockopt(socket.IPPROTO_TCP, _NOTSENT_LOWAT, lowat)

    def _set_congestion_control(self, opened: socket.socket) -> None:
        if name := self.config["congestion_control"]:
            opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, name.encode())


def _connect_with_ecn(opened: socket.socket, to: tuple[str, int], ecn: bool) -> int:
    """Begin to connect with an ECN setting of the node for that moment. Returns the error number, 0 for none."""
    with open(_ECN_FILE, "r+", encoding="ascii") as file:
        previous = file.read().strip()
        _write_text(_ECN_FILE, "1" if ecn else "0")
        failed = opened.connect_ex(to)
        _write_text(_ECN_FILE, previous)
    return failed


def _write_text(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def enlarge_buffers(opened: socket.socket, size_bytes: int = 8_000_000) -> None:
    """Set large buffers, so that losses happen on the link; as large as the kernel allows."""
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
    """An amount of data with the keys of iperf3's reports."""
    rate = size_bytes * 8 / seconds if seconds > 0 else 0.0
    return {"bytes": size_bytes, "seconds": round(seconds, 6), "bits_per_second": round(rate, 1)}
