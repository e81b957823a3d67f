"""The contents of the exercise's panel and of its card as values, computed from a student's work."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from frrlib.diagnosis.neighbors import PROTOCOLS
from frrlib.exercises.checks import Answer, Neighbor, Route
from frrlib.exercises.evaluation import Outcome, State
from frrlib.exercises.exercise import Chapter, Exercise
from frrlib.exercises.grading import points_so_far
from frrlib.exercises.work import Work


@dataclass(frozen=True)
class Missing:
    """A missing neighbor or route of a router, whose reason can be found in the running lab.

    Attributes:
        router: the router that lacks it.
        other: the neighbor, or the prefix of the route.
        protocol: the protocol of the neighbor; empty for a route.
    """

    router: str
    other: str
    protocol: str = ""


@dataclass(frozen=True)
class TaskView:
    """A task of the shown chapter.

    Attributes:
        id, title: of its check.
        points: the points that it earns if it holds.
        holds: whether it held when it was checked last.
        state: the last result in this window; None if it was not checked here.
        remark: the reason why it does not hold; empty if it holds or was not checked here.
        nodes: the nodes that it is about.
        answer: the typed answer; None if the task is no question.
        missing: the neighbor or route whose absence can be explained; None for none.
    """

    id: str
    title: str
    points: int
    holds: bool
    state: State | None = None
    remark: str = ""
    nodes: tuple[str, ...] = ()
    answer: str | None = None
    missing: Missing | None = None


@dataclass(frozen=True)
class PanelView:
    """The contents of the panel.

    Attributes:
        title, student: of the exercise, and of its student.
        points, possible: the points of all chapters so far, and those that the student's own checks can show.
        chapter: the shown chapter, as "1 of 2: Addresses".
        chapter_points: the points of the shown chapter, or the reason why it has none.
        has_previous, has_next: whether another chapter before or after it can be shown.
        text: its text and the hints that were taken, in Markdown.
        folder: the folder with the pictures of the text.
        tasks: its tasks.
        is_current: whether the student works on it, so that it can be checked.
        hint_price: the price of its next hint; None if no hint is left.
        can_restore: whether a reference state exists.
        is_over: whether all chapters are over.
    """

    title: str
    student: str
    points: int
    possible: int
    chapter: str
    chapter_points: str
    has_previous: bool
    has_next: bool
    text: str
    folder: Path
    tasks: tuple[TaskView, ...]
    is_current: bool
    hint_price: int | None
    can_restore: bool
    is_over: bool


def points_text(count: int) -> str:
    """A number of points in words."""
    return f"{count} {'point' if count == 1 else 'points'}"


def visible_points(chapter: Chapter) -> int:
    """The points of the checks that students make themselves."""
    return sum(check.points for check in chapter.checks if not check.hidden)


def total_points(work: Work) -> int:
    """The points of all chapters so far."""
    return sum(points_so_far(work, chapter) for chapter in work.chapters)


def possible_points(exercise: Exercise) -> int:
    """The points that students see."""
    return sum(map(visible_points, exercise.content.chapters))


def panel_view(work: Work, index: int, outcomes: Mapping[str, Outcome], routers: Collection[str] = ()) -> PanelView:
    """The contents of the panel.

    Args:
        work: the student's work.
        index: the number of the shown chapter, from 0.
        outcomes: the last result of each check in this window, by id.
        routers: the routers with FRR, of which missing neighbors and routes can be explained.
    """
    chapters, current = work.chapters, work.current
    chapter = chapters[index]
    state = work.state.chapter(chapter.id)
    is_current = current is not None and chapter.id == current.id
    last = chapters.index(current) if current is not None else len(chapters) - 1
    hints = [f"{number + 1}. {work.exercise.hint(chapter, number)}" for number in range(state.hints)]
    text = "\n".join([work.exercise.page(chapter), *(["\n## Hints\n", *hints] if hints else [])])
    left = chapter.hints[state.hints :] if is_current else ()
    so_far, most = points_so_far(work, chapter), visible_points(chapter)
    return PanelView(
        title=work.exercise.exercise.content.title,
        student=" ".join(filter(None, (work.state.name, f"({work.state.student})"))),
        points=total_points(work),
        possible=possible_points(work.exercise.exercise),
        chapter=f"{index + 1} of {len(chapters)}: {chapter.title}",
        chapter_points="restored, no points" if state.restored else f"{so_far} of {points_text(most)}",
        has_previous=index > 0,
        has_next=index < last,
        text=text,
        folder=work.exercise.exercise.folder,
        tasks=_tasks(work, chapter, outcomes, routers),
        is_current=is_current,
        hint_price=left[0].price if left else None,
        can_restore=is_current and work.exercise.exercise.has_solution,
        is_over=current is None,
    )


def _tasks(
    work: Work, chapter: Chapter, outcomes: Mapping[str, Outcome], routers: Collection[str]
) -> tuple[TaskView, ...]:
    held = work.state.chapter(chapter.id).held
    tasks = []
    for check in work.exercise.checks(chapter, hidden=False):
        outcome = outcomes.get(check.id)
        answer = work.state.answers.get(check.id, "") if isinstance(check, Answer) else None
        tasks.append(
            TaskView(
                check.id, check.title, check.points, check.id in held, outcome.state if outcome else None,
                _remark(outcome), check.nodes, answer, missing_of(outcome, routers) if outcome else None,
            )
        )  # fmt: skip
    return tuple(tasks)


def _remark(outcome: Outcome | None) -> str:
    if outcome is None or outcome.holds:
        return ""
    if outcome.state == "not made":
        return f"{outcome.seen[:1].upper()}{outcome.seen[1:]}."
    message = outcome.check.message
    seen = f"Seen: {outcome.seen}." if outcome.seen else ""
    return " ".join(filter(None, (message, seen)))


def missing_of(outcome: Outcome, routers: Collection[str]) -> Missing | None:
    """The neighbor or route that an outcome lacks; None if nothing can be explained.

    Args:
        routers: the routers with FRR.
    """
    check = outcome.check
    if not outcome.is_missing or not set(check.nodes) <= set(routers):
        return None
    if isinstance(check, Neighbor) and check.protocol in PROTOCOLS:
        return Missing(check.node, check.neighbor, check.protocol)
    if isinstance(check, Route):
        return Missing(check.node, "0.0.0.0/0" if check.prefix == "default" else check.prefix)
    return None
