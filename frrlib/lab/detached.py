"""A lab that can outlive the program that started it, and that other programs can join.

    with DetachedLab(topology, name="mine") as lab:
        lab.leave()                     # from here on it runs by itself

    with DetachedLab.join("mine") as lab:   # another program, later; the block ends the lab, unless it calls `leave`
        print(lab["r1"].vtysh("show ip route"))

Before a call of `keep` or `leave` it ends with the program that started it, like any other lab.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from frrlib import wire
from frrlib.errors import LabFailed
from frrlib.lab import applying
from frrlib.lab.lab import Lab, Listener
from frrlib.lab_server import register
from frrlib.lab_server.place import DetachedSandbox, JoinedPlace, LabServerPlace
from frrlib.lab_server.register import Card, NodeCard
from frrlib.model.nodes import Router
from frrlib.model.sealed import is_sealed
from frrlib.model.topology import Topology
from frrlib.place.base import Place


class DetachedLab(Lab):
    """A `Lab` in a process of its own, the lab server.

    Args:
        topology, place, kernel, writable, listener: as for `Lab`.
        name: the preferred name of the lab; a number is appended if it is in use.
        file: the topology's file. The lab sees its folder, and takes its name from it if `name` is empty.
        card: the detached lab to join instead of starting one; for `join`.
    """

    def __init__(
        self,
        topology: Topology,
        *,
        place: str = "auto",
        kernel: Path | None = None,
        writable: Path | None = None,
        listener: Listener | None = None,
        name: str = "",
        file: Path | None = None,
        card: Card | None = None,
        allowed_controllers: Sequence[str] = (),
    ) -> None:
        self._wish = name or (file.stem if file else "") or topology.title or "lab"
        self._file, self._card = file, card
        self._joined = self._left = False
        super().__init__(
            topology,
            place=place,
            kernel=kernel,
            writable=writable,
            listener=listener,
            allowed_controllers=allowed_controllers,
            folder=file.resolve().parent if file else None,
        )

    @classmethod
    def join(cls, name: str = "", listener: Listener | None = None) -> Self:
        """The detached lab of that name, or the only one. Entering its block joins it instead of starting a lab.

        Raises:
            LabFailed: there is no such lab, or it is still starting.
        """
        return cls.of_card(register.find(name), listener)

    @classmethod
    def of_card(cls, card: Card, listener: Listener | None = None) -> Self:
        """As `join`, for a lab whose card is known."""
        register.refuse_unfinished(card)
        return cls(topology_of(card), listener=listener, card=card)

    @property
    def name(self) -> str:
        """The name of the running lab."""
        return self._held().name

    @property
    def links_down(self) -> tuple[str, ...]:
        """The ids of the links that were down when the lab was joined."""
        return self._card.links_down if self._card else ()

    def keep(self) -> None:
        """Have the lab go on after the end of this program, even if it crashes."""
        self._held().keep()

    def leave(self) -> None:
        """Have the lab go on without this program. Pending requests fail with LabFailed; `stop` does nothing then."""
        sandbox = self._held()
        if self._card is None:
            with suppress(LabFailed):  # other programs may change configurations now, so they are read once before
                self.running_configs()
        sandbox.keep()
        self._part(sandbox)

    def part(self) -> None:
        """Disconnect from a lab that was joined. This does not affect whether the lab goes on or ends."""
        self._part(self._held())

    def stop(self) -> None:
        """End the lab for all its clients. A lab that could not be joined goes on."""
        if self._card is not None and not self._joined and self._process.sandbox is not None:
            self._part(self._held())
        super().stop()

    def describe(self) -> None:
        """Describe the lab to programs that look for labs."""
        self._held().describe(
            Card(
                name=self.name,
                state="running",
                file=self._card.file if self._card else str(self._file.resolve()) if self._file else "",
                title=self.topology.title,
                reason=self.place_reason,
                nodes=tuple(_node_cards(self.topology)),
                topology=self.drawn.model_dump_json(),
                failed_commands=self.failed_commands,
                warnings=tuple(self.warnings),
                revision=self.revision,
            )
        )

    def tell(self, message: wire.Message) -> None:
        """As in `Lab`. If another program has given the lab another topology, the lab takes it over before."""
        if isinstance(message, wire.TopologyEvent) and not self._take_over():
            return
        super().tell(message)

    # --- internals ----------------------------------------------------------------------------------------------------

    def _choose(self, place: str, kernel: Path | None) -> tuple[Place, str]:
        if self._card is not None:
            return JoinedPlace(self._card), self._card.reason
        inner, reason = super()._choose(place, kernel)
        return LabServerPlace(inner, kernel, self._wish), reason

    def _check_lines(self) -> Future[None]:
        if self._card is None:
            return super()._check_lines()
        checked: Future[None] = Future()
        checked.set_result(None)  # the lab runs already
        return checked

    def _writable_folder(self) -> Path | None:
        return Path("/") if self._card is not None else super()._writable_folder()

    def _build(self) -> None:
        if self._card is not None:
            self.revision = self._card.revision
            self.failed_commands = dict(self._card.failed_commands)
            self.warnings = list(self._card.warnings)
            self._joined = True
            return
        super()._build()
        self.describe()

    def _take_over(self) -> bool:
        """Use the topology on the lab's card. Returns whether it is another one."""
        try:
            card = register.find(self.name)
            drawn = topology_of(card)
        except LabFailed:  # the lab is ending
            return False
        if card.revision < self.revision or drawn == self.drawn:
            return False
        applying.take_over(self, drawn, card.revision)
        return True

    def _held(self) -> DetachedSandbox:
        sandbox = self._process.running()
        assert isinstance(sandbox, DetachedSandbox)
        return sandbox

    def _part(self, sandbox: DetachedSandbox) -> None:
        self._left, self._process.sandbox = True, None
        sandbox.leave()

    def _end_text(self, sandbox: object) -> str:
        return "the lab continues without this program" if self._left else super()._end_text(sandbox)  # type: ignore[arg-type]


def topology_of(card: Card) -> Topology:
    """The topology of a detached lab. Raises LabFailed if another version of this program has sent it."""
    try:
        return Topology.model_validate_json(card.topology)
    except ValueError as error:
        raise LabFailed(f"{card.name} was started by a different version of this program: {error}") from None


def _node_cards(topology: Topology) -> list[NodeCard]:
    return [
        NodeCard(node.name, node.kind, isinstance(node, Router) and node.runs_frr, is_sealed(topology, node.name))
        for node in topology.nodes
    ]


@contextmanager
def join_lab(name: str = "", listener: Listener | None = None) -> Iterator[DetachedLab]:
    """The lab of that name, or the only running lab. It keeps running afterwards.

    Raises:
        LabFailed: there is no such lab, or it is still starting.
    """
    lab = DetachedLab.join(name, listener)
    lab.start()
    try:
        yield lab
    finally:
        lab.part()  # without this, the lab would end
