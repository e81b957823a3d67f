"""The names of places where labs run, and a description of each in a few words."""

from __future__ import annotations

from enum import StrEnum


class PlaceName(StrEnum):
    """The places that may be asked for, in the order in which people are shown them."""

    AUTO = "auto"
    NAMESPACE = "namespace"
    LABKERNEL = "labkernel"
    ROOT = "root"

    @property
    def about(self) -> str:
        """The place in a few words."""
        return _ABOUT[self]


_ABOUT = {
    PlaceName.AUTO: "the first suitable place",
    PlaceName.NAMESPACE: "this machine's kernel, no root",
    PlaceName.LABKERNEL: "a kernel of its own, no root",
    PlaceName.ROOT: "this machine's kernel, for root",
}
