"""The lab's root loads a module: code in the lab kernel's process, which is a process of the user, tries to get out."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from frrlib.place.confinement.syscalls import landlock_abi
from frrlib.place.labkernel import MODULES

DRIVER = Path(__file__).parent / "drivers/module.py"


@pytest.mark.lab
@pytest.mark.skipif(not [*MODULES.glob("*/kernel/drivers/net/dummy.ko")], reason="no modules for a lab kernel")
@pytest.mark.parametrize("abi", [5, 6])
def test_code_in_a_lab_kernel_s_process_reaches_nothing(abi: int, ordinary_user: Any) -> None:
    """With a Landlock that keeps signals in, and with one that does not, where each is judged outside."""
    if landlock_abi() < abi:
        pytest.skip("this kernel's Landlock is older")
    home: Path = ordinary_user.home
    canary = home / "canary"
    canary.write_text("safe")
    os.chown(canary, ordinary_user.uid, ordinary_user.gid)
    before = canary.stat()
    victim: subprocess.Popen[Any] = ordinary_user.popen(["setsid", "sleep", "100"])
    priority = os.getpriority(os.PRIO_PROCESS, victim.pid)
    try:
        argv = [ordinary_user.python, str(DRIVER), str(victim.pid), str(abi), str(home)]
        done = ordinary_user.run(argv, timeout=120)
        assert done.returncode == 0, done.stderr
        outcome = json.loads(done.stdout)
        assert victim.poll() is None
        assert os.getpriority(os.PRIO_PROCESS, victim.pid) == priority
    finally:
        victim.kill()
        victim.wait()
    assert outcome["returned"].get("itself") == outcome["pid"], outcome
    assert outcome["alive"]
    assert {name for name, result in outcome["returned"].items() if result >= 0} == {"itself", "own folder"}
    assert canary.read_text() == "safe"
    assert canary.stat().st_ctime_ns == before.st_ctime_ns
    assert not [*home.rglob("suid")]
