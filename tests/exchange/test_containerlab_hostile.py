"""Hostile files of containerlab are rejected with file, line, key, error and remedy, within limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.errors import TopologyError
from frrlib.exchange import opening
from frrlib.model.nodes import Router

BOMB = "topology:\n  nodes:\n    r1:\n      env:\n        a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"        a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 10)
)
REFUSED = {
    "aliases": (BOMB, "has more than 50000 values after its aliases are expanded"),
    "cycle": ("topology: &t\n  nodes:\n    r1: *t\n", "line 1: x.yml.topology.nodes.r1: contains itself by an alias"),
    "deep": ("topology: " + "[" * 100_000, "is nested more than 32 deep"),
    "deep block": ("- " * 5000 + "a", "is nested more than 32 deep"),
    "tag": (
        "topology: !!python/object/apply:os.system [ls]\n",
        "x.yml.topology: has the tag 'python/",
    ),
    "tag of a scalar": ("name: !!python/name:os.system x\ntopology:\n", "line 1: x.yml.name: has the tag"),
    "control": ("topology:\n  nodes:\n    r1: \x07\n", "line 3: x.yml: has the character U+0007; remove it"),
    "escaped control": (
        'topology: {nodes: {r1: {exec: ["a\\x1b[2J"]}}}',
        "r1.exec[0]: has the character U+001B",
    ),
    "no yaml": ("topology:\n  nodes: [a\n", "is not YAML"),
    "two documents": ("topology:\n---\ntopology:\n", "is not YAML"),
    "no topology": ("name: a\nnodes: {}\n", "has no topology; a file of containerlab has topology:"),
    "a list": ("- a\n", "is a list, not an object"),
    "nodes": ("topology:\n  nodes:\n    - r1\n", "line 3: x.yml.topology.nodes: is a list, not an object"),
    "exec": ("topology: {nodes: {r1: {exec: ls}}}", "topology.nodes.r1.exec: is 'ls', not a list; a list of texts"),
    "exec of objects": ("topology: {nodes: {r1: {exec: [{a: b}]}}}", "r1.exec[0]: is an object, not text"),
    "binds": ("topology: {nodes: {r1: {binds: {a: b}}}}", "r1.binds: is an object, not a list"),
    "inherited": ("topology: {defaults: {exec: [a]}, nodes: {r1: {exec: b}}}", "r1.exec: is 'b', and the inherited"),
    "double": ("topology:\n  nodes:\n    a:\n    a:\n", "line 4: x.yml.topology.nodes.a: stands twice"),
    "one end": (
        "topology: {nodes: {a: }, links: [{endpoints: ['a:e1']}]}",
        "has 1 endpoints; two, as in",
    ),
    "no interface": (
        "topology: {nodes: {a: }, links: [{endpoints: [a, 'a:e']}]}",
        "is 'a', not a node and",
    ),
    "no node": (
        "topology: {nodes: {a: }, links: [{endpoints: ['a:e', 'b:e']}]}",
        "refers to the node 'b'; add",
    ),
    "mtu": ("topology: {nodes: {a: }, links: [{endpoints: ['a:e', 'a:f'], mtu: big}]}", "mtu: is 'big', not an MTU"),
    "address": ("topology: {nodes: {a: }, links: [{endpoints: ['a:e', 'a:f'], ipv4: [x]}]}", "is 'x', not an address"),
    "template": ("topology:\n  nodes:\n{{ range . }}\n", "line 3: x.yml: is a template of Go; fill it in first"),
    "empty": ("# nothing\n", "is an empty file"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_file_is_refused(name: str, tmp_path: Path) -> None:
    text, message = REFUSED[name]
    with pytest.raises(TopologyError) as caught:
        opening.loads(text.encode(), tmp_path / "x.yml")
    assert message in str(caught.value) and "x.yml" in str(caught.value)
    assert str(caught.value).isprintable()


def test_a_large_file_is_refused_unparsed(tmp_path: Path) -> None:
    with pytest.raises(TopologyError, match="larger than 1 MiB"):
        opening.loads(b"#" * (2**20 + 1), tmp_path / "x.yml")


def test_files_outside_of_the_folder_are_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    folder.mkdir()
    secret = "router ospf\n ospf router-id 9.9.9.9\n"
    (tmp_path / "secret.conf").write_text(secret)
    (folder / "link.conf").symlink_to(tmp_path / "secret.conf")
    (folder / "frr").mkdir()
    (folder / "frr" / "frr.conf").symlink_to(tmp_path / "secret.conf")
    sources = ["../secret.conf", str(tmp_path / "secret.conf"), "~/secret.conf", "link.conf", "missing.conf"]
    targets = [f"{source}:/etc/frr/frr.conf" for source in sources] + ["frr:/etc/frr"]
    nodes = "".join(f"    r{n}: {{image: frr, binds: ['{target}']}}\n" for n, target in enumerate(targets))
    nodes += f"    last: {{image: frr, startup-config: {tmp_path / 'secret.conf'}}}\n"
    loaded = opening.loads(f"topology:\n  nodes:\n{nodes}".encode(), folder / "x.yml")
    assert all(isinstance(node, Router) and not node.frr_conf for node in loaded.topology.nodes)
    reasons = [problem.message for problem in loaded.warnings if problem.field in ("binds[0]", "startup-config")]
    assert len(reasons) == len(targets) + 1
    assert sum("outside of the folder" in reason for reason in reasons) == len(reasons) - 1  # one does not exist


def test_commands_with_invalid_values_run_at_the_start(tmp_path: Path) -> None:
    commands = [
        "ip link set eth1 address zz:zz:zz:zz:zz:zz", "ip addr add 999.1.1.1/24 dev eth1", "ip", "sysctl", "tc",
        "sysctl -w net.ipv4.tcp_ecn=9", "vtysh -c", "ip link add type vlan",
        "tc qdisc add dev eth1 root netem delay x", "ip link set eth1 mtu 1",
    ]  # fmt: skip
    for command in commands:
        text = f"topology: {{nodes: {{a: {{exec: ['{command}']}}}}, links: [{{endpoints: ['a:eth1', 'a:eth2']}}]}}"
        node = opening.loads(text.encode(), tmp_path / "x.yml").topology.node("a")
        assert node is not None and node.start_command == command


def test_nothing_is_executed_while_reading(tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    text = f'topology: {{nodes: {{a: {{exec: ["touch {proof}", "sh -c \\"touch {proof}; $(touch {proof})\\""]}}}}}}'
    loaded = opening.loads(text.encode(), tmp_path / "x.yml")
    assert not proof.exists()
    node = loaded.topology.node("a")
    assert node is not None and node.start_command == f"touch {proof}\ntouch {proof}; $(touch {proof})"
