"""Requests to a lab, and which of their callbacks is called when."""

from __future__ import annotations

from miniedit_frr.session.pending import PendingRequest, PendingRequests


def test_a_result_is_shown_once() -> None:
    results: list[int] = []
    pending = PendingRequests()
    request = PendingRequest[int](pending).then(results.append)
    assert pending
    request.complete(7)
    request.complete(8)
    assert results == [7]
    assert not pending


def test_an_error_goes_to_its_callback_and_else_to_the_session() -> None:
    errors: list[str] = []
    reported: list[str] = []
    pending = PendingRequests(reported.append)
    PendingRequest[None](pending).then(lambda _: None, errors.append).complete(None, "refused")
    PendingRequest[None](pending).then(lambda _: None).complete(None, "lost")
    assert (errors, reported) == (["refused"], ["lost"])
    assert not pending


def test_a_request_without_callbacks_reports_nothing() -> None:
    reported: list[str] = []
    PendingRequest[None](PendingRequests(reported.append)).complete(None, "lost")
    assert reported == []


def test_events_before_the_reply_are_passed_on() -> None:
    events: list[int] = []
    woken: list[bool] = []
    pending = PendingRequests(wake=lambda: woken.append(True))
    request = PendingRequest[None](pending).then(lambda _: None, progress=events.append)
    request.advance(1)
    request.complete(None)
    request.advance(2)
    assert events == [1]
    assert woken == [True]
