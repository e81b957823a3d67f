"""The context in which modules are imported."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

#: Lists stand for the contents of a module. Printed: whether garbage is collected in the context and after it, whether
#: the interpreter reports as many exempt objects as were made, and how many of three are still searched for garbage.
_PROGRAM = """
import gc, json, sys
from frrlib.system.loading import loading

(gc.enable if sys.argv[1] == "True" else gc.disable)()
frozen_before = gc.get_freeze_count()
try:
    with loading():
        inside = gc.isenabled()
        module = [[] for _ in range(5000)]
        if sys.argv[2] == "True":
            raise ImportError
except ImportError:
    pass
searched = sum(any(found is made for made in module[:3]) for found in gc.get_objects())
print(json.dumps([inside, gc.isenabled(), gc.get_freeze_count() - frozen_before >= len(module), searched]))
"""


@pytest.mark.parametrize(("is_collecting", "fails"), [(True, False), (False, True)])
def test_modules_are_exempt_from_collections(is_collecting: bool, fails: bool) -> None:
    argv = [sys.executable, "-c", _PROGRAM, str(is_collecting), str(fails)]
    output = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    assert json.loads(output) == [False, is_collecting, True, 0]
