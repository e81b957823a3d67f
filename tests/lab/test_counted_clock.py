"""The clock that daemons of a lab kernel count themselves, beside the kernel's own."""

from __future__ import annotations

import json
import os

import pytest

from frrlib.lab import Lab
from frrlib.model.generators import grid

pytestmark = pytest.mark.lab

#: What one look at the kernel's clock may be wrong by, and what counting adds: see `kernel/clock.c`.
WRONG_NS = 300_000
READS = 20_000

#: Python asks the C library for its monotonic clock; the kernel is asked by the bare system call.
ASK = f"""
import ctypes, json, threading, time
class Time(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]
libc, told = ctypes.CDLL(None), Time()
def kernel_ns():
    libc.syscall(228, 1, ctypes.byref(told))
    return told.s * 10**9 + told.ns
early = late = latest = back = 0
for _ in range({READS}):
    before, counted, after = kernel_ns(), time.monotonic_ns(), kernel_ns()
    early, late = max(early, before - counted), max(late, counted - after)
lock = threading.Lock()
def read():
    global latest, back
    for _ in range({READS} // 4):
        with lock:
            now = time.monotonic_ns()
            back, latest = max(back, latest - now), now
threads = [threading.Thread(target=read) for _ in range(4)]
[each.start() for each in threads]; [each.join() for each in threads]
at = ctypes.cast(libc.clock_gettime, ctypes.c_void_p).value
inside = [line.split()[-1] for line in open("/proc/self/maps")
          if int(line.split("-")[0], 16) <= at < int(line.split("-")[1].split()[0], 16)]
print(json.dumps([early, late, back, inside]))
"""


def test_it_is_the_kernels_and_never_goes_back() -> None:
    with Lab(grid(1, 1, hosts=1), place="labkernel") as lab:
        host = lab.topology.hosts[0].name
        words = ("env", "LD_PRELOAD=/run/lab/boot/clock.so", "python3", "-I", "-S", "-c", ASK)
        early, late, back, inside = json.loads(lab[host].run(*words, timeout_s=120.0))
    assert [os.path.basename(path) for path in inside] == ["clock.so"]
    assert back == 0
    assert early < WRONG_NS and late < WRONG_NS, (early, late)
