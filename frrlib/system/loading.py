"""Loading of modules without looking for garbage among them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """A context in which modules are imported.

    Modules stay to the end of the program, so there is no garbage among them. Looking for it takes a tenth of the time
    of the imports, and again the same in each full collection afterwards. So nothing is collected in this context, and
    all objects that exist at its end are exempt from later collections.
    """
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if is_collecting:
            gc.enable()
