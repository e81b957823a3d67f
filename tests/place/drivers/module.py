"""A lab kernel that loads a module made by its root: `drivers/module.py VICTIM ABI FOLDER`. Prints one JSON object.

The module is one of the kernel's own with a different beginning. It makes the system calls of a table in the lab's
results, in the lab kernel's own process, and writes their return values there. `ABI` is the version of Landlock that
confines the lab.
"""

from __future__ import annotations

import json
import os
import struct
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from frrlib.place import labkernel  # noqa: E402
from frrlib.place.base import Program  # noqa: E402

AT = 0x10000000
LENGTH = 0x10000
_END, _PUT_LAST = -1, -2
_ENTRY = struct.Struct("=7q")
_HANDLE = -77  # in an argument: the return value of the previous call


def code(path: str) -> bytes:
    """x86 code that maps the table at `path`, makes its calls in turn and keeps their return values."""
    begin = bytes.fromhex("53 4155 488d3d")  # push rbx, r13; lea rdi, [rip + path]
    to_map = bytes.fromhex(
        "31f6 31d2 b802000000 0f05 4989c0"  # r8 = open(path, O_RDONLY)
        "bf00000010 be00000100 ba03000000 41ba12000000 4531c9 b809000000 0f05"  # mmap(AT, LENGTH, a private copy)
        "bb00000010"
    )
    keep = bytes.fromhex("488b4308 4c8928")  # [[rbx + 8]] = r13, the last result
    call = bytes.fromhex("488b7b08 488b7310 488b5318 4c8b5320 4c8b4328 4c8b4b30 0f05 488903 4989c5")
    end = bytes.fromhex("b8f4ffffff 415d 5b c3")  # return -ENOMEM, which unloads the module
    keep += b"\xeb" + bytes([len(call)])
    body = bytes.fromhex("4883f8fe 75") + bytes([len(keep)]) + keep + call + bytes.fromhex("4883c338")
    loop = bytes.fromhex("488b03 4883f8ff 74") + bytes([len(body) + 2]) + body
    loop += b"\xeb" + struct.pack("b", -(len(loop) + 2))
    body_and_end = to_map + loop + end
    return begin + struct.pack("<i", len(body_and_end)) + body_and_end + path.encode() + b"\0"


def module(original: bytes, program: bytes) -> bytes:
    """A module file with a replaced first function."""
    data = bytearray(original)
    sections_at, (size, count, names) = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<HHH", data, 58)

    def section(number: int) -> tuple[int, ...]:
        return struct.unpack_from("<IIQQQQIIQQ", data, sections_at + size * number)

    names_at = section(names)[4]
    for number in range(count):
        header = section(number)
        start = names_at + header[0]
        name = bytes(data[start : data.index(0, start)])
        if name == b".init.text":
            assert len(program) <= header[5], f"{len(program)} bytes in {header[5]}"
            data[header[4] : header[4] + len(program)] = program
        elif name == b".rela.init.text":
            struct.pack_into("<Q", data, sections_at + size * number + 32, 0)
    return bytes(data)


def table(calls: Sequence[tuple[int, Sequence[int | str | bytes]]], result: str) -> bytes:
    """The table of calls. The last of them write it into the file `result`."""
    o_new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    entries, texts = [], b""
    all_calls = [*calls, (2, (result, o_new, 0o600)), (1, (_HANDLE, AT, LENGTH)), (_END, ())]
    handles = sum(arguments[:1] == (_HANDLE,) for _, arguments in all_calls)
    text_at = AT + _ENTRY.size * (len(all_calls) + handles)
    for number, arguments in all_calls:
        values = []
        for argument in arguments:
            if isinstance(argument, int):
                values.append(argument)
            else:
                values.append(text_at + len(texts))
                texts += (argument.encode() if isinstance(argument, str) else argument) + b"\0"
                texts += bytes(-len(texts) % 8)
        if values[:1] == [_HANDLE]:
            entries.append((_PUT_LAST, [AT + _ENTRY.size * (len(entries) + 1) + 8]))
        entries.append((number, values))
    packed = b"".join(_ENTRY.pack(number, *values, *[0] * (6 - len(values))) for number, values in entries)
    return (packed + texts).ljust(LENGTH, b"\0")


