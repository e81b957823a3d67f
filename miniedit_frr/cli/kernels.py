"""`miniedit-frr kernel build|list|use|info`: lab kernels of one's own."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from frrlib.errors import PlaceError
from frrlib.kernels import build as building
from frrlib.kernels import shelf
from frrlib.place.labkernel import find_kernel, kernel_release
from frrlib.safe_text.plain import plain
from miniedit_frr.cli.exits import INTERRUPTED, exit_with, report_errors, stderr
from miniedit_frr.cli.options import AsJson, print_json

kernel_app = typer.Typer(no_args_is_help=True, help="Build lab kernels, and choose the one for labs.")
#: Options of a configuration that begin alike, by what people call all of them, and which of these are none.
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
_STEPS = {"unpack": "unpacking", "configure": "configuring", "compile": "compiling"}


@kernel_app.command(name="build")
def build_kernel(
    source: Annotated[
        Path | None,
        typer.Argument(help="An archive or source tree of Linux (default: the newest linux-source-* in /usr/src)."),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", min=0, help="Number of parallel compilers; 0: one for each CPU.")
    ] = 0,
    again: Annotated[bool, typer.Option("--again", help="Build it even if the same kernel exists.")] = False,
) -> None:
    """Build a lab kernel in your cache. Labs then run in the newest one."""
    with report_errors():
        found = building.find_source(source)
        console = stderr()
        console.print(f"building a lab kernel of {found}")
        columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
        with Progress(*columns, console=console) as progress:
            tasks = {step: progress.add_task(words, total=1.0, start=False) for step, words in _STEPS.items()}

            def tell(step: str, share: float) -> None:
                progress.start_task(tasks[step])
                progress.update(tasks[step], completed=share)

            try:
                built = building.build(found, tell, jobs, again=again)
            except KeyboardInterrupt:
                exit_with("interrupted; compiled files are kept, and the same command continues", INTERRUPTED)
        _tell(built)


@kernel_app.command(name="list")
def list_kernels(as_json: AsJson = False) -> None:
    """List the lab kernels that were built here, and mark the one in use."""
    with report_errors():
        every, chosen = shelf.built_kernels(), _chosen()
        if as_json:
            print_json([{**asdict(each), "path": each.path, "used": each.path == chosen} for each in every])
            return
        table = Table(box=None, pad_edge=False, header_style="bold")
        for title in ("", "name", "built", "seconds", "MB", "source"):
            table.add_column(
                title,
                overflow="fold",
                no_wrap=title == "name",
                justify="right" if title in ("seconds", "MB") else "left",
            )
        for each in every:
            mark = "*" if each.path == chosen else ""
            size = f"{each.size_bytes / 1e6:.1f}"
            table.add_row(mark, each.name, each.built, f"{each.seconds:.0f}", size, each.source)
        if chosen is not None and chosen not in [each.path for each in every]:
            table.add_row("*", _release(chosen), "", "", f"{chosen.stat().st_size / 1e6:.1f}", str(chosen))
        if why := shelf.unusable():
            stderr().print(plain(why), highlight=False, markup=False, soft_wrap=True)
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
        built = shelf.find_built(name) if name else _of_ours(find_kernel())
        if built is None:
            other = find_kernel()
            words = (
                f"{other} (Linux {kernel_release(other)}) was not built here; `miniedit-frr places` shows its features"
            )
            Console(highlight=False, soft_wrap=True).print(words)
        elif as_json:
            print_json({**asdict(built), "path": built.path, "licence": "GPL-2.0", **_has(built)})
        else:
            _tell(built)


def _of_ours(kernel: Path) -> shelf.BuiltKernel | None:
    return next((each for each in shelf.built_kernels() if each.path == kernel), None)


def _chosen() -> Path | None:
    try:
        return find_kernel()
    except PlaceError:
        return None


def _release(kernel: Path) -> str:
    """A kernel's release for the list, which also shows one that does not run."""
    try:
        return kernel_release(kernel)
    except PlaceError:
        return "(does not run)"


def _has(built: shelf.BuiltKernel) -> dict[str, list[str]]:
    there = [name for name, value in built.configured().items() if value in "ym"]
    found = {
        title: sorted(name.removeprefix(prefix).lower() for name in there
                      if name.startswith(prefix) and name not in without)
        for title, (prefix, without) in _GROUPS.items()
    }  # fmt: skip
    named = {title: [word for word, option in options.items() if option in there] for title, options in _NAMED.items()}
    return found | named


def _tell(built: shelf.BuiltKernel) -> None:
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{built.path}: Linux {built.release}, {built.size_bytes / 1e6:.1f} MB", style="bold")
    console.print(f"built {built.built} in {built.seconds:.0f} s with {built.jobs} compilers, of {built.source}")
    console.print(
        "Linux is licensed under the GNU General Public License, version 2; the kernel was built from this source"
    )
    for title, names in _has(built).items():
        console.print(f"{title}: {(', ' if title in _NAMED else ' ').join(names) or 'none'}")
    if built.lacking:
        console.print(f"requested, but missing in this source: {' '.join(built.lacking)}", style="yellow")
