"""Ends a detached lab, and saves the configurations that its routers had."""

from __future__ import annotations

from frrlib.errors import LabFailed
from frrlib.lab.detached import DetachedLab
from frrlib.lab_server import place, register
from frrlib.lab_server.register import Card
from miniedit_frr.cli.config import save_final_configs


def end_lab(card: Card) -> None:
    """Run a lab's stop commands, remove all its processes and files, and save its final configurations."""
    try:
        with DetachedLab.of_card(card) as lab:
            lab.read_at_end = True  # the end of this block ends the lab
    except LabFailed:  # the lab is still being built, or does not reply
        place.end(register.folder_of(card.name))
        return
    save_final_configs(card.title or card.name, card.file, lab.end_configs)
