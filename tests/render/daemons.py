"""FRR's daemons as parsers of configurations."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

DAEMONS = Path("/usr/lib/frr")
#: A daemon's message about a refused line.
_REFUSED = re.compile(r"[^\]\n]* on config line \d+: .*")


def refusals(daemon: str, file: Path, groups: Path) -> list[str]:
    """The lines of its configuration that a daemon refuses. It only reads them and exits."""
    script = 'mount --bind "$1" /etc/group; shift; exec "$@"'
    argv = ["unshare", "--user", "--map-root-user", "--mount", "--net", "sh", "-c", script, "sh", str(groups)]
    argv += [str(DAEMONS / daemon), "-C", "-f", str(file), "-u", "root", "-g", "root"]
    argv += ["--vty_socket", str(file.parent), "-i", f"{file}.pid", "--log", "stdout"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=30)
    output = done.stdout + done.stderr
    assert done.returncode == 0 or _REFUSED.search(output), output
    return sorted(set(_REFUSED.findall(output)))
