"""The user's own command at the source, another one at the destination, and the values in its output."""

from __future__ import annotations

import os
import signal
import time

from frrlib.agent.traffic.endpoint import GRACE_S, FlowEnd
from frrlib.system import signals
from frrlib.system.ready import ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_SHELL = "/bin/sh"
_NUMBERS = ("number", "size_bytes", "duration_ms")
#: The number of characters of its output in the report.
_OUTPUT_CHARS = 1500


def run(end: FlowEnd) -> None:
    """Run the command of this end."""
    line = _fill_placeholders(end, end.settings["server" if end.config["role"] == "serve" else "command"])
    if end.config["role"] == "serve":
        _serve(end, line)
    else:
        _ask(end, line)


def _fill_placeholders(end: FlowEnd, line: str) -> str:
    """A command line with its placeholders replaced. Other braces belong to the shell."""
    local_key, remote_key = ("here", "there") if end.config["role"] == "serve" else ("there", "here")
    address, port = end.config[local_key]  # type: ignore[literal-required]
    words = {
        "address": address,
        "port": port,
        "source": end.config[remote_key][0],  # type: ignore[literal-required]
        "duration_s": f"{end.config['duration_s']:g}",
    }
    for word, value in words.items():
        line = line.replace("{" + word + "}", str(value))
    return line


def _serve(end: FlowEnd, line: str) -> None:
    if line.strip():
        null_files = [(os.POSIX_SPAWN_OPEN, number, "/dev/null", os.O_RDWR, 0) for number in range(3)]
        argv = [_SHELL, "-c", line]
        os.posix_spawn(_SHELL, argv, dict(os.environ), file_actions=null_files, setsigdef=signals.PYTHONS)
    end.wait_zero()
    while not end.other_is_done(None):
        pass
    end.send_message("report", report={})  # its processes end with the process of this end


def _ask(end: FlowEnd, line: str) -> None:
    parse = _parser(end)
    # SIGTERM is sent to the whole group: the shell and all that it started, and this process, which ignores it.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    end.wait_begin()
    reading, writing = os.pipe()
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0),
        *((os.POSIX_SPAWN_DUP2, writing, number) for number in (1, 2)),
    ]
    default = signals.PYTHONS | {signal.SIGTERM}
    argv = [_SHELL, "-c", line]
    shell = os.posix_spawn(_SHELL, argv, dict(os.environ), file_actions=actions, setsigdef=default)
    os.close(writing)
    rows, output = _follow(end, reading, parse)
    is_over = time.monotonic() >= end.until_s
    end.flush()
    status = os.waitstatus_to_exitcode(os.waitpid(shell, os.WNOHANG if is_over else 0)[1])
    report: dict[str, object] = {"rows": rows, "status": status, "said": output[-_OUTPUT_CHARS:]}
    if status and not is_over:
        end.send_message(
            "failed", reason=f"the command ended with status {status}: {output[-500:].strip() or 'it printed nothing'}"
        )
    else:
        end.send_message("report", time_s=end.since(time.monotonic()), report=report)


def _follow(end: FlowEnd, descriptor: int, parse: Callable[[str], dict[str, Any] | None]) -> tuple[int, str]:
    """Read its lines until it ends, or its time is over. Returns the number of rows and the last part of its output."""
    rows, output, incomplete, is_terminated = 0, "", b"", False
    while (left_s := end.until_s + (GRACE_S if is_terminated else 0.0) - time.monotonic()) > 0 or not is_terminated:
        if left_s <= 0:
            os.killpg(0, signal.SIGTERM)
            is_terminated = True
            continue
        if not ready([descriptor], timeout_s=left_s)[0]:
            continue
        chunk = os.read(descriptor, 65536)
        if not chunk:
            break
        *lines, incomplete = (incomplete + chunk).split(b"\n")
        for line in lines:
            text = line.decode(errors="replace")
            output = f"{output}{text}\n"[-2 * _OUTPUT_CHARS :]
            values = parse(text)
            if values is not None:
                end.row(
                    "app", end.since(time.monotonic()), end.flow, str(values.get("what") or "line"),
                    _number(values.get("number"), rows), _number(values.get("size_bytes")),
                    _number(values.get("duration_ms")), str(values.get("outcome") or ""),
                )  # fmt: skip
                rows += 1
    return rows, output


def _parser(end: FlowEnd) -> Callable[[str], dict[str, Any] | None]:
    """The function that parses values from a line; it returns None for a line without any."""
    if end.settings["reads"] == "json":
        import json

        def from_json(line: str) -> dict[str, Any] | None:
            try:
                value = json.loads(line)
            except ValueError:
                return None
            return value if isinstance(value, dict) else None

        return from_json
    if end.settings["reads"] == "pattern":
        import re

        pattern = re.compile(end.settings["pattern"])

        def from_pattern(line: str) -> dict[str, Any] | None:
            match = pattern.search(line)
            return match.groupdict() if match else None

        return from_pattern
    return lambda line: None


def _number(value: object, otherwise: int | None = None) -> float | int | None:
    """The number in a text; `otherwise` if it is none."""
    try:
        number = float(str(value))
    except ValueError:
        return otherwise
    return int(number) if number == int(number) else number
