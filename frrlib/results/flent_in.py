"""Converts a `.flent.gz` into a results folder, so that flent's runs can be drawn and compared beside ours.

Series of TCP streams become flows, pings become probes. The settings of the folder name the file and flent's own
settings.
"""

from __future__ import annotations

import bz2
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from frrlib import wire
from frrlib.errors import LabError
from frrlib.results.flent_out import FORMAT_VERSION, TCP_VALUES
from frrlib.results.layout import FlowInfo
from frrlib.results.table_reader import LARGEST, LONGEST_S
from frrlib.results.writer import Writer

#: Limits of a file: unpacked bytes, values and series. They admit an hour of eight flows with five samples a second of
#: a dozen values. A packed file of some kilobytes may unpack to gigabytes, and a value takes up to 400 bytes of memory.
_MOST_BYTES, _MOST_VALUES, _MOST_SERIES = 128 << 20, 2_000_000, 2_000
#: Names of sums and means of other series in the file.
_DERIVED = re.compile(r"\b(sum|avg|average|totals?|fairness)\b|::tcp_|::iptos", re.IGNORECASE)


class FlentError(LabError):
    """A file has no results of flent, or its version is not supported."""


def import_flent(file: Path, out: Path, *, overwrite: bool = False) -> Path:
    """Make a results folder from flent's file, and return the folder.

    Raises:
        FlentError: the file cannot be read, is too large, is not flent's, or is newer than format 4.
        ResultsError: `out` cannot be made, or contains something else.
    """
    data = _read(file)
    metadata, times = data["metadata"], data["x_values"]
    flows = list(_flows(data))
    if not flows and not any(name.startswith("Ping") for name in data["results"]):
        raise FlentError(f"{file}: it contains neither a TCP stream nor a ping")
    title = str(metadata.get("TITLE") or metadata.get("NAME") or file.name)
    settings = {"imported_from": file.name, "flent_test": metadata.get("NAME"), "step_s": metadata.get("STEP_SIZE"),
                "parameters": metadata.get("TEST_PARAMETERS")}  # fmt: skip
    zero_s = _seconds(metadata.get("T0") or metadata.get("TIME"))
    started = datetime.fromtimestamp(zero_s, UTC).isoformat()
    with Writer.create(out, "", settings, title=title, overwrite=overwrite, started=started) as writer:
        writer.set_place("imported", f"from {file.name}")
        writer.add_facts({name.lower(): metadata[name] for name in ("FLENT_VERSION", "KERNEL_RELEASE", "EGRESS_INFO")
                          if metadata.get(name)})  # fmt: skip
        writer.set_flow_infos([FlowInfo.model_validate(info) for info, _, _ in flows])
        for info, rates, raw in flows:
            _add_flow(writer, info, times, rates, raw, zero_s)
        for name, values in data["results"].items():
            if name.startswith("Ping"):
                _add_ping(writer, name, data["raw_values"].get(name, []), times, values, zero_s)
    return out


class _Flent(msgspec.Struct):
    """The part of flent's format that is used here."""

    metadata: dict[str, Any]
    x_values: list[float]
    results: dict[str, list[float | None]]
    raw_values: dict[str, list[dict[str, Any]]] | None = None
    version: int | None = 1


class _Meta(msgspec.Struct):
    """The metadata of series, by their names."""

    SERIES_META: dict[str, dict[str, Any]] | None = None


def _read(file: Path) -> dict[str, Any]:
    openers: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open}
    try:
        with openers.get(file.suffix, open)(file, "rb") as opened:
            data = opened.read(_MOST_BYTES + 1)
        _check_limits(file, data)
        content = _sanitized(json.loads(data))
    except OSError as error:
        raise FlentError(f"{file} cannot be read: {error.strerror or error}") from error
    except (ValueError, EOFError, zlib.error, RecursionError) as error:
        raise FlentError(f"{file} is not a results file of flent, or it is truncated") from error
    required = {"metadata": Mapping, "x_values": Sequence, "results": Mapping}
    if not isinstance(content, dict) or not all(isinstance(content.get(key), kind) for key, kind in required.items()):
        raise FlentError(f"{file} is not a results file of flent: it must have {', '.join(required)}")
    try:
        parsed = msgspec.convert(content, _Flent)
        msgspec.convert(parsed.metadata, _Meta)
    except msgspec.ValidationError as error:
        raise FlentError(f"{file}: its version or its times are not valid: {error}") from error
    if len(parsed.results) > _MOST_SERIES:
        raise FlentError(f"{file} has {len(parsed.results):,} series, more than the limit of {_MOST_SERIES:,}")
    if any(abs(time_s) > LONGEST_S for time_s in parsed.x_values):
        raise FlentError(f"{file}: its times are not valid: they are too long for a run")
    if (parsed.version or 1) > FORMAT_VERSION:
        raise FlentError(
            f"{file} has flent's format {parsed.version}, but this program supports versions up to {FORMAT_VERSION}"
        )
    return {**msgspec.structs.asdict(parsed), "raw_values": parsed.raw_values or {}}


