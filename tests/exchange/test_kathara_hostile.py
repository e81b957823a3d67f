"""Hostile labs of Kathara are refused with file, line, error and remedy, within limits, and nothing is executed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from frrlib.errors import TopologyError
from frrlib.exchange import opening
from frrlib.exchange.kathara.startup import startup_steps

REFUSED = {
    "empty": ("", "lab.conf: is an empty file"),
    "no devices": ("LAB_NAME=x\n", "lab.conf: has no devices; write DEVICE[NUMBER]="),
    "no line": (
        'r1[0]="A"\nr1 = A\n',
        "line 2: lab.conf: has 'r1 = A', which is not a line of lab.conf; write DEVICE[",
    ),
    "path as a name": ('../r1[0]="A"\n', "line 1: lab.conf: has "),
    "quotes": ('r1[0]="A\n', "line 1: lab.conf: has '\"A', where the quotes do not match; as in"),
    "domain": ('r1[0]="A B"\n', "line 1: lab.conf: r1[0] is 'A B', not a collision domain; use letters"),
    "twice": ('r1[0]="A"\nr1[0]="B"\n', "line 2: lab.conf: r1[0] is set twice, first in line 1; number"),
    "number": ('r1[99999]="A"\n', "line 1: lab.conf: r1[99999] is no number of an interface; use a number below"),
    "zero byte": ('r1[0]="A"\nr2[0]="\0"\n', "line 2: lab.conf: has the character U+0000; remove it"),
    "devices": ("".join(f"d{n}[0]=A\n" for n in range(3002)), "line 3001: lab.conf: has more than 3000 devices"),
    "large": ("#" * (2**20 + 1), "lab.conf: is larger than 1 MiB"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_lab_conf_is_refused(name: str, tmp_path: Path) -> None:
    text, message = REFUSED[name]
    with pytest.raises(TopologyError) as caught:
        opening.loads(text.encode(), tmp_path / "lab.conf")
    assert message in str(caught.value) and str(caught.value).isprintable()


def test_files_that_cannot_be_read_are_refused_with_their_names(tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    (folder / "r1/etc/frr").mkdir(parents=True)
    (folder / "lab.conf").write_text('r1[0]="A"\n')
    secret = tmp_path / "secret.conf"
    secret.write_text("router ospf\n ospf router-id 9.9.9.9\n")

    def refusal(name: str) -> str:
        with pytest.raises(TopologyError) as caught:
            opening.load(folder)
        (folder / name).unlink()
        return str(caught.value)

    config, script = folder / "r1/etc/frr/frr.conf", folder / "r1.startup"
    config.symlink_to(secret)
    assert refusal("r1/etc/frr/frr.conf").startswith("r1/etc/frr/frr.conf: is outside of the folder of the topology")
    script.symlink_to(script)
    assert "r1.startup: " in refusal("r1.startup")
    script.write_bytes(b"true\n\0\n")
    assert refusal("r1.startup") == (
        "line 2: r1.startup: has control characters, and is not read; it must be a text file"
    )
    script.write_bytes(b"#" * 1_000_001)
    assert refusal("r1.startup").startswith("r1.startup: cannot be read: ")
    os.mkfifo(script)
    assert refusal("r1.startup").startswith("r1.startup: cannot be read: ")
    opening.load(folder)


def test_a_folder_that_is_a_link_or_deep_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "lab"
    deep = folder / "r1"
    for _ in range(40):
        deep = deep / "d"
    deep.mkdir(parents=True)
    (deep / "file").write_text("")
    (folder / "r1" / "up").symlink_to(folder)
    (folder / "r2").symlink_to("/etc")
    (folder / "lab.conf").write_text('r1[0]="A"\nr2[0]="A"\n')
    loaded = opening.load(folder)
    assert {node.name for node in loaded.topology.nodes} == {"r1", "r2"}
    shown = [problem.message for problem in loaded.warnings if problem.field in ("r1/", "r2/")]
    assert shown == ["files that a lab does not have: up"]


def test_nothing_is_executed_while_reading(tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    (tmp_path / "lab.conf").write_text(f'r1[0]="A"\nr1[exec]="touch {proof}"\n')
    (tmp_path / "r1.startup").write_text(f"$(touch {proof})\nip addr add $(touch {proof}) dev eth0\n")
    node = opening.load(tmp_path).topology.nodes[0]
    assert not proof.exists() and node.start_command.count(str(proof)) == 3


def test_blocks_of_a_script_stay_together() -> None:
    script = (
        "ip link set eth0 up\nif true; then\n  ip addr add 10.0.0.1/8 dev eth0\nfi\n"
        "cat <<END > /tmp/x\nip link set eth0 down\nEND\nf() {\n  true\n}\necho 'a\nb'\nip link \\\n  set eth1 up\n"
    )
    steps = startup_steps(script, "r1.startup")
    assert [(step.kind, step.line) for step in steps] == [
        ("up", 1), ("other", 2), ("other", 5), ("other", 8), ("other", 11), ("up", 13),
    ]  # fmt: skip
    # Work stays in proportion to the length of hostile scripts.
    for text in ("# " * 20_000, "' " * 20_000, "if x\n" * 20_000, "a=$(( " * 20_000, "<<E\n" * 20_000):
        assert all(step.kind == "other" for step in startup_steps(text, "x"))
