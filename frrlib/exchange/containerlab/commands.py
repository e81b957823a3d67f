"""Commands of `exec` as steps with a meaning."""

from __future__ import annotations

from frrlib.exchange.containerlab.yaml_text import YamlValue
from frrlib.exchange.start_commands import commands
from frrlib.exchange.start_commands.commands import Step
from frrlib.formats.entry import path_text


def steps_of(command: YamlValue, own_place: str) -> list[Step]:
    """The steps of an entry of `exec`.

    Args:
        command: the entry.
        own_place: the list's name in messages.
    """
    place = f"{own_place}{path_text(command.path[-1:])}" if command.path else own_place
    return commands.steps_of(command.text(), place, command.line)
