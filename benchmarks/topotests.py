"""Runs FRR's own topotests, unmodified, in labs without root, and writes a table of what came of each directory.

    python benchmarks/topotests.py /path/to/frr/tests/topotests [NAME...]

The tree is FRR's (https://github.com/FRRouting/frr), of the version that is installed. Results are kept in a folder, a
file of JSON for each directory, so that single directories can be run again.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from frrlib.topotest.runner import DirectoryOutcome, TopotestSettings, run_directory  # noqa: E402

#: What tests may need beyond FRR: what their programs say then, and whether it is here. Without it they are not run,
#: but told in the table.
NEEDS: dict[str, tuple[str, Callable[[], bool]]] = {
    "ExaBGP 3.4": (r"add_exabgp_peer", lambda: shutil.which("exabgp") is not None),
    "SNMP": (r"snmptest|RD_SNMP|SnmpTester", lambda: False),
    "gRPC": (r"grpc", lambda: False),
    "scapy": (r"scapy_send|from scapy", lambda: importlib.util.find_spec("scapy") is not None),
}
#: A person's findings on directories that do not pass. The lab kernel of the table is `kernel build`'s, of Linux 6.1;
#: Debian's user-mode-linux lacks SRv6's routes and multicast tables of VRFs, which four more want.
WHY = {
    "bgp_auth": "took longer than the 420 s that it was given",
    "bgp_default_originate": "the library: several links to one neighbor, some settings of VRFs",
    "bfd_vrflite_topo1": "root: the test writes to this machine's own /proc/sys (udp_l3mdev_accept), not to a router's",
    "bgp_gr_restart_retain_routes": "the kernel: `ip route` prints `nhid 6`, which kernels before Linux 5.3 did not; "
    "the test compares the whole line",
    "bgp_peer_type_multipath_relax": "root: the test creates its pipes in this machine's own /var/run, out of the "
    "lab's sight",
    "bgp_recursive_route_ebgp_multi_hop": "the kernel: Linux refuses an IPv6 route by a gateway on `lo` (`No route to "
    "host`), which the test has zebra set; also outside of labs, and in the lab kernel",
    "ospfapi": "the test looks for ospfclient.py in FRR's built source tree",
}
#: The remark on directories that pass, but not every time.
SOMETIMES = {
    "bgp_local_as_private_remove": "failed in one of three runs: the test reads a route too early (`KeyError`)",
    "config_timing": "failed in one of three runs: the test compares how long two programs took",
    "ospf6_topo1_vrf": "failed in two of six runs: ospf6d 8.4 as an area border router does not announce the routes "
    "that it knew before its second area came up (FRRouting/frr#11302, fixed in FRR 8.5)",
}
#: The meaning of the results, above the table.
LEGEND = (
    "A directory is `skipped` if all of its tests were; the reason is that of the first one. Many tests create routes",
    "by `sharpd`, which Debian's package of FRR lacks. `needs lib.NAME` names a helper that is not offered. A",
    "directory is `not run` if it needs something that labs do not offer at all (SNMP, gRPC) or that was not",
    "installed (scapy), or if it was not tried to its end because it takes long. All were run with a lab kernel built",
    "by `miniedit-frr kernel build`: directories of an earlier table in one go, three at a time; later ones four at a",
    "time, with 420 s each. ExaBGP 3.4 and the Python 2 that it needs were put on the `PATH` for this; the project",
    "itself needs neither. Five directories were run again, because that Python was not found at first.",
)
#: Directories that are no tests.
_NOT_TESTS = ("lib", "docker", "example_test", "example_topojson_test")


def needs_of(folder: Path) -> str:
    """What a directory needs and this machine lacks; empty for nothing."""
    text = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.glob("test_*.py")))
    return ", ".join(name for name, (pattern, here) in NEEDS.items() if re.search(pattern, text) and not here())


def is_generated(folder: Path) -> bool:
    """Whether its configurations are made by programs from a file of JSON."""
    return any("common_config" in path.read_text(encoding="utf-8") for path in folder.glob("test_*.py"))


def directories(tree: Path, names: list[str]) -> list[Path]:
    """The directories with tests; those with written configurations first, for they take less time."""
    found = [path for path in sorted(tree.iterdir()) if list(path.glob("test_*.py")) and path.name not in _NOT_TESTS]
    found = [path for path in found if not names or path.name in names]
    return sorted(found, key=is_generated)


def row(outcome: DirectoryOutcome) -> dict[str, Any]:
    """The stored result of a directory."""
    return {
        "passed": outcome.passed,
        "failed": outcome.failed,
        "skipped": outcome.skipped,
        "seconds": round(outcome.took_s, 1),
        "result": "passed" if outcome.ok and outcome.passed else "skipped" if outcome.ok else "failed",
        "reasons": [reason[:200] for reason in outcome.reasons[:6]],
        "uid": os.geteuid(),
        "places": list(outcome.places),
    }


def not_run(reason: str) -> dict[str, Any]:
    """The same of a directory that was not run."""
    return {"passed": 0, "failed": 0, "skipped": 0, "seconds": 0, "result": "not run", "reasons": [reason]}


class Kept:
    """The stored results of directories: a file for each, so that several runs may go on side by side."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def __contains__(self, name: str) -> bool:
        return (self.folder / f"{name}.json").exists()

    def keep(self, name: str, row: dict[str, Any]) -> None:
        """Store the result of a directory."""
        (self.folder / f"{name}.json").write_text(json.dumps(row, indent=1, sort_keys=True), encoding="utf-8")

    def rows(self) -> dict[str, dict[str, Any]]:
        """Everything, by directory."""
        return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(self.folder.glob("*.json"))}


