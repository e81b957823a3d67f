"""Registers that are too large for an old lab kernel, with `kernel/xstate.c` on any processor."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from frrlib.kernels import registers
from frrlib.place import labkernel
from tests.agent.harness import RunningAgent

_TRACEME, _CONT, _SINGLESTEP, _SYSEMU, _GETREGSET, _SETREGSET = 0, 7, 9, 31, 0x4204, 0x4205
_X86_XSTATE = 0x202
#: The size of the area before Linux 6.13, and offsets in it: the header with the valid parts, the upper halves of AVX.
_OLD_BYTES, _HEADER, _YMM_HIGH = 2696, 512, 576

CPUINFO = "processor\t: 0\nflags\t\t: fpu avx512f{} xsave\nbugs\t\t:\n"


class _Area(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


@pytest.fixture
def stopped() -> Iterator[int]:
    """A process of ours that has stopped and is traced by this one."""
    pid = os.fork()
    if pid == 0:
        ctypes.CDLL(None).ptrace(_TRACEME, 0, None, None)
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
    os.waitpid(pid, os.WUNTRACED)
    yield pid
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _tracer(path: str | None) -> ctypes.CDLL:
    library = ctypes.CDLL(path, use_errno=True)
    library.ptrace.restype = ctypes.c_long
    library.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    return library


def _area(library: ctypes.CDLL, request: int, pid: int, content: ctypes.Array[ctypes.c_char]) -> tuple[int, int]:
    area = _Area(ctypes.addressof(content), len(content))
    done = library.ptrace(request, pid, _X86_XSTATE, ctypes.addressof(area))
    return done, area.length


@pytest.mark.parametrize(
    ("flags", "release", "helped"),
    [(" amx_tile", "6.1.176", True), (" amx_tile", "6.12.9-lab", True), (" amx_tile", "6.13.0", False),
     (" amx_tile", "7.3-lab", False), ("", "6.1.176", False), (" amx_tile", "unknown", False)],
)  # fmt: skip
def test_old_kernels_on_new_processors_are_helped(
    flags: str, release: str, helped: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cpuinfo").write_text(CPUINFO.format(flags))
    monkeypatch.setattr(registers, "_CPUINFO", tmp_path / "cpuinfo")
    assert registers.needs_help(release) is helped


def test_short_areas_are_set_completely(stopped: int) -> None:
    """The machine's own kernel reads back the same values, among them the upper halves of AVX registers."""
    ours, plain = _tracer(str(registers.library())), _tracer(None)
    short_bytes = min(_OLD_BYTES, _whole(plain, stopped))
    short = ctypes.create_string_buffer(short_bytes)
    assert _area(ours, _GETREGSET, stopped, short) == (0, short_bytes)
    short[_HEADER] = bytes([short.raw[_HEADER] | 0b111])  # x87, SSE and AVX are in use
    short[_YMM_HIGH : _YMM_HIGH + 256] = bytes(range(256))
    assert _area(ours, _SETREGSET, stopped, short)[0] == 0
    area = ctypes.create_string_buffer(_whole(plain, stopped))
    assert _area(plain, _GETREGSET, stopped, area)[0] == 0
    assert area.raw[_YMM_HIGH : _YMM_HIGH + 256] == bytes(range(256))
    assert area.raw[short_bytes:] == bytes(len(area) - short_bytes)


def test_unchanged_registers_are_not_set_again(stopped: int) -> None:
    """Others are set without the library. They stay, although the machine's kernel would have replaced them."""
    ours, plain = _tracer(str(registers.library())), _tracer(None)
    before, after = _short(ours, stopped), _short(ours, stopped)
    after[_YMM_HIGH : _YMM_HIGH + 256] = bytes(range(256))
    assert _area(ours, _SETREGSET, stopped, after)[0] == 0
    area = ctypes.create_string_buffer(_whole(plain, stopped))
    _area(plain, _GETREGSET, stopped, area)
    area[_YMM_HIGH : _YMM_HIGH + 256] = bytes(256)
    assert _area(plain, _SETREGSET, stopped, area)[0] == 0
    assert _area(ours, _SETREGSET, stopped, after)[0] == 0
    assert _short(plain, stopped)[_YMM_HIGH : _YMM_HIGH + 256] == bytes(256)
    assert _area(ours, _SETREGSET, stopped, before)[0] == 0, "others are set"
    assert _short(plain, stopped)[_YMM_HIGH : _YMM_HIGH + 256] == before[_YMM_HIGH : _YMM_HIGH + 256]


