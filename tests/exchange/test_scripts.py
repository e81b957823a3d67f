"""Shell scripts of other programs' files are read as commands with a meaning, and nothing in them is executed."""

from __future__ import annotations

from pathlib import Path

import pytest

from frrlib.exchange.assembly import script_steps

SCRIPT = """\
#!/bin/bash
cd /usr/lib/frr
./watchfrr zebra bgpd &
# addresses
ip addr add 10.0.0.1/24 dev eth0
vtysh << EOF
conf t
router ospf
 ospf router-id 1.1.1.1
! the end
end
EOF
iptables -F
ip route add default via 10.0.0.254; sysctl -w net.ipv4.ip_forward=1
echo "
ip addr add 10.9.9.9/24 dev eth9
" > /tmp/proof-of-a-script
bash
"""


def test_commands_of_a_script_are_steps_and_the_rest_is_one_command() -> None:
    steps = script_steps(SCRIPT, "start.sh", 3)
    assert [(step.kind, step.values) for step in steps[:-1]] == [
        ("vtysh", ("router ospf", "ospf router-id 1.1.1.1")),
        ("address", ("eth0", "10.0.0.1/24")),
        ("route", ("0.0.0.0/0", "10.0.0.254", "")),
        ("sysctl", ("net.ipv4.ip_forward", "1")),
    ]
    rest = 'iptables -F\necho "\nip addr add 10.9.9.9/24 dev eth9\n" > /tmp/proof-of-a-script'
    assert (steps[-1].kind, steps[-1].text) == ("other", rest)
    assert {(step.place, step.line) for step in steps} == {("start.sh", 3)}
    assert not Path("/tmp/proof-of-a-script").exists()


@pytest.mark.parametrize(
    "script", ["while true; do\n date\ndone\n", "a() {\n ip addr add 10.0.0.1/24 dev eth0\n}\na\n"]
)
def test_a_script_with_control_structures_is_one_command_in_a_shell_of_its_own(script: str) -> None:
    [step] = script_steps(script, "start.sh")
    lines = [line.strip() for line in script.splitlines()]
    assert step.kind == "other" and step.text.splitlines() == ["(", *lines, ")"]


def test_a_script_that_only_starts_frr_has_no_commands() -> None:
    assert script_steps("#!/bin/sh\n/usr/lib/frr/frrinit.sh start\nexec bash\n", "start.sh") == []
