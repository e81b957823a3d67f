"""Kinds of traffic whose applications wait for a reply: requests, web pages, video, custom commands."""

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
    """Requests and responses, one after the other.

    The source sends the requests by default. If the destination opens the flow, the destination sends them.

    Attributes:
        request_bytes, response_bytes: size of each request and of each response.
        think_ms: pause between a response and the next request.
        connection: "kept" sends all requests over one connection; "new" opens one for each, and the time includes that.
        requests: number of requests after which the flow ends early; None for no limit.
    """

    opener: ClassVar = "either"
    kind: Literal["request-response"] = "request-response"
    request_bytes: SizeBytes = 100
    response_bytes: SizeBytes = 1000
    think_ms: Annotated[float, Field(ge=0, le=3_600_000, allow_inf_nan=False)] = 0.0
    connection: Literal["kept", "new"] = "kept"
    requests: Annotated[int, Field(ge=1)] | None = None


class WebPage(TrafficBase):
    """A web page with its objects: nginx at the source serves it, and a real client at the destination loads it.

    Attributes:
        sizes_bytes: sizes of the page's objects; empty for random sizes.
        objects: number of objects with random sizes.
        mean_bytes: mean of the random sizes; their logarithms are normally distributed with a standard deviation of 1.
        seed: seed of the random sizes.
        client: "curl" measures the time of each object. "wget" measures that of the page, and over one connection the
            receiving time that it reports itself, which excludes the time between request and response.
        connections: number of parallel connections, each with one object at a time.
        keep_alive: whether a connection carries several objects in turn.
        loads: number of times that the page is loaded, each time with an empty cache; None until the flow ends.
        pause_s: time between two loads.
        timeout_s: time after which a load is aborted and counts as failed; None for the end of the flow.
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
        """The settings of the server and the client, with the sizes of all objects."""
        chance, mu = random.Random(self.seed), math.log(self.mean_bytes) - 0.5
        random_sizes = (max(1, round(chance.lognormvariate(mu, 1.0))) for _ in range(self.objects))
        return {**super().sender_settings(), "sizes_bytes": self.sizes_bytes or tuple(random_sizes)}


class Video(TrafficBase):
    """Adaptive video in chunks. The player at the destination requests each chunk in a quality of its choice.

    Attributes:
        ladder_mbit: the available bit rates in ascending order.
        chunk_s: playing time of a chunk.
        buffer_s: maximum playing time in the player's buffer; the player pauses its requests when the buffer is full.
        choice: the player's rule: "throughput" chooses the best quality below the throughput of the last chunks,
            "buffer" chooses it by the level of the buffer.
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
    """A custom command, whose output may become rows of the table "app".

    In both commands {address} and {port} stand for those of the destination, {source} for the address of the source
    and {duration_s} for the flow's duration. The command is stopped when this time is over.

    Attributes:
        command: a shell command at the source.
        server: a shell command at the destination, started before the command and stopped after it; empty for none.
        reads: the lines of its output that are kept in the table "app": "nothing", "json" (objects with the table's
            names as keys), or lines that match the "pattern".
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
            fault = f"has a group {odd[0]!r}" if odd else "has no named group"
            raise ValueError(f"pattern {fault}; name groups as in (?P<duration_ms>...): {', '.join(REPORTED)}")
        return self
