"""Builds a lab kernel: User-Mode Linux with all features that labs need, from the sources of any Linux.

The sources are not changed: an archive is unpacked into the user's cache, and a source tree is built in another folder.
An unpacked archive gets the congestion controls of `kernel/congestion/` and the page faults of `kernel/page_faults.h`;
a source tree is built as it is.
Unpacked and compiled files stay in the cache until the kernel is complete, so that an interrupted build can continue.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import lzma
import os
import re
import shutil
import signal
import subprocess
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from frrlib.errors import PlaceError
from frrlib.kernels import congestion, material, module_kit, packages, page_faults, shelf
from frrlib.kernels.shelf import BuiltKernel

#: Receives the progress of a build: the step ("unpack", "configure", "compile"), and the completed share of it.
Tell = Callable[[str, float], None]

_INSTALL = "apt-get install linux-source build-essential flex bison bc"
_TOOLS = ("make", "gcc", "flex", "bison", "bc", "strip", "tar")
_DISTRIBUTIONS = Path("/usr/src")
_ARCHIVES = (".tar.xz", ".tar.gz", ".tar.bz2", ".tar")
_OPENERS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open, ".tar": lambda file: file,
}  # fmt: skip
#: A line of make about a file that it builds.
_MADE = re.compile(rb"^ {2}(CC|AS|AR|LD|HOSTCC|GEN|MKDIR|SYNC|UPD)\b")
#: Error lines of compilers and linkers, and the number of lines that are quoted from the first one on.
_WRONG, _QUOTED_LINES = re.compile(rb"\berror: |undefined reference"), 12
#: Approximate number of such lines in a build: 6.12 has 1377.
_USUAL_LINES = 1380
_CHUNK_BYTES = 1 << 20


def install_remedy() -> str:
    """The commands that give this user what builds need."""
    return f"{_INSTALL}, or without root: miniedit-frr setup --kernel" if os.geteuid() else _INSTALL


def configuration() -> str:
    """The options of a lab kernel, in kbuild's format."""
    return material.read("lab.config")


def find_source(path: Path | None = None) -> Path:
    """The sources to build: `path`, else the newest archive of a package `linux-source-*`.

    Raises:
        PlaceError: no package is installed, or `path` is neither an archive nor a tree of Linux.
    """
    if path is None:
        archives = [archive for archive in _DISTRIBUTIONS.glob("linux-source-*") if archive.name.endswith(_ARCHIVES)]
        if not archives:
            raise PlaceError("/usr/src contains no kernel source", install_remedy())
        return max(archives, key=lambda archive: [int(number) for number in re.findall(r"\d+", archive.name)])
    if (path / "arch" / "um" / "Makefile").is_file() and (path / "Makefile").is_file():
        return path.resolve()
    if path.is_file() and path.name.endswith(_ARCHIVES):
        return path.resolve()
    if path.is_file() and path.suffix == ".deb":
        return packages.unpacked(path)
    expected = "an archive linux-*.tar.xz, a package linux-source-*.deb, or a source tree of Linux"
    raise PlaceError(f"{path} is not a Linux source tree with User-Mode Linux", expected)


def build(source: Path, tell: Tell, jobs: int = 0, config: str = "", again: bool = False) -> BuiltKernel:
    """Build a lab kernel, or find the one that was built from the same source with the same configuration.

    Args:
        source: see `find_source`.
        tell: receives the progress.
        jobs: number of compilers that run at once. 0 for the number of processors.
        config: a configuration instead of `configuration()`.
        again: whether to build a kernel that exists already. For a tree, make always runs: only it can find out what
            has changed.

    Raises:
        PlaceError: a tool is missing, the disk is full, or the compiler fails. The last lines have its errors.
        KeyboardInterrupt: from Ctrl-C. Files that were compiled until then are kept.
    """
    missing = [tool for tool in _TOOLS if not shutil.which(tool)]
    if missing:
        raise PlaceError(f"a kernel cannot be built without {', '.join(missing)}", install_remedy())
    config = config or configuration()
    digest = _digest(source, config)
    existing = next((kernel for kernel in shelf.built_kernels() if kernel.digest == digest), None)
    if existing is not None and source.is_file() and not again:
        return existing
    begun, jobs = time.monotonic(), jobs or len(os.sched_getaffinity(0))
    work = shelf.folder() / f".build-{digest[:8]}"
    objects = work / "objects"
    try:
        objects.mkdir(parents=True, exist_ok=True)
        tree = _unpack(source, work, tell) if source.is_file() else source
        if tree != source:
            congestion.add(tree)
            page_faults.add(tree)
        lacking = _configure(tree, objects, config, tell)
        _compile(tree, objects, jobs, tell)
        _run(["strip", "-g", "-o", work / shelf.KERNEL, objects / "linux"], "strip")
        kit_bytes = _keep_kit(tree, objects, work / shelf.KIT)
        release = _run([work / shelf.KERNEL, "--version"], "the new kernel").strip()
        now = datetime.now().astimezone().isoformat(timespec="seconds")
        seconds = round(time.monotonic() - begun, 1)
        name = f"{release}-{digest[:8]}"
        status = (work / shelf.KERNEL).stat()
        sha256 = shelf.sha256(work / shelf.KERNEL, status.st_mtime_ns, status.st_ino)
        built = BuiltKernel(
            name, release, str(source), digest, now, seconds, jobs, status.st_size, lacking, sha256, kit_bytes
        )
        _shelve(built, work)
    except OSError as problem:
        raise PlaceError(f"the kernel cannot be built in {work}: {problem.strerror}", "free disk space there") from None
    shutil.rmtree(work, ignore_errors=True)
    return built


