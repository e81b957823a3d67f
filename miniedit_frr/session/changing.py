"""Another topology for the running lab: its differences from the lab, and their change in the lab."""

from __future__ import annotations

from dataclasses import dataclass

from frrlib.changes.comparison import Change
from frrlib.errors import LabError, LabFailed
from frrlib.lab.lab import Lab
from frrlib.model.labels import error_words
from frrlib.model.topology import Topology


@dataclass(frozen=True)
class LabDifference:
    """The differences of a topology from the running lab.

    Attributes:
        changes: the changes that would make them equal; empty if there is nothing to do.
        error: the error of the topology that prevents the comparison; empty for none.
    """

    changes: tuple[Change, ...] = ()
    error: str = ""

    @property
    def refusals(self) -> tuple[Change, ...]:
        """The changes that the lab cannot follow."""
        return tuple(change for change in self.changes if change.refusal)


@dataclass(frozen=True)
class ChangedLab:
    """A lab that was changed.

    Attributes:
        changes: the changes that were made.
        drawn: its topology now, with all names and addresses.
        warnings: node to a warning of the change, and other warnings under an empty name.
        failed_commands: node to the reason why its start command failed.
        links_down: links without carrier.
    """

    changes: tuple[Change, ...]
    drawn: Topology
    warnings: tuple[tuple[str, str], ...] = ()
    failed_commands: tuple[tuple[str, str], ...] = ()
    links_down: frozenset[str] = frozenset()


def compare(lab: Lab, topology: Topology) -> LabDifference:
    """Compare a topology with the running lab. Nothing is changed."""
    try:
        return LabDifference(lab.apply(topology, dry_run=True))
    except LabError as error:
        return LabDifference(error=error_words(error, topology))


def apply(lab: Lab, topology: Topology) -> ChangedLab:
    """Change the running lab into the lab of a topology.

    Raises:
        LabFailed: the lab stays as it was; the message names nodes and fields as the dialogs do.
    """
    earlier_warnings = set(lab.warnings)
    try:
        changes = lab.apply(topology)
    except LabError as error:
        raise LabFailed(error_words(error, topology)) from error
    new_warnings = [text for text in lab.warnings if text not in earlier_warnings]
    names = {node.name for node in lab.topology.nodes}
    down = set(lab.faults_now()["links_down"]) | {link.id for link in lab.drawn.links if not link.up}
    return ChangedLab(
        changes,
        lab.drawn,
        tuple(_by_node(text, names) for text in new_warnings),
        tuple(lab.failed_commands.items()),
        frozenset(down),
    )


def _by_node(warning: str, names: set[str]) -> tuple[str, str]:
    """A warning with the node that it begins with; without a node, an empty name and the whole text."""
    name, _, text = warning.partition(": ")
    return (name, text) if name in names else ("", warning)
