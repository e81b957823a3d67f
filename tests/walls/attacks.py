"""What start commands of a stranger's drawing try, and what must hold afterwards: a row for each attack.

All of them are in one lab, each as the start command of a host of its own, so none of them may disturb the others.
Words between @ signs stand for what the user has outside, see `Seen`.
"""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.walls import canary
from tests.walls.strangers import CHANGES, MEMORY, TRAPS

#: What nobody in a lab may come to know.
SECRET = "a word that nobody in a lab has heard"
#: What a drawing may be called, or a flow of it.
TITLE, FORMULA = "$\\frac{1}{$ \x1b]0;OWNED\x07 [/nothing]", "=cmd|'"


@dataclass
class Seen:
    """One run of all attacks, as its user sees it.

    Attributes:
        place: where it ran.
        out: its results folder.
        said: what the program printed.
        uid: the user's number.
        reached: which sockets somebody in the lab has reached, and what came through the pipe.
        changed: what of the user's files and programs is not as it was.
        key: what has become of the key in the user's keyring.
    """

    place: str
    out: Path
    said: str
    uid: int
    reached: list[str]
    changed: list[str]
    key: str

    def answer(self, name: str) -> str:
        """What an attack has written about itself."""
        return (self.out / "files" / f"said.{name}").read_text(encoding="utf-8", errors="replace")


@dataclass(frozen=True)
class Attack:
    """One attack.

    Attributes:
        name: of the host, and of its answer in the results.
        command: what it tries; a script of a shell.
        holds: raises AssertionError where something has come of it.
    """

    name: str
    command: str
    holds: Callable[[Seen], None]


def _program(code: str) -> str:
    return f"python3 - <<'PROGRAM'\n{code}\nPROGRAM"


# --- files -----------------------------------------------------------------------------------------------------------


def _files_are_the_same(seen: Seen) -> None:
    assert seen.changed == []
    assert "in sight" in seen.answer("files"), "it was not shown what to change"


def _nothing_is_armed(seen: Seen) -> None:
    assert {"open", "shut", "nobody"} <= {path.name for path in (seen.out / "files").iterdir()}
    assert canary.armed(seen.out, seen.uid) == []


def _secrets_are_kept(seen: Seen) -> None:
    for name, content in _files(seen.out):
        assert SECRET.encode() not in content, name
    assert "looked" in seen.answer("reading")


_READING = """
mkdir -p /tmp/again; mount -t hostfs none /tmp/again -o / || mount --rbind / /tmp/again
for top in '' /tmp/again /proc/1/root /proc/1/cwd; do
  cat $top@SECRETS@/* $top@HOME@/.ssh/* $top/proc/[0-9]*/environ
  cat $top/proc/@PROGRAM@/fd/* </dev/null
done 2>/dev/null | tr '\\0' '\\n'
env; echo looked
"""

# --- programs outside ------------------------------------------------------------------------------------------------


def _nobody_was_reached(seen: Seen) -> None:
    assert seen.reached == []
    # in a namespace an empty file stands in the place of a socket that somebody serves already
    assert f"in sight: {seen.place == 'labkernel'} True" in seen.answer("sockets"), "it was not shown what to reach"


_SOCKETS = r"""
import os, socket, stat, subprocess
bait = "@BAIT@"
about = [stat.S_IFMT(os.stat(f"{bait}/{name}").st_mode) for name in ("sock", "fifo")]
print("in sight:", about[0] == stat.S_IFSOCK, about[1] == stat.S_IFIFO)
subprocess.run("mkdir -p /tmp/back; mount -t hostfs none /tmp/back -o / || mount --rbind / /tmp/back", shell=True)
paths = [top + bait for top in ("", "/tmp/back", "/proc/1/root")]
ends = [f"{path}/{name}" for path in paths for name in ("sock", "late")]
for where in [*ends, "\0@ABSTRACT@", ("127.0.0.1", @PORT@), ("localhost", @PORT@)]:
    family = socket.AF_INET if isinstance(where, tuple) else socket.AF_UNIX
    try:
        with socket.socket(family) as line:
            line.settimeout(2)
            line.connect(where)
            print("reached", where)
    except OSError as error:
        print(where, error)
for path in paths:
    try:
        os.write(os.open(f"{path}/fifo", os.O_RDWR | os.O_NONBLOCK), b"from the lab")
    except OSError as error:
        print(path, error)
"""


