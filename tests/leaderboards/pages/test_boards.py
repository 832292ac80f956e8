"""/boards/... and /challenges/{id}/board/: who stands where, for everybody and for the one who looks."""

from __future__ import annotations

import datetime
import re
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Challenge, Player
from games.services import moderation
from leaderboards.pages import board_views
from leaderboards.services import clubs
from leaderboards.services.closing import close_dailies
from tests.leaderboards.stage import make_daily, place

from .conftest import Visit, links_of, rows_of, text_of, the_link

pytestmark = [pytest.mark.usefixtures("sunday"), pytest.mark.django_db]

TODAY = datetime.date(2026, 3, 29)
YESTERDAY = datetime.date(2026, 3, 28)


@pytest.fixture
def today() -> Challenge:
    """Today's Forty Thieves."""
    return make_daily("ft-n", TODAY)


@pytest.fixture
def yesterday() -> Challenge:
    """Yesterday's, which is over."""
    return make_daily("ft-n", YESTERDAY)


def test_a_board_shows_ranks_names_results_and_equal_ranks_for_ties(client: Client, today: Challenge) -> None:
    place(today, "alice", score=1230, won=True, moves=1315, elapsed=1234)
    place(today, "bob", score=900, moves=70, elapsed=5)
    place(today, "charlie", score=900, moves=70, elapsed=5)
    place(today, "dora", score=0, moves=1)
    answer = client.get("/boards/ft-n/")
    assert rows_of(answer) == [("1", "alice"), ("2", "bob"), ("2", "charlie"), ("4", "dora")]
    said = text_of(answer)
    assert "✓ Won 1,230 1,315 2:03.4" in said
    assert "Players 4 of them won 1" in said
    assert "/players/alice/" in links_of(answer)
    assert answer.content.decode().count("<h1") == 1
    assert answer.headers["Cache-Control"] == "private, no-cache"


def test_the_first_mode_is_where_boards_begin(client: Client) -> None:
    assert client.get("/boards/").headers["Location"] == "/boards/ft-n/"


def test_the_own_line_is_found_at_once_and_its_rank_is_the_apis(
    visit: Visit, today: Challenge, monkeypatch: Any
) -> None:
    """The profile's rank differed from the board's (ForFunLabs/webapi #7)."""
    monkeypatch.setattr(board_views, "LIMIT", 5)
    monkeypatch.setattr(board_views, "SPAN", 2)
    for n in range(12):
        place(today, f"p{n:02}", score=120 - n)
    place(today, "alice", score=110, moves=10, elapsed=100)
    alice = visit("alice")
    answer = alice.get("/boards/ft-n/")
    assert "Your rank 11 of 13" in text_of(answer)
    # It is there though the page ends far above it, and but once.
    assert rows_of(answer) == [*((str(n + 1), f"p{n:02}") for n in range(5)), ("11", "alice")]
    assert answer.content.decode().count('id="own-row"') == 1
    around = alice.get("/boards/ft-n/?around=1")
    assert rows_of(around) == [("10", "p09"), ("11", "p10"), ("11", "alice"), ("13", "p11")]
    own = alice.get(f"/api/v1/leaderboards/challenges/{today.pk}/").json()["own"]
    assert (own["rank"], own["player"]) == (11, "alice")
    assert "?around=1" in links_of(answer)
    assert "all/?around=1" in " ".join(links_of(alice.get("/players/alice/")))


