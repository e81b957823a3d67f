"""Observations in a file, so that predictions can be compared with them again without labs: one JSON object a line."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from frrlib.formats.mn import dumps
from frrlib.model.topology import Topology
from tests.against_frr.observation import Observation


@dataclass(frozen=True)
class Record:
    """The observation of one network.

    Attributes:
        seed, kind: its seed and its kind, see `healthy_network`.
        digest: of its topology, see `digest_of`.
        observation: what FRR and the kernels reported.
    """

    seed: int
    kind: str
    digest: str
    observation: Observation


def digest_of(topology: Topology) -> str:
    """A short digest of a topology, which differs as soon as the generator makes another one from the same seed."""
    return hashlib.sha256(dumps(topology).encode()).hexdigest()[:16]


def write_records(path: Path, records: Iterable[Record]) -> None:
    """Write records, compressed, in the order of their seeds."""
    lines = []
    for record in sorted(records, key=lambda record: (record.seed, record.kind)):
        observation = record.observation
        routes = [[*key, sorted(prefixes)] for key, prefixes in sorted(observation.routes.items())]
        row = {
            "seed": record.seed,
            "kind": record.kind,
            "digest": record.digest,
            "routes": routes,
            "adjacencies": sorted(observation.adjacencies),
            "at_rest": observation.at_rest,
            "time_s": observation.time_s,
        }
        lines.append(json.dumps(row, separators=(",", ":")) + "\n")
    path.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))


def read_records(path: Path) -> Iterator[Record]:
    """The records of a file."""
    for line in gzip.decompress(path.read_bytes()).decode().splitlines():
        row = json.loads(line)
        routes = {(router, table): frozenset(prefixes) for router, table, prefixes in row["routes"]}
        adjacencies = frozenset(
            (router, protocol, neighbor, interface, vrf)
            for router, protocol, neighbor, interface, vrf in row["adjacencies"]
        )
        observation = Observation(routes, adjacencies, row["at_rest"], row["time_s"])
        yield Record(row["seed"], row["kind"], row["digest"], observation)
