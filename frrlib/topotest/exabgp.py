"""ExaBGP on a node of a test: its files in the node's folder of logs, the program as this machine has it.

ExaBGP is no part of the project: where there is none, the tests that start one are skipped.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

from frrlib.topotest import exabgp_receiver
from frrlib.topotest.bare_lab import HIDDEN
from frrlib.topotest.versions import compare

PROGRAM = "exabgp"
#: The tests' configurations are those of version 3; version 4 reads them otherwise.
BELOW = "4"
#: Where the tests' configurations look for the programs that ExaBGP starts.
EXPECTED = "/etc/exabgp"
_VERSION_S = 20.0


class NoSpeaker(Exception):
    """ExaBGP cannot be started; the text says what is missing."""


def program() -> str:
    """The path of ExaBGP. Raises NoSpeaker."""
    found = shutil.which(PROGRAM)
    if found is None:
        raise NoSpeaker("needs ExaBGP 3.4, and there is no `exabgp` on the PATH")
    hidden = next((folder for folder in HIDDEN if Path(found).is_relative_to(folder)), None)
    if hidden:
        raise NoSpeaker(f"needs ExaBGP, and {found} is below {hidden}, of which labs have their own")
    asked = [found, "--version"]
    said = subprocess.run(asked, capture_output=True, text=True, timeout=_VERSION_S, check=False).stdout
    match = re.search(r"ExaBGP\s*:\s*(\d\S*)", said)
    if match is None or compare(match[1], BELOW) >= 0:
        raise NoSpeaker(f"needs ExaBGP 3.4, and {found} is version {match[1] if match else 'unknown'}")
    return found


def prepared(folder: Path, files: Path, environment: Path | None) -> str:
    """Put ExaBGP's files together. Gives the command that starts it in the background.

    Args:
        folder: the node's own; what ExaBGP receives is written there.
        files: the test's files for this node; `exabgp.cfg` is the configuration.
        environment: ExaBGP's settings, where they are not among the files.

    Raises:
        NoSpeaker: see `program`.
    """
    path = program()
    own = folder / PROGRAM
    shutil.copytree(files, own, dirs_exist_ok=True)
    own.chmod(0o777)  # in a lab kernel it belongs to somebody else than root, of which ExaBGP makes something
    if environment is not None:
        shutil.copyfile(environment, own / "exabgp.env")
    shutil.copyfile(exabgp_receiver.__file__, own / "exa-receive.py")
    for each in own.iterdir():
        # the lab's /etc is this machine's, in which nobody makes a folder
        each.write_text(each.read_text(encoding="utf-8").replace(EXPECTED, str(own)), encoding="utf-8")
        each.chmod(0o755)
    given = {"daemon_user": "root", "daemon_pid": own / "exabgp.pid", "log_destination": own / "exabgp.log"}
    words = ["env", *(f"exabgp_{key}={value}" for key, value in given.items())]
    words += [f"PATH={Path(path).parent}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", path]
    command = shlex.join([*words, "-e", str(own / "exabgp.env"), str(own / "exabgp.cfg")])
    # in the background it would keep the streams open, and their reader would wait for its end
    return f"{command} > {shlex.quote(str(own / 'exabgp.out'))} 2>&1 < /dev/null"
