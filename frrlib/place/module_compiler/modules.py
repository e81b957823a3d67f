"""Kernel modules of users: their source files, and the compiled modules for a lab kernel."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from frrlib.errors import PlaceError, TopologyError
from frrlib.kernels import material, shelf
from frrlib.kernels import module_shelf as shelf_of_modules
from frrlib.kernels.shelf import BuiltKernel
from frrlib.place.base import Program
from frrlib.place.checker.checker import NOT_CONFINED
from frrlib.place.machine import PYTHON
from frrlib.place.module_compiler import confined_make

#: Names of source files. The kernel finds a congestion control or a discipline by the name after the prefix.
_NAME = re.compile(r"(tcp|sch)_[a-z0-9_]{1,15}\.c")
_MOST_SOURCE_BYTES = 1 << 20
_CPU_S, _LIMIT_S, _MEMORY_BYTES, _FILE_BYTES = 60, 120, 4 << 30, 64 << 20
_MOST_ERRORS, _LONGEST_ERROR = 5, 300
#: The programs that compile a module.
_TOOLS = ("make", "gcc", "ld")
#: A line of the compiler or the assembler: file, line, column of the former, and the message.
_ERROR = re.compile(
    r"^(?P<file>[^\s:]+\.[ch]):(?P<line>\d+):(?:\d+:)? (?:(?:fatal )?error|Error): (?P<text>.+)$", re.MULTILINE
)
#: A line of modpost about a function that the kernel does not export.
_UNDEFINED = re.compile(r'^ERROR: modpost: "(?P<symbol>[^"]+)" \[[^]]*\] undefined!$', re.MULTILINE)
#: Another error of modpost.
_MODPOST = re.compile(r"^ERROR: modpost: (?P<text>[^\"].*)$", re.MULTILINE)
#: Lines of make, which say nothing about the source.
_OF_MAKE = re.compile(r"make(\[\d+\])?: |  [A-Z]+ ")


class ModuleSource(NamedTuple):
    """The source of a kernel module.

    Attributes:
        name: the module's name ("tcp_mine").
        text: the content of the file.
        digest: SHA-256 of the content, in hexadecimal digits.
    """

    name: str
    text: bytes
    digest: str

    @property
    def is_control(self) -> bool:
        """Whether it is a congestion control, and not a queueing discipline."""
        return self.name.startswith("tcp_")

    @property
    def feature(self) -> str:
        """The name by which it is used: "mine" for "tcp_mine" and "sch_mine"."""
        return feature_of(self.name)


class CompiledModule(NamedTuple):
    """A kernel module that a lab loads.

    Attributes:
        source: its source.
        file: the compiled file.
    """

    source: ModuleSource
    file: Path


class CompileError(NamedTuple):
    """An error of the compiler.

    Attributes:
        line: the line of the source, from 1; 0 for an error that belongs to no line of it.
        text: the error.
    """

    line: int
    text: str


class CompilationFailure(TopologyError):
    """The source of a kernel module does not compile.

    Args:
        message: the file, and its first errors.
        errors: all errors, in the order of the compiler.
    """

    def __init__(self, message: str, errors: Sequence[CompileError]) -> None:
        super().__init__(message, remedy="correct this")
        self.errors = tuple(errors)


def added_controls() -> tuple[str, ...]:
    """The congestion controls that this user has added for all labs ("mine")."""
    return tuple(feature_of(name) for name in shelf_of_modules.added() if name.startswith("tcp_"))


def template(file: Path) -> str:
    """The template of a congestion control with the name of a file.

    Raises:
        TopologyError: the file's name is not that of a congestion control.
        PlaceError: the template is missing.
    """
    name = feature_of(checked_name(file.name, "tcp"))
    return material.read("congestion/template.c").replace("NAME", name)


def feature_of(name: str) -> str:
    """The congestion control or queueing discipline of a module: "mine" for "tcp_mine", "sch_mine" and "tcp_mine.c"."""
    return name.partition("_")[2].removesuffix(".c")


def checked_name(file: str, kind: str = "") -> str:
    """The name of the module of a C file: "tcp_mine" for "tcp_mine.c".

    Args:
        kind: "tcp" or "sch", if only one is allowed.

    Raises:
        TopologyError: the file's name is not that of a module.
    """
    if not _NAME.fullmatch(file) or not file.startswith(kind):
        raise TopologyError(
            f"{file} is not a valid name of a kernel module",
            remedy="name it tcp_NAME.c for a congestion control, or sch_NAME.c for a queueing discipline; NAME has up "
            "to 15 small letters, digits and underscores",
        )
    return file.removesuffix(".c")


def read_source(path: Path, feature: str = "") -> ModuleSource:
    """Read the source file of a kernel module.

    Args:
        feature: the name of the congestion control or discipline, if it is not that of the file.

    Raises:
        TopologyError: it does not exist, is no ordinary file, is too large, or has no name of a module.
    """
    prefix = path.name.partition("_")[0]
    name = checked_name(f"{prefix}_{feature}.c" if feature else path.name)
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise TopologyError(f"{path} is no ordinary file", remedy="name a C file")
            text = file.read(_MOST_SOURCE_BYTES + 1)
    except OSError as problem:
        raise TopologyError(f"{path} cannot be read: {problem.strerror}", remedy="name a C file") from None
    if len(text) > _MOST_SOURCE_BYTES:
        raise TopologyError(f"{path} is larger than {_MOST_SOURCE_BYTES >> 20} MiB", remedy="name a C file")
    return ModuleSource(name, text, hashlib.sha256(text).hexdigest())


def kernel_with_kit(kernel: Path) -> BuiltKernel:
    """The built kernel of a file, which must be able to load modules.

    Raises:
        PlaceError: it was not built here, or by an earlier version of this program.
    """
    built = built_with_kit(kernel)
    if built is None:
        raise PlaceError(
            f"the headers of the lab kernel {kernel} are missing, so no module can be compiled",
            "build a lab kernel with its headers: miniedit-frr kernel build --again",
        )
    return built


def built_with_kit(kernel: Path) -> BuiltKernel | None:
    """The built kernel of a file, if its headers were kept."""
    built = next((built for built in shelf.built_kernels() if built.path == kernel), None)
    return built if built is not None and built.kit_bytes and built.kit.is_dir() else None


def compiled_module(kernel: BuiltKernel, source: ModuleSource) -> Path:
    """The module for a kernel, compiled if the same source was not compiled before.

    Raises:
        CompilationFailure: the source does not compile; the message has the compiler's errors with their lines.
        PlaceError: the cache cannot be written.
    """
    folder = kernel.modules / source.digest[:16]
    ready = folder / f"{source.name}.ko"
    if ready.is_file():
        return ready
    try:
        kernel.modules.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".compile-", dir=kernel.modules) as work:
            _compile(kernel, source, Path(work))
            keep = Path(tempfile.mkdtemp(prefix=".ready-", dir=kernel.modules))
            shutil.copyfile(Path(work) / f"{source.name}.ko", keep / ready.name)
        with contextlib.suppress(OSError):  # another process was faster
            os.rename(keep, folder)
        shutil.rmtree(keep, ignore_errors=True)
    except OSError as problem:
        raise PlaceError(f"{kernel.modules} cannot be written: {problem.strerror}", "free disk space there") from None
    return ready


def _compile(kernel: BuiltKernel, source: ModuleSource, work: Path) -> None:
    """Compile a module in an empty folder."""
    missing = [name for name in _TOOLS if shutil.which(name, path=confined_make.PATH) is None]
    if missing:
        raise PlaceError(
            f"{source.name}.c cannot be compiled: {' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} not "
            f"installed in {confined_make.PATH.replace(':', ' or ')}",
            "sudo apt-get install build-essential",
        )
    (work / f"{source.name}.c").write_bytes(source.text)
    # The lines of functions are needed when a crash is explained.
    (work / "Kbuild").write_text(f"obj-m := {source.name}.o\nccflags-y := -g\n", encoding="ascii")
    bounds = (os.getpid(), _CPU_S, _MEMORY_BYTES, _FILE_BYTES)
    argv = [PYTHON, "-I", "-S", confined_make.__file__, *map(str, bounds), str(kernel.kit), str(work),
            "-C", str(kernel.kit), "ARCH=um", f"M={work}", "modules"]  # fmt: skip
    with (work / ".log").open("w+b") as log:
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, cwd=work, env={},
            start_new_session=True,
        )  # fmt: skip
        try:
            status = process.wait(_LIMIT_S)
        except subprocess.TimeoutExpired:
            raise TopologyError(
                f"{source.name}.c: the compiler took more than {_LIMIT_S} s", remedy="simplify it"
            ) from None
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        log.seek(0)
        output = log.read(_FILE_BYTES).decode(errors="replace").replace(f"{work}/", "")
    if status == NOT_CONFINED:
        raise PlaceError(f"the compiler cannot be confined: {output.strip()}", "use a kernel with Landlock")
    if status or not (work / f"{source.name}.ko").is_file():
        message = f"{source.name}.c does not compile:\n{_errors(output)}"
        raise CompilationFailure(message, _located_errors(output, f"{source.name}.c"))


def _located_errors(output: str, file: str) -> list[CompileError]:
    """The compiler's errors with their lines in a file. Errors of headers and of the linker have line 0."""
    errors = []
    for match in _ERROR.finditer(output):
        name, line, text = Path(match["file"]).name, int(match["line"]), match["text"][:_LONGEST_ERROR]
        errors.append(CompileError(line, text) if name == file else CompileError(0, f"{name}:{line}: {text}"))
    errors += [CompileError(0, text) for text in _linker_errors(output)]
    return errors or [CompileError(0, line) for line in _errors(output).splitlines()]


