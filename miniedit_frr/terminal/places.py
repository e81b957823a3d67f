"""Output of the command line: the places of labs and their abilities, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from frrlib.place.base import Abilities
from frrlib.place.confinement.walls import walls
from miniedit_frr.terminal.markup import escape


def places_json(places: Sequence[Abilities]) -> dict[str, Any]:
    """The abilities of each place, for JSON."""
    return {
        abilities.place: {
            "available": abilities.available,
            "reason": abilities.reason,
            "remedy": abilities.remedy,
            "kernel": abilities.kernel,
            "qdiscs": sorted(abilities.qdiscs),
            "congestion_controls": sorted(abilities.congestion_controls),
            "device_types": sorted(abilities.device_types),
            "open_vswitch": abilities.open_vswitch,
            "cpu_limits": abilities.cpu_limits,
            "cpus": abilities.cpus,
            "external_interfaces": abilities.external_interfaces,
            "walls": [asdict(wall) for wall in walls(abilities.place)],
        }
        for abilities in places
    }


def print_places(console: Console, places: Sequence[Abilities]) -> None:
    """Print the abilities of each place, side by side."""
    table = Table("", *(abilities.place for abilities in places), show_lines=True)
    table.add_row("usable", *(_usable(abilities) for abilities in places))
    table.add_row("kernel", *(escape(abilities.kernel) for abilities in places))
    for title, name in (
        ("qdiscs", "qdiscs"),
        ("congestion control", "congestion_controls"),
        ("devices", "device_types"),
    ):
        table.add_row(title, *(" ".join(sorted(getattr(abilities, name))) for abilities in places))
    table.add_row("CPUs", *(str(abilities.cpus) if abilities.available else "" for abilities in places))
    for title, name in (
        ("Open vSwitch", "open_vswitch"),
        ("CPU limits", "cpu_limits"),
        ("external interfaces", "external_interfaces"),
    ):
        table.add_row(title, *("yes" if getattr(abilities, name) else "no" for abilities in places))
    table.add_row("walls", *(_walls(abilities) for abilities in places))
    console.print(table)


def _walls(abilities: Abilities) -> str:
    """The walls that confine a lab, as text: "all", or those that are missing. See docs/security.md."""
    missing = [wall for wall in walls(abilities.place) if not wall.stands]
    if not abilities.available:
        return ""
    if not missing:
        return "[green]all[/]"
    return "\n".join(f"[red]not[/]: {escape(wall.keeps)} (needs {escape(wall.needs)})" for wall in missing)


def _usable(abilities: Abilities) -> str:
    if abilities.available:
        return "[green]yes[/]"
    remedy = f"\n[bold]{escape(abilities.remedy)}[/]" if abilities.remedy else ""
    return f"[red]no[/]: {escape(abilities.reason)}{remedy}"
