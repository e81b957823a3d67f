"""Replaces the package `lib` by our modules in the imports of tests, before any other folder is searched."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NAME = "lib"
OURS = "frrlib.topotest.lib"
#: Modules that tests import without `lib.`, with `lib` on their path.
BARE = ("topotest", "topogen", "topolog", "topojson", "lutil", "ltemplate", "bgprib")


class LibImporter(MetaPathFinder, Loader):
    """Finds `lib` and `lib.NAME` among our modules."""

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Our module for a name; None for other names, which other finders handle."""
        if fullname in BARE and importlib.util.find_spec(f"{OURS}.{fullname}"):
            return ModuleSpec(fullname, self)
        if fullname != NAME and not fullname.startswith(f"{NAME}."):
            return None
        if fullname != NAME and importlib.util.find_spec(_ours(fullname)) is None:
            raise ModuleNotFoundError(f"the tests need {fullname}, which is not offered here", name=fullname)
        return ModuleSpec(fullname, self, is_package=fullname == NAME)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Our module itself, under the name that the test uses."""
        return importlib.import_module(_ours(spec.name))

    def exec_module(self, module: ModuleType) -> None:
        """Do nothing: the module has been executed under its own name."""


def _ours(name: str) -> str:
    return f"{OURS}.{name}" if name in BARE else OURS + name.removeprefix(NAME)


def install_importer() -> None:
    """Install the importer. May be called more than once."""
    if not any(isinstance(finder, LibImporter) for finder in sys.meta_path):
        sys.meta_path.insert(0, LibImporter())
