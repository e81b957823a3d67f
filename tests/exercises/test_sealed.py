"""Sealed routers of exercises: students get them without readable settings, and graders use the exercise's own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from frrlib.addressing.resolved import resolved
from frrlib.exercises.errors import ExerciseError
from frrlib.exercises.exercise import Exercise, load
from frrlib.exercises.permitted import refused_change
from frrlib.exercises.trial import refuse_unusable
from frrlib.model.nodes import Router
from tests.exercises.samples import SHIPPED, begun


def sealed_exercise(folder: Path, sealed: str) -> Exercise:
    """The shipped exercise about policies of BGP, with sealed routers."""
    copy = folder / "bgp-policy"
    shutil.copytree(SHIPPED / "bgp-policy", copy)
    file = copy / "exercise.toml"
    file.write_text(f"sealed = {sealed}\n{file.read_text(encoding='utf-8')}", encoding="utf-8")
    return load(copy)


def test_a_work_has_no_readable_settings_of_a_sealed_router(tmp_path: Path) -> None:
    exercise = sealed_exercise(tmp_path, '["r2"]')
    work = begun(tmp_path, exercise)
    readable = load(SHIPPED / "bgp-policy").of_student("42").start().node("r2")
    assert isinstance(readable, Router) and readable.bgp is not None
    router = work.topology().node("r2")
    assert isinstance(router, Router) and router.sealed and router.bgp is None
    built = resolved(work.topology()).node("r2")
    assert isinstance(built, Router) and built.bgp == readable.bgp


def test_a_sealed_router_is_locked_and_graded_as_given(tmp_path: Path) -> None:
    student = sealed_exercise(tmp_path, '["r2"]').of_student("42")
    start = student.start()
    nodes = tuple(
        node.model_copy(update={"frr_conf": "hostname other"}) if node.name == "r2" else node for node in start.nodes
    )
    changed = start.model_copy(update={"nodes": nodes})
    locked = student.exercise.content.all_locked
    assert refused_change(start, start, changed, locked).startswith("r2 is locked")
    assert student.permitted(changed).node("r2") == start.node("r2")
    refuse_unusable(student)


def test_only_routers_can_be_sealed(tmp_path: Path) -> None:
    student = sealed_exercise(tmp_path, '["h1"]').of_student("42")
    with pytest.raises(ExerciseError, match="the sealed node h1 is no router"):
        refuse_unusable(student)
