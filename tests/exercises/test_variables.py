"""Variables: drawn from seed and student id, never in conflict, and named in texts."""

from __future__ import annotations

import hashlib
from ipaddress import IPv4Network, ip_network

import pytest
from pydantic import TypeAdapter

from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.formulas import FormulaError, result_of
from frrlib.exercises.variables import Variable, Variables, draw

_ADAPTER: TypeAdapter[Variable] = TypeAdapter(Variable)


def variables(**fields: dict[str, object]) -> dict[str, Variable]:
    """Variables from their settings."""
    return {name: _ADAPTER.validate_python(value) for name, value in fields.items()}


AS = {"kind": "integer", "lowest": 100, "highest": 109}


def test_a_number_follows_from_seed_and_id_by_sha256() -> None:
    drawn = draw(variables(as1=AS), 7, "ada").values["as1"]
    digest = hashlib.sha256(b"7\0ada\0as1\0" + b"0").digest()
    assert drawn == 100 + int.from_bytes(digest[:16], "big") % 10


def test_the_same_student_gets_the_same_and_others_get_others() -> None:
    table = variables(lan={"kind": "network", "pool": "10.0.0.0/8", "prefix_length": 24})
    assert draw(table, 1, " Ada ").values == draw(table, 1, "ada").values
    assert len({draw(table, 1, f"s{number}").values["lan"] for number in range(50)}) > 45
    assert draw(table, 1, "ada").values != draw(table, 2, "ada").values


@pytest.mark.parametrize("student", [f"s{number}" for number in range(30)])
def test_networks_do_not_overlap_and_numbers_differ(student: str) -> None:
    net = {"kind": "network", "pool": "10.0.0.0/28", "prefix_length": [30, 29]}
    table = variables(a=net, b=net, c=AS | {"highest": 101}, d=AS | {"highest": 101, "differs_from": ["c"]})
    values = draw(table, 3, student).values
    first, second = values["a"], values["b"]
    assert isinstance(first, IPv4Network) and isinstance(second, IPv4Network)
    assert not first.overlaps(second)
    assert first.subnet_of(ip_network("10.0.0.0/28"))  # type: ignore[arg-type]
    assert {values["c"], values["d"]} == {100, 101}


def test_impossible_draws_are_reported() -> None:
    with pytest.raises(ExerciseError, match="variable b: no value is left"):
        draw(variables(a=AS | {"highest": 100}, b=AS | {"highest": 100, "differs_from": ["a"]}), 1, "x")
    with pytest.raises(ExerciseError, match="z is no earlier variable"):
        draw(variables(b=AS | {"differs_from": ["z"]}), 1, "x")


def test_a_formula_uses_earlier_variables() -> None:
    table = variables(
        rate_mbit={"kind": "choice", "values": [10]},
        rtt_ms={"kind": "choice", "values": [40.0]},
        lan={"kind": "network", "pool": "10.0.0.0/8", "prefix_length": 26},
        bdp_bytes={"kind": "formula", "formula": "rate_mbit * 1e6 / 8 * rtt_ms / 1e3"},
        hosts={"kind": "formula", "formula": "2 ** (32 - lan_length) - 2"},
    )
    values = draw(table, 1, "x").values
    assert (values["bdp_bytes"], values["hosts"]) == (50_000, 62)
    assert str(values["bdp_bytes"]) == "50000"


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        ("__import__('os')", "is no part of a formula"),
        ("rate.real", "is no part of a formula"),
        ("9 ** 9 ** 9", "too large"),
        ("1 / 0", "division by zero"),
        ("(", "has no result"),
        ("1 if 1 else 2", "is no part of a formula"),
        ("True", "is no part of a formula"),
        ("unknown", "the numbers are: rate"),
        ("1e308 * 10", "no finite result"),
        ("-" * 400 + "1", ""),
        ("+".join("1" * 300), "longer than"),
    ],
)
def test_a_formula_is_no_program(formula: str, reason: str) -> None:
    if not reason:
        assert result_of(formula, {}) == 1
        return
    with pytest.raises(FormulaError, match=reason):
        result_of(formula, {"rate": 1})


LAN = Variables({"lan": IPv4Network("10.1.2.0/24"), "as1": 65001, "word": "red"})


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{lan} {lan.1} {lan.10/} {lan.last}", "10.1.2.0/24 10.1.2.1 10.1.2.10/24 10.1.2.254"),
        ("{lan.ip} {lan.mask} {lan.length}", "10.1.2.0 255.255.255.0 24"),
        ("AS {as1}, {word}", "AS 65001, red"),
        ("{{as1}} { x } {} {1} {A}", "{as1} { x } {} {1} {A}"),
    ],
)
def test_texts_name_variables(template: str, text: str) -> None:
    assert LAN.text(template) == text


@pytest.mark.parametrize("template", ["{lann}", "{lan.0}", "{lan.255}", "{lan.x}", "{as1.1}", "{word.ip}"])
def test_an_unknown_variable_or_part_is_an_error(template: str) -> None:
    with pytest.raises(ExerciseError, match=r"page\.md"):
        LAN.text(template, "page.md")


def test_a_number_in_json_stays_a_number() -> None:
    value = {"asn": "{as1}", "a": ["{lan.1/}", "x {as1}", 5, None], "{word}": True}
    assert LAN.json_value(value) == {"asn": 65001, "a": ["10.1.2.1/24", "x 65001", 5, None], "red": True}
