"""The command line.

Commands for topologies: `miniedit-frr run FILE`, `check FILE`, `export FILE`, `script FILE`, `edit [FILE]`, `routing
PRESET FILE`, `verify FILE`, `sweep FILE`, `experiment`, `places`, `kernel`, `setup`. Commands for detached labs:
`start FILE`, `labs`, `exec`, `shell`, `vtysh`, `config`, `apply LAB FILE`, `fault`, `link`, `path`, `why`,
`ssh-config`. Commands for results: `rerun DIR`, `timeline DIR`, `packets DIR`, `plot DIR...`, `stats DIR...`,
`report DIR...`, `import-flent`, `export-flent`. Commands for courses: `exercise list`, `start`, `check`, `grade` and
others.

Exit status: 0 for success; 1 if the lab failed, or `check` found errors; 2 if the input is wrong; 3 if this machine
lacks something (the message has the command that installs it); 4 if `apply` changed a lab; 130 after Ctrl-C.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperGroup
from typer.main import get_group

from frrlib import __version__
from frrlib.system.loading import loading
from frrlib.system.signals import exit_on_sigterm

if TYPE_CHECKING:
    from typer.core import TyperCommand

#: All commands in the order of the help, with their modules. A module is imported when its command is used.
_MODULES = {
    "run": "measured_run", "export": "export", "script": "export", "edit": "edit", "places": "kernels",
    "check": "checks", "start": "detached.start", "labs": "detached.labs", "exec": "detached.nodes",
    "shell": "detached.nodes", "vtysh": "detached.nodes", "ssh-config": "detached.nodes", "ssh-proxy": "detached.nodes",
    "config": "config", "routing": "routing", "topotest": "topotests", "apply": "apply", "fault": "fault",
    "link": "link", "path": "path", "why": "why", "timeline": "timelines", "packets": "packets", "plot": "plot",
    "stats": "plot", "export-flent": "flent", "import-flent": "flent", "report": "report", "rerun": "rerun",
    "verify": "verify", "sweep": "sweep", "kernel": "kernels", "experiment": "experiment",
    "exercise": "exercises.exercise", "setup": "setup",
}  # fmt: skip
#: The default of flags that typer adds: typer would convert None to a Boolean value, for which it imports pydantic.
_UNSET = {"help": False}
_DEFAULTS = {**_UNSET, "install_completion": False, "show_completion": False, **dict.fromkeys(_MODULES, _UNSET)}


class CommandTable(TyperGroup):
    """All commands, each of which is imported only when it is needed."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """The names of all commands."""
        return list(_MODULES)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> TyperCommand | TyperGroup | None:  # type: ignore[override]
        """The command with this name; None if no command has it."""
        if cmd_name in _MODULES and cmd_name not in self.commands:
            self.commands.update(_commands_of(_MODULES[cmd_name]))
        return self.commands.get(cmd_name)  # type: ignore[return-value]


@cache
def _commands_of(module: str) -> dict[str, TyperCommand | TyperGroup]:
    """The commands of a module, by their names."""
    commands = typer.Typer(pretty_exceptions_enable=False, callback=lambda: None)
    with loading():
        import_module(f"miniedit_frr.cli.{module}").add_to(commands)
    return dict(get_group(commands).commands)  # type: ignore[arg-type]


app = typer.Typer(
    cls=CommandTable,
    no_args_is_help=True,
    context_settings={"default_map": _DEFAULTS},
    pretty_exceptions_enable=False,
    help="Draw, run and measure labs of hosts, switches and FRR routers, without root.",
)


def _print_version(is_requested: bool) -> None:
    if is_requested:
        sys.stdout.write(f"miniedit-frr {__version__}\n")
        raise typer.Exit


@app.callback()
def _general(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options before every command."""


def main() -> None:
    """The console script. SIGTERM ends the program as Ctrl-C does, so that the lab is stopped and cleaned up."""
    exit_on_sigterm()
    app()


if __name__ == "__main__":
    main()
