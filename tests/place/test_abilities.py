"""Results of the probe, compared with the configuration of the kernels and with their module files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import pytest

from frrlib.place import labkernel, probe, probe_program
from frrlib.place.base import Abilities
from frrlib.place.labkernel import LabKernel
from frrlib.place.namespace import Namespace

#: Qdisc or device type to the option that builds it in.
_OPTIONS = {
    "netem": "NET_SCH_NETEM",
    "fq": "NET_SCH_FQ",
    "cake": "NET_SCH_CAKE",
    "tbf": "NET_SCH_TBF",
    "red": "NET_SCH_RED",
    "htb": "NET_SCH_HTB",
    "vrf": "NET_VRF",
    "dummy": "DUMMY",
    "veth": "VETH",
    "bridge": "BRIDGE",
    "bbr": "TCP_CONG_BBR",
    "vegas": "TCP_CONG_VEGAS",
}


def _configuration() -> dict[str, str]:
    for path in (Path("/proc/config.gz"), Path(f"/boot/config-{os.uname().release}")):
        if path.exists():
            data = path.read_bytes()
            text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
            return dict(line.split("=", 1) for line in text.splitlines() if line.startswith("CONFIG_"))
    pytest.skip("the running kernel does not tell its configuration")


def _all(abilities: Abilities) -> frozenset[str]:
    return abilities.qdiscs | abilities.device_types | abilities.congestion_controls


@pytest.mark.lab
def test_namespace_probes_the_running_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    configuration = _configuration()
    abilities = Namespace().abilities(refresh=True)
    assert abilities.available, abilities.reason
    assert abilities.kernel == os.uname().release
    for name, option in _OPTIONS.items():
        built = configuration.get(f"CONFIG_{option}", "n")
        if built in "yn":  # a module may or may not be loadable
            assert (name in _all(abilities)) == (built == "y"), name


@pytest.mark.lab
def test_a_namespace_can_use_the_allowed_congestion_controls_by_default() -> None:
    abilities = Namespace().abilities()
    allowed = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control").read_text(encoding="ascii").split()
    assert abilities.default_congestion_controls == set(allowed)
    assert abilities.default_congestion_controls <= abilities.congestion_controls


def test_an_unknown_congestion_control_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A researcher's own algorithm is in the kernel's list, and in none of ours."""
    monkeypatch.setattr(probe_program, "CONTROLS", ())
    folder = Path("/proc/sys/net/ipv4")
    allowed = folder / ("tcp_available_congestion_control" if os.geteuid() == 0 else "tcp_allowed_congestion_control")
    assert sorted(probe_program.controls()) == sorted(allowed.read_text().split()) != []


@pytest.mark.lab
def test_labkernel_finds_the_modules_of_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    place = LabKernel()
    folder = labkernel.MODULES / labkernel.kernel_release(place.kernel())
    if not folder.is_dir():
        pytest.skip("this lab kernel has no modules")
    abilities = place.abilities(refresh=True)
    assert abilities.available, abilities.reason
    files = {path.stem for path in folder.rglob("*.ko")}
    tried = {"netem", "fq", "fq_codel", "cake", "tbf", "htb", "red", "pie", "fq_pie", "sfq", "prio", "hfsc"}
    assert {name for name in tried if f"sch_{name}" in files} == tried & abilities.qdiscs
    controls = {path.removeprefix("tcp_") for path in files if path.startswith("tcp_")}
    assert abilities.congestion_controls & {"bbr", "vegas", "westwood"} == controls & {"bbr", "vegas", "westwood"}
    assert ("vrf" in abilities.device_types) == ("vrf" in files)
    assert ("mpls" in abilities.device_types) == ("mpls_router" in files)
    monkeypatch.setattr(place, "start", None)
    assert place.abilities() == abilities, "the second answer did not come from the cache"


class Never:
    """A place that cannot start."""

    name = "never"

    def start(self, program: object) -> Any:
        from frrlib.errors import PlaceError

        raise PlaceError("there is no such thing", "buy one")


def test_a_failure_is_reported_and_not_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    abilities = probe.abilities(Never())
    assert (abilities.available, abilities.reason, abilities.remedy) == (False, "there is no such thing", "buy one")
    assert not list(tmp_path.rglob("*.json"))


def test_a_damaged_cache_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    path = probe._cache_file("never", probe._key("never", None))
    path.parent.mkdir(parents=True)
    for text in ("", "{", "[]", '{"place": "never"}'):
        path.write_text(text)
        assert not probe.abilities(Never()).available


def test_a_missing_or_invalid_kernel_is_reported(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        abilities = LabKernel(path).abilities()
        assert not abilities.available and str(path) in abilities.reason