def test_pages_lead_on_and_back_and_hold_everybody_once(client: Client, today: Challenge, monkeypatch: Any) -> None:
    monkeypatch.setattr(board_views, "LIMIT", 5)
    for n in range(12):
        place(today, f"p{n:02}", score=120 - n // 3)
    pages = [client.get("/boards/ft-n/")]
    while (link := the_link(pages[-1], "next")) is not None:
        pages.append(client.get(f"/boards/ft-n/{link}"))
    seen = [name for page in pages for _, name in rows_of(page)]
    assert seen == [f"p{n:02}" for n in range(12)] and len(pages) == 3
    back = the_link(pages[2], "prev")
    assert back is not None and rows_of(client.get(f"/boards/ft-n/{back}")) == rows_of(pages[1])
    assert the_link(pages[0], "prev") is None


def test_visitors_and_guests_are_told_how_to_get_a_rank(client: Client, visit: Visit, today: Challenge) -> None:
    place(today, "bob", score=5)
    answer = client.get("/boards/ft-n/?board=first")
    assert "to find your own rank here" in text_of(answer)
    assert "/account/?next=/boards/ft-n/%3Fboard%3Dfirst" in links_of(answer)
    Player.objects.create(name="Guest", is_guest=True)
    assert "Guests aren't on the board of first attempts" in text_of(visit("Guest").get("/boards/ft-n/?board=first"))
    assert "/play/ft-n/" in links_of(visit("alice").get("/boards/ft-n/"))


def test_the_board_of_first_attempts_is_another(client: Client, today: Challenge) -> None:
    place(today, "alice", score=10)
    place(today, "alice", score=90, number=2)
    place(today, "bob", score=50)
    place(today, "Guest", score=99, guest=True)
    assert [name for _, name in rows_of(client.get("/boards/ft-n/"))] == ["Guest", "alice", "bob"]
    assert [name for _, name in rows_of(client.get("/boards/ft-n/?board=first"))] == ["bob", "alice"]


def test_medals_and_others_replays_wait_until_the_daily_is_over(
    visit: Visit, today: Challenge, yesterday: Challenge
) -> None:
    games = {}
    for daily in (today, yesterday):
        for n in range(11):
            games[daily, n] = place(daily, f"p{n:02}", score=100 - n).pk
    p05 = visit("p05")
    open_board = p05.get("/boards/ft-n/")
    assert "medal" not in open_board.content.decode().replace("day.css", "")
    assert not [link for link in links_of(open_board) if "/replay/" in link]
    over = p05.get("/boards/ft-n/?date=2026-03-28")
    assert {f"/games/{games[yesterday, n]}/replay/" for n in range(11)} <= set(links_of(over))
    # Of eleven the first has gold, and the second the bronze of the best ten per cent, as in the final ranks.
    assert re.findall(r"(?:gold|silver|bronze)(?=\")", over.content.decode()) == ["gold", "bronze"]
    assert "these ranks are final" in text_of(over)
    first = p05.get("/boards/ft-n/?date=2026-03-28&board=first")
    assert "Gold medal" not in first.content.decode()


def test_a_day_in_its_grace_period_is_not_over(client: Client, yesterday: Challenge) -> None:
    submission = place(yesterday, "alice", score=5)
    yesterday.closes_at = timezone.now() - datetime.timedelta(minutes=4)
    super(Challenge, yesterday).save()
    answer = client.get("/boards/ft-n/?date=2026-03-28")
    assert "the last games are being checked" in text_of(answer)
    assert f"/games/{submission.pk}/replay/" not in links_of(answer)


@pytest.mark.parametrize(
    ("path", "name", "previous", "following"),
    [
        ("/boards/ft-n/?date=2026-03-20", "March 20, 2026", "2026-03-19", "2026-03-21"),
        ("/boards/ft-n/week/?date=2026-03-18", "Week of March 16, 2026", "2026-03-15", "2026-03-23"),
        ("/boards/ft-n/month/?date=2026-02-28", "February 2026", "2026-01-31", "2026-03-01"),
    ],
)
def test_days_weeks_and_months_lead_to_those_beside_them(
    client: Client, path: str, name: str, previous: str, following: str
) -> None:
    make_daily("ft-n", "2025-12-31")
    answer = client.get(path)
    assert name in text_of(answer)
    steps = re.findall(r'class="button step" href="\?date=([\d-]+)"', answer.content.decode())
    assert steps == [previous, following]


def test_there_is_nothing_before_the_first_day_and_behind_today(client: Client, today: Challenge) -> None:
    for path in ("/boards/ft-n/", "/boards/ft-n/week/", "/boards/ft-n/month/", "/boards/ft-n/all/"):
        assert 'class="button step" href' not in client.get(path).content.decode()
    assert "no deal of this game on that day" in text_of(client.get("/boards/ft-n/?date=2026-03-01"))


def test_period_boards_add_up_and_write_vegas_in_dollars(visit: Visit) -> None:
    for day in ("2026-03-23", "2026-03-24"):
        daily = make_daily("kl-d1v", day)
        place(daily, "alice", score=-52, moves=700)
        place(daily, "bob", score=208, won=True, moves=100)
    answer = visit("alice").get("/boards/kl-d1v/week/")
    assert rows_of(answer) == [("1", "bob"), ("2", "alice")]
    assert "+$520 2 2 200" in text_of(answer) and "$0 0 2 1,400" in text_of(answer)
    assert "Your rank 2 of 2" in text_of(answer)
    assert rows_of(visit("alice").get("/boards/kl-d1v/week/?date=2026-03-22")) == []


def test_a_clubs_board_is_for_its_members(client: Client, visit: Visit, today: Challenge) -> None:
    for n, name in enumerate(("alice", "bob", "charlie", "dora")):
        place(today, name, score=50 - n)
    ids = dict(Player.objects.values_list("name", "pk"))
    club = clubs.create_club(player_id=ids["bob"], name="The Kings", now=timezone.now())
    clubs.join_club(player_id=ids["dora"], code=club.code, now=timezone.now())
    for path in (f"/boards/ft-n/?club={club.pk}", f"/boards/ft-n/all/?club={club.pk}"):
        answer = visit("dora").get(path)
        assert rows_of(answer) == [("1", "bob"), ("2", "dora")]
        assert "The Kings" in text_of(answer) and "Your rank 2 of 2" in text_of(answer)
        for stranger in (client, visit("alice")):
            refused = stranger.get(path)
            assert refused.status_code == 404 and "Kings" not in refused.content.decode()
    choice = visit("dora").get("/boards/ft-n/").content.decode()
    assert f'<option value="{club.pk}">The Kings</option>' in choice
    assert '<select id="board-club"' not in visit("alice").get("/boards/ft-n/").content.decode()


def test_the_histogram_says_the_same_as_a_table(visit: Visit, today: Challenge) -> None:
    place(today, "alice", score=1230, won=True)
    place(today, "bob", score=1229, won=True)
    place(today, "charlie", score=10)
    answer = visit("alice").get("/boards/ft-n/")
    said = text_of(answer)
    assert "3 players by score, 2 won" in said and "1,200 to 1,239 2 0" in said and "0 to 39 0 1" in said
    assert '<svg class="plot"' in answer.content.decode() and 'role="img"' in answer.content.decode()


def test_an_event_has_a_board_and_dailies_have_theirs_by_date(client: Client, today: Challenge) -> None:
    now = timezone.now()
    event = Challenge.objects.create(
        mode="kl-d3n",
        number=77,
        title="Spring",
        opens_at=now,
        closes_at=now + datetime.timedelta(days=3),
        published_at=now,
    )
    place(event, "alice", score=40)
    answer = client.get(f"/challenges/{event.pk}/board/")
    assert rows_of(answer) == [("1", "alice")] and "Spring" in text_of(answer)
    moved = client.get(f"/challenges/{today.pk}/board/?board=first")
    assert moved.headers["Location"] == "/boards/ft-n/?date=2026-03-29&board=first"
    Challenge.objects.filter(pk=event.pk).update(cancelled_at=now)
    assert client.get(f"/challenges/{event.pk}/board/").status_code == 404


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/boards/chess/", 404),
        ("/boards/ft-n/year/", 404),
        ("/boards/ft-n/?date=2026-03-30", 404),
        ("/boards/ft-n/week/?date=2026-03-30", 404),
        ("/boards/ft-n/?date=yesterday", 400),
        ("/boards/ft-n/?board=worst", 400),
        ("/boards/ft-n/?cursor=nonsense", 400),
        ("/boards/ft-n/?before=nonsense", 400),
        ("/boards/ft-n/?club=x", 400),
        ("/boards/ft-n/?club=123", 404),
        ("/boards/ft-n/?club=&date=", 200),
        ("/boards/ft-n/all/?date=0001-01-01", 200),
        ("/boards/ft-n/month/?date=0001-01-01", 200),
        ("/challenges/999/board/", 404),
    ],
)
def test_bad_addresses_get_a_page_that_says_so(client: Client, today: Challenge, path: str, status: int) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert "<h1" in answer.content.decode()


