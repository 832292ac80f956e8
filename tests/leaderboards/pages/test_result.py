"""The page of one game, its share text and its picture: one's own in every state, others' as far as may be."""

from __future__ import annotations

import datetime
import io
import re

import pytest
import time_machine
from PIL import Image

from games.models import Challenge, Submission, SubmissionLog
from tests.conftest import utc
from tests.dailies import publish
from tests.leaderboards.stage import make_daily, place, submit

from .visitors import ban, page, visitor, words

pytestmark = pytest.mark.django_db

TODAY = datetime.date(2026, 3, 10)
NOON, AFTERWARDS = utc("2026-03-10 12:00"), utc("2026-03-11 00:05")
LOG = "d wc we f1 d"


@pytest.fixture
def daily() -> Challenge:
    """The Klondike of a day in March."""
    return make_daily("kl-d1n", TODAY)


def with_log(submission: Submission, **fields: object) -> Submission:
    """The submission with a log and more of its verdict."""
    SubmissionLog.objects.create(submission=submission, text=LOG)
    Submission.objects.filter(pk=submission.pk).update(foundation_cards=26, score=submission.ranked_score, **fields)
    return submission


def address(submission: Submission) -> str:
    return f"/games/{submission.pk}/"


@time_machine.travel(NOON, tick=False)
def test_the_own_result_has_both_ranks_figures_and_the_way_on(daily: Challenge) -> None:
    mine = with_log(place(daily, "alice", score=450, moves=120, elapsed=1995))
    place(daily, "bob", score=745, won=True)
    make_daily("ft-n", TODAY)
    source = page(visitor("alice"), address(mine))
    text = words(source)
    assert "Not won this time" in text
    assert "Score 450 Moves 120 Time 3:19.5" in text
    assert "Best results 2 2 0 % First attempts 2 2 0 %" in text
    assert "2 players by score, 1 won" in text
    for link in ("/play/ft-n/", "/calendar/kl-d1n/", f"{address(mine)}replay/", "/boards/kl-d1n/?date=2026-03-10"):
        assert f'href="{link}' in source


@time_machine.travel(NOON, tick=False)
def test_the_histogram_marks_the_own_bar_and_says_all_in_a_table(daily: Challenge) -> None:
    mine = place(daily, "alice", score=450)
    place(daily, "bob", score=745, won=True)
    source = page(visitor("alice"), address(mine), accept_language="fr")
    assert source.count('<g class="bar own">') == 1
    assert len(re.findall(r'<rect class="(?:won|rest)"', source)) == 2
    # Numbers in an SVG have points, whatever the language.
    assert not re.search(r'(?:x|y|width|height)="[0-9]+,', source)
    assert re.search(r'<tr class="own"><td class="number">de 450 à 474</td>\s*<td class="number">0</td>', source)


@time_machine.travel(NOON, tick=False)
def test_a_vegas_game_without_a_card_home_is_in_the_histogram() -> None:
    """The lowest score there is was counted for no bar."""
    daily = make_daily("kl-d1v", TODAY)
    mine = place(daily, "alice", score=-52)
    place(daily, "bob", score=-52)
    source = page(visitor("alice"), address(mine))
    assert "-$60 to -$41 0 2" in words(source)
    assert '<g class="bar own">' in source


@time_machine.travel(NOON, tick=False)
def test_the_share_text_tells_nothing_of_the_deal() -> None:
    daily = publish("kl-d1n", TODAY)
    mine = with_log(place(daily, "alice", score=450, moves=120))
    source = page(visitor("alice"), address(mine))
    [text] = re.findall(r"<textarea[^>]*>(.*?)</textarea>", source, re.DOTALL)
    assert text.splitlines() == [
        "qvserver · Klondike, easy (draw 1) · March 10, 2026",
        "🟩🟩🟩🟩🟩⬜⬜⬜⬜⬜",
        "Not won: 450 in 120 moves",
        "Rank 1 of 1",
        f"http://testserver{address(mine)}",
    ]
    assert str(daily.code)[-7:] not in source
    assert LOG not in source


@time_machine.travel(NOON, tick=False)
def test_a_game_being_checked_is_looked_for_ever_less_often(daily: Challenge) -> None:
    mine, _ = submit(daily, "alice", score=0, state="pending")
    source = page(visitor("alice"), address(mine), accept_language="fi")
    assert 'id="waiting" data-seconds="1.0"' in source
    assert "waiting.js" in source
    with time_machine.travel(NOON + datetime.timedelta(seconds=40), tick=False):
        assert 'data-seconds="6.0"' in page(visitor("alice"), address(mine))
    page(visitor(), address(mine), status=404)


