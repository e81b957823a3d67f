"""Text by other people: no control character of a terminal is left in it, in JSON as in Python."""

from __future__ import annotations

import json
import os
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frrlib import wire
from frrlib.safe_text.plain import indented, one_line, plain, plain_json

TITLE = "\x1b]0;owned\x07\x1b[2J"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("as it is: ü €\t|\n", "as it is: ü €\t|\n"),
        ("\x1b]0;T\x07", "�]0;T�"),
        ("\x9b2J\x7f", "�2J�"),
        ("one\r\ntwo\rthree", "one\ntwo�three"),
        ("abc\u202edcba", "abc�dcba"),
        ("a backslash \\u001b", "a backslash \\u001b"),
        (os.fsdecode(b"\xff.zip"), "�.zip"),
    ],
)
def test_control_characters_are_replaced(text: str, left: str) -> None:
    assert plain(text) == left


@given(st.text(st.characters(codec="utf-8")))
def test_json_is_made_harmless_as_its_texts_are(text: str) -> None:
    for ascii_only in (True, False):
        line = json.dumps({text: [text]}, ensure_ascii=ascii_only).encode()
        assert json.loads(plain_json(line)) == {plain(text): [plain(text)]}


@given(st.text(st.characters(codec="utf-8")))
def test_harmless_text_is_a_terminals_own(text: str) -> None:
    # the categories of control characters, by Unicode's own table
    assert not any(unicodedata.category(each) == "Cc" and each not in "\t\n" for each in plain(text))


def test_events_are_made_harmless_and_replies_are_unchanged() -> None:
    step = wire.decode_message(wire.encode(wire.StepEvent("flows", "done", 1.0, TITLE)))
    assert isinstance(step, wire.StepEvent) and step.text == plain(TITLE) != TITLE
    failed = wire.decode_message(wire.encode(wire.Failed(1, "lab", TITLE, stderr=TITLE)))
    assert isinstance(failed, wire.Failed) and (failed.reason, failed.stderr) == (plain(TITLE), plain(TITLE))
    done = wire.decode_message(wire.encode(wire.Done(1, {"stdout": TITLE})))
    assert isinstance(done, wire.Done) and done.result == {"stdout": TITLE}


def test_a_line_shows_its_beginning_and_its_end() -> None:
    assert one_line(" a\n\tb \x1b c ", 40) == "a b � c"
    assert one_line("harmless" + 500 * " " + "evil", 40) == "harmless evil"
    said = one_line("begin" + 500 * "x" + "end", 11)
    assert said == "begin…xxend"
    assert [len(one_line("y" * 99, most)) for most in (3, 4, 98, 99, 100)] == [3, 4, 98, 99, 99]


def test_every_line_of_another_programs_text_is_indented() -> None:
    said = indented("one\n\n\r\n  two\u2028three\x0bfour\n", 100)
    assert said.split("\n") == ["  one", "    two", "  three�four"]
    assert indented("\n" * 5000 + "evil", 4000) == "  … and 1,004 further characters"
