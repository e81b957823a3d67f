"""Writes docs/checks.md from the kinds of problems in frrlib/checks/subjects.

python docs/tools/make_checks.py
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from frrlib.checks.explanations import PAGE, page  # noqa: E402

if __name__ == "__main__":
    (ROOT / PAGE).write_text(page(), encoding="utf-8")
