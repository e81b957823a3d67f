"""`miniedit-frr places`, and `kernel build|list|use|info`: where labs can run, and lab kernels that users build."""

from __future__ import annotations

import os
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from frrlib.errors import PlaceError
from frrlib.kernels import build as building
from frrlib.kernels import packages, shelf
from frrlib.place.choice import all_places
from frrlib.place.labkernel import find_kernel, kernel_release
from frrlib.safe_text.plain import plain
from miniedit_frr.cli.exits import INTERRUPTED, WRONG_INPUT, exit_with, report_errors, stderr
from miniedit_frr.cli.kernel_modules import module_app
from miniedit_frr.cli.options import AsJson, Kernel, print_json
from miniedit_frr.terminal.places import places_json, print_places

kernel_app = typer.Typer(no_args_is_help=True, help="Build lab kernels, and choose the one for labs.")
kernel_app.add_typer(module_app, name="module")
#: Groups of configuration options: the group's name, the prefix of its options, and options that are no members.
_GROUPS = {
    "queueing disciplines": ("NET_SCH_", ("NET_SCH_MQPRIO_LIB",)),
    "congestion control": ("TCP_CONG_", ("TCP_CONG_ADVANCED",)),
}
#: Single options by their common names.
_NAMED = {
    "networks": {
        "IPv6": "IPV6", "multipath": "IP_ROUTE_MULTIPATH", "multicast": "IP_MROUTE", "MPLS": "MPLS_ROUTING",
        "segment routing": "IPV6_SEG6_LWTUNNEL", "VRF": "NET_VRF", "MD5": "TCP_MD5SIG",
        "bridge": "BRIDGE", "VLAN": "VLAN_8021Q", "Open vSwitch": "OPENVSWITCH", "bonding": "BONDING",
        "VXLAN": "VXLAN", "GRE": "NET_IPGRE", "nftables": "NF_TABLES",
    },
    "kernel": {"virtual time": "UML_TIME_TRAVEL_SUPPORT", "loadable modules": "MODULES"},
}  # fmt: skip
_FETCH_STEPS = {"lists": "reading lists of packages", "fetch": "fetching the source"}
_STEPS = {"unpack": "unpacking", "configure": "configuring", "compile": "compiling"}


def add_to(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    app.command()(places)
    app.add_typer(kernel_app, name="kernel")


def places(
    as_json: AsJson = False,
    kernel: Kernel = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Probe again instead of using the cached result.")] = False,
) -> None:
    """Show the places where labs can run on this machine, and their features."""
    with report_errors():
        console = stderr()
        with console.status("probing the places") if console.is_terminal else nullcontext():
            abilities = [place.abilities(refresh=refresh) for place in all_places(kernel)]
    if as_json:
        print_json(places_json(abilities))
    else:
        print_places(Console(), abilities)


@kernel_app.command(name="build")
def build_kernel(
    source: Annotated[
        Path | None,
        typer.Argument(help="An archive or source tree of Linux (default: the newest linux-source-* in /usr/src)."),
    ] = None,
    linux: Annotated[
        str,
        typer.Option(
            "--linux", metavar="VERSION", help="Fetch this version of Linux from the distribution: 6.12, newest."
        ),
    ] = "",
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="Number of parallel compilers; 0 for one per CPU.")
    ] = 0,
    again: Annotated[bool, typer.Option("--again", help="Build the kernel even if the same kernel exists.")] = False,
) -> None:
    """Build a lab kernel in your cache folder. Labs then run in the newest kernel that was built."""
    with report_errors():
        if source is not None and linux:
            exit_with("name either a source or a version of Linux", WRONG_INPUT)
        console = stderr()
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console) as progress:
            steps = {**(_FETCH_STEPS if linux else {}), **_STEPS}
            tasks = {step: progress.add_task(words, total=1.0, start=False) for step, words in steps.items()}

            def show_progress(step: str, share: float) -> None:
                progress.start_task(tasks[step])
                progress.update(tasks[step], completed=share)

            try:
                kernel_source = packages.fetch(linux, show_progress) if linux else building.find_source(source)
                progress.console.print(f"building a lab kernel of {kernel_source}")
                built = building.build(kernel_source, show_progress, jobs, again=again)
            except KeyboardInterrupt:
                exit_with("interrupted; compiled files are kept, and the same command continues", INTERRUPTED)
        _print_kernel(built)