def attacks(victim: int, home: str, results: str) -> dict[str, tuple[int, tuple[int | str | bytes, ...]]]:
    """The attacks by name: the number of the system call and its arguments."""
    limits, mask, word = struct.pack("QQ", 64, 64), struct.pack("Q", 1), bytes(8)
    canary = f"{home}/canary"
    return {
        "itself": (39, ()),
        "signal": (62, (victim, 15)),
        "signal to a group": (62, (-victim, 15)),
        "signal to a thread": (200, (victim, 15)),
        "signal with a value": (129, (victim, 15, struct.pack("=iiiiii", 15, 0, -1, 0, victim, 0).ljust(128, b"\0"))),
        "handle on a process": (434, (victim, 0)),
        "trace": (101, (16, victim, 0, 0)),
        "limits": (302, (victim, 7, limits, 0)),
        "niceness": (141, (0, victim, 19)),
        "affinity": (203, (victim, 8, mask)),
        "policy": (144, (victim, 5, word)),
        "read": (2, (canary, os.O_RDONLY)),
        "write": (2, (canary, os.O_WRONLY)),
        "empty": (2, (canary, os.O_RDONLY | os.O_TRUNC)),
        "modes": (90, (canary, 0o777)),
        "times": (280, (-100, canary, 0, 0)),
        "remove": (87, (canary,)),
        "rename": (82, (canary, f"{home}/moved")),
        "folder": (83, (f"{home}/new", 0o755)),
        "terminal": (2, ("/dev/ptmx", os.O_RDWR)),
        "somebody's terminal": (2, ("/dev/pts/0", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)),
        "set-user-id": (2, (f"{results}/suid", os.O_CREAT | os.O_RDWR, 0o6755)),
        "socket": (41, (1, 1, 0)),
        "keys": (250, (0, -4, 0)),
        "shared memory": (29, (77, 4096, 0o1600)),
        "queue": (240, ("x", 0o102, 0o600)),
        "namespace": (272, (0x10000000,)),
        "process in a namespace": (56, (0x10000011, 0, 0)),
        "mount": (165, ("none", "/tmp", "tmpfs", 0, 0)),
        "watch": (253, ()),
        "attributes": (16, (1, 0x40086602, word)),
        "lock": (73, (1, 6)),
        "own folder": (83, (f"{results}/folder", 0o755)),
    }


def main() -> None:
    """Load the module, and print the return values of its calls."""
    victim, abi, folder = int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    results = Path(tempfile.mkdtemp(dir=folder))
    if abi < labkernel.sys_.landlock_abi():
        labkernel.sys_.landlock_abi = lambda: abi
    tried = attacks(victim, str(folder), str(results))
    (results / "table").write_bytes(table(list(tried.values()), str(results / "said")))
    original = next(labkernel.MODULES.glob("*/kernel/drivers/net/dummy.ko")).read_bytes()
    (folder / "evil.ko").write_bytes(module(original, code(str(results / "table"))))
    program = Program("echo_agent", ROOT, results, site=(Path(__file__).parent,), memory_mib=256)
    with labkernel.LabKernel(Path("/usr/bin/linux.uml")).start(program) as lab:
        assert lab.wire.reader.readline() == b"hello\n"
        lab.put(folder / "evil.ko", "/tmp/evil.ko")
        loaded = lab.command(["insmod", "/tmp/evil.ko"])
        table_bytes = (results / "said").read_bytes() if (results / "said").exists() else b""
        returned = (
            [struct.unpack_from("=q", table_bytes, _ENTRY.size * index)[0] for index in range(len(tried))]
            if table_bytes
            else []
        )
        alive = lab.alive()
        pid = lab.pid
    sys.stdout.write(json.dumps({
        "loaded": loaded.stderr.decode(errors="replace"), "alive": alive, "pid": pid,
        "returned": dict(zip(tried, returned, strict=False)),
    }))  # fmt: skip


if __name__ == "__main__":
    main()
