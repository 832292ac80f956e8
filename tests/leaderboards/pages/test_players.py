"""/players/{name}/: what a player has come to, and reporting one."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Player, ReviewFlag
from games.services import moderation
from leaderboards.services.closing import close_dailies
from tests.leaderboards.stage import make_daily, place

from .conftest import Visit, links_of, text_of

pytestmark = [pytest.mark.usefixtures("sunday"), pytest.mark.django_db]

TODAY = datetime.date(2026, 3, 29)


def days_before(*days: int) -> list[datetime.date]:
    return [TODAY - datetime.timedelta(days=n) for n in days]


def test_every_number_has_its_label(client: Client) -> None:
    """Participation was read as a streak (osu-web #11422)."""
    for n, day in enumerate(days_before(0, 1, 2, 6)):
        daily = make_daily("ft-n", day)
        place(daily, "alice", score=1200 + n if n == 1 else 10 * n, won=n == 1, moves=100 + n)
        place(daily, "bob", score=5)
    answer = client.get("/players/alice/")
    said = text_of(answer)
    assert "Days played days in a row now 3 most in a row 3 days in all 4" in said
    assert "Days won wins in a row now 1 most in a row 1" in said
    assert "dailies played 4 won 1 25 % best score 1,201 average score 312.8 fewest moves of a win 101" in said
    assert "rank this week 1 of 2 rank this month 1 of 2 rank of all time 1 of 2" in said
    assert answer.content.decode().count("<h1") == 1


def test_the_ranks_are_those_of_the_boards_pages(visit: Visit) -> None:
    """The profile's rank differed from the board's (ForFunLabs/webapi #7)."""
    daily = make_daily("ft-n", TODAY)
    for n, name in enumerate(("bob", "charlie", "alice", "dora")):
        place(daily, name, score=(50, 40, 40, 30)[n])
    for period in ("week", "month", "all"):
        assert "Your rank 2 of 4" in text_of(visit("alice").get(f"/boards/ft-n/{period}/"))
    assert "rank this week 2 of 4 rank this month 2 of 4 rank of all time 2 of 4" in text_of(
        visit("dora").get("/players/alice/")
    )


def test_medals_badges_and_the_line_of_percentiles_come_from_finished_dailies(client: Client) -> None:
    for n, day in enumerate(days_before(*range(1, 12))):
        daily = make_daily("ft-n", day)
        place(daily, "alice", score=100 if n else 1)
        place(daily, "bob", score=50)
    close_dailies(now=timezone.now())
    answer = client.get("/players/alice/")
    content, said = answer.content.decode(), text_of(answer)
    assert "10 best 1 %" in said
    assert "March 2026 10 days or more" in said
    assert "Line of the last 11 finished dailies; the latest at 0 %." in content
    assert "03/28/2026 2 2 0.0" in said and "03/27/2026 1 2 100.0" in said
    # The picture's numbers stay numbers where the language writes commas.
    finnish = client.get("/players/alice/", headers={"accept-language": "fi"}).content.decode()
    assert 'd="M5 0 L15 0' in content and 'd="M5 0 L15 0' in finnish


def test_latest_games_have_a_replay_once_it_may_be_seen(client: Client, visit: Visit) -> None:
    over = place(make_daily("ft-n", TODAY - datetime.timedelta(days=1)), "alice", score=7)
    running = place(make_daily("ft-n", TODAY), "alice", score=8)
    place(make_daily("kl-d1n", TODAY), "alice", score=9, ranked=False)
    for browser, replays in ((client, {over.pk}), (visit("bob"), {over.pk}), (visit("alice"), {over.pk, running.pk})):
        answer = browser.get("/players/alice/")
        found = {link for link in links_of(answer) if "/replay/" in link}
        assert found == {f"/games/{pk}/replay/" for pk in replays}
        assert "/boards/ft-n/?date=2026-03-28" in links_of(answer) and " 9 " not in text_of(answer)


def test_who_hasnt_played_has_an_empty_page_with_a_way_on(visit: Visit) -> None:
    alice = visit("alice")
    assert "Your statistics begin with the first" in text_of(alice.get("/players/alice/"))
    assert "alice hasn't finished a daily yet" in text_of(visit("bob").get("/players/alice/"))


def test_names_are_found_without_regard_to_case_and_others_arent(client: Client, visit: Visit) -> None:
    visit("Alice B.")
    assert client.get("/players/alice b./").headers["Location"] == "/players/Alice%20B./"
    assert client.get("/players/Alice%20B./").status_code == 200
    for name in ("nobody", "deleted player", "%00", "x" * 300):
        assert client.get(f"/players/{name}/").status_code == 404


def test_the_banned_and_the_deleted_have_no_page(visit: Visit, client: Client) -> None:
    """A deleted player stayed visible (osu-web #10224)."""
    daily = make_daily("ft-n", TODAY)
    place(daily, "alice", score=5)
    place(daily, "bob", score=5)
    ada = Player.objects.create_superuser("Ada")
    moderation.ban_player(
        player_id=Player.objects.get(name="bob").pk, reason="a bot", until=None, now=timezone.now(), by=ada
    )
    Player.objects.filter(name="alice").update(name=Player.DELETED_NAME, tombstone=1, is_active=False)
    for name in ("alice", "bob", Player.DELETED_NAME):
        assert client.get(f"/players/{name}/").status_code == 404
        assert visit("charlie").post(f"/players/{name}/report/", {"reason": "x"}).status_code == 404


def test_reporting_a_player(visit: Visit, client: Client) -> None:
    visit("alice")
    bob = visit("bob")
    done = bob.post("/players/alice/report/", {"reason": "an ugly name"}, follow=True)
    assert "the moderators will look at it" in text_of(done)
    flag = ReviewFlag.objects.get()
    assert (flag.player.name, flag.reporter and flag.reporter.name, flag.details) == (
        "alice",
        "bob",
        {"reason": "an ugly name"},
    )
    assert "Say in 1 to 500 characters" in text_of(bob.post("/players/alice/report/", {"reason": ""}, follow=True))
    assert "That is you" in text_of(bob.post("/players/bob/report/", {"reason": "me"}, follow=True))
    client.post("/players/alice/report/", {"reason": "unsigned"})
    assert ReviewFlag.objects.count() == 1
    assert "/account/?next=/players/alice/" in links_of(client.get("/players/alice/"))
    assert "Report this player" not in text_of(bob.get("/players/bob/"))


def test_forms_of_other_sites_are_refused(visit: Visit) -> None:
    visit("alice")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(Player.objects.create(name="bob"))
    assert strict.post("/players/alice/report/", {"reason": "x"}).status_code == 403
    assert strict.post("/clubs/", {"name": "The Kings"}).status_code == 403
    assert not ReviewFlag.objects.exists()


def test_a_page_takes_few_statements(client: Client, django_assert_max_num_queries: Any) -> None:
    for mode in ("ft-n", "kl-d1n", "kl-d3n"):
        place(make_daily(mode, TODAY), "alice", score=5)
    client.get("/players/alice/")
    with django_assert_max_num_queries(14):
        client.get("/players/alice/")