@pytest.mark.parametrize("request_", [_CONT, _SINGLESTEP, _SYSEMU])
def test_registers_are_set_again_after_the_process_has_run(stopped: int, request_: int) -> None:
    """The process may change its registers. Here they are changed without the library instead."""
    ours, plain = _tracer(str(registers.library())), _tracer(None)
    registers_area = _short(ours, stopped)
    registers_area[_HEADER] = bytes([registers_area.raw[_HEADER] | 0b111])
    registers_area[_YMM_HIGH : _YMM_HIGH + 256] = bytes(range(256))
    assert _area(ours, _SETREGSET, stopped, registers_area)[0] == 0
    assert ours.ptrace(request_, stopped, None, signal.SIGSTOP if request_ == _CONT else None) == 0
    os.waitpid(stopped, os.WUNTRACED)
    area = ctypes.create_string_buffer(_whole(plain, stopped))
    _area(plain, _GETREGSET, stopped, area)
    area[_YMM_HIGH : _YMM_HIGH + 256] = bytes(256)
    assert _area(plain, _SETREGSET, stopped, area)[0] == 0
    assert _area(ours, _SETREGSET, stopped, registers_area)[0] == 0
    assert _short(plain, stopped)[_YMM_HIGH : _YMM_HIGH + 256] == bytes(range(256))


def test_this_machines_kernel_refuses_short_areas_if_help_is_needed(stopped: int) -> None:
    """The condition, which reads /proc/cpuinfo, agrees with the behavior of the machine's kernel."""
    plain = _tracer(None)
    short = ctypes.create_string_buffer(min(_OLD_BYTES, _whole(plain, stopped)))
    _area(plain, _GETREGSET, stopped, short)
    refused = _area(plain, _SETREGSET, stopped, short)[0] != 0
    assert refused == (_whole(plain, stopped) > _OLD_BYTES) == registers.needs_help("6.1.176")


def test_words_are_read_as_the_c_library_reads_them(stopped: int) -> None:
    """PTRACE_PEEKUSER returns the word where the system call stores it: here the stack pointer."""
    ours, plain = _tracer(str(registers.library())), _tracer(None)
    stack_pointer = 19 * 8
    assert ours.ptrace(3, stopped, stack_pointer, None) == plain.ptrace(3, stopped, stack_pointer, None) != 0
    assert ours.ptrace(3, stopped, -8, None) == -1
    assert ctypes.get_errno() != 0


def test_without_a_compiler_the_error_says_how_to_get_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PlaceError) as error:
        registers.library()
    assert "AMX" in error.value.missing
    assert error.value.remedy == "apt-get install gcc"


@pytest.mark.parametrize(("traces", "loaded"), [(True, True), (False, False)])
def test_kernels_that_trace_are_started_with_the_library(
    traces: bool, loaded: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registers, "needs_help", lambda _release: False)
    assert bool(registers.preload("6.1.176", traces=traces)) is loaded
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not registers.preload("6.1.176", traces=traces)


@pytest.mark.lab
def test_a_lab_kernel_runs_with_the_library_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of squares in several processes at once: a register that is lost between two of them changes a sum."""
    monkeypatch.setattr(registers, "needs_help", lambda _release: True)
    monkeypatch.setattr(labkernel.shelf, "preferred", lambda: None)
    program = "import math, array\nprint(math.fsum(x * x / 7 for x in array.array('d', range(200000))))"
    line = f'for i in 1 2 3 4; do python3 -c "{program}" & done; wait'
    expected = sum(x * x for x in range(200000)) / 7
    with RunningAgent("labkernel") as inside:
        values = [float(word) for word in inside.run("", "sh", "-c", line).split()]
    assert values == pytest.approx([expected] * 4, rel=1e-12)


def _short(library: ctypes.CDLL, pid: int) -> ctypes.Array[ctypes.c_char]:
    """An area in the format of old lab kernels."""
    content = ctypes.create_string_buffer(_OLD_BYTES)
    assert _area(library, _GETREGSET, pid, content)[0] == 0
    return content


def _whole(library: ctypes.CDLL, pid: int) -> int:
    return _area(library, _GETREGSET, pid, ctypes.create_string_buffer(65536))[1]