def test_an_open_board_says_where_to_listen_and_a_past_one_doesnt(
    visit: Visit, today: Challenge, yesterday: Challenge, settings: Any
) -> None:
    settings.QV_LIVE_URL = ":8001"
    answer = visit("alice").get("/boards/ft-n/?board=first")
    content = answer.content.decode()
    assert 'data-origin="http://testserver:8001"' in content
    assert f'data-watch="watch={today.pk}&amp;board=first"' in content and "data-has-ticket" in content
    assert "connect-src 'self' http://testserver:8001" in answer.headers["Content-Security-Policy"]
    assert 'data-changes-at="2026-03-30T00:00:00+00:00"' in content
    week = Client().get("/boards/ft-n/week/").content.decode()
    assert 'data-watch="watch=ft-n%2Fweek&amp;date=2026-03-29"' in week and "data-has-ticket" not in week
    assert "data-watch" not in Client().get("/boards/ft-n/?date=2026-03-28").content.decode()


def test_nothing_leaks(visit: Visit, today: Challenge, yesterday: Challenge) -> None:
    """No code of an open challenge, nothing of tomorrow, nobody who is banned, no address."""
    tomorrow = make_daily("ft-n", "2026-03-30")
    place(today, "alice", score=5)
    place(today, "Mallory", score=99)
    Player.objects.filter(name="alice").update(email="alice@example.org")
    ada = Player.objects.create_superuser("Ada")
    mallory = Player.objects.get(name="Mallory")
    moderation.ban_player(player_id=mallory.pk, reason="a bot", until=None, now=timezone.now(), by=ada)
    close_dailies(now=timezone.now())
    for path in ("/boards/ft-n/", "/boards/ft-n/week/", "/boards/ft-n/all/", "/players/alice/", "/clubs/"):
        content = visit("alice").get(path).content.decode()
        for secret in (str(today.code)[-7:], str(today.number), str(tomorrow.code)[-7:], "Mallory", "@example.org"):
            assert secret not in content, (path, secret)
        assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", content), path
    assert visit("alice").get("/players/Mallory/").status_code == 404


def test_deleted_players_keep_their_places_without_a_link(client: Client, today: Challenge) -> None:
    place(today, "alice", score=5)
    Player.objects.filter(name="alice").update(name=Player.DELETED_NAME, tombstone=1, is_active=False)
    answer = client.get("/boards/ft-n/")
    assert "1 deleted player" in text_of(answer)
    assert not [link for link in links_of(answer) if link.startswith("/players/")]


def test_a_full_page_takes_few_statements(client: Client, today: Challenge, django_assert_max_num_queries: Any) -> None:
    for n in range(20):
        place(today, f"p{n:02}", score=n)
    client.get("/boards/ft-n/")
    with django_assert_max_num_queries(8):
        client.get("/boards/ft-n/")


def test_boards_speak_the_readers_language(client: Client, today: Challenge) -> None:
    place(today, "alice", score=1230, won=True, moves=1315)
    answer = client.get("/boards/ft-n/", headers={"accept-language": "fr"})
    assert answer.headers["Content-Language"] == "fr"
    assert "29 mars 2026" in text_of(answer)
    assert 'viewBox="0 0 400 150"' in answer.content.decode()
