"""The variables of an exercise: values that differ from student to student.

They are drawn from the exercise's seed and the student's id alone, so that the student and the teacher get the same.
Texts name a variable in braces: `{as1}`. A network also has parts: `{lan1.1}` is its first host address, `{lan1.1/}`
the same with the prefix length, `{lan1.last}` the last host address, `{lan1.ip}`, `{lan1.length}` and `{lan1.mask}` the
parts of the network itself.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Annotated, Any, Literal

from pydantic import Field

from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.formulas import FormulaError, result_of
from frrlib.model.base import Short, Value

#: A variable with an optional part, in braces; braces around it make it plain text.
_NAMED = re.compile(r"\{(\{[a-z][a-z0-9_]*(?:\.[a-z0-9]+/?)?\})\}|\{([a-z][a-z0-9_]*)(?:\.([a-z0-9]+)(/?))?\}")
#: Maximum number of draws for a value that differs from others.
_MOST_DRAWS = 10_000

VariableName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
PrefixLength = Annotated[int, Field(ge=8, le=30)]
Drawn = int | float | str | IPv4Network


def as_template(text: str) -> str:
    """The template of a text without variables: braces that would name a variable are doubled."""
    return _NAMED.sub(lambda match: f"{{{match[0]}}}", text)


class Integer(Value):
    """A whole number from `lowest` to `highest`, in steps of `step`.

    Attributes:
        differs_from: variables with another value in every draw.
    """

    kind: Literal["integer"]
    lowest: int
    highest: int
    step: Annotated[int, Field(ge=1)] = 1
    differs_from: tuple[VariableName, ...] = ()


class Choice(Value):
    """One of several values.

    Attributes:
        values: the values; a text may contain earlier variables.
        differs_from: variables with another value in every draw.
    """

    kind: Literal["choice"]
    values: Annotated[tuple[int | float | Short, ...], Field(min_length=1)]
    differs_from: tuple[VariableName, ...] = ()


class RandomNetwork(Value):
    """An IPv4 network of a pool, which overlaps no other network of the exercise.

    Attributes:
        pool: a network that contains it.
        prefix_length: its prefix length, or several to choose from.
    """

    kind: Literal["network"]
    pool: IPv4Network
    prefix_length: PrefixLength | Annotated[tuple[PrefixLength, ...], Field(min_length=1)]


class Formula(Value):
    """A number that follows from earlier variables, such as `rate_mbit * 1e6 / 8 * rtt_ms / 1000`.

    Attributes:
        formula: numbers, names of variables, `+ - * / // % **` and parentheses. `lan1_length` is the prefix length of
            the network `lan1`.
    """

    kind: Literal["formula"]
    formula: Short


Variable = Annotated[Integer | Choice | RandomNetwork | Formula, Field(discriminator="kind")]


@dataclass(frozen=True)
class Variables:
    """The values of one student.

    Attributes:
        values: value by name.
    """

    values: Mapping[str, Drawn]

    def text(self, template: str, where: str = "") -> str:
        """A text with each variable replaced by its value.

        Args:
            template: the text; `{{as1}}` becomes `{as1}`.
            where: the text's file, for messages.

        Raises:
            ExerciseError: a variable does not exist, or has no such part.
        """
        return _NAMED.sub(lambda match: match[1] or str(self._named(match, where)), template)

    def json_value(self, value: Any, where: str = "") -> Any:
        """A value of JSON types with the variables in its texts replaced. A text that is one number becomes a number.

        Raises as `text`.
        """
        if isinstance(value, str):
            whole = _NAMED.fullmatch(value)
            named = self._named(whole, where) if whole and not whole[1] else None
            return named if isinstance(named, int | float) else self.text(value, where)
        if isinstance(value, list):
            return [self.json_value(element, where) for element in value]
        if isinstance(value, dict):
            return {self.text(key, where): self.json_value(inner, where) for key, inner in value.items()}
        return value

    def _named(self, match: re.Match[str], where: str) -> int | float | str:
        name, part, with_length = match[2], match[3], bool(match[4])
        if name not in self.values:
            known = ", ".join(self.values) or "none"
            raise ExerciseError(where, f"{match[0]} is no variable", f"the variables are: {known}")
        value = self.values[name]
        if part is None:
            return str(value) if isinstance(value, IPv4Network) else value
        text = _part_of(value, part) if isinstance(value, IPv4Network) else None
        if text is None or not isinstance(value, IPv4Network):
            raise ExerciseError(where, f"{match[0]}: {name} has no part {part}")
        return f"{text}/{value.prefixlen}" if with_length else text


def draw(variables: Mapping[str, Variable], seed: int, student: str) -> Variables:
    """The values of a student.

    Args:
        variables: variables by name; formulas and `differs_from` refer to earlier ones.
        seed: the exercise's seed.
        student: the student's id; capital and small letters, and blanks around it, make no difference.

    Raises:
        ExerciseError: a variable cannot be drawn.
    """
    values: dict[str, Drawn] = {}
    for name, variable in variables.items():
        values[name] = _draw_one(name, variable, numbers_of(seed, student, name), values)
    return Variables(values)


def numbers_of(seed: int, student: str, name: str) -> Iterator[int]:
    """Evenly distributed numbers for one thing that is drawn for a student, such as a variable."""
    return _numbers(f"{seed}\0{student.strip().lower()}\0{name}")


def _draw_one(name: str, variable: Variable, numbers: Iterator[int], earlier: Mapping[str, Drawn]) -> Drawn:
    where = f"variable {name}"
    if isinstance(variable, Formula):
        return _calculated(variable, earlier, where)
    excluded: set[Drawn] = set()
    if isinstance(variable, Integer | Choice):
        missing = [other for other in variable.differs_from if other not in earlier]
        if missing:
            raise ExerciseError(where, f"{missing[0]} is no earlier variable")
        excluded = {earlier[other] for other in variable.differs_from}
    networks = [value for value in earlier.values() if isinstance(value, IPv4Network)]
    for _ in range(_MOST_DRAWS):
        value = _candidate(variable, numbers, where)
        if isinstance(value, str):
            value = Variables(earlier).json_value(value, where)
        if isinstance(value, IPv4Network):
            if not any(value.overlaps(network) for network in networks):
                return value
        elif value not in excluded:
            return value
    raise ExerciseError(where, "no value is left that differs from the others", "choose a larger range")


def _candidate(variable: Integer | Choice | RandomNetwork, numbers: Iterator[int], where: str) -> Drawn:
    if isinstance(variable, Integer):
        count = (variable.highest - variable.lowest) // variable.step + 1
        if count < 1:
            raise ExerciseError(where, "highest is below lowest")
        return variable.lowest + variable.step * (next(numbers) % count)
    if isinstance(variable, Choice):
        return variable.values[next(numbers) % len(variable.values)]
    length = variable.prefix_length
    if not isinstance(length, int):
        length = length[next(numbers) % len(length)]
    if length < variable.pool.prefixlen:
        raise ExerciseError(where, f"{variable.pool} contains no network of prefix length {length}")
    index = next(numbers) % 2 ** (length - variable.pool.prefixlen)
    return IPv4Network((int(variable.pool.network_address) + index * 2 ** (32 - length), length))


def _calculated(variable: Formula, earlier: Mapping[str, Drawn], where: str) -> int | float:
    numbers: dict[str, int | float] = {}
    for name, value in earlier.items():
        if isinstance(value, IPv4Network):
            numbers[f"{name}_length"] = value.prefixlen
        elif not isinstance(value, str):
            numbers[name] = value
    try:
        result = result_of(variable.formula, numbers)
    except FormulaError as error:
        raise ExerciseError(where, str(error)) from None
    return int(result) if result == int(result) else result


def _part_of(network: IPv4Network, part: str) -> str | None:
    """A part of a network as text; None if it has no such part."""
    if part == "last":
        return str(network[-2])
    if part.isdecimal():
        number = int(part)
        return str(network[number]) if 0 < number < network.num_addresses - 1 else None
    texts = {"ip": network.network_address, "length": network.prefixlen, "mask": network.netmask}
    return str(texts[part]) if part in texts else None


def _numbers(key: str) -> Iterator[int]:
    """Evenly distributed numbers that depend on a text only, the same on every machine and in every version."""
    round_number = 0
    while True:
        yield int.from_bytes(hashlib.sha256(f"{key}\0{round_number}".encode()).digest()[:16], "big")
        round_number += 1