def _key_is_the_same(seen: Seen) -> None:
    assert seen.key == SECRET
    told = json.loads(seen.answer("keys"))
    if seen.place == "namespace":
        assert set(told.values()) == {"ENOSYS"}
    else:  # the lab kernel's own keys, among which that number means none of this machine's
        assert "done" not in {told[name] for name in ("read", "update", "revoke")}


_KEYS = r"""
import ctypes, errno, json, os
libc = ctypes.CDLL(None, use_errno=True)
keyctl, add = {"x86_64": (250, 248), "aarch64": (219, 217)}[os.uname().machine]
def call(*words):
    return "done" if libc.syscall(*words) >= 0 else errno.errorcode[ctypes.get_errno()]
key, ring = @KEY@, ctypes.c_int(-4)
print(json.dumps({
    "read": call(keyctl, 11, key, None, 0, 0), "update": call(keyctl, 2, key, b"EVIL", 4),
    "revoke": call(keyctl, 3, key), "clear": call(keyctl, 7, ring),
    "add": call(add, b"user", b"@KEYNAME@", b"EVIL", 4, ring),
}))
"""


def _process_is_there(seen: Seen) -> None:
    assert "a program outside was ended" not in seen.changed
    assert "tried" in seen.answer("signals")


# --- what the program says -------------------------------------------------------------------------------------------


def _text_is_text(seen: Seen) -> None:
    said = " ".join(seen.said.split())  # lines are as long as the terminal is wide
    assert "its start command ended with status 3: BEFORE [red]x[/] [/nothing] �]0;OWNED" in said, said
    obeyed = [line for line in seen.said.split("\n") if any(unicodedata.category(each) == "Cc" for each in line)]
    assert obeyed == [], obeyed


def _figure_is_there(seen: Seen) -> None:
    assert list(seen.out.glob("*.png")), sorted(path.name for path in seen.out.iterdir())


def _no_cell_is_a_formula(seen: Seen) -> None:
    tables = {name: content.decode() for name, content in _files(seen.out) if name.endswith(".csv")}
    assert any(FORMULA in text for text in tables.values())
    for path, text in tables.items():
        cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
        assert not [cell for cell in cells if cell[:1] in tuple("=@+-\t\r") and not _is_number(cell)], path


def _is_number(text: str) -> bool:
    try:
        return text == "-" or float(text) is not None
    except ValueError:
        return False


