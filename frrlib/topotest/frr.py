"""FRR on a router of a test: its files are loaded, its daemons are started and killed, with one command for each."""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from frrlib.topotest.network import TestNetwork
from frrlib.topotest.node import Node
from frrlib.topotest.versions import satisfies

UNIFIED = "frr"
DAEMONS = (
    *("zebra", "ripd", "ripngd", "ospfd", "ospf6d", "isisd", "bgpd", "pimd", "pim6d", "ldpd", "eigrpd", "nhrpd"),
    *("staticd", "bfdd", "sharpd", "babeld", "pbrd", "pathd", "snmpd"),
)
#: Started in this order, before all others.
FIRST = ("zebra", "staticd")
#: Time limit for killed daemons to exit.
KILL_TIMEOUT_S = 10.0

_FUNCTIONS = """
folder=/usr/lib/frr; [ -d $folder ] || folder=/usr/libexec/frr
user=root group=root
if chown frr:frr /etc/frr /run/frr /var/log/frr /var/tmp/frr 2>/dev/null; then user=frr group=frr; fi
setting() { [ ! -e "/proc/sys/$1" ] || echo "$2" > "/proc/sys/$1" 2>/dev/null; }
give() { chown $user:$group "$1" 2>/dev/null; chmod 664 "$1"; }
daemon() {
  name=$1; shift
  [ -x $folder/$name ] || { echo "missing: $name"; return; }
  touch $name.log; give $name.log
  $folder/$name "$@" -u $user -g $group --command-log-always --log file:$name.log --log-level debug -d \\
    > $name.out 2> $name.err || echo "failed: $name: $(tail -n 3 $name.err | tr '\\n' ' ')"
}
manager() { [ ! -x $folder/mgmtd ] || kill -0 "$(cat /run/frr/mgmtd.pid 2>/dev/null)" 2>/dev/null || daemon mgmtd; }
"""


