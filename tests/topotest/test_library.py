"""Functions that tests in FRR's style import: comparisons, waiting, kernel features and versions."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from frrlib.topotest import kernel_features, versions
from frrlib.topotest.config import entry
from frrlib.topotest.lib import bgp, topotest
from frrlib.topotest.retry import retry


@pytest.mark.parametrize(
    ("actual", "expected", "fits"),
    [
        ({"a": 1, "b": 2}, {"a": 1}, True),
        ({"a": 1}, {"a": 2}, False),
        ({"a": 1}, {"a": 1, "b": None}, True),
        ({"a": 1, "b": 2}, {"b": None}, False),
        ({"a": "x"}, {"a": "*"}, True),
        ([{"a": 1}, {"b": 2}], [{"b": 2}], True),
        ([1, 2], ["__ordered__", 2, 1], False),
        ([1, 2], ["__ordered__", 1, 2], True),
        ({"up": True}, {"up": 1}, True),
        ({"up": True}, {"up": 0}, False),
    ],
)
def test_json_is_compared_by_the_rules_of_topotests(actual: object, expected: object, fits: bool) -> None:
    assert (topotest.json_cmp(actual, expected) is None) is fits


def test_exact_allows_no_further_keys() -> None:
    difference = topotest.json_cmp({"a": 1, "b": 2}, {"a": 1}, exact=True)
    assert difference is not None
    assert difference.has_errors()
    assert "b" in str(difference)


def test_waiting_ends_at_success_or_returns_the_last_result() -> None:
    results = iter([1, 2, 3, 4])
    assert topotest.run_and_expect(lambda: next(results), 3, count=10, wait=0) == (True, 3)
    assert topotest.run_and_expect(lambda: next(results), 3, count=1, wait=0) == (False, 4)
    assert topotest.run_and_expect_type(lambda: "x", str, count=1, wait=0, avalue="y") == (False, "x")


def test_texts_are_compared_without_their_white_space() -> None:
    assert topotest.normalize_text("a \t b  \r\n\n c \n") == "a b\n\n c"
    assert topotest.difflines("a\nb", "a\nb\n") == ""
    assert "+c" in topotest.difflines("a\nb", "a\nc")


@pytest.mark.parametrize(
    ("version", "compared_version", "order"), [("8.4.4", "8.5", -1), ("8.4", "8.4.0", 0), ("10.1-dev", "9", 1)]
)
def test_versions(version: str, compared_version: str, order: int) -> None:
    assert versions.compare(version, compared_version) == order
    assert versions.satisfies(version, "<=", compared_version) is (order <= 0)


def test_a_word_is_not_a_version() -> None:
    with pytest.raises(ValueError, match="no version"):
        versions.compare("new", "8")


def test_kernel_features_that_a_directory_needs(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text('"ip link add red type vrf table 10"', encoding="utf-8")
    assert kernel_features.devices(tmp_path) == {"vrf"}
    (tmp_path / "ldpd.conf").write_text("mpls ldp\n router-id 1.1.1.1\n", encoding="utf-8")
    assert kernel_features.devices(tmp_path) == {"vrf", "mpls"}


def test_shared_folders_are_searched_for_kernel_features(tmp_path: Path) -> None:
    (tmp_path / "shared" / "r1").mkdir(parents=True)
    (tmp_path / "shared" / "r1" / "pimd.conf").write_text("interface r1-eth0\n ip pim\n", encoding="utf-8")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "r1").symlink_to("../shared/r1")
    assert kernel_features.devices(tmp_path / "mine") == {"pimreg"}


def test_retry_treats_a_returned_text_as_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frrlib.topotest.retry.INTERVAL_S", 0)
    outcomes: list[object] = ["not yet", True]

    @retry(retry_timeout=60)
    def verify() -> object:
        return outcomes.pop(0)

    assert verify() is True
    outcomes += [True, "gone"]
    assert verify(expected=False) == "gone"


def test_existing_best_paths_are_verified() -> None:
    paths = [{"locPrf": 500}, {"locPrf": 600, "bestpath": True}]

    class Router:
        def vtysh_cmd(self, command: str, isjson: bool) -> object:
            return {"routes": {"10.0.0.0/8": paths, "11.0.0.0/8": [{"locPrf": 100}]}}

    class Network:
        def routers(self) -> dict[str, Router]:
            return {"r1": Router()}

    routes_by_router = {"r2": {"static_routes": [{"network": ["10.0.0.0/8", "11.0.0.0/8"]}]}}
    judge = functools.partial(
        bgp.verify_best_path_as_per_bgp_attribute, Network(), "ipv4", "r1", routes_by_router, "locPrf"
    )
    assert judge(retry_timeout=0) is True
    paths.append({"locPrf": 700})
    assert judge(retry_timeout=0) == "r1: the best path to 10.0.0.0/8 has locPrf 600, not 700"


def test_saved_lines_are_restored() -> None:
    saved_config = "hostname r1\nrouter bgp 1\n neighbor 10.0.0.2 remote-as 2\nexit\n"
    running_config = "hostname r1\nip route 10.0.0.0/8 Null0\nrouter bgp 1\nexit\n"
    lines = [line.strip() for line in entry.restoring_lines(running_config, saved_config)]
    assert "no ip route 10.0.0.0/8 Null0" in lines
    assert lines[lines.index("router bgp 1") + 1] == "neighbor 10.0.0.2 remote-as 2"
    assert entry.restoring_lines(saved_config, saved_config) == []
