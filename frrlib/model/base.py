"""The base of all values: frozen, strict, compared by content.

A value is either valid or cannot be constructed. Values do not check whether they fit *together* (two nodes of one
name, a link to a missing node). `check` does that, so that an unfinished topology is still a value.
"""

from __future__ import annotations

import json
from ipaddress import IPv4Address, IPv4Interface, IPv6Address, IPv6Interface, ip_address
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
#: Maximum length of an interface name in the kernel (IFNAMSIZ less the final zero byte).
INTERFACE_NAME_LENGTH = 15
#: Pattern of an ID that becomes part of a file's name or of a text in a window.
NO_PATH = r"^[^\x00-\x1f\x7f/]+$"
#: Maximum length of a one-line text, of a node's label, and of a file's path.
SHORT, LONGEST_LABEL, LONGEST_PATH = 255, 1000, 4095

#: One-line text: an address, a number, an external name. A longer text is a mistake or malicious: a widget as wide as
#: the text would exceed the limits of the X server and end the window.
Short = Annotated[str, StringConstraints(max_length=SHORT)]
#: The lines below a node.
Label = Annotated[str, StringConstraints(max_length=LONGEST_LABEL)]
#: Path of a file or folder (PATH_MAX).
PathText = Annotated[str, StringConstraints(max_length=LONGEST_PATH)]
NodeName = Annotated[str, StringConstraints(min_length=1, max_length=64)]
InterfaceName = Annotated[str, StringConstraints(max_length=64)]
Percent = Annotated[float, Field(ge=0, le=100, allow_inf_nan=False)]
Milliseconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False)]


def is_address(text: str) -> bool:
    """Whether a text is an IP address."""
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _canonical_object(text: str) -> str:
    """The JSON object in canonical form, in which equal objects have equal text."""
    if not text:
        return ""
    try:
        value = json.loads(text)
        if not isinstance(value, dict):
            raise ValueError("is not an object")
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False) if value else ""
    except RecursionError:
        raise ValueError("is nested too deeply") from None


#: Unknown keys of a file: JSON text of an object with sorted keys; empty for none.
ForeignKeys = Annotated[str, AfterValidator(_canonical_object)]


class Value(BaseModel):
    """A frozen value that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)


class KindOfValue(Value):
    """One of several kinds of values, distinguished by a field `kind`."""

    @model_serializer(mode="wrap")
    def _with_its_kind(self, serialize: SerializerFunctionWrapHandler) -> dict[str, Any]:
        # A file omits defaults, but never the kind, since the kind decides how the other fields are parsed.
        return {"kind": type(self).model_fields["kind"].default, **serialize(self)}


def first_fault(problem: ValidationError) -> tuple[str, str]:
    """The first error of a validation: the dotted field and the message."""
    first = problem.errors(include_url=False)[0]
    # A part with a bracket names all members of a union.
    field = ".".join(str(part) for part in first["loc"] if "[" not in str(part))
    return field, first["msg"].removeprefix("Value error, ")