@kernel_app.command(name="list")
def list_kernels(as_json: AsJson = False) -> None:
    """List the lab kernels that were built here, and mark the one in use."""
    with report_errors():
        built_kernels, kernel_in_use = shelf.built_kernels(), _kernel_in_use()
        if as_json:
            rows = [(kernel, kernel.path == kernel_in_use) for kernel in built_kernels]
            print_json([{**asdict(kernel), "path": kernel.path, "used": is_used} for kernel, is_used in rows])
            return
        table = Table(box=None, pad_edge=False, header_style="bold")
        for title in ("", "name", "built", "seconds", "MB", "source"):
            table.add_column(
                title,
                overflow="fold",
                no_wrap=title == "name",
                justify="right" if title in ("seconds", "MB") else "left",
            )
        for kernel in built_kernels:
            mark = "*" if kernel.path == kernel_in_use else ""
            size = f"{kernel.size_bytes / 1e6:.1f}"
            table.add_row(mark, kernel.name, kernel.built, f"{kernel.seconds:.0f}", size, kernel.source)
        if kernel_in_use is not None and kernel_in_use not in [kernel.path for kernel in built_kernels]:
            size = f"{kernel_in_use.stat().st_size / 1e6:.1f}"
            table.add_row("*", _release(kernel_in_use), "", "", size, str(kernel_in_use))
        if reason := shelf.unusable():
            stderr().print(plain(reason), highlight=False, markup=False, soft_wrap=True)
        console = Console(highlight=False)
        console.print(table if table.row_count else "no lab kernel: miniedit-frr kernel build")
        if os.environ.get("MINIEDIT_FRR_KERNEL"):
            console.print("MINIEDIT_FRR_KERNEL selects the kernel in use", style="dim")


@kernel_app.command()
def use(
    choice: Annotated[str, typer.Argument(metavar="NAME|FILE|distribution", help="The kernel for labs.")],
) -> None:
    """Run labs in a kernel that was built here, in a kernel file, or in the distribution's lab kernel."""
    with report_errors():
        shelf.use(choice)
        Console(highlight=False).print(f"labs run in {find_kernel()}")


@kernel_app.command()
def info(
    name: Annotated[str, typer.Argument(help="Name of a lab kernel (default: the one in use).")] = "",
    as_json: AsJson = False,
) -> None:
    """Show the source, the configuration and the features of a lab kernel."""
    with report_errors():
        built = shelf.find_built(name) if name else _built_here(find_kernel())
        if built is None:
            kernel_in_use = find_kernel()
            origin = f"{kernel_in_use} (Linux {kernel_release(kernel_in_use)}) was not built here"
            Console(highlight=False, soft_wrap=True).print(f"{origin}; `miniedit-frr places` shows its features")
        elif as_json:
            print_json({**asdict(built), "path": built.path, "licence": "GPL-2.0", **_features(built)})
        else:
            _print_kernel(built)


def _built_here(kernel: Path) -> shelf.BuiltKernel | None:
    return next((built for built in shelf.built_kernels() if built.path == kernel), None)


def _kernel_in_use() -> Path | None:
    try:
        return find_kernel()
    except PlaceError:
        return None


def _release(kernel: Path) -> str:
    """A kernel's release, as text for the list. The list also shows a kernel that does not run."""
    try:
        return kernel_release(kernel)
    except PlaceError:
        return "(does not run)"


def _features(built: shelf.BuiltKernel) -> dict[str, list[str]]:
    """The enabled features of a kernel, by the groups of `_GROUPS` and `_NAMED`."""
    enabled = [name for name, value in built.configured().items() if value in "ym"]
    features = {
        title: sorted(name.removeprefix(prefix).lower() for name in enabled
                      if name.startswith(prefix) and name not in without)
        for title, (prefix, without) in _GROUPS.items()
    }  # fmt: skip
    named = {
        title: [word for word, option in options.items() if option in enabled] for title, options in _NAMED.items()
    }
    return features | named


def _print_kernel(built: shelf.BuiltKernel) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{built.path}: Linux {built.release}, {built.size_bytes / 1e6:.1f} MB", style="bold")
    console.print(f"built {built.built} in {built.seconds:.0f} s with {built.jobs} compilers, of {built.source}")
    if built.kit_bytes:
        console.print(f"headers for kernel modules: {built.kit_bytes / 1e6:.0f} MB")
    console.print(
        "Linux is licensed under the GNU General Public License, version 2; the kernel was built from this source"
    )
    for title, names in _features(built).items():
        console.print(f"{title}: {(', ' if title in _NAMED else ' ').join(names) or 'none'}")
    if built.lacking:
        console.print(f"requested, but missing in this source: {' '.join(built.lacking)}", style="yellow")