class RouterNode(Node):
    """A router: a node with FRR.

    Attributes:
        daemons: daemon to 1 if it was loaded, else 0.
        daemons_options: daemon to further words of its command.
    """

    def __init__(self, tgen: TestNetwork, name: str) -> None:
        super().__init__(tgen, name)
        self.daemons = dict.fromkeys(DAEMONS, 0)
        self.daemons_options: dict[str, str] = {"zebra": ""}
        self.unified_config: int | None = None
        self.routertype, self.daemondir = "frr", "/usr/lib/frr"
        self._files: dict[str, str] = {}
        self._begun = False

    @property
    def hasmpls(self) -> bool:
        """Whether the lab's kernel supports MPLS."""
        return self.tgen.hasmpls

    @property
    def version(self) -> str:
        """FRR's version, as the daemons report it."""
        return self.tgen.version

    @property
    def loaded(self) -> list[str]:
        """The daemons that should run."""
        return [name for name, loaded in self.daemons.items() if loaded]

    # --- files ------------------------------------------------------------------------------------------------------

    def loadConf(self, daemon: str, source: str | None = None, param: str | None = None) -> None:  # noqa: N802
        """Select a daemon to start, with a file.

        Args:
            daemon: its name, or "frr" for the file of all of them.
            source: path of the file; a bare name is searched in the router's folder below the test's folder. A missing
                file counts as empty.
            param: further words of the daemon's command.
        """
        if daemon == UNIFIED:
            self.unified_config = 1
        elif daemon not in self.daemons:
            return
        else:
            self.daemons[daemon] = 1
        if param is not None:
            self.daemons_options[daemon] = param
        if daemon == UNIFIED or not self.unified_config or source:
            self._files[f"{daemon}.conf"] = _text(self.tgen.test_folder, self.name, source)
        if daemon == "zebra" and not self.daemons["staticd"]:
            self.daemons["staticd"] = 1  # without a separate file it reads zebra's
        if self._begun:
            self._shell(self._file_lines())

    def _file_lines(self) -> list[str]:
        """Lines for a shell that copy loaded files to the daemons' folder."""
        lines = []
        for name, text in self._files.items():
            path = self.tgen.folder / ".etc" / self.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            lines.append(f"cp {shlex.quote(str(path))} /etc/frr/{name}; give /etc/frr/{name}")
        self._files.clear()
        return lines

    # --- daemons ----------------------------------------------------------------------------------------------------

    def begin(self, sysctls: dict[str, str]) -> None:
        """Prepare a router before the first daemon: set those kernel settings that the kernel has."""
        lines = [f"setting {key.replace('.', '/')} {shlex.quote(value)}" for key, value in sysctls.items()]
        self._shell([*lines, f"chmod 777 {shlex.quote(str(self.folder))}"])

    def startRouter(self, tgen: Any = None) -> str:  # noqa: N802
        """Start all loaded daemons with their files. Returns errors, empty for none."""
        self._begun = True
        if self.daemons["ldpd"] and not self.hasmpls:
            return "ldpd needs a kernel with MPLS"
        word = "" if self.unified_config else "no "
        commands_before = [
            f"echo '{word}service integrated-vtysh-config' >> /etc/frr/vtysh.conf; give /etc/frr/vtysh.conf"
        ]
        commands_before.append("setting net/mpls/platform_labels 100000")
        commands_after = ["vtysh -f /etc/frr/frr.conf > vtysh.out 2>&1"] if self.unified_config else []
        return self._start(self.loaded, commands_before, commands_after)

    def speak(self) -> None:
        """Send a packet out of every interface."""
        for name in self.intfNames():
            self.cmd_status(f"ping -6 -c 1 -W 1 -I {name} ff02::1")

    def startRouterDaemons(self, daemons: Iterable[str] | None = None, tgen: Any = None) -> str:  # noqa: N802
        """Start some daemons, all loaded ones by default. Returns errors, empty for none."""
        return self._start(self.loaded if daemons is None else list(daemons), [], [])

    def _start(self, daemons: Sequence[str], commands_before: list[str], commands_after: list[str]) -> str:
        order = [*(name for name in FIRST if name in daemons), *(name for name in daemons if name not in FIRST)]
        # From FRR 10 on mgmtd reads the files of zebra and some other daemons, and sends them their parts.
        starts = ["manager"] if "zebra" in order else []
        starts += [f"daemon {name} {self._options(name)}" for name in order]
        output = self._shell([*commands_before, *self._file_lines(), *starts, *commands_after])
        return "\n".join(f"{self.name}: {line}" for line in output.splitlines() if re.match("(missing|failed): ", line))

    def _options(self, daemon: str) -> str:
        return f"{self.daemons_options.get(daemon, '')} {'-s 90000000' if daemon == 'zebra' else ''}"

    def _shell(self, lines: Sequence[str]) -> str:
        return self.cmd_status("\n".join([_FUNCTIONS, *lines]), stderr=subprocess.STDOUT)[1]

    def listDaemons(self) -> list[tuple[str, int]]:  # noqa: N802
        """Name and process of every daemon that runs."""
        script = "for f in /run/frr/*.pid; do [ -e $f ] && p=$(<$f) && kill -0 $p 2>/dev/null && echo $f $p; done"
        pairs = [line.split() for line in self.cmd_status(script)[1].splitlines()]
        return [(Path(path).stem, int(number)) for path, number in pairs]

    def stopRouter(self, assertOnError: bool = True, minErrorVersion: str = "") -> str:  # noqa: N802, N803
        """Terminate all daemons; those that do not exit are killed."""
        self._kill([name for name, _ in self.listDaemons()], 15)
        return ""

    def killRouterDaemons(  # noqa: N802
        self,
        daemons: Iterable[str],
        wait: bool = True,
        assertOnError: bool = True,  # noqa: N803
        minErrorVersion: str = "",  # noqa: N803
    ) -> str:
        """Kill some daemons. Returns a sentence about those that were not running, empty for none."""
        running = [name for name, _ in self.listDaemons()]
        names = list(daemons)
        self._kill([name for name in running if re.sub(r"-\d+$", "", name) in names], 9)
        absent = [name for name in names if name not in running]
        return f"Daemons are not running: {' '.join(absent)}" if absent else ""

    def _kill(self, daemons: Sequence[str], signal: int) -> None:
        """Send a signal and wait until the daemons have exited; after `KILL_TIMEOUT_S` they are killed."""
        files = " ".join(f"/run/frr/{name}.pid" for name in daemons)
        if not files:
            return
        alive = f"for f in {files}; do [ ! -e $f ] || {{ kill -0 $(<$f) 2>/dev/null && echo $f; }}; done"
        self.cmd_status(f"for f in {files}; do kill -{signal} $(<$f); done")
        deadline_s = time.monotonic() + KILL_TIMEOUT_S
        while running_files := self.cmd_status(alive)[1].split():
            if time.monotonic() > deadline_s:
                self.cmd_status(f"for f in {' '.join(running_files)}; do kill -9 $(<$f); done")
                break
            time.sleep(0.1)
        self.cmd_status(f"rm -f {files}")

    # --- status -----------------------------------------------------------------------------------------------------

    def checkRouterRunning(self) -> str:  # noqa: N802
        """The loaded daemons that do not run; empty if all do."""
        running = {re.sub(r"-\d+$", "", name) for name, _ in self.listDaemons()}
        missing = [name for name in self.loaded if name not in running]
        return "".join(f"{self.name}: daemon {name} is not running\n" for name in missing)

    def checkRouterCores(self, reportLeaks: bool = True, reportOnce: bool = False) -> str:  # noqa: N802, N803
        """Backtraces of crashed daemons."""
        return self.cmd_status("cat /var/tmp/frr/*/crashlog* 2>/dev/null")[1]

    def checkRouterVersion(self, cmpop: str, version: str) -> bool:  # noqa: N802
        """Whether a comparison of FRR's version with another holds."""
        return satisfies(self.version, cmpop, version)

    def checkCapability(self, daemon: str, param: str | None) -> bool:  # noqa: N802
        """Whether a daemon has an option."""
        return param is None or param.strip("-") in self.cmd(f"{self.daemondir}/{daemon} -h")

    def daemon_available(self, daemon: str) -> bool:
        """Whether a daemon is installed, and the kernel supports it."""
        return (daemon != "ldpd" or self.hasmpls) and self.path_exists(f"{self.daemondir}/{daemon}")

    def get_routertype(self) -> str:
        """Always FRR."""
        return self.routertype

    def getStdErr(self, daemon: str) -> str:  # noqa: N802
        """The error stream of a daemon."""
        return self.getLog("err", daemon)

    def getLog(self, log: str, daemon: str) -> str:  # noqa: N802
        """One of a daemon's files: "log", "out" or "err"."""
        path = self.tgen.folder / self.name / f"{daemon}.{log}"
        return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""

    def report_memory_leaks(self, filename_prefix: str, testscript: str) -> None:
        """Do nothing: memory leaks are not checked."""


def _text(folder: Path, router: str, source: str | None) -> str:
    """A configuration's text; a bare name is searched in the router's folder, then in the test's folder."""
    if not source:
        return ""
    source_path = Path(source)
    candidates = (
        [source_path] if source_path.parent != Path() else [folder / router / source_path, folder / source_path]
    )
    file = next((path for path in candidates if path.is_file()), None)
    return file.read_text(encoding="utf-8", errors="replace") if file else ""
