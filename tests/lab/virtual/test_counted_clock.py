"""The clock that daemons of a lab kernel count themselves, compared with the kernel's own clock; and their waits."""

from __future__ import annotations

import json
import os

import pytest

from frrlib.edits.generators import grid
from frrlib.lab.lab import Lab

pytestmark = pytest.mark.lab

#: The error of one reading of the kernel's clock, and that of counting: see `kernel/clock.c`.
WRONG_NS = 300_000
MILLISECOND_NS = 1_000_000
READS = 20_000

#: Python reads the C library's monotonic clock. The kernel's is read by the bare system call.
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

#: The waits of FRR's event loop: the bare poll, which never reads the thread's clock, then turns with an event before
#: each, then turns without. The shortest of many is compared, since a busy machine prolongs them.
WAIT = """
import ctypes, json, time
class Time(ctypes.Structure):
    _fields_ = [("s", ctypes.c_long), ("ns", ctypes.c_long)]
libc, told = ctypes.CDLL(None), Time()
def wait_ns(ns):
    before = time.monotonic_ns()
    assert libc.ppoll(None, ctypes.c_ulong(0), ctypes.byref(Time(ns // 10**9, ns % 10**9)), None) == 0
    return time.monotonic_ns() - before
def event():
    assert libc.clock_gettime(3, ctypes.byref(told)) == 0
def shortest_ns(ns, before=lambda: None):
    return min([before() or wait_ns(ns) for _ in range(50)])
bare = shortest_ns(0)
after_events = shortest_ns(0, event)
event(); wait_ns(0)
print(json.dumps([bare, after_events, shortest_ns(0), shortest_ns(3_000_000, event), shortest_ns(3_500_000, event)]))
"""


def test_the_counted_clock_equals_the_kernels_and_never_goes_back() -> None:
    with Lab(grid(1, 1, hosts=1), place="labkernel") as lab:
        host = lab.topology.hosts[0].name
        words = ("env", "LD_PRELOAD=/run/lab/boot/clock.so", "python3", "-I", "-S", "-c", ASK)
        early, late, backwards, inside = json.loads(lab[host].run(*words, timeout_s=120.0))
    assert [os.path.basename(path) for path in inside] == ["clock.so"]
    assert backwards == 0
    assert early < WRONG_NS and late < WRONG_NS, (early, late)


def test_the_wait_for_a_timer_lasts_until_it_is_due() -> None:
    with Lab(grid(1, 1, hosts=1), place="labkernel") as lab:
        host = lab.topology.hosts[0].name
        words = ("env", "LD_PRELOAD=/run/lab/boot/clock.so", "python3", "-I", "-S", "-c", WAIT)
        bare, after_events, idle, whole_ms, fraction_ms = json.loads(lab[host].run(*words, timeout_s=120.0))
    # Counting may be wrong by as much as in the test above.
    assert bare < MILLISECOND_NS and after_events < MILLISECOND_NS, (bare, after_events)
    assert idle > MILLISECOND_NS - WRONG_NS
    assert whole_ms > 4 * MILLISECOND_NS - WRONG_NS
    assert 3.5 * MILLISECOND_NS - WRONG_NS < fraction_ms < 4.5 * MILLISECOND_NS, fraction_ms
