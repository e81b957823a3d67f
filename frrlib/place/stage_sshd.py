"""Starts an SSH server in a lab whose only user is root: `stage_sshd.py ARGV...` becomes that command.

Standard library only.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from frrlib import signals
from frrlib.place import groups


def main() -> NoReturn:
    """Become the server."""
    groups.pretend()
    signals.reset()
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