@time_machine.travel(NOON, tick=False)
def test_a_rejected_log_shows_the_action_that_the_rules_refused(daily: Challenge) -> None:
    rejection = {"index": 3, "action": "f1", "reason": "wrong_rank", "message": "The 9♣ can't go on foundation 1."}
    mine = with_log(submit(daily, "alice", score=0, state="rejected")[0], rejection=rejection)
    source = page(visitor("alice"), address(mine))
    text = words(source)
    assert "The rules refused action number 4: d wc we f1 The 9♣ can't go on foundation 1." in text
    assert "<mark>f1</mark>" in source
    page(visitor(), address(mine), status=404)
    page(visitor(), f"{address(mine)}card.png", status=404)


@time_machine.travel(NOON, tick=False)
def test_what_couldnt_be_checked_or_doesnt_count_says_so(daily: Challenge) -> None:
    failed, _ = submit(daily, "alice", score=0, state="failed")
    assert "somebody will look at it" in words(page(visitor("alice"), address(failed)))
    late = place(daily, "bob", score=10, ranked=False)
    text = words(page(visitor("bob"), address(late)))
    assert "it is kept as practice" in text
    assert "Best results" not in text


def test_others_are_invited_while_the_deal_is_open_and_see_the_result_afterwards(daily: Challenge) -> None:
    with time_machine.travel(NOON, tick=False):
        worse = with_log(place(daily, "alice", score=100))
        shown = with_log(place(daily, "alice", score=450))
        source = page(visitor(), address(shown))
        assert "Can you beat alice?" in words(source)
        assert "Score 450 Result Not won Best results Rank 1 of 1" in words(source)
        assert "<svg" not in source
        assert "replay" not in source
        page(visitor(), address(place(daily, "bob", score=10, ranked=False)), status=404)
        # No longer on the board of best results, but still the first attempt.
        assert "Rank" not in words(page(visitor(), address(worse)))
    with time_machine.travel(AFTERWARDS, tick=False):
        source = page(visitor(), address(shown))
        assert "2 players" not in words(source)
        assert "Watch the game" in words(source)
        assert LOG not in source
        assert "<textarea" not in source


def test_par_is_compared_once_the_challenge_is_over(daily: Challenge) -> None:
    won = place(daily, "alice", score=700, won=True, moves=1)
    with time_machine.travel(NOON, tick=False):
        assert "Par" not in words(page(visitor("alice"), address(won)))
    with time_machine.travel(AFTERWARDS, tick=False):
        text = words(page(visitor("alice"), address(won)))
        assert "Moves 1 Time 0:10.0 Par, moves 1" in text
        assert "No win of this deal in fewer moves is known." in text


@time_machine.travel(NOON, tick=False)
def test_a_ban_takes_page_and_picture_from_all_but_the_player(daily: Challenge) -> None:
    shown = place(daily, "mallory", score=450)
    page(visitor(), address(shown))
    ban("mallory")
    page(visitor(), address(shown), status=404)
    page(visitor(), f"{address(shown)}card.png", status=404)
    assert "While you are banned" in words(page(visitor("mallory"), address(shown)))


@time_machine.travel(NOON, tick=False)
def test_a_shared_address_has_absolute_open_graph_properties(daily: Challenge) -> None:
    shown = place(daily, "alice", score=450)
    source = page(visitor(), address(shown))
    found = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', source))
    assert found["title"] == "alice: 450 at Klondike, easy (draw 1)"
    assert found["url"] == f"http://testserver{address(shown)}"
    assert found["image"] == f"http://testserver{address(shown)}card.png"


@time_machine.travel(NOON, tick=False)
@pytest.mark.parametrize("name", ["W" * 20, "Ἀθηνᾶ Ωμέγα", "アリス"])
def test_the_picture_is_drawn_once_for_who_keeps_it(daily: Challenge, name: str) -> None:
    shown = place(daily, name, score=450)
    answer = visitor().get(f"{address(shown)}card.png")
    assert (answer.status_code, answer["Content-Type"]) == (200, "image/png")
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)
    kept = {"if-none-match": answer["ETag"]}
    assert visitor().get(f"{address(shown)}card.png", headers=kept).status_code == 304
    place(daily, "bob", score=500)
    assert visitor().get(f"{address(shown)}card.png", headers=kept).status_code == 200


@time_machine.travel(NOON, tick=False)
@pytest.mark.parametrize("path", ["/today.png", "/challenges/{}/card.png"])
def test_the_day_and_a_challenge_have_pictures(daily: Challenge, path: str) -> None:
    answer = visitor().get(path.format(daily.pk))
    assert Image.open(io.BytesIO(answer.content)).size == (1200, 630)


def test_there_is_no_result_of_nothing() -> None:
    page(visitor(), "/games/999999/", status=404)
