"""The place `namespace`: a lab on the running kernel, in user namespaces, without root and at full speed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from frrlib.kernels import libraries
from frrlib.place.base import Abilities, Program
from frrlib.place.confinement import file_tree
from frrlib.place.launch import LabLaunch, write_start_file
from frrlib.place.machine import PYTHON
from frrlib.place.plans import InitPlan
from frrlib.place.sandbox import SupervisedSandbox
from frrlib.places import PlaceName

_COMMAND = Path(__file__).parent / "enter" / "command.py"
_TERMINAL = Path(__file__).parent / "enter" / "terminal.py"


class NamespaceLab(SupervisedSandbox):
    """A lab in namespaces of the running kernel.

    Args:
        launched: the started lab.
        helper: the compiled `kernel/enter.c`, with which commands enter the lab.
    """

    def __init__(self, launch: LabLaunch, helper: Path) -> None:
        self._helper = helper  # the port forwarders, which enter at once, need it
        super().__init__(launch)

    def pipe_argv(self, argv: Sequence[str], node: str = "") -> list[str]:
        """The command of this machine that runs `argv` in the lab, or in a node of it, with its standard streams."""
        return self._entering(_COMMAND, node, argv)

    def terminal_argv(self, argv: Sequence[str] = (), node: str = "") -> list[str]:
        """The command of this machine that opens an interactive terminal on `argv` (a shell) in the lab."""
        return self._entering(_TERMINAL, node, argv or ["/bin/bash"])

    def _entering(self, script: Path, node: str, argv: Sequence[str]) -> list[str]:
        return [PYTHON, "-I", "-S", str(script), str(self._helper), str(self.pid), node, *argv]


class Namespace:
    """Labs in namespaces of the running kernel."""

    name = PlaceName.NAMESPACE.value

    def abilities(self, refresh: bool = False) -> Abilities:
        """Its abilities on this machine. They come from the cache unless `refresh` is set or the kernel changed."""
        from frrlib.place import probe

        return probe.abilities(self, refresh)

    def start(self, program: Program) -> SupervisedSandbox:
        """Start a lab and return when its first program is about to run.

        Raises:
            PlaceError: user namespaces are forbidden here, the folders of `program` cannot be shown, or there is no
                compiler for the program with which commands enter the lab.
        """
        helper = libraries.program("enter")
        with LabLaunch(self.name, program) as launch:
            init_plan = InitPlan(
                place=self.name,
                module=program.module,
                site_count=len(program.site),
                wire=launch.far_wire,
                kernel=None,
            )
            boot = write_start_file(launch.scratch.path, init_plan, file_tree.CODE)
            for name, path in libraries.for_daemons(in_namespaces=True).items():
                shutil.copyfile(path, boot / f"{name}.so")
            launch.launch(launch.plan(listening_sockets()))
        return NamespaceLab(launch, helper)


def listening_sockets() -> list[str]:
    """The paths of this machine's listening UNIX sockets."""
    paths = []
    try:
        text = Path("/proc/net/unix").read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return []
    for line in text.splitlines()[1:]:
        words = line.split(None, 7)
        if len(words) == 8 and words[7].startswith("/"):
            paths.append(os.path.realpath(words[7]))
    return sorted(set(paths))