def _keep_kit(tree: Path, objects: Path, kit: Path) -> int:
    """Keep what modules are compiled against. Returns its size in bytes; 0 for a kernel without loadable modules."""
    if "CONFIG_MODULES=y" not in (objects / ".config").read_text(encoding="utf-8").splitlines():
        return 0
    _run([*_make_argv(tree, objects), "modules_prepare"], "make modules_prepare")
    shutil.rmtree(kit, ignore_errors=True)
    module_kit.keep(tree, objects, kit)
    return module_kit.size_bytes(kit)


def _shelve(built: BuiltKernel, work: Path) -> None:
    """Move the new kernel to the other kernels in one step."""
    ready, final = work / "ready", shelf.folder() / built.name
    shutil.rmtree(ready, ignore_errors=True)
    ready.mkdir()
    os.replace(work / shelf.KERNEL, ready / shelf.KERNEL)
    for path in (ready, ready / shelf.KERNEL):  # with any umask, other users cannot change it
        path.chmod(0o755)
    shutil.copyfile(work / "objects" / ".config", ready / shelf.CONFIG)
    if built.kit_bytes:
        os.replace(work / shelf.KIT, ready / shelf.KIT)
    shelf.record(built, ready)
    shutil.rmtree(final, ignore_errors=True)
    os.replace(ready, final)


def _digest(source: Path, config: str) -> str:
    """The identity of a kernel: for an archive its content and that of added files, for a tree its location."""
    digest = hashlib.sha256(config.encode())
    if source.is_file():
        for name, text in {**congestion.sources(), page_faults.HEADER: page_faults.source()}.items():
            digest.update(f"{name}\0{text}\0".encode())
        with source.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                digest.update(chunk)
    else:
        digest.update(os.fsencode(source))
    return digest.hexdigest()


def _unpack(source: Path, work: Path, tell: Tell) -> Path:
    """The source tree of an archive. It is unpacked unless that was done before."""
    tree, size_bytes = work / "tree", source.stat().st_size
    if (work / "unpacked").exists():
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    argv = ["tar", "-x", "-f", "-", "--strip-components=1", "-C", str(tree)]
    tell("unpack", 0.0)
    reason = ""
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as tar, source.open("rb") as file:
        assert tar.stdin is not None and tar.stderr is not None
        try:
            plain = _OPENERS[source.suffix](file)
            while chunk := plain.read(_CHUNK_BYTES):
                tar.stdin.write(chunk)
                tell("unpack", file.tell() / size_bytes)
        except BrokenPipeError:
            pass  # tar prints the reason
        except (OSError, EOFError, lzma.LZMAError, zlib.error) as problem:
            reason = str(problem)
        with suppress(BrokenPipeError):
            tar.stdin.close()
        reason = reason or tar.stderr.read().decode(errors="replace").strip()
    if tar.returncode or not (tree / "arch" / "um").is_dir():
        reason = reason.splitlines()[-1] if reason else "it holds no Linux with User-Mode Linux"
        raise PlaceError(
            f"{source} cannot be unpacked: {reason}", "use another archive, or free disk space in the cache"
        )
    (work / "unpacked").touch()
    return tree


def _configure(tree: Path, objects: Path, config: str, tell: Tell) -> tuple[str, ...]:
    """Configure the build. Returns the requested options that this source lacks, or that have another value."""
    tell("configure", 0.0)
    request_file = objects / "lab.config"
    request_file.write_text(config, encoding="utf-8")
    _run([*_make_argv(tree, objects), f"KCONFIG_ALLCONFIG={request_file}", "allnoconfig"], "make allnoconfig")
    tell("configure", 1.0)
    effective = set((objects / ".config").read_text(encoding="utf-8").splitlines())
    requested = [line for line in config.splitlines() if line.startswith("CONFIG_")]
    return tuple(line.partition("=")[0].removeprefix("CONFIG_") for line in requested if line not in effective)


def _compile(tree: Path, objects: Path, jobs: int, tell: Tell) -> None:
    argv = [*_make_argv(tree, objects), f"-j{jobs}", "linux"]
    last, error_lines, done = [b""] * _QUOTED_LINES, list[bytes](), 0
    tell("compile", 0.0)
    # A process group of its own: this process passes Ctrl-C on, and all compilers end with make.
    with subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
        preexec_fn=lambda: os.nice(10),
    ) as make:  # fmt: skip
        assert make.stdout is not None
        try:
            for line in make.stdout:
                last = [*last[1:], line]
                # Other compilers finish their files first, so the error is seldom the last line.
                if len(error_lines) < _QUOTED_LINES and (error_lines or _WRONG.search(line)):
                    error_lines.append(line)
                if _MADE.match(line):
                    done += 1
                    tell("compile", min(0.99, done / _USUAL_LINES))
        except BaseException:
            os.killpg(make.pid, signal.SIGTERM)
            raise
    if make.returncode:
        output = b"".join(error_lines or last).decode(errors="replace").strip()
        raise PlaceError(f"the kernel does not compile:\n{output}", install_remedy())
    tell("compile", 1.0)


def _make_argv(tree: Path, objects: Path) -> list[str]:
    return ["make", "-C", str(tree), f"O={objects}", "ARCH=um"]


def _run(argv: Sequence[str | Path], step: str) -> str:
    done = subprocess.run([str(word) for word in argv], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        last = "\n".join((done.stdout + done.stderr).strip().splitlines()[-8:])
        raise PlaceError(f"{step} fails with status {done.returncode}:\n{last}", install_remedy())
    return done.stdout
