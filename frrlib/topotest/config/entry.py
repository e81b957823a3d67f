"""Enters configurations into routers, keeps their state, and brings routers back to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from frrlib.topotest.config.description import listed
from frrlib.topotest.config.reset import changes
from frrlib.topotest.log import logger
from frrlib.topotest.parallel import run_on_routers

#: Files of a router: what is loaded into it, and what it is brought back to.
LOADED, INITIAL = "frr_json.conf", "frr_json_initial.conf"


class InvalidCLIError(Exception):
    """FRR refused a command."""


def configure(tgen: Any, router: str, lines: Iterable[str]) -> None:
    """Enter lines of configuration, all from one file. Raises InvalidCLIError where FRR refuses one."""
    text = "\n".join(lines) + "\n"
    path = Path(tgen.logdir) / router / LOADED
    path.write_text(text, encoding="utf-8")
    logger.info("%s: configuration\n%s", router, text)
    status, said, error = tgen.net[router].cmd_status(f"vtysh -f {path}")
    if status:
        raise InvalidCLIError(f"{router}: {(said + error).strip()}")


def entered(tgen: Any, lines: dict[str, list[str]]) -> Any:
    """Enter lines into routers: True, or a sentence where FRR refuses one."""
    try:
        run_on_routers(tgen, lambda name: configure(tgen, name, lines[name]), [name for name in lines if lines[name]])
    except InvalidCLIError as error:
        logger.error("%s", error)
        return str(error)
    return True


def apply_raw_config(tgen: Any, input_dict: Mapping[str, Mapping[str, Any]]) -> bool:
    """Enter lines of configuration: router to {"raw_config": lines}. Raises InvalidCLIError where FRR refuses one."""
    for name, given in input_dict.items():
        configure(tgen, name, listed(given["raw_config"]))
    return True


def save_initial_config_on_routers(tgen: Any) -> None:
    """Keep the present configuration for `reset_config_on_routers`."""

    def save(name: str) -> None:
        running = tgen.net[name].cmd_raises("vtysh -c 'show running-config no-header'")
        (Path(tgen.logdir) / name / INITIAL).write_text(running, encoding="utf-8")

    run_on_routers(tgen, save)


def reset_config_on_routers(tgen: Any, routerName: str | None = None) -> bool:  # noqa: N803
    """Bring all routers, or one, back to what was kept: what is there beyond it is taken out, what is missing added."""

    def reset(name: str) -> None:
        kept = (Path(tgen.logdir) / name / INITIAL).read_text(encoding="utf-8")
        for _ in range(3):  # what one line takes along with it, the next round puts back
            running = tgen.net[name].cmd_raises("vtysh -c 'show running-config no-header'")
            lines = changes(running, kept)
            if not lines:
                return
            path = Path(tgen.logdir) / name / "frr_json_delta.conf"
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
            tgen.net[name].cmd_status(f"vtysh -f {path}")

    run_on_routers(tgen, reset, [routerName] if routerName else None)
    return True


def prep_load_config_to_routers(tgen: Any, *config_name_list: str) -> None:
    """Put files of each router, which are beside the test, together as what is loaded next."""
    for name in tgen.routers():
        folder = tgen.test_folder / name
        text = "\n".join((folder / each).read_text(encoding="utf-8") for each in config_name_list)
        (Path(tgen.logdir) / name / LOADED).write_text(text, encoding="utf-8")


def load_config_to_routers(tgen: Any, routers: Iterable[str], save_bkup: bool = False) -> bool:
    """Load the files put together into routers; with `save_bkup`, routers are brought back to them later."""

    def load(name: str) -> None:
        path = Path(tgen.logdir) / name / LOADED
        configure(tgen, name, [path.read_text(encoding="utf-8")])

    run_on_routers(tgen, load, routers)
    if save_bkup:
        save_initial_config_on_routers(tgen)
    return True


def reset_with_new_configs(tgen: Any, *cflist: str) -> None:
    """Bring all routers back to what was kept, then load files that are beside the test."""
    reset_config_on_routers(tgen)
    prep_load_config_to_routers(tgen, *cflist)
    load_config_to_routers(tgen, tgen.routers())
