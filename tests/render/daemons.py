"""FRR's daemons as parsers of configurations."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

DAEMONS = Path("/usr/lib/frr")
#: How a daemon says that it does not take a line.
_REFUSED = re.compile(r"[^\]\n]* on config line \d+: .*")


def refusals(daemon: str, file: Path, groups: Path) -> list[str]:
    """Lines of its configuration that a daemon does not take; it only reads them and ends."""
    script = 'mount --bind "$1" /etc/group; shift; exec "$@"'
    argv = ["unshare", "--user", "--map-root-user", "--mount", "--net", "sh", "-c", script, "sh", str(groups)]
    argv += [str(DAEMONS / daemon), "-C", "-f", str(file), "-u", "root", "-g", "root"]
    argv += ["--vty_socket", str(file.parent), "-i", f"{file}.pid", "--log", "stdout"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=30)
    said = done.stdout + done.stderr
    assert done.returncode == 0 or _REFUSED.search(said), said
    return sorted(set(_REFUSED.findall(said)))
