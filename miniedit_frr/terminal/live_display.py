"""A display that a terminal shows at once and draws again while values change."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cached_property
from types import TracebackType
from typing import Self

from rich.console import Console, RenderableType
from rich.live import Live


class LiveDisplay(ABC):
    """A display that is drawn on a terminal while its context is open. Other outputs get no display.

    Args:
        console: the console for the output.
        refresh_per_second: the number of drawings per second.
    """

    def __init__(self, console: Console, refresh_per_second: float) -> None:
        self._console, self._refresh_per_second = console, refresh_per_second

    @cached_property
    def _live(self) -> Live:
        # It renders at once, so it is made after the constructor of the subclass.
        return Live(
            console=self._console,
            get_renderable=self._render,
            refresh_per_second=self._refresh_per_second,
            transient=False,
        )

    @abstractmethod
    def _render(self) -> RenderableType:
        """The current content."""

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._console.is_terminal:
            self._live.stop()
