"""Sweeps in real labs: on this machine, and on a worker that has only a wheel and the file of a kernel."""

from __future__ import annotations

import csv
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from frrlib.errors import PlaceError
from frrlib.formats import mn
from frrlib.place.labkernel import find_kernel
from tests.cli.commands import process_output
from tests.sweep.cluster import running_process, running_scheduler, worker_command
from tests.sweep.topologies import two_hosts
from tests.wheels import wheel_of_checkout

RATES = ("--set", "link:h1-h2.rate=5,10")


def table(out: Path) -> list[dict[str, str]]:
    with (out / "table.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def topology_file(folder: Path, duration_s: float = 2.0) -> str:
    file = folder / "small.mn"
    file.write_text(mn.dumps(two_hosts(duration_s=duration_s)))
    return str(file)


@pytest.mark.lab
def test_two_rates_give_two_goodputs(virtual_time: None, tmp_path: Path) -> None:
    out = tmp_path / "out"
    argv = ("sweep", topology_file(tmp_path), "--out", str(out), *RATES, "--virtual-time")
    output = process_output(*argv, cwd=tmp_path)
    rows = table(out)
    assert [row["status"] for row in rows] == ["finished", "finished"], output
    for row in rows:
        rate_mbit = float(row["link:h1-h2.rate_mbit"])
        assert 0.9 * rate_mbit < float(row["goodput_mbit"]) < 0.96 * rate_mbit
        assert float(row["flow:f1.goodput_mbit"]) == pytest.approx(float(row["goodput_mbit"]), rel=0.02)
        assert 0.95 < float(row["queue:l1:h1-h2.utilisation"]) < 1.01
        assert (out / "runs" / row["name"] / "samples" / "tcp.csv").stat().st_size > 10_000


# --- a worker with nothing but a wheel and a kernel -------------------------------------------------------------------


def environment_of(wheel: Path, folder: Path) -> str:
    """The Python of an environment with the wheel. The wheel's dependencies come from this environment."""
    venv.create(folder, system_site_packages=True, symlinks=True)
    site = folder / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # .pth files in the added folder are not read, so the checkout is not on the path
    (site / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return str(folder / "bin" / "python")


@pytest.fixture
def machine() -> Iterator[Path]:
    """A folder that the labs of root can read, too, although they have other users."""
    with tempfile.TemporaryDirectory(prefix="frr-worker-", dir="/tmp") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.mark.lab
@pytest.mark.usefixtures("virtual_time")
def test_a_worker_made_from_a_wheel_and_a_kernel_runs_a_sweep(tmp_path: Path, machine: Path) -> None:
    try:
        kernel = shutil.copy(find_kernel(), machine / "kernel")
    except PlaceError as error:
        pytest.skip(str(error))
    python = environment_of(wheel_of_checkout(tmp_path / "checkout"), machine / "environment")
    library_path = subprocess.run(
        [python, "-c", "import frrlib; print(frrlib.__file__)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert library_path.startswith(str(machine))  # the wheel's, not this checkout's
    log, out = tmp_path / "dask.log", tmp_path / "out"
    with (
        running_scheduler(log, python) as address,
        running_process(log, *worker_command(address, python), MINIEDIT_FRR_KERNEL=str(kernel)) as worker,
    ):
        output = process_output(
            "sweep", topology_file(tmp_path, 1.0), "--out", str(out), *RATES, "--virtual-time", "--scheduler", address,
            cwd=tmp_path,
        )  # fmt: skip
        rows = table(out)
        assert [row["status"] for row in rows] == ["finished", "finished"], output
        assert {row["host"] for row in rows} == {f"{socket.gethostname()} ({worker.pid})"}
        for row in rows:
            assert 0.8 < float(row["goodput_mbit"]) / float(row["link:h1-h2.rate_mbit"]) < 0.96