def _errors(output: str) -> str:
    """The compiler's errors, one a line: "tcp_mine.c:12: 'x' undeclared"."""
    lines = [f"{Path(match['file']).name}:{match['line']}: {match['text']}" for match in _ERROR.finditer(output)]
    lines += _linker_errors(output)
    if not lines:
        lines = [line for line in output.splitlines() if line and not _OF_MAKE.match(line)]
        lines = lines[-_MOST_ERRORS:] or ["the compiler ended without an error message"]
    more = [f"and {len(lines) - _MOST_ERRORS} more errors"] if len(lines) > _MOST_ERRORS else []
    return "\n".join([*(line[:_LONGEST_ERROR] for line in lines[:_MOST_ERRORS]), *more])


def _linker_errors(output: str) -> list[str]:
    """The errors of modpost, which has no line of the source."""
    undefined = [
        f"the kernel exports no function or variable {match['symbol']}" for match in _UNDEFINED.finditer(output)
    ]
    return undefined + [match["text"][:_LONGEST_ERROR] for match in _MODPOST.finditer(output)]


def needed(kernel: Path, program: Program) -> dict[str, CompiledModule]:
    """The compiled modules of a lab, by name: those that it brings, and those of the shelf that it uses.

    Raises:
        TopologyError: a source file is missing or does not compile.
        PlaceError: the kernel's headers are missing.
    """
    added = shelf_of_modules.added()
    paths = {path.stem: path for path in program.module_sources}
    paths |= {name: added[name] for name in program.modules if name in added and name not in paths}
    if not paths:
        return {}
    built = kernel_with_kit(kernel)
    sources = {name: read_source(path) for name, path in paths.items()}
    return {name: CompiledModule(source, compiled_module(built, source)) for name, source in sources.items()}
