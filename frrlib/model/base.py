"""The base of all values: frozen, strict, compared by content.

A value is made whole or not at all. Whether values fit *together* (two nodes of one name, a link to nowhere) is not
their own business: `check` says that, so that a half-finished drawing is still a value.
"""

from __future__ import annotations

import json
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    ValidationError,
    model_serializer,
)

#: An interface's address with its prefix length, such as 10.0.0.1/16 or 2001:db8::1/64.
Address = IPv4Interface | IPv6Interface
#: An address alone.
IpAddress = IPv4Address | IPv6Address
#: Length of an interface name that the kernel takes (IFNAMSIZ less the final zero byte).
INTERFACE_NAME_LENGTH = 15
#: What an id is made of that becomes part of a file's name or of a window's words.
NO_PATH = r"^[^\x00-\x1f\x7f/]+$"
#: Longest text of a value that stands in one line, label of a node, and path of a file.
SHORT, LONGEST_LABEL, LONGEST_PATH = 255, 1000, 4095

#: A word or a few that stand in one line: an address, a number, a name of something outside. A longer one is a mistake
#: or malice: a widget that was to show all of it would end the window, as of an X server's sizes.
Short = Annotated[str, StringConstraints(max_length=SHORT)]
#: As many lines as fit below a node.
Label = Annotated[str, StringConstraints(max_length=LONGEST_LABEL)]
#: Of a file or folder (PATH_MAX).
PathText = Annotated[str, StringConstraints(max_length=LONGEST_PATH)]
NodeName = Annotated[str, StringConstraints(min_length=1, max_length=64)]
InterfaceName = Annotated[str, StringConstraints(max_length=64)]
Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
Milliseconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def _canonical_object(text: str) -> str:
    """The same JSON object in the one form that makes equal objects equal text."""
    if not text:
        return ""
    try:
        value = json.loads(text)
        if not isinstance(value, dict):
            raise ValueError("is not an object")
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False) if value else ""
    except RecursionError:
        raise ValueError("is nested too deeply") from None


#: Keys of a file that are not ours: JSON text of an object, its keys sorted; empty for none.
ForeignKeys = Annotated[str, AfterValidator(_canonical_object)]


class Value(BaseModel):
    """A frozen value that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


class KindOfValue(Value):
    """One of several kinds of values, told apart by a field `kind`."""

    @model_serializer(mode="wrap")
    def _with_its_kind(self, others: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # What a file leaves out because it is usual must not be the word by which the rest is read.
        return {"kind": type(self).model_fields["kind"].default, **others(self)}


def first_fault(problem: ValidationError) -> tuple[str, str]:
    """The first of what makes a value none: the field, dotted, and why."""
    first = problem.errors(include_url=False)[0]
    return ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
