"""Configurations of earlier runs are stored, up to a maximum number."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.conf.running import ConfigReplies, RunningConfig, config_from_replies
from frrlib.configs import history

START = "hostname r1\n"
CONFIGS = {
    "r1": RunningConfig("r1", START, "hostname r1\nip route 10.0.0.0/8 Null0\n"),
    "r2": RunningConfig("r2", START, START),
}


def test_a_stored_run_is_read_again(tmp_path: Path) -> None:
    run = history.keep(tmp_path / "below", "two: as/bgp", CONFIGS, "/x/y.mn")
    assert run is not None
    assert history.kept_runs(tmp_path / "below") == [run]
    assert (run.title, run.file, run.changed) == ("two: as/bgp", "/x/y.mn", ("r1",))
    assert sorted(path.name for path in run.folder.iterdir()) == ["r1.conf", "r1.end.conf", "r2.conf", "run.json"]
    assert history.read_configs(run.folder) == CONFIGS
    history.forget(run)
    assert history.kept_runs(tmp_path / "below") == []


def test_the_number_of_stored_runs_is_limited_and_other_files_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MOST", 3)
    (tmp_path / "rubbish").mkdir()
    (tmp_path / "rubbish" / "run.json").write_text("[]")
    runs = [history.keep(tmp_path, "t", CONFIGS) for _ in range(5)]
    kept = history.kept_runs(tmp_path)
    assert len(kept) == 3
    assert all(run in runs for run in kept)
    assert history.keep(tmp_path, "t", {}) is None
    assert history.kept_runs(tmp_path / "nowhere") == []


def test_a_silent_daemon_has_its_written_or_initial_text() -> None:
    start = {"zebra": "hostname r1\n", "bgpd": "router bgp 1\n bgp router-id 1.1.1.1\n"}
    silent = {"bgpd": "does not run"}
    now = {"zebra": "hostname r1\nip nht resolve-via-default\n"}
    config = config_from_replies("r1", ConfigReplies(start, now, silent))
    assert [change.line for change in config.typed()] == ["ip nht resolve-via-default"]
    assert config.silent == ("bgpd does not run",)
    written = ConfigReplies(start, now, silent, {"frr.conf": "hostname r1\nrouter bgp 1\n bgp router-id 2.2.2.2\n"})
    assert sorted((change.kind, change.line) for change in config_from_replies("r1", written).typed()) == [
        ("added", "bgp router-id 2.2.2.2"),
        ("added", "ip nht resolve-via-default"),
        ("removed", "bgp router-id 1.1.1.1"),
    ]
