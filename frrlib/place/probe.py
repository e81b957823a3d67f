"""The abilities of a place, probed by a lab there that tries everything, and cached until the kernel changes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Protocol

import platformdirs

from frrlib.errors import PlaceError
from frrlib.place import machine, probe_program
from frrlib.place.base import Abilities, Program
from frrlib.place.sandbox import SupervisedSandbox, code_folder
from frrlib.system import atomic_files

#: Version of the probe and of its stored form.
VERSION = 6
_LIMIT_BYTES = 65536


class Startable(Protocol):
    """The part of a place that probing needs."""

    @property
    def name(self) -> str: ...

    def start(self, program: Program) -> SupervisedSandbox: ...


def abilities(place: Startable, refresh: bool = False, kernel: Path | None = None) -> Abilities:
    """The abilities of `place`. They come from the cache unless `refresh` is set or the kernel changed. A failure is
    not cached."""
    try:
        machine.check()
        path = _cache_file(place.name, _key(place.name, kernel))
        if not refresh and (cached := _read(path)) is not None:
            return cached
        probed = _probe(place)
    except PlaceError as error:
        return Abilities(place.name, False, reason=error.missing.splitlines()[0], remedy=error.remedy)
    _write(path, probed)
    return probed


def _probe(place: Startable) -> Abilities:
    program = Program(
        "frrlib.place.probe_program", code_folder(), None, site=(), memory_mib=256, modules=probe_program.MODULES
    )
    lab = place.start(program)
    try:
        text = lab.wire.reader.readline(_LIMIT_BYTES)
        release = lab.facts.kernel
    finally:
        lab.stop()
    try:
        answer = json.loads(text)
    except ValueError:
        raise PlaceError(f"the probe of {place.name} ended without a result") from None
    return _from_plain({**answer, "place": place.name, "available": True, "kernel": release})


def _key(name: str, kernel: Path | None) -> str:
    """The key in the cache: it identifies the lab kernel's file, or the boot of the running kernel."""
    parts: list[object] = [VERSION, name, os.geteuid() == 0]
    parts += [Path(f"/proc/self/{kind}_map").read_text(encoding="ascii") for kind in ("uid", "gid")]
    if kernel is not None:
        about = kernel.stat()
        parts += [str(kernel), about.st_size, about.st_mtime_ns]
    else:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        parts += [os.uname().release, os.uname().version, boot]
    parts += [os.path.exists(path) for path in probe_program.OPEN_VSWITCH]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]


def _cache_file(name: str, key: str) -> Path:
    return platformdirs.user_cache_path("miniedit-frr") / f"place-{name}-{key}.json"


def _from_plain(plain: Mapping[str, Any]) -> Abilities:
    return Abilities(
        place=str(plain["place"]),
        available=bool(plain["available"]),
        reason=str(plain.get("reason", "")),
        remedy=str(plain.get("remedy", "")),
        kernel=str(plain["kernel"]),
        qdiscs=frozenset(plain["qdiscs"]),
        congestion_controls=frozenset(plain["congestion_controls"]),
        default_congestion_controls=frozenset(plain["default_congestion_controls"]),
        device_types=frozenset(plain["device_types"]),
        open_vswitch=bool(plain["open_vswitch"]),
        cpu_limits=bool(plain["cpu_limits"]),
        cpus=int(plain["cpus"]),
    )


def _read(path: Path) -> Abilities | None:
    try:
        return _from_plain(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _write(path: Path, abilities: Abilities) -> None:
    """Write to the cache. A cache that cannot be written is no error."""
    plain = {key: sorted(value) if isinstance(value, frozenset) else value for key, value in asdict(abilities).items()}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_files.replace(path, json.dumps(plain))
    except OSError:
        return
