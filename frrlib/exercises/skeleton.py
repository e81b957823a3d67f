"""A small complete exercise with comments, from which authors start: `miniedit-frr exercise new`."""

from __future__ import annotations

from ipaddress import IPv4Interface
from pathlib import Path

from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.exercise import FILE, SOLUTION, START
from frrlib.formats import mn
from frrlib.formats.files import replace_file
from frrlib.model.links import End, Link
from frrlib.model.nodes import Host
from frrlib.model.topology import Topology

_TOML = """# An exercise. docs/exercises.md explains every line; `miniedit-frr exercise test .` tries the exercise.
version = 1
title = "My exercise"
aims = ["You can give addresses to two hosts."]
minutes = 10
# Another number gives all students other values.
seed = 1

# Values that differ from student to student. Texts and topologies name them in braces: {lan}, {lan.10}, {lan.10/}.
[variables.lan]
kind = "network"
pool = "192.168.0.0/16"
prefix_length = [24, 25]

[[chapters]]
id = "addresses"              # the reference state is solution/addresses.mn
title = "Addresses"
text = "addresses.md"

[[chapters.checks]]
id = "h1-address"
kind = "address"
title = "h1 has its address"
node = "h1"
address = "{lan.10/}"
message = "h1 has another address or prefix length than the task asks for."

[[chapters.checks]]
id = "h2-address"
kind = "address"
title = "h2 has its address"
node = "h2"
address = "{lan.20/}"
message = "h2 has another address or prefix length than the task asks for."

[[chapters.checks]]
id = "ping"
kind = "ping"
title = "h1 reaches h2"
points = 2
source = "h1"
destination = "{lan.20}"
needs = ["h1-address", "h2-address"]   # made only if both hold
message = "The addresses are right, but packets do not arrive."

[[chapters.hints]]
price = 1
text = "A click on the link shows the addresses of both ends."
"""
_PAGE = """# Addresses

Give h1 the address {lan.10} and h2 the address {lan.20}, both in the network {lan}. Then run
`miniedit-frr exercise check`.
"""
#: Addresses that stand for variables while the topology is written.
_SAMPLES = {"192.0.2.10/24": "{lan.10/}", "192.0.2.20/24": "{lan.20/}"}


def write_skeleton(folder: Path) -> None:
    """Write a new exercise, which passes its test.

    Raises:
        ExerciseError: the folder exists already.
        PlaceError: it cannot be written.
    """
    if folder.exists():
        raise ExerciseError(str(folder), "exists already", "choose another name")
    solution = mn.dumps(_two_hosts(*_SAMPLES))
    for sample, variable in _SAMPLES.items():
        solution = solution.replace(sample, variable)
    (folder / SOLUTION).mkdir(parents=True)
    texts = {FILE: _TOML, START: mn.dumps(_two_hosts()), "addresses.md": _PAGE, f"{SOLUTION}/addresses.mn": solution}
    for name, text in texts.items():
        replace_file(folder / name, text.encode())


def _two_hosts(*addresses: str) -> Topology:
    stated: list[tuple[IPv4Interface, ...]] = [(IPv4Interface(address),) for address in addresses] or [(), ()]
    hosts = (Host(name="h1", x=200, y=200, number=1), Host(name="h2", x=400, y=200, number=2))
    ends = [End(node=host.name, addresses=own) for host, own in zip(hosts, stated, strict=True)]
    return Topology(title="My exercise", nodes=hosts, links=(Link(id="l1", a=ends[0], b=ends[1]),))
