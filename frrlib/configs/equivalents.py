"""Lines of configurations whose meaning a lab would lose, in words that keep it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from frrlib.conf.text import ConfigEntry

#: An IPv4 address, with or without a prefix length, as a word of its own.
_IPV4 = re.compile(r"(?<!\S)\d{1,3}(?:\.\d{1,3}){3}(?=/|\s|$)")
#: Lines with text for people.
_FREE_TEXT = ("description ", "hostname ", "domainname ", "remark ", "banner ", "no description ")
#: FRR's defaults for data centers that routes depend on: the line, and the start of lines that state the setting.
_DATACENTER = (
    ("no bgp ebgp-requires-policy", "bgp ebgp-requires-policy"),
    ("bgp deterministic-med", "bgp deterministic-med"),
    ("timers bgp 3 9", "timers bgp"),
)


class Equivalents(NamedTuple):
    """Entries of a configuration in other words, and one sentence per change, without the router's name."""

    entries: tuple[ConfigEntry, ...]
    notes: tuple[str, ...]


def read_equivalents(entries: tuple[ConfigEntry, ...]) -> Equivalents:
    """The entries with FRR's defaults for data centers as lines of BGP, and without leading zeros in IPv4 addresses.

    A lab has FRR's traditional defaults. FRR itself refuses an address such as 10.0.0.001; it is read as decimal.
    """
    notes = []
    if any(entry.text == "frr defaults datacenter" for entry in entries):
        entries = tuple(_with_defaults(entry) for entry in entries if entry.text != "frr defaults datacenter")
        lines = ", ".join(f"`{line}`" for line, _ in _DATACENTER)
        notes.append(f"`frr defaults datacenter` is read as its lines of BGP: {lines}")
    padded = dict.fromkeys(_padded_addresses(entries))
    if padded:
        entries = tuple(map(_without_padding, entries))
        example = next(iter(padded))
        others = f", and {len(padded) - 1} more" if len(padded) > 1 else ""
        notes.append(f"FRR refuses addresses with leading zeros: {example} is read as {_decimal(example)}{others}")
    return Equivalents(entries, tuple(notes))


def _with_defaults(entry: ConfigEntry) -> ConfigEntry:
    if not entry.text.startswith("router bgp "):
        return entry
    stated = [line.text.removeprefix("no ") for line in entry.below]
    added = [ConfigEntry(line) for line, setting in _DATACENTER if not any(text.startswith(setting) for text in stated)]
    return replace(entry, below=(*added, *entry.below))


def _padded_addresses(entries: Iterable[ConfigEntry]) -> Iterable[str]:
    for entry in entries:
        if not entry.text.startswith(_FREE_TEXT):
            yield from (address for address in _IPV4.findall(entry.text) if address != _decimal(address))
        yield from _padded_addresses(entry.below)


def _without_padding(entry: ConfigEntry) -> ConfigEntry:
    below = tuple(map(_without_padding, entry.below))
    if entry.text.startswith(_FREE_TEXT):
        return replace(entry, below=below)
    return replace(entry, text=_IPV4.sub(lambda match: _decimal(match[0]), entry.text), below=below)


def _decimal(address: str) -> str:
    return ".".join(str(int(part)) for part in address.split("."))