def circumstances(rows: Iterable[dict[str, Any]], settings: str) -> str:
    """As whom and where the directories were run, as a sentence or two."""
    uids = Counter(each["uid"] for each in rows)
    names = {uid: "root" if uid == 0 else f"an ordinary user (uid {uid})" for uid in uids}
    who = ", ".join(f"{count} as {names[uid]}" for uid, count in uids.items())
    places = Counter("+".join(each["places"]) or "no lab" for each in rows)
    where = ", ".join(f"{name}: {count}" for name, count in places.most_common())
    return f"{'All' if len(uids) == 1 else 'Run'} {who}. Places, by number of directories: {where}. {settings}"


def table(rows: dict[str, dict[str, Any]], version: str, settings: str) -> str:
    """The page, as Markdown."""
    ran = {name: each for name, each in rows.items() if each["result"] != "not run"}
    results = [each["result"] for each in ran.values()]
    tests = {kind: sum(each[kind] for each in ran.values()) for kind in ("passed", "failed", "skipped")}
    lines = [
        f"# FRR's topotests {version} in labs without root",
        "",
        "Made by `benchmarks/topotests.py`: each directory of FRR's tree, unmodified, run by `miniedit-frr topotest`.",
        "",
        circumstances(list(ran.values()), settings),
        "",
        f"Of {len(rows)} directories {len(ran)} were run: {results.count('passed')} pass, {results.count('failed')} "
        f"fail, {results.count('skipped')} skip all of their tests. Of their tests {tests['passed']} pass, "
        f"{tests['failed']} fail, {tests['skipped']} are skipped.",
        "",
        *LEGEND,
        "",
        "| directory | result | passed | failed | skipped | seconds | place | reason |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for name, each in sorted(rows.items()):
        said = SOMETIMES.get(name, "")
        if each["result"] != "passed":
            known = WHY.get(name, "") if each["result"] != "not run" else ""
            said = known or "; ".join(each["reasons"][:2])
        numbers = [str(each[kind]) for kind in ("passed", "failed", "skipped", "seconds")]
        where = "+".join(each.get("places", []))
        cells = [name, each["result"], *numbers, where, said.replace("|", "\\|").replace("\n", " ")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path, help="FRR's tests/topotests")
    parser.add_argument("names", nargs="*", help="directories (all)")
    parser.add_argument("--place", default="auto", help="where labs run")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds for each directory (600)")
    parser.add_argument("--jobs", type=int, default=1, help="directories at a time (1)")
    parser.add_argument("--missing", action="store_true", help="only those that have no result yet")
    parser.add_argument("--table-only", action="store_true", help="run nothing, write the table")
    parser.add_argument("--version", default="", help="of the tree, for the table's title")
    parser.add_argument("--kept", type=Path, default=Path("topotests"), help="folder of results (topotests)")
    parser.add_argument("--logs", action="store_true", help="leave the logs of what fails, and name them")
    parser.add_argument("--out", type=Path, help="file for the table")
    return parser.parse_intermixed_args()


def main() -> int:
    """Run the tests that the command line names; 1 if a directory failed."""
    given = arguments()
    kept = Kept(given.kept)
    settings = TopotestSettings(place=given.place, timeout_s=given.timeout, quiet=True)

    def run(folder: Path) -> None:
        if given.missing and folder.name in kept:
            return
        if missing := needs_of(folder):
            kept.keep(folder.name, not_run(f"needs {missing}"))
            return
        outcome = run_directory(folder, settings)
        kept.keep(folder.name, row(outcome))
        print(folder.name, json.dumps(row(outcome)), (given.logs and outcome.logs) or "", flush=True)
        if outcome.logs is not None and not given.logs:
            shutil.rmtree(outcome.logs, ignore_errors=True)

    if not given.table_only:
        with ThreadPoolExecutor(given.jobs) as pool:
            list(pool.map(run, directories(given.tree, given.names)))
    rows = {folder.name: not_run("not tried") for folder in directories(given.tree, [])} | kept.rows()
    if given.out:
        said = f"At most {given.timeout:g} s for each."
        given.out.write_text(table(rows, given.version, said), encoding="utf-8")
    return int(any(each["result"] == "failed" for each in rows.values()))


if __name__ == "__main__":
    sys.exit(main())
