"""Attacks by start commands of an untrusted topology, and the required state afterwards: a row for each attack.

All attacks are in one lab, each as the start command of a host of its own, so none of them may disturb the others.
Words between @ signs stand for things of the user outside, see `AttackedRun`.
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

#: Nobody in a lab may read this.
SECRET = "a word that nobody in a lab has heard"
#: Hostile names of a topology and of a flow.
TITLE, FORMULA = "$\\frac{1}{$ \x1b]0;OWNED\x07 [/nothing]", "=cmd|'"


@dataclass
class AttackedRun:
    """One run of all attacks, from the user's point of view.

    Attributes:
        place: where it ran.
        out: its results folder.
        output: the program's output.
        uid: the user's number.
        reached: the sockets that were reached from the lab, and the data that came through the pipe.
        changed: changes of the user's files and programs, a line for each.
        key: the content of the key in the user's keyring afterwards.
    """

    place: str
    out: Path
    output: str
    uid: int
    reached: list[str]
    changed: list[str]
    key: str

    def output_of(self, name: str) -> str:
        """The output of an attack in the lab."""
        return (self.out / "files" / f"said.{name}").read_text(encoding="utf-8", errors="replace")


@dataclass(frozen=True)
class Attack:
    """One attack.

    Attributes:
        name: of the host, and of its output in the results.
        command: the attack, as a shell script.
        holds: raises AssertionError if the attack had an effect.
    """

    name: str
    command: str
    holds: Callable[[AttackedRun], None]


def _program(code: str) -> str:
    return f"python3 - <<'PROGRAM'\n{code}\nPROGRAM"


# --- files -----------------------------------------------------------------------------------------------------------


def _files_are_the_same(run: AttackedRun) -> None:
    assert run.changed == []
    assert "in sight" in run.output_of("files"), "the lab does not contain the folder of the attack"


def _nothing_is_armed(run: AttackedRun) -> None:
    assert {"open", "shut", "nobody"} <= {path.name for path in (run.out / "files").iterdir()}
    assert canary.armed(run.out, run.uid) == []


def _secrets_are_kept(run: AttackedRun) -> None:
    for name, content in _files(run.out):
        assert SECRET.encode() not in content, name
    assert "looked" in run.output_of("reading")


_READING = """
mkdir -p /tmp/again; mount -t hostfs none /tmp/again -o / || mount --rbind / /tmp/again
for top in '' /tmp/again /proc/1/root /proc/1/cwd; do
  cat $top@SECRETS@/* $top@HOME@/.ssh/* $top/proc/[0-9]*/environ
  cat $top/proc/@PROGRAM@/fd/* </dev/null
done 2>/dev/null | tr '\\0' '\\n'
env; echo looked
"""

# --- programs outside ------------------------------------------------------------------------------------------------


def _nobody_was_reached(run: AttackedRun) -> None:
    assert run.reached == []
    # in a namespace a socket that exists already is replaced by an empty file
    assert f"in sight: {run.place == 'labkernel'} True" in run.output_of("sockets"), (
        "the lab does not contain the bait of the attack"
    )


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


def _key_is_the_same(run: AttackedRun) -> None:
    assert run.key == SECRET
    outcomes = json.loads(run.output_of("keys"))
    if run.place == "namespace":
        assert set(outcomes.values()) == {"ENOSYS"}
    else:  # the lab kernel has its own keys, so the number refers to no key of this machine
        assert "done" not in {outcomes[name] for name in ("read", "update", "revoke")}


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


def _process_is_alive(run: AttackedRun) -> None:
    assert "a program outside was ended" not in run.changed
    assert "tried" in run.output_of("signals")


# --- what the program says -------------------------------------------------------------------------------------------


def _output_is_plain_text(run: AttackedRun) -> None:
    output = " ".join(run.output.split())  # lines are wrapped at the width of the terminal
    assert "its start command ended with status 3: BEFORE [red]x[/] [/nothing] �]0;OWNED" in output, output
    control_lines = [
        line for line in run.output.split("\n") if any(unicodedata.category(character) == "Cc" for character in line)
    ]
    assert control_lines == [], control_lines


def _figure_exists(run: AttackedRun) -> None:
    assert list(run.out.glob("*.png")), sorted(path.name for path in run.out.iterdir())


def _no_cell_is_a_formula(run: AttackedRun) -> None:
    tables = {name: content.decode() for name, content in _files(run.out) if name.endswith(".csv")}
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
    """The name and content of each file in a folder, also of those with a path that is too long for other means."""
    for _, _, names, handle in os.fwalk(folder):
        for name in names:
            if stat.S_ISREG(os.stat(name, dir_fd=handle, follow_symlinks=False).st_mode):
                with open(os.open(name, os.O_RDONLY, dir_fd=handle), "rb") as file:
                    yield name, file.read()


def _odd_names_are_kept(run: AttackedRun) -> None:
    files = dict(_files(run.out / "files"))
    assert os.fsdecode(b"a\xff\xfe") in files, files
    assert "at the end" in files, files  # a lab kernel limits paths to 4,096 bytes, so the file is less deep there


#: A name that is not UTF-8, and a path of 8,000 bytes.
_NAMES = r"""
cd /run/lab/files; touch "$(printf 'a\377\376')"
n=$(printf 'd%.0s' $(seq 200)); for i in $(seq 40); do mkdir $n; cd $n; done; touch 'at the end'
touch /run/lab/files/said.names-end
"""
#: Waits at the end of the lab until the attack is over, since a slow machine makes its folders longer than a lab lasts.
NAMES_END = "until [ -e /run/lab/files/said.names-end ]; do sleep 0.1; done"


def _leases_were_held(run: AttackedRun) -> None:
    assert "leased 9" in run.output_of("leases")


#: Leases on files of the results until the lab ends. An ordinary call takes 45 s to open each of them.
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


def _others_change_nothing(run: AttackedRun) -> None:
    _nothing_is_armed(run)
    assert stat.S_IMODE((run.out / "files").stat().st_mode) & 0o7022 == 0
    assert {"said.modes", "modes"} <= {path.name for path in (run.out / "files").iterdir()}


#: Modes by which other users of the machine could change the results, also from the creation of each file or folder,
#: since a lab kernel cannot change them later. An access control list gives the user 12345 all rights.
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


def _checked_by_traces(run: AttackedRun) -> None:
    """Processes of this attack that are left are found after the whole run."""
    assert run.out.exists()


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
    Attack("memory", MEMORY, _checked_by_traces),
    Attack("stubborn", _program(_STUBBORN), _checked_by_traces),
    Attack("sockets", _program(_SOCKETS), _nobody_was_reached),
    Attack("keys", _program(_KEYS), _key_is_the_same),
    Attack("signals", "kill -9 @PID@; kill -15 @PID@; kill -9 @PROGRAM@; echo tried", _process_is_alive),
    Attack("escapes", _ESCAPES, _output_is_plain_text),
    Attack("figure", "true", _figure_exists),
    Attack("formulas", "true", _no_cell_is_a_formula),
)


def commands(words: dict[str, object]) -> dict[str, str]:
    """The start command of each host. Its output goes into the results, except for text that the program must show."""
    by_host = {}
    for attack in ATTACKS:
        command = attack.command
        for name, value in words.items():
            command = command.replace(f"@{name}@", str(value))
        redirection = "" if attack.name == "escapes" else f"exec > /run/lab/files/said.{attack.name} 2>&1\n"
        by_host[attack.name] = f"{redirection}{command}"
    return by_host


def make_secrets(home: Path, uid: int, gid: int) -> Path:
    """Put secrets into a user's home. Returns the folder whose name is not that of a secret."""
    for folder in (home / ".ssh", home / "diary"):
        folder.mkdir()
        (folder / "key").write_text(SECRET, encoding="ascii")
        for path in (folder, folder / "key"):
            os.chown(path, uid, gid)
    return home / "diary"
