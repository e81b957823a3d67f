"""ExaBGP on a node of a test: its files are in the node's folder of logs, its program is that of this machine.

ExaBGP is not part of the project: without it, the tests that start it are skipped.
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
#: The tests' configurations are for version 3; version 4 interprets them differently.
BELOW = "4"
#: Folder in the tests' configurations with the programs that ExaBGP starts.
EXPECTED = "/etc/exabgp"
_VERSION_S = 20.0


class NoSpeaker(Exception):
    """ExaBGP cannot be started; the text says what is missing."""


def program() -> str:
    """The path of ExaBGP. Raises NoSpeaker."""
    path = shutil.which(PROGRAM)
    if path is None:
        raise NoSpeaker("needs ExaBGP 3.4, and there is no `exabgp` on the PATH")
    hidden = next((folder for folder in HIDDEN if Path(path).is_relative_to(folder)), None)
    if hidden:
        raise NoSpeaker(f"needs ExaBGP, and {path} is below {hidden}, of which labs have their own")
    argv = [path, "--version"]
    output = subprocess.run(argv, capture_output=True, text=True, timeout=_VERSION_S, check=False).stdout
    match = re.search(r"ExaBGP\s*:\s*(\d\S*)", output)
    if match is None or compare(match[1], BELOW) >= 0:
        raise NoSpeaker(f"needs ExaBGP 3.4, and {path} is version {match[1] if match else 'unknown'}")
    return path


def prepare_command(folder: Path, files: Path, environment: Path | None) -> str:
    """Copy ExaBGP's files together. Returns the command that starts it in the background.

    Args:
        folder: of the node; received routes are written there.
        files: the test's files for this node; `exabgp.cfg` is the configuration.
        environment: file of ExaBGP's settings, if it is not among the files.

    Raises:
        NoSpeaker: see `program`.
    """
    path = program()
    target = folder / PROGRAM
    shutil.copytree(files, target, dirs_exist_ok=True)
    target.chmod(0o777)  # in a lab kernel its owner is not root, and ExaBGP then drops its privileges
    if environment is not None:
        shutil.copyfile(environment, target / "exabgp.env")
    shutil.copyfile(exabgp_receiver.__file__, target / "exa-receive.py")
    for file in target.iterdir():
        # the lab's /etc is this machine's, where no folder can be made
        file.write_text(file.read_text(encoding="utf-8").replace(EXPECTED, str(target)), encoding="utf-8")
        file.chmod(0o755)
    options = {"daemon_user": "root", "daemon_pid": target / "exabgp.pid", "log_destination": target / "exabgp.log"}
    words = ["env", *(f"exabgp_{key}={value}" for key, value in options.items())]
    words += [f"PATH={Path(path).parent}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", path]
    command = shlex.join([*words, "-e", str(target / "exabgp.env"), str(target / "exabgp.cfg")])
    # in the background it would keep the streams open, and their reader would wait for its end
    return f"{command} > {shlex.quote(str(target / 'exabgp.out'))} 2>&1 < /dev/null"
