"""`miniedit-frr config`: FRR configurations that were changed on routers, imported or exported, without a window."""

from __future__ import annotations

import shlex
import sys
from difflib import unified_diff
from pathlib import Path
from typing import Annotated

import typer

from frrlib.conf.changes import as_own_lines
from frrlib.conf.running import RunningConfig
from frrlib.conf.text import formatted
from frrlib.configs.adoption import take_over
from frrlib.configs.folders import export_folder, import_configs, read_folder
from frrlib.configs.history import history_folder, keep, kept_runs, read_configs
from frrlib.errors import LabError, LabFailed
from frrlib.exchange import opening
from frrlib.lab.detached import join_lab
from frrlib.lab_server import register
from frrlib.model.nodes import Router
from frrlib.model.topology import Topology
from frrlib.results import layout
from miniedit_frr.cli.exits import FAILED, exit_with, report_errors, stderr
from miniedit_frr.cli.options import AsJson, Routers, TopologyFile, print_json

config_app = typer.Typer(no_args_is_help=True, help="Read, adopt, import and export configurations of FRR.")

Source = Annotated[
    str,
    typer.Argument(metavar="[LAB|RESULTS]", help="A running lab or a results folder (default: the only running lab)."),
]


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.add_typer(config_app, name="config")


@config_app.command()
def show(
    source: Source = "",
    router: Annotated[str, typer.Argument(metavar="[ROUTER]", help="Router (default: all).")] = "",
    start: Annotated[bool, typer.Option("--start", help="Show the configuration at the start of the lab.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the running configuration of a lab's routers: `config show r1`."""
    if source and not router and not Path(source).is_dir() and source not in [card.name for card in register.labs()]:
        source, router = "", source  # a router of the only lab
    with report_errors():
        configs = _of_routers(_read(source)[0], [router] if router else None)
    texts = {name: config.start if start else config.now for name, config in configs.items()}
    if as_json:
        print_json(texts)
        return
    for name, text in texts.items():
        sys.stdout.write(text if router else f"! ---- {name}\n{text}")


@config_app.command()
def changes(source: Source = "", router: Routers = None) -> None:
    """Print the changes that were made on the routers since the start of the lab, as a diff."""
    with report_errors():
        configs = _of_routers(_read(source)[0], router)
    for name, config in configs.items():
        if config.typed():
            start_lines, current_lines = (formatted(text).splitlines(True) for text in (config.start, config.now))
            sys.stdout.writelines(
                unified_diff(start_lines, current_lines, f"{name}: at the start", f"{name}: now", n=2)
            )


@config_app.command(name="take", hidden=True)  # the former name
@config_app.command()
def adopt(
    file: TopologyFile,
    source: Annotated[
        str,
        typer.Option(
            "--from", metavar="LAB|RESULTS", help="A running lab or a results folder (default: the only running lab)."
        ),
    ] = "",
    router: Routers = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the lines that would be copied.")] = False,
) -> None:
    """Copy the changes that were made on the routers of a lab into a topology file."""
    with report_errors():
        topology = opening.load(file).topology
        configs, built_topology = _read(source)
        configs = _of_routers(configs, router)
        typed_changes = {name: config.typed() for name, config in configs.items() if config.typed()}
        foreign = [name for name in typed_changes if not isinstance(topology.node(name), Router)]
        if dry_run:
            for name, router_changes in typed_changes.items():
                sys.stdout.write(f"! ---- {name}\n{as_own_lines(router_changes)}")
            return
        updated = take_over(topology, typed_changes, built_topology)
        if updated != topology:
            _save(file, updated)
    for name in foreign:
        _say(f"{name} is not a router in {file}; its changes are not copied")
    count = sum(len(router_changes) for name, router_changes in typed_changes.items() if name not in foreign)
    if not count:
        _say("there are no other changes" if foreign else "there are no changes")
    elif updated == topology:
        _say(f"{file} already has all changes")
    else:
        _say(f"{count} {'change' if count == 1 else 'changes'} copied into {file}")


@config_app.command(name="import")
def import_(
    file: TopologyFile,
    folder: Annotated[Path, typer.Argument(help="Folder with r1/frr.conf, r1/zebra.conf and others, or r1.conf.")],
    add: Annotated[bool, typer.Option("--add", help="Add routers that are not in the topology.")] = False,
) -> None:
    """Import a folder of FRR configurations into the routers of a topology, by name."""
    with report_errors():
        outcome = import_configs(opening.load(file).topology, read_folder(folder), add=add)
        _save(file, outcome.topology)
    for note in outcome.notes:
        _say(note)
    for name in outcome.missing:
        _say(f"{name} is not in the topology; its configuration is skipped (--add adds the router)")
    if outcome.without:
        _say(f"the folder has no configuration for {', '.join(outcome.without)}")
    _say(f"configurations of {', '.join(outcome.configured) or 'no router'} copied into {file}")
    if not outcome.configured:
        raise typer.Exit(FAILED)


@config_app.command()
def export(
    file: TopologyFile,
    folder: Annotated[Path, typer.Argument(help="Output folder for ROUTER/frr.conf, daemons, vtysh.conf.")],
) -> None:
    """Write the FRR configurations of a topology, ready for /etc/frr of each router."""
    with report_errors():
        names = export_folder(opening.load(file).topology, folder)
    _say(f"configurations of {', '.join(names) or 'no router'} are in {folder}")


@config_app.command()
def history() -> None:
    """List the ended labs whose configurations were saved. Each folder can be used as the argument RESULTS."""
    for run in kept_runs(history_folder()):
        changed = f"changed on {', '.join(run.changed)}" if run.changed else "no changes"
        sys.stdout.write(f"{run.time}  {run.title}  {changed}  {run.folder}\n")


def save_final_configs(title: str, file: str, configs: dict[str, RunningConfig]) -> None:
    """Save the configurations of a lab that has ended, and print the command that copies changes into its file."""
    try:
        run = keep(history_folder(), title, configs, file)
    except OSError as error:
        _say(f"the configurations of {title} could not be saved: {error}")
        return
    if run is None or not run.changed or (file and _has_all(Path(file), configs)):
        return
    command = shlex.join(["miniedit-frr", "config", "adopt", file or "FILE", "--from", str(run.folder)])
    _say(
        f"the configuration was changed on {', '.join(run.changed)}; to copy the changes into the topology:\n{command}"
    )


def _has_all(file: Path, configs: dict[str, RunningConfig]) -> bool:
    """Whether a topology file has all changes that were typed on the routers."""
    try:
        topology = opening.load(file).topology
        return take_over(topology, {name: config.typed() for name, config in configs.items()}) == topology
    except LabError:
        return False


def _read(source: str) -> tuple[dict[str, RunningConfig], Topology | None]:
    """The configurations of a running lab or of a folder, and the topology that the lab was built from, if known.

    Raises:
        LabFailed: the folder has no configurations, or there is no such lab.
    """
    folder = Path(source)
    if source and folder.is_dir():
        configs = read_configs(folder / layout.CONFIGS) or read_configs(folder)
        if not configs:
            raise LabFailed(f"{folder} contains no configurations")
        topology_file = folder / layout.TOPOLOGY
        return configs, opening.load(topology_file).topology if topology_file.is_file() else None
    with join_lab(source) as lab:
        configs, built_topology = lab.running_configs(), lab.topology
    for name, config in configs.items():
        for daemon in config.silent:
            _say(f"{name}: {daemon}; only its written configuration is available")
    return configs, built_topology


def _of_routers(configs: dict[str, RunningConfig], names: list[str] | None) -> dict[str, RunningConfig]:
    for name in names or ():
        if name not in configs:
            exit_with(f"there is no configuration of {name}; choose one of {', '.join(configs)}", FAILED)
    return {name: config for name, config in configs.items() if not names or name in names}


def _save(file: Path, topology: Topology) -> None:
    opening.save(topology, file)


def _say(text: str) -> None:
    stderr().print(text, highlight=False, markup=False, soft_wrap=True)
