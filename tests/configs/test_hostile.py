"""Configurations from untrusted folders are imported as text, or rejected by name."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from frrlib.checks.check import check
from frrlib.conf.changes import apply_changes, as_own_lines, difference
from frrlib.conf.merge import merged
from frrlib.conf.sidebyside import side_by_side
from frrlib.conf.text import config_text, formatted, parse
from frrlib.configs.folders import export_folder, import_configs, read_folder
from frrlib.configs.history import kept_runs, read_configs
from frrlib.errors import LabFailed, TopologyError
from frrlib.formats import mn
from frrlib.model.nodes import Router
from tests.configs.topologies import two_routers
from tests.example_counts import examples
from tests.rounds import ROOT
from tests.strategies import hostile

#: The configurations of all golden topologies: each protocol with all of its settings.
GOLDEN = [path.read_bytes() for path in sorted((ROOT / "tests/data/golden").glob("*.conf"))]
_PIECES = tuple(
    piece.encode("utf-8", "surrogateescape")
    for piece in (
        "\n", "\n ", "\nexit\n", "\nend\n", "\nexit-address-family\n", "\n!\n", "\nno ", " no", "\r\n", "\t", "\0",
        "\udcff", "interface r1-eth0\n", "interface lo\n ip address 10.9.9.9/32\n", "interface\n", "interface  \n",
        "hostname\n", "hostname \u00a0\n", "router bgp\n", "router bgp 65001\n", "address-family ipv4 unicast\n",
        "vrf red\n", "vrf\n", "ip route\n", "ip route 10.0.0.0/8\n", "ip route 10.0.0.0/33 10.0.0.2\n",
        "ip address 1.2.3.4/99\n", " 99999999999 ", "9" * 400, " -1 ", "neighbor\n", "neighbor 10.0.0.2\n",
        "neighbor 10.0.0.2 remote-as x\n", "\u2028", "\x85", "\x1b[2J", "key chain\n", "route-map\n", "route-map M\n",
        "segment-routing\n", "address-family\n", "\u202e", "\u0663",
    )
)  # fmt: skip
CONFIGURED = st.sampled_from(GOLDEN).flatmap(lambda data: hostile.torn(data, _PIECES))
TEXTS = CONFIGURED.map(lambda data: data.decode("utf-8", "replace"))


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS)
def test_a_damaged_configuration_is_imported(text: str) -> None:
    imported = import_configs(two_routers(), {"r1": text})
    assert imported.configured == ("r1",)
    check(imported.topology)
    assert mn.loads(mn.dumps(imported.topology)).topology == imported.topology
    assert import_configs(imported.topology, {"r1": text}).topology == imported.topology


@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.too_slow])
@given(TEXTS, st.sampled_from(GOLDEN).map(bytes.decode))
def test_a_damaged_configuration_is_compared_with_another(text: str, other: str) -> None:
    formatted(text)
    for before, after in ((text, other), (other, text)):
        changes = difference(before, after)
        apply_changes(before, changes)
        merged(before, as_own_lines(changes))
        side_by_side(before, after)


FILE_NAMES = st.sampled_from(
    ["r1/frr.conf", "r1/zebra.conf", "r1/ospfd.conf", "r2/bgpd.conf", "r2.conf", "r9.conf", "r9/frr.conf", "a b.conf",
     ".conf", "..conf", "-x.conf", "h1.conf", "é\u202e.conf", "\udcff.conf", "x" * 200 + ".conf", "frr.conf/frr.conf",
     "\n.conf", "\x1b[2J/frr.conf", "r1/vtysh.conf", "r1/frr.conf/frr.conf"]
)  # fmt: skip


@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(FILE_NAMES, CONFIGURED, max_size=3))
def test_an_untrusted_folder_is_imported_or_rejected(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "etc"
        folder.mkdir()
        for path, data in files.items():
            target = folder / path
            if not any(parent.is_file() for parent in (target.parent, target.parent.parent)) and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        try:
            configs = read_folder(folder)
        except TopologyError as error:
            if str(folder) not in str(error):
                raise AssertionError("the message does not name the folder") from error
            return
        for add in (False, True):
            imported = import_configs(two_routers(), configs, add=add)
            check(imported.topology)
            assert mn.loads(mn.dumps(imported.topology)).topology == imported.topology
        assert export_folder(import_configs(two_routers(), configs).topology, Path(name) / "out")


@settings(max_examples=examples(60))
@given(st.dictionaries(st.sampled_from(["r1.conf", "r1.end.conf", "run.json", "a/run.json"]), st.binary(max_size=40)))
@example({"a/run.json": b"[" * 100_000})
def test_configurations_of_earlier_runs_are_read_or_skipped(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "a").mkdir()
        for path, data in files.items():
            (Path(name) / path).write_bytes(data)
        kept_runs(Path(name))
        try:
            read_configs(Path(name))
        except LabFailed:
            return


@pytest.mark.parametrize("name", ["r1/frr.conf", "r2.conf"])
def test_a_pipe_is_no_configuration(name: str, tmp_path: Path) -> None:
    (tmp_path / "r1").mkdir()
    (tmp_path / "r9.conf").write_text("hostname r9\n")
    os.mkfifo(tmp_path / name)
    assert set(read_folder(tmp_path)) == {"r9"}


def test_parsed_configurations_are_written_and_parsed_again() -> None:
    for data in GOLDEN:
        assert parse(config_text(parse(data.decode()))) == parse(data.decode())


def test_a_very_long_configuration_is_imported_as_text() -> None:
    """Lines are looked up in a table. A search for each line would take minutes."""
    lines = [f"ip route 10.{index >> 8}.{index & 255}.0/24 10.0.0.2" for index in range(5000)]
    topology = import_configs(two_routers(), {"r1": "\n".join(lines)}).topology
    router = topology.node("r1")
    assert isinstance(router, Router)
    assert (router.static_routes, router.frr_conf.count("ip route ")) == ((), len(lines))


@pytest.mark.parametrize("link", ["r1", "r1/frr.conf", "r1.conf"])
def test_links_out_of_the_folder_are_rejected_and_links_within_are_followed(tmp_path: Path, link: str) -> None:
    (outside := tmp_path / "home").mkdir()
    (outside / "frr.conf").write_text("hostname secret\n")
    (folder := tmp_path / "configs").mkdir()
    (folder / link).parent.mkdir(exist_ok=True)
    (folder / link).symlink_to(outside if link == "r1" else outside / "frr.conf")
    with pytest.raises(TopologyError, match=r"symbolic link to .*home/frr\.conf, outside of the folder") as refused:
        read_folder(folder)
    assert "secret" not in str(refused.value)
    (folder / link).unlink()
    (folder / "r2").mkdir()
    (folder / "r2" / "frr.conf").write_text("hostname r2\n")
    (folder / link).symlink_to(folder / "r2" if link == "r1" else folder / "r2" / "frr.conf")
    (alias := tmp_path / "alias").symlink_to(folder)
    assert read_folder(alias) == {"r1": "hostname r2\n", "r2": "hostname r2\n"}


def test_the_total_size_of_configurations_is_limited(tmp_path: Path) -> None:
    for number in range(17):
        with (tmp_path / f"r{number}.conf").open("wb") as file:
            file.truncate(3_999_999)
    with pytest.raises(TopologyError, match="more than 64 MB together"):
        read_folder(tmp_path)
