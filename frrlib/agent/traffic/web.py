"""A page with its objects: nginx serves it, curl or wget loads it repeatedly.

nginx gets its listening socket from this module, with the flow's congestion control and class, which accepted
connections inherit. By itself it can set neither.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time

from frrlib.agent.traffic.endpoint import GRACE_S, FlowEnd, sleep_until
from frrlib.system import signals
from frrlib.system.ready import ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket

_CONFIG = """\
daemon off;
user root;
worker_processes 1;
error_log {folder}/error.log warn;
pid {folder}/nginx.pid;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    sendfile on;
    keepalive_requests 1000000;
    default_type application/octet-stream;
    server {{ listen {where}; root {folder}/page; }}
}}
"""
#: An empty environment, since a proxy of the user does not belong to the lab.
_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"}
_MARK = "object"
#: The throughput that wget prints at its end, and the number of bytes in its units.
_RECEIVED = re.compile(r"^Downloaded: .* \(([0-9.]+) ([KMG]?)B/s\)$", re.MULTILINE)
_UNITS = {"": 1, "K": 1024, "M": 1024**2, "G": 1024**3}


def run(end: FlowEnd) -> None:
    """Run one end of a flow of pages."""
    if end.config["role"] == "serve":
        _serve(end)
    else:
        _load_all(end)


# --- the server -------------------------------------------------------------------------------------------------------


def _serve(end: FlowEnd) -> None:
    listener = end.listener()
    folder = f"/tmp/page-{os.getpid()}"
    os.makedirs(f"{folder}/page")
    for number, size in enumerate(end.settings["sizes_bytes"]):
        with open(f"{folder}/page/{number}", "wb") as file:
            file.truncate(size)
    with open(f"{folder}/nginx.conf", "w", encoding="ascii") as file:
        file.write(_CONFIG.format(folder=folder, where=_host(end.local)))
    nginx = _start_nginx(end.settings["programs"]["nginx"], folder, listener)
    end.send_message("ready")
    with open(os.pidfd_open(nginx), "rb", buffering=0) as process:
        while not end.other_is_done(None, process):
            ended, status = os.waitpid(nginx, os.WNOHANG)
            if ended:
                end.send_message("failed", reason=f"nginx ended with status {status}: {_messages(folder)[-800:]}")
                return
    os.kill(nginx, signal.SIGTERM)
    os.waitpid(nginx, 0)
    end.send_message("report", report={})


def _messages(folder: str) -> str:
    """The messages of nginx."""
    messages = ""
    for path in (f"{folder}/said", f"{folder}/error.log"):
        with contextlib.suppress(FileNotFoundError), open(path, encoding="utf-8", errors="replace") as file:
            messages += file.read()
    return messages.strip()


def _start_nginx(program: str, folder: str, listener: socket.socket) -> int:
    """Start nginx with a listening socket, as it does for itself when it is upgraded."""
    listener.setblocking(False)
    os.set_inheritable(listener.fileno(), True)
    environment = _ENVIRONMENT | {"NGINX": f"{listener.fileno()};"}
    output_files = [
        (os.POSIX_SPAWN_OPEN, number, f"{folder}/said", os.O_RDWR | os.O_CREAT, 0o600) for number in range(3)
    ]
    argv = [program, "-p", folder, "-c", f"{folder}/nginx.conf"]
    return os.posix_spawn(program, argv, environment, file_actions=output_files, setsigdef=signals.PYTHONS)


def _host(where: tuple[str, int]) -> str:
    address, port = where
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


# --- the client -------------------------------------------------------------------------------------------------------


class _Client:
    """The processes that load one page. They are started ahead and wait for their input, so that the start of a
    program is not in the time of a page."""

    def __init__(self, jobs: list[tuple[list[str], str]]) -> None:
        self._running: list[tuple[int, int, str]] = []
        self.output, writing = os.pipe()
        for argv, text in jobs:
            child_end, agent_end = os.pipe()
            actions = [
                (os.POSIX_SPAWN_DUP2, child_end, 0),
                (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_RDWR, 0),
                (os.POSIX_SPAWN_DUP2, writing, 2),
            ]
            pid = os.posix_spawn(argv[0], argv, _ENVIRONMENT, file_actions=actions, setsigdef=signals.PYTHONS)
            self._running.append((pid, agent_end, text))
            os.close(child_end)
        os.close(writing)

    def begin(self) -> None:
        """Start the loading."""
        for _, pipe, text in self._running:
            with contextlib.suppress(BrokenPipeError):  # it has ended, and its status has the reason
                os.write(pipe, text.encode())
            os.close(pipe)

    def end(self, *, kill: bool) -> bool:
        """Wait for them, or kill them. Returns whether all succeeded."""
        for process, _, _ in self._running if kill else ():
            os.kill(process, signal.SIGKILL)
        os.close(self.output)
        statuses = [os.waitpid(process, 0)[1] for process, _, _ in self._running]
        return not any(statuses)


def _load_all(end: FlowEnd) -> None:
    settings = end.settings
    program = settings["programs"][settings["client"]]
    jobs = _curl(end, program) if settings["client"] == "curl" else _wget(end, program)
    client = _Client(jobs)
    end.wait_begin()
    times_ms: list[float] = []
    number = failed = 0
    while True:
        took_ms, outcome = _load(end, client, number)
        failed += bool(outcome)
        if not outcome:
            times_ms.append(took_ms)
        number += 1
        next_s = time.monotonic() + settings["pause_s"]
        if next_s >= end.until_s or number == settings["loads"]:
            break
        client = _Client(jobs)
        sleep_until(next_s)
    end.flush()
    times_ms.sort()
    median = round(times_ms[len(times_ms) // 2], 4) if times_ms else None
    report = {"loads": number, "failed": failed, "page_median_ms": median}
    end.send_message("report", time_s=end.since(time.monotonic()), report=report)


def _urls(end: FlowEnd) -> list[str]:
    return [f"http://{_host(end.remote)}/{number}" for number in range(len(end.settings["sizes_bytes"]))]


def _curl(end: FlowEnd, program: str) -> list[tuple[list[str], str]]:
    """One curl for all objects, and its input."""
    lines = [f'url = "{url}"\noutput = "/dev/null"' for url in _urls(end)]
    variables = " ".join(f"%{{{name}}}" for name in ("url_effective", "http_code", "size_download", "time_total"))
    lines.append(f'write-out = "%{{stderr}}{_MARK} {variables}\\n"')
    if not end.settings["keep_alive"]:
        lines.append('header = "Connection: close"')
    most = str(end.settings["connections"])
    argv = [
        program,
        "-q",
        "-sS",
        "--no-progress-meter",
        "--noproxy",
        "*",
        "--http1.1",
        "-Z",
        "--parallel-immediate",
        "--parallel-max",
        most,
    ]
    return [([*argv, "-K", "-"], "\n".join(lines) + "\n")]


def _wget(end: FlowEnd, program: str) -> list[tuple[list[str], str]]:
    """A wget for each connection, each with its share of the objects."""
    urls, count = _urls(end), end.settings["connections"]
    keep = [] if end.settings["keep_alive"] else ["--no-http-keep-alive"]
    argv = [program, "--no-config", "-nv", "-O", "/dev/null", "--tries=1", "--no-proxy", "--no-hsts", *keep, "-i", "-"]
    return [(argv, "\n".join(urls[number::count]) + "\n") for number in range(min(count, len(urls)))]


def _load(end: FlowEnd, client: _Client, number: int) -> tuple[float, str]:
    """Load the page once. Returns its duration in ms and the error, empty for none.

    With curl the duration is from the first object's begin to the last object's end; with wget it ends with the last
    process.
    """
    begun_s = time.monotonic()
    late_s = min(end.until_s + GRACE_S, begun_s + (end.settings.get("timeout_s") or 1e9))
    client.begin()
    objects, output = _read_objects(end, client.output, late_s)
    is_late = time.monotonic() >= late_s
    succeeded = client.end(kill=is_late)
    ended_s = time.monotonic()
    if objects:
        begun_s, ended_s = min(item[0] for item in objects), max(item[1] for item in objects)
    failed = [item for item in objects if item[2]]
    outcome = "unfinished" if is_late else f"{len(failed)} objects failed" if failed else ""
    outcome = outcome or ("" if succeeded else output[-200:] or "the client failed")
    took_ms = round((ended_s - begun_s) * 1e3, 4)
    size_bytes = sum(end.settings["sizes_bytes"])
    end.row("app", end.since(begun_s), end.flow, "page", number, size_bytes, took_ms, outcome)
    if not outcome and (received := _RECEIVED.findall(output)) and len(received) == 1:
        bytes_s = float(received[0][0]) * _UNITS[received[0][1]]
        end.row(
            "app",
            end.since(begun_s),
            end.flow,
            "receiving",
            number,
            size_bytes,
            round(size_bytes / bytes_s * 1e3, 4),
            "",
        )
    return took_ms, outcome


def _read_objects(end: FlowEnd, descriptor: int, until_s: float) -> tuple[list[tuple[float, float, str]], str]:
    """curl's report of each object: when it began and ended by the monotonic clock, and its error; and all its other
    output."""
    objects: list[tuple[float, float, str]] = []
    output, incomplete = "", b""
    while (left_s := until_s - time.monotonic()) > 0 and ready([descriptor], timeout_s=left_s)[0]:
        chunk = os.read(descriptor, 65536)
        if not chunk:
            break
        now_s = time.monotonic()
        *lines, incomplete = (incomplete + chunk).split(b"\n")
        for line in lines:
            words = line.decode(errors="replace").split()
            if len(words) != 5 or words[0] != _MARK:
                output += line.decode(errors="replace") + "\n"
                continue
            number, took_s = int(words[1].rpartition("/")[2]), float(words[4])
            size_bytes = end.settings["sizes_bytes"][number]
            error = "" if (words[2], words[3]) == ("200", str(size_bytes)) else f"status {words[2]}, {words[3]} bytes"
            objects.append((now_s - took_s, now_s, error))
            end.row(
                "app", end.since(now_s - took_s), end.flow, "object", number, size_bytes, round(took_s * 1e3, 4), error
            )  # fmt: skip
    return objects, output.strip()
