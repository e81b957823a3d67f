"""Formulas of exercises, such as `rate_mbit * 1e6 / 8`: numbers and names, without any other part of Python."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

Number = int | float
#: Limits that keep a formula from computing for a long time.
_LONGEST, _LARGEST_EXPONENT = 500, 64

_BINARY: dict[type[ast.operator], Callable[[Number, Number], Number]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}


class FormulaError(ValueError):
    """A formula has no result; the text describes the reason."""


def result_of(formula: str, numbers: Mapping[str, Number]) -> Number:
    """The result of a formula.

    Args:
        formula: the formula.
        numbers: number by name.

    Raises:
        FormulaError: it is no formula, a name is unknown, or it has no finite result.
    """
    if len(formula) > _LONGEST:
        raise FormulaError(f"the formula is longer than {_LONGEST} characters")
    try:
        tree = ast.parse(formula.strip(), mode="eval")
        result = _value(tree.body, numbers)
        is_finite = math.isfinite(result)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError) as error:
        if isinstance(error, FormulaError):
            raise
        raise FormulaError(f"{formula!r} has no result: {error}") from None
    if not is_finite:
        raise FormulaError(f"{formula!r} has no finite result")
    return result


def _value(node: ast.expr, numbers: Mapping[str, Number]) -> Number:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name):
            if name not in numbers:
                raise FormulaError(f"{name} is no number; the numbers are: {', '.join(numbers) or 'none'}")
            return numbers[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, numbers)
        case ast.BinOp(op=ast.Pow(), left=left, right=right):
            base, exponent = _value(left, numbers), _value(right, numbers)
            if abs(exponent) > _LARGEST_EXPONENT or abs(base) > 2**32:
                raise FormulaError("a power of the formula is too large")
            power = base**exponent
            if isinstance(power, complex):
                raise FormulaError("a power of the formula is no real number")
            return float(power) if isinstance(power, float) else int(power)
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, numbers), _value(right, numbers))
        case _:
            raise FormulaError(f"{ast.unparse(node)!r} is no part of a formula")
