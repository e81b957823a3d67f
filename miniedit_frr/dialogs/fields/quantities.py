"""The quantities of `frrlib.model.quantities`, under a name in this room."""

from frrlib.model.quantities import (
    BDP,
    COUNT,
    NUMBER,
    PACKETS,
    PERCENT,
    RATE_MBIT,
    SIZE_BYTES,
    TIME_MS,
    TIME_S,
    TIME_US,
    WHOLE_MS,
    WHOLE_PERCENT,
    WHOLE_S,
    InvalidQuantity,
    Measure,
)

__all__ = [
    "BDP",
    "COUNT",
    "NUMBER",
    "PACKETS",
    "PERCENT",
    "RATE_MBIT",
    "SIZE_BYTES",
    "TIME_MS",
    "TIME_S",
    "TIME_US",
    "WHOLE_MS",
    "WHOLE_PERCENT",
    "WHOLE_S",
    "InvalidQuantity",
    "Measure",
]
