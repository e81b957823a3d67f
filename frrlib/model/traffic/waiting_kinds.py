"""Kinds of traffic whose applications wait for something: an answer, a page, a chunk of film, a command."""

from __future__ import annotations

import math
import random
import re
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from frrlib.model.traffic.base import Line, PauseS, PhaseS, RateMbit, Seed, SizeBytes, TrafficBase

#: Allowed names of a pattern's groups, or of the keys of a JSON line: columns of the table "app".
REPORTED = ("what", "number", "size_bytes", "duration_ms", "outcome")


class RequestResponse(TrafficBase):
    """A question and its answer, again and again.

    The source asks by default and the destination answers; where the flow is opened by the destination, that one asks.

    Attributes:
        request_bytes, response_bytes: of each.
        think_ms: pause between an answer and the next question.
        connection: "kept" asks all over one connection, "new" over a new one each, whose opening counts.
        requests: after so many it ends, even before its time; None for as many as there are.
    """

    opener: ClassVar = "either"
    kind: Literal["request-response"] = "request-response"
    request_bytes: SizeBytes = 100
    response_bytes: SizeBytes = 1000
    think_ms: Annotated[float, Field(ge=0, le=3_600_000, allow_inf_nan=False)] = 0.0
    connection: Literal["kept", "new"] = "kept"
    requests: Annotated[int, Field(ge=1)] | None = None


class WebPage(TrafficBase):
    """A page with all that belongs to it: nginx at the source serves it, a real client at the destination loads it.

    Attributes:
        sizes_bytes: of the objects of the page; empty for sizes that are drawn.
        objects: how many are drawn where no sizes are given.
        mean_bytes: of those; their logarithms are normally distributed with a standard deviation of 1.
        seed: of what is drawn.
        client: "curl" tells the time of each object, "wget" that of the page, and over one connection how long it
            received, by its own account: without waiting for answers.
        connections: how many objects are in transfer at one time, each over a connection of its own.
        keep_alive: whether a connection carries one object after the other.
        loads: how often the page is loaded, by a client that has kept nothing; None for until its time is over.
        pause_s: between two loads.
        timeout_s: after which a load is given up, and counts as failed; None for when the flow's time is over.
    """

    opener: ClassVar = "destination"
    kind: Literal["web-page"] = "web-page"
    sizes_bytes: Annotated[tuple[Annotated[int, Field(ge=1, le=10**9)], ...], Field(max_length=1000)] = ()
    objects: Annotated[int, Field(ge=1, le=1000)] = 30
    mean_bytes: Annotated[int, Field(ge=1, le=10**9)] = 30_000
    seed: Seed = 1
    client: Literal["curl", "wget"] = "curl"
    connections: Annotated[int, Field(ge=1, le=64)] = 6
    keep_alive: bool = True
    loads: Annotated[int, Field(ge=1)] | None = None
    pause_s: PauseS = 1.0
    timeout_s: PhaseS | None = None

    def sender_settings(self) -> dict[str, Any]:
        """With the sizes of all objects."""
        chance, mu = random.Random(self.seed), math.log(self.mean_bytes) - 0.5
        drawn = (max(1, round(chance.lognormvariate(mu, 1.0))) for _ in range(self.objects))
        return {**super().sender_settings(), "sizes_bytes": self.sizes_bytes or tuple(drawn)}


class Video(TrafficBase):
    """A film in chunks, each in the quality that the connection seems to carry; the destination watches and asks.

    Attributes:
        ladder_mbit: the qualities that there are, in rising order.
        chunk_s: how much film is in a chunk.
        buffer_s: how much film the viewer keeps at most; it asks for no more then.
        choice: by what the viewer chooses: "throughput" takes the best quality below what the last chunks came with,
            "buffer" goes by how full its buffer is.
    """

    opener: ClassVar = "destination"
    kind: Literal["video"] = "video"
    ladder_mbit: Annotated[tuple[RateMbit, ...], Field(min_length=1, max_length=32)] = (0.4, 0.8, 1.5, 3.0, 6.0)
    chunk_s: PhaseS = 2.0
    buffer_s: PhaseS = 20.0
    choice: Literal["throughput", "buffer"] = "throughput"

    @model_validator(mode="after")
    def _rising(self) -> Self:
        if list(self.ladder_mbit) != sorted(set(self.ladder_mbit)):
            raise ValueError("ladder_mbit must ascend: list each quality once, the lowest first")
        if self.buffer_s < self.chunk_s:
            raise ValueError(f"buffer_s is {self.buffer_s:g}; it must hold at least one chunk of {self.chunk_s:g} s")
        return self


class Command(TrafficBase):
    """A command of one's own, and how what it says becomes rows of the table "app".

    In both commands {address} and {port} stand for those of the destination, {source} for the address of the source
    and {duration_s} for the flow's time. It runs until it ends, or its time is over.

    Attributes:
        command: a line for a shell at the source.
        server: one at the destination, started before and ended afterwards; empty for none.
        reads: what of its output is kept in the table "app": "nothing", lines of "json" (objects with the table's
            names), or lines that a "pattern" finds.
        pattern: a regular expression; its named groups are columns: what, number, size_bytes, duration_ms, outcome.
    """

    transport: ClassVar = ""
    kind: Literal["command"] = "command"
    command: Line = ""
    server: Line = ""
    reads: Literal["nothing", "pattern", "json"] = "nothing"
    pattern: Line = ""

    @model_validator(mode="after")
    def _pattern_is_one(self) -> Self:
        if (self.reads == "pattern") != bool(self.pattern):
            raise ValueError('pattern and reads="pattern" must be set together; set both or neither')
        try:
            groups = re.compile(self.pattern).groupindex
        except re.error as error:
            raise ValueError(f"pattern is not a valid regular expression: {error}") from None
        odd = [name for name in groups if name not in REPORTED]
        if odd or (self.pattern and not groups):
            found = f"has a group {odd[0]!r}" if odd else "has no named group"
            raise ValueError(f"pattern {found}; name groups as in (?P<duration_ms>...): {', '.join(REPORTED)}")
        return self
