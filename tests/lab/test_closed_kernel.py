"""Root's lab kernel may be in a folder that nobody else can read, although its labs run as an unprivileged user."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from frrlib.lab.lab import Lab
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology
from frrlib.place.labkernel import find_kernel, kernel_release


@pytest.mark.lab
@pytest.mark.root
def test_a_lab_uses_a_kernel_in_a_private_folder_of_root(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir(mode=0o700)
    kernel = shutil.copy2(find_kernel(), folder / "linux")
    with Lab(Topology(nodes=(Host(name="h1"),)), place="labkernel", kernel=kernel) as lab:
        assert lab["h1"].run("uname", "-r").strip() == kernel_release(kernel)
