"""Fixtures for daemons that parse configurations."""

from __future__ import annotations

import grp
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def groups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list of groups in which root may run FRR."""
    lines = []
    for group in grp.getgrall():
        members = [*group.gr_mem, "root"] if group.gr_name == "frrvty" else group.gr_mem
        lines.append(f"{group.gr_name}:x:{group.gr_gid}:{','.join(members)}")
    file = tmp_path_factory.mktemp("groups") / "group"
    file.write_text("\n".join(lines) + "\n")
    return file
