"""Frozen records that the processes of a lab send to each other, with a strict reader.

A record is a class with annotated fields, as a frozen data class is. `dataclasses` would take half of the supervisor's
start, since it imports `inspect`, and `typing` would cost the first program of a lab kernel 20 ms. Therefore this
module imports neither. Standard library only.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_options):
        return lambda base: base


class RecordError(ValueError):
    """A field of a record is missing, unknown or of the wrong type."""


@dataclass_transform(kw_only_default=True, frozen_default=True)
class PlanRecord:
    """The base of all records. All fields are required, and keywords name them.

    The module of a record must not postpone annotations, since they are read here. A field may be a `str`, `int`,
    `float`, `bool`, another record, a tuple of any length (`tuple[str, ...]`), or one of these or None.

    Raises:
        RecordError: the names of the values are not those of the fields.
    """

    def __init__(self, **values: Any) -> None:
        _check_names(type(self), values)
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

    def replace(self, **changes: Any) -> Self:
        """Return a copy with other values in some fields. Raises RecordError for an unknown field."""
        return type(self)(**{**self.__dict__, **changes})

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as values of JSON."""
        return {name: _plain(value) for name, value in self.__dict__.items()}

    @classmethod
    def from_dict(cls, values: object) -> Self:
        """Read a record from values of JSON.

        Raises:
            RecordError: a field is missing, unknown or of the wrong type.
        """
        record: Self = _read_record(cls, values, cls.__name__)
        return record


def _check_names(record: type[PlanRecord], values: dict[str, Any]) -> None:
    fields = record.__annotations__
    for problem, names in (("missing", fields.keys() - values.keys()), ("unknown", values.keys() - fields.keys())):
        if names:
            raise RecordError(f"{record.__name__}: {problem} field {', '.join(sorted(names))}")


def _plain(value: Any) -> Any:
    if isinstance(value, PlanRecord):
        return value.to_dict()
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _read_record(record: type[Any], values: object, path: str) -> Any:
    if type(values) is not dict:
        raise RecordError(f"{path}: {type(values).__name__} instead of a record")
    _check_names(record, values)
    fields = record.__annotations__
    return record(**{name: _read(fields[name], values[name], f"{path}.{name}") for name in fields})


def _read(kind: Any, value: Any, path: str) -> Any:
    """Read one value of JSON. `kind` is the annotation of its field, and `path` names the field in errors."""
    origin = getattr(kind, "__origin__", None)
    arguments: Any = getattr(kind, "__args__", ())
    if origin is tuple and type(value) is list:
        return tuple(_read(arguments[0], item, f"{path}[{index}]") for index, item in enumerate(value))
    if origin is None and arguments:  # `Kind | None`
        return None if value is None else _read(arguments[0], value, path)
    if origin is None and issubclass(kind, PlanRecord):
        return _read_record(kind, value, path)
    if kind is float and type(value) is int:
        return float(value)
    if type(value) is not kind:
        raise RecordError(f"{path}: {type(value).__name__} instead of {getattr(kind, '__name__', kind)}")
    return value