def _files(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The name and content of each file in a folder, also of those with too long a path for plain means."""
    for _, _, names, handle in os.fwalk(folder):
        for name in names:
            if stat.S_ISREG(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode):
                with open(os.open(name, os.O_RDONLY, dir_fd=handle), "rb") as file:
                    yield name, file.read()


def _odd_names_are_kept(seen: Seen) -> None:
    found = dict(_files(seen.out / "files"))
    assert os.fsdecode(b"a\xff\xfe") in found, found
    assert "at the end" in found, found  # a lab kernel makes no path longer than 4,096 bytes: there it lies less deep


#: A name that is not UTF-8, and a path of 8,000 bytes.
_NAMES = r"""
cd /run/lab/files; touch "$(printf 'a\377\376')"
n=$(printf 'd%.0s' $(seq 200)); for i in $(seq 40); do mkdir $n; cd $n; done; touch 'at the end'
touch /run/lab/files/said.names-end
"""
#: Waits at the end of the lab until the attack is over: its folders take a slow machine longer than the lab would last.
NAMES_END = "until [ -e /run/lab/files/said.names-end ]; do sleep 0.1; done"


def _leases_were_held(seen: Seen) -> None:
    assert "leased 9" in seen.answer("leases")


#: Leases on files of the results until the lab ends: by plain means each takes 45 s to open.
_LEASES = r"""
import fcntl, os, signal, time
os.makedirs("/run/lab/files/logs", exist_ok=True)
signal.signal(signal.SIGIO, signal.SIG_IGN)
paths = [f"logs/lease{number}.log" for number in range(6)] + ["run.json", "log.txt", "leased.pcap"]
files = [os.open(f"/run/lab/files/{path}", os.O_CREAT | os.O_RDWR, 0o644) for path in paths]
for file in files:
    os.write(file, b"x")
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print("leased", len(files), flush=True)
if not os.fork():
    os.setsid()
    null = os.open("/dev/null", os.O_RDWR)
    for standard in range(3):
        os.dup2(null, standard)
    time.sleep(600)
"""


def _others_change_nothing(seen: Seen) -> None:
    _nothing_is_armed(seen)
    assert stat.S_IMODE((seen.out / "files").stat().st_mode) & 0o7022 == 0
    assert {"said.modes", "modes"} <= {path.name for path in (seen.out / "files").iterdir()}


#: Modes by which other users of the machine would change the results, also from the beginning of each file or folder:
#: in a lab kernel they are for ever. An access control list allows the user 12345 everything.
_MODES = r"""
import os, struct
os.umask(0)
os.chdir("/run/lab/files")
os.makedirs("modes/sticky/inner", 0o1777)
os.mkdir("modes/group", 0o2777)
os.close(os.open("modes/file", os.O_CREAT | os.O_WRONLY, 0o666))
entries = ((1, 7, 0xFFFFFFFF), (2, 7, 12345), (4, 7, 0xFFFFFFFF), (16, 7, 0xFFFFFFFF), (32, 0, 0xFFFFFFFF))
rules = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
for path, mode in ((".", 0o777), ("modes", 0o1777), ("modes/group", 0o2777), ("modes/file", 0o1666)):
    for change in (
        lambda: os.chmod(path, mode), lambda: os.setxattr(path, "system.posix_acl_access", rules),
        lambda: os.setxattr(path, "system.posix_acl_default", rules),
    ):
        try:
            change()
        except OSError as error:
            print(path, error)
"""


def _said_by_traces(seen: Seen) -> None:
    """Whether something of it is still there the whole run is asked, once it has ended."""
    assert seen.out.exists()


_ESCAPES = r"""
printf 'BEFORE [red]x[/] [/nothing] \033]0;OWNED\007\033[2J\033]52;c;ZXZpbA==\007\302\233 AFTER'; exit 3
"""
_STUBBORN = r"""
import os, signal, time
for number in (1, 2, 3, 13, 15):
    signal.signal(number, signal.SIG_IGN)
for _ in range(50):
    if not os.fork():
        os.setsid()
        if not os.fork():
            while True:
                time.sleep(100)
        os._exit(0)
"""

ATTACKS = (
    Attack("files", f"[ -e @SHOWN@/plain/644 ] && echo in sight\n{_program(CHANGES)}", _files_are_the_same),
    Attack("reading", _READING, _secrets_are_kept),
    Attack("traps", TRAPS, _nothing_is_armed),
    Attack("modes", _program(_MODES), _others_change_nothing),
    Attack("names", _NAMES, _odd_names_are_kept),
    Attack("leases", _program(_LEASES), _leases_were_held),
    Attack("memory", MEMORY, _said_by_traces),
    Attack("stubborn", _program(_STUBBORN), _said_by_traces),
    Attack("sockets", _program(_SOCKETS), _nobody_was_reached),
    Attack("keys", _program(_KEYS), _key_is_the_same),
    Attack("signals", "kill -9 @PID@; kill -15 @PID@; kill -9 @PROGRAM@; echo tried", _process_is_there),
    Attack("escapes", _ESCAPES, _text_is_text),
    Attack("figure", "true", _figure_is_there),
    Attack("formulas", "true", _no_cell_is_a_formula),
)


def commands(words: dict[str, object]) -> dict[str, str]:
    """The start command of each host; what it prints is its answer in the results, but for what the program shows."""
    found = {}
    for attack in ATTACKS:
        command = attack.command
        for name, value in words.items():
            command = command.replace(f"@{name}@", str(value))
        into = "" if attack.name == "escapes" else f"exec > /run/lab/files/said.{attack.name} 2>&1\n"
        found[attack.name] = f"{into}{command}"
    return found


def own_home(home: Path, uid: int, gid: int) -> Path:
    """Put secrets into a user's home; the folder with those that have no name of a secret's."""
    for folder in (home / ".ssh", home / "diary"):
        folder.mkdir()
        (folder / "key").write_text(SECRET, encoding="ascii")
        for path in (folder, folder / "key"):
            os.chown(path, uid, gid)
    return home / "diary"