def _check_limits(file: Path, data: bytes) -> None:
    """Refuse unpacked data that would take too much time and memory to parse.

    Raises:
        FlentError: it has more bytes or values than the limits.
    """
    if len(data) > _MOST_BYTES:
        raise FlentError(
            f"{file} has more than {_MOST_BYTES >> 20} MiB unpacked, which is the limit. "
            "Run flent for a shorter time or with a longer step (--step-size)"
        )
    values = sum(map(data.count, (b",", b"[", b"{")))
    if values > _MOST_VALUES:
        raise FlentError(
            f"{file} has about {values:,} values, more than the limit of {_MOST_VALUES:,}. "
            "Run flent for a shorter time or with a longer step (--step-size)"
        )


def _sanitized(value: Any) -> Any:
    """The value with None for NaN and for numbers too large to be summed, and with text that can be encoded.

    Lists are changed in place.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {_sanitized(key): _sanitized(item) for key, item in value.items()}
    if isinstance(value, list):
        for at, item in enumerate(value):
            value[at] = _sanitized(item)
        return value
    is_odd = isinstance(value, int | float) and not abs(value) < LARGEST
    return None if is_odd else value


def _flows(data: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], Sequence[float | None], Sequence[Any]]]:
    """Each TCP stream: its fields of `FlowInfo`, its goodputs in Mbit/s, and its samples."""
    metadata = data["metadata"]
    series_meta = metadata.get("SERIES_META") or {}
    times = data["x_values"]
    for name, values in data["results"].items():
        if not name.startswith("TCP") or _DERIVED.search(name):
            continue
        sample_times = [time for time, value in zip(times, values, strict=False) if value is not None]
        if not sample_times:
            continue
        begin_s, end_s = float(sample_times[0]), float(sample_times[-1])
        meta = series_meta.get(name) or {}
        down = "download" in name.lower()
        ends = (str(metadata.get("HOST") or "server"), str(metadata.get("LOCAL_HOST") or "client"))
        control = str(meta.get("CONG_CONTROL") or meta.get("CONGESTION_CONTROL") or "")
        source, destination = ends if down else ends[::-1]
        info = {"id": str(meta.get("ID")) if str(meta.get("ID") or "").isidentifier() else name, "source": source,
                "destination": destination, "congestion_control": control if control != "None" else "",
                "start_s": max(0.0, begin_s), "duration_s": end_s - begin_s}  # fmt: skip
        yield info, values, data["raw_values"].get(name, [])


def _add_flow(
    writer: Writer,
    info: Mapping[str, Any],
    times: Sequence[float],
    rates: Sequence[float | None],
    raw: Sequence[Mapping[str, Any]],
    zero_s: float,
) -> None:
    """Write samples of a flow: the arrived bytes, summed over flent's steps, and the values of the sender's kernel."""
    flow, received, before_s = info["id"], 0.0, 0.0
    rows: list[list[Any]] = []
    for time_s, rate_mbit in zip(times, rates, strict=False):
        if rate_mbit is not None:
            if not rows:
                rows.append(_row(time_s=before_s, flow=flow, side="receiver", bytes_received=0))
            received += rate_mbit / 8e-6 * (time_s - before_s)
            rows.append(_row(time_s=time_s, flow=flow, side="receiver", bytes_received=round(received)))
        before_s = time_s
    for sample in raw:
        values = {ours: _number(sample.get(theirs)) for ours, theirs in TCP_VALUES.items()}
        at_s = _number(sample.get("t"))
        if at_s is not None and any(value is not None for value in values.values()):
            rows.append(_row(time_s=at_s - zero_s, flow=flow, side="sender",
                             congestion_control=info["congestion_control"], **values))  # fmt: skip
    if rows:
        writer.add(wire.Samples("tcp", rows))
        writer.add(wire.FlowEvent(flow, "start", float(info["start_s"])))
        writer.add(wire.FlowEvent(flow, "end", float(info["start_s"]) + float(info["duration_s"])))


def _add_ping(
    writer: Writer,
    name: str,
    raw: Sequence[Mapping[str, Any]],
    times: Sequence[float],
    values: Sequence[float | None],
    zero_s: float,
) -> None:
    pairs = [(_number(sample.get("t")), _number(sample.get("val"))) for sample in raw]
    raw_samples = [(at_s - zero_s, value) for at_s, value in pairs if at_s is not None and value is not None]
    samples = raw_samples or [
        (time_s, value) for time_s, value in zip(times, values, strict=False) if value is not None
    ]
    writer.add(wire.Samples("probe", [[time_s, name, at, value, None] for at, (time_s, value) in enumerate(samples)]))


def _number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def _row(**cells: Any) -> list[Any]:
    return [cells.get(column) for column in wire.TABLES["tcp"]]


def _seconds(date: object) -> float:
    """A date in flent's format in seconds since 1970; 0 if it is missing or invalid."""
    try:
        when = datetime.fromisoformat(str(date).replace("Z", "+00:00"))
        return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC).timestamp()
    except (ValueError, OverflowError):
        return 0.0
