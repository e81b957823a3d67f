"""`miniedit-frr kernel module new|add|list|remove`: congestion controls and queueing disciplines of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from frrlib.errors import PlaceError, TopologyError
from frrlib.kernels import module_shelf
from frrlib.place.labkernel import find_kernel
from frrlib.place.module_compiler import modules
from frrlib.safe_text.plain import plain
from miniedit_frr.cli.exits import report_errors, stderr
from miniedit_frr.cli.options import AsJson, print_json

module_app = typer.Typer(no_args_is_help=True, help="Add a congestion control or a queueing discipline of your own.")


@module_app.command()
def new(
    file: Annotated[Path, typer.Argument(help="The C file to write, such as tcp_mine.c.")] = Path("tcp_mine.c"),
) -> None:
    """Write a template of a congestion control: additive increase, multiplicative decrease in 40 lines."""
    with report_errors():
        if file.exists():
            raise TopologyError(f"{file} exists already", remedy="choose another name")
        text = modules.template(file)
        try:
            file.write_text(text, encoding="utf-8")
        except OSError as problem:
            raise PlaceError(f"{file} cannot be written: {problem.strerror}") from None
        _print(f"{file} was written; edit it, and then: miniedit-frr kernel module add {file}")


@module_app.command()
def add(
    file: Annotated[Path, typer.Argument(help="A C file: tcp_NAME.c or sch_NAME.c.")],
    name: Annotated[
        str, typer.Option("--name", help="The name for flows, if the file has another one: NAME of tcp_NAME.c.")
    ] = "",
) -> None:
    """Compile a kernel module for the lab kernel, and offer it to all labs."""
    with report_errors():
        source = modules.read_source(file, name)
        built = modules.kernel_with_kit(find_kernel())
        stderr().print(f"compiling {source.name}.c for {built.name}", highlight=False)
        modules.compiled_module(built, source)
        module_shelf.add(source.name, source.text)
        use = f"flows can choose {source.feature}" if source.is_control else f"tc can use {source.feature}"
        _print(f"{source.name} was added: {use}")


@module_app.command(name="list")
def list_modules(as_json: AsJson = False) -> None:
    """List the added kernel modules."""
    with report_errors():
        added = module_shelf.added()
        if as_json:
            print_json(
                [{"name": name, "feature": modules.feature_of(name), "file": path} for name, path in added.items()]
            )
            return
        for name, path in added.items():
            _print(f"{name}  {modules.feature_of(name)}  {path}")
        if not added:
            _print("no kernel module was added: miniedit-frr kernel module new, then edit and add the file")


@module_app.command()
def remove(name: Annotated[str, typer.Argument(help="The module: tcp_NAME or sch_NAME.")]) -> None:
    """Remove an added kernel module."""
    with report_errors():
        module_shelf.remove(name.removesuffix(".c"))
        _print(f"{name} was removed")


def _print(text: str) -> None:
    Console(highlight=False, soft_wrap=True, markup=False).print(plain(text))
