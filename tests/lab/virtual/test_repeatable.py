"""A run in virtual time gives the same bytes anywhere and for any user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import frrlib
from frrlib.formats.mn import dumps
from frrlib.network.network import Network, Shape, Wait, end
from frrlib.place.labkernel import find_kernel
from tests.conftest import OrdinaryUser

_CHECKOUT = Path(frrlib.__file__).parents[1]
pytestmark = [pytest.mark.lab, pytest.mark.usefixtures("virtual_time")]

_PROGRAM = """
import sys
from pathlib import Path
from frrlib.formats import mn
from frrlib.run.run import RunSettings, run
file, out, kernel = map(Path, sys.argv[1:])
text = file.read_text(encoding="utf-8")
settings = RunSettings(virtual_time=True, seed=7, kernel=kernel)
outcome = run(mn.loads(text, str(file)).topology, text, out, settings, figure=False, folder=file.parent)
sys.exit("; ".join(outcome.failures) or 0)
"""


def _topology() -> str:
    net = Network("Two hosts", wait=Wait(ping_count=1))
    net.host("h1")
    net.host("h2")
    net.link(
        end("h1", "10.0.0.1/24"),
        end("h2", "10.0.0.2/24"),
        both=Shape(rate_mbit=10, delay_ms=10, queue_ms=50, loss_percent=0.5),
    )
    net.flow("f", "h1", "h2", congestion_control="bbr", duration_s=1)
    return dumps(net.topology)


def test_a_rerun_is_identical_in_a_different_environment(ordinary_user: OrdinaryUser, tmp_path: Path) -> None:
    """The first run is the caller's, in a short path; an ordinary user repeats it with everything else different."""
    out, deep = tmp_path / "out", ordinary_user.home / "a" / "very" / "much" / "deeper" / "folder"
    (tmp_path / "x.mn").write_text(_topology(), encoding="utf-8")
    argv = [sys.executable, "-c", _PROGRAM, tmp_path / "x.mn", out, find_kernel()]
    subprocess.run(argv, check=True, cwd="/", timeout=300)
    shutil.copytree(out, deep / "recorded")
    for number in range(40):
        (deep / "recorded" / f"beside-{number}").touch()
    kernel, elsewhere = ordinary_user.home / "a-kernel", ordinary_user.home / "another" / "checkout"
    shutil.copyfile(find_kernel(), kernel)
    kernel.chmod(0o755)
    for name in ("frrlib", "miniedit_frr", "kernel"):
        shutil.copytree(_CHECKOUT / name, elsewhere / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in (elsewhere, *elsewhere.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)  # takes no bytecode
    if os.geteuid() == 0:
        for path in (ordinary_user.home / "a", *(ordinary_user.home / "a").rglob("*")):
            os.chown(path, ordinary_user.uid, ordinary_user.gid)
    variables = {
        "PYTHONPATH": str(elsewhere), "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONHASHSEED": "5", "COLUMNS": "31",
        "A_LONG_VARIABLE": "x" * 5000,
    }  # fmt: skip
    words = ["rerun", deep / "recorded", "--out", deep / "results/of/it", "--kernel", kernel, "--trust"]
    rerun = ["sh", "-c", 'umask 077; exec "$@"', "sh", ordinary_user.python, "-m", "miniedit_frr", *map(str, words)]
    done = ordinary_user.run(rerun, env=variables, timeout=300)
    assert "identical, byte for byte" in done.stdout, f"{done.stdout}\n{done.stderr}"
    assert done.returncode == 0
    samples = [(folder / "samples/tcp.csv").read_bytes() for folder in (out, deep / "results/of/it")]
    assert samples[0] == samples[1]
    assert samples[0].count(b"\n") > 100
