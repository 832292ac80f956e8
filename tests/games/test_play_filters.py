"""How pages write scores and times in each language."""

from __future__ import annotations

import doctest

import pytest
from django.utils import translation

from games.templatetags import play


def test_the_examples_hold() -> None:
    with translation.override("en"):
        failed, tried = doctest.testmod(play)
    assert (failed, tried) == (0, 3)


@pytest.mark.parametrize(
    ("language", "points", "time"),
    [
        ("en", "1,230", "3:19.5"),
        ("fr", "1\xa0230", "3:19,5"),
        ("id", "1.230", "3:19,5"),
        ("fi", "1\xa0230", "3:19,5"),
    ],
)
def test_numbers_are_those_of_the_language(language: str, points: str, time: str) -> None:
    with translation.override(language):
        assert (play.score(1230, "ft-n"), play.duration(1995)) == (points, time)
        assert play.score(-52, "kl-d1v") == "-$52"
