"""Enters configurations into routers, saves their configuration, and restores it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from frrlib.conf.changes import as_own_lines, difference
from frrlib.topotest.config.description import listed
from frrlib.topotest.log import logger
from frrlib.topotest.parallel import run_on_routers

#: Files of a router: the next configuration to load, and the saved one.
LOADED, INITIAL = "frr_json.conf", "frr_json_initial.conf"
#: First words of lines that FRR prints about itself, or that labs add for logging.
_NOT_COMPARED = ("frr version", "frr defaults", "hostname ", "log ", "Building configuration", "Current configuration")


class InvalidCLIError(Exception):
    """FRR refused a command."""


def configure(tgen: Any, router: str, lines: Iterable[str]) -> None:
    """Enter lines of configuration, all from one file. Raises InvalidCLIError if FRR refuses one."""
    text = "\n".join(lines) + "\n"
    path = Path(tgen.logdir) / router / LOADED
    path.write_text(text, encoding="utf-8")
    logger.info("%s: configuration\n%s", router, text)
    status, output, error = tgen.net[router].cmd_status(f"vtysh -f {path}")
    if status:
        raise InvalidCLIError(f"{router}: {(output + error).strip()}")


def enter_lines(tgen: Any, lines: dict[str, list[str]]) -> Any:
    """Enter lines into routers. Returns True, or a sentence if FRR refuses one."""
    try:
        run_on_routers(tgen, lambda name: configure(tgen, name, lines[name]), [name for name in lines if lines[name]])
    except InvalidCLIError as error:
        logger.error("%s", error)
        return str(error)
    return True


def apply_raw_config(tgen: Any, input_dict: Mapping[str, Mapping[str, Any]]) -> bool:
    """Enter lines of configuration: router to {"raw_config": lines}. Raises InvalidCLIError if FRR refuses one."""
    for name, description in input_dict.items():
        configure(tgen, name, listed(description["raw_config"]))
    return True


def save_initial_config_on_routers(tgen: Any) -> None:
    """Save the present configuration for `reset_config_on_routers`."""

    def save(name: str) -> None:
        running = tgen.net[name].cmd_raises("vtysh -c 'show running-config no-header'")
        (Path(tgen.logdir) / name / INITIAL).write_text(running, encoding="utf-8")

    run_on_routers(tgen, save)


def reset_config_on_routers(tgen: Any, routerName: str | None = None) -> bool:  # noqa: N803
    """Restore the saved configuration of all routers, or of one: remove additional lines, and add missing ones."""

    def reset(name: str) -> None:
        saved = (Path(tgen.logdir) / name / INITIAL).read_text(encoding="utf-8")
        for _ in range(3):  # removing a line may remove others, which the next round adds again
            running = tgen.net[name].cmd_raises("vtysh -c 'show running-config no-header'")
            lines = restoring_lines(running, saved)
            if not lines:
                return
            path = Path(tgen.logdir) / name / "frr_json_delta.conf"
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            tgen.net[name].cmd_status(f"vtysh -f {path}")

    run_on_routers(tgen, reset, [routerName] if routerName else None)
    return True


def prep_load_config_to_routers(tgen: Any, *config_name_list: str) -> None:
    """Join files of each router, which are beside the test, to the next configuration to load."""
    for name in tgen.routers():
        folder = tgen.test_folder / name
        text = "\n".join((folder / file_name).read_text(encoding="utf-8") for file_name in config_name_list)
        (Path(tgen.logdir) / name / LOADED).write_text(text, encoding="utf-8")


def load_config_to_routers(tgen: Any, routers: Iterable[str], save_bkup: bool = False) -> bool:
    """Load the joined files into routers; `save_bkup` saves the result for `reset_config_on_routers`."""

    def load(name: str) -> None:
        path = Path(tgen.logdir) / name / LOADED
        configure(tgen, name, [path.read_text(encoding="utf-8")])

    run_on_routers(tgen, load, routers)
    if save_bkup:
        save_initial_config_on_routers(tgen)
    return True


def reset_with_new_configs(tgen: Any, *cflist: str) -> None:
    """Restore the saved configuration of all routers, then load files that are beside the test."""
    reset_config_on_routers(tgen)
    prep_load_config_to_routers(tgen, *cflist)
    load_config_to_routers(tgen, tgen.routers())


def restoring_lines(running: str, saved: str) -> list[str]:
    """Lines of configuration that turn the running configuration into the saved one; empty if they are equal."""
    return as_own_lines(difference(_compared(running), _compared(saved))).splitlines()


def _compared(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.startswith(_NOT_COMPARED))
