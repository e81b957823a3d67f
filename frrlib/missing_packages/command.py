"""The part of the command line that works before anything is installed, on Python 3.9 or newer.

Every start on a machine with fetched packages runs it, so modules that only a fetch needs are imported later.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from frrlib.missing_packages import machine
from frrlib.missing_packages.errors import SetupError, no_space
from frrlib.missing_packages.layer import Store, refresh
from frrlib.missing_packages.namespace import run_with, run_with_root

_LACKING, _INTERRUPTED = 3, 130


def main(argv: Sequence[str]) -> int:
    """`enter CACHE PACKAGE... -- COMMAND...`, or `setup CACHE OPTION...`. Returns the exit status."""
    try:
        if argv[0] == "enter":
            split = argv.index("--")
            enter(Path(argv[1]), argv[2:split], argv[split + 1 :])
        return run_setup(Path(argv[1]), argv[2:])
    except SetupError as error:
        _say(f"{error}")
    except KeyboardInterrupt:
        _say("interrupted; the next start continues")
        return _INTERRUPTED
    except OSError as error:
        _say(no_space(Path(argv[1]), str(error)) or f"The missing packages cannot be set up: {error}")
    return _LACKING


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def enter(cache: Path, missing: Sequence[str], command: Sequence[str]) -> NoReturn:
    """Replace this process by a command that has the missing packages.

    Raises:
        SetupError: they cannot be fetched or used here.
    """
    if machine.LAYER_LIST.exists():
        problem = f"This shell already runs with fetched packages, but without {' '.join(missing)}"
        raise SetupError(f"{problem}. Use a shell outside of it.")
    layer = Store(cache).current()
    if layer is None or layer.problem(missing):
        from frrlib.missing_packages import setup

        layer = setup.prepare(cache, missing)
    refresh(layer, layer.path)
    (run_with_root if layer.is_root else run_with)(layer.path, command)


def run_setup(cache: Path, options: Sequence[str]) -> int:
    """`miniedit-frr setup`. Returns the exit status."""
    import argparse

    from frrlib.missing_packages import setup

    parser = argparse.ArgumentParser("miniedit-frr setup", description="The Debian packages that labs need.")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--status", action="store_true", help="show what is installed, and what was fetched")
    action.add_argument("--update", action="store_true", help="fetch newer versions of what was fetched")
    action.add_argument("--remove", action="store_true", help="delete what was fetched")
    action.add_argument("--bundle", metavar="FILE", type=Path, help="write a file for machines without a network")
    action.add_argument("--from", metavar="FILE", type=Path, dest="source", help="use such a file")
    parser.add_argument("--kernel", action="store_true", help="also what building lab kernels needs")
    chosen = parser.parse_args(options)
    names = [*setup.run_packages(), *(setup.KERNEL_PACKAGES if chosen.kernel else ())]
    kept: list[str] = []
    if chosen.remove:
        kept = setup.clean(cache, everything=True)
    elif chosen.bundle:
        layer = setup.write_bundle(cache, chosen.bundle, names)
        setup.say(f"{chosen.bundle} has {len(layer.packages)} packages.")
    elif chosen.source:
        setup.read_bundle(cache, chosen.source)
    elif not chosen.status:
        current = Store(cache).current()
        missing = machine.missing_packages({*names, *(current.wanted if current else ())})
        if missing:
            setup.prepare(cache, missing, chosen.update)
            kept = setup.clean(cache, everything=False)
    sys.stdout.write("".join(f"{line}\n" for line in [*kept, *setup.status(cache, names)]))
    return 0
