#!/usr/bin/env python3
"""Writes the routes that ExaBGP has received to a file. ExaBGP runs this program; standard library only.

receiving.py [--no-timestamp] NUMBER    lines go to peerNUMBER-received.log in the folder above the program's
"""

from __future__ import annotations

import argparse
import signal
import sys
from datetime import datetime
from pathlib import Path


def main() -> int:
    """Write lines as they come until there are no more."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-timestamp", action="store_true")
    parser.add_argument("number", type=int)
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ExaBGP ends its programs by closing their input
    path = Path(__file__).resolve().parent.parent / f"peer{options.number}-received.log"
    with path.open("w", encoding="utf-8", buffering=1) as file:
        for line in sys.stdin:
            file.write(line if options.no_timestamp else f"{datetime.now():%Y%m%d_%H:%M:%S} - {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
