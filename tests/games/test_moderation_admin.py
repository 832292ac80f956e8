"""The admin of moderation: the pages of players, submissions, flags and clubs, and their buttons."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.db.models import Model
from django.test import Client
from django.utils import timezone

from games.admin.acting import ban_end
from games.models import Challenge, ModerationAct, Player, ReviewFlag, Submission
from games.services.moderation import ModerationError
from games.services.review import review_submissions
from games.services.verification import verify_pending
from leaderboards.models import Club
from tests.conftest import Api, utc
from tests.leaderboards.test_placing import lines

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ada(db: None) -> Player:
    return Player.objects.create_superuser("Ada")


@pytest.fixture
def admin(ada: Player) -> Client:
    client = Client()
    client.force_login(ada)
    return client


def address(row: Model) -> str:
    return f"/admin/{row._meta.app_label}/{row._meta.model_name}/{row.pk}/"


def page(client: Client, row: Model) -> str:
    answer = client.get(f"{address(row)}change/")
    assert answer.status_code == 200
    return answer.content.decode()


def do(client: Client, row: Model, what: str, **fields: str) -> str:
    """The message after a button was pressed."""
    answer = client.post(f"{address(row)}do/", {"what": what, **fields}, follow=True)
    assert answer.status_code == 200
    [message] = answer.context["messages"]
    return str(message)


def replays(text: str) -> list[int]:
    """How many frames each replay of a page has."""
    found = re.findall(r'<script id="replay-frames[-2]*" type="application/json">(.*?)</script>', text)
    return [len(json.loads(frames)) for frames in found]


@pytest.fixture
def game(alice: Api, daily: Challenge, won_log: str) -> Submission:
    """Alice's game, won at once."""
    alice.submit(alice.start(daily), won_log, claimed_score=5, client="tests/1")
    verify_pending(clock=timezone.now)
    return Submission.objects.get()


def test_a_player_is_banned_and_let_in_again_from_the_page(
    admin: Client, nobody: Api, game: Submission, daily: Challenge
) -> None:
    player = game.player
    assert "Give a reason" in do(admin, player, "ban", length="7 days")
    assert "A ban lasts 1 day" in do(admin, player, "ban", reason="a bot", length="8 days")
    assert "no moment" in do(admin, player, "ban", reason="a bot", until="tomorrow")
    assert "is banned until" in do(admin, player, "ban", reason="a bot", length="7 days")
    text = page(admin, player)
    for words in ("a bot", "Lift ban", "Change ban", f"/admin/games/submission/{game.pk}/change/"):
        assert words in text
    assert lines(nobody, f"challenges/{daily.pk}/") == []
    assert "for good" in do(admin, player, "ban", reason="a farm", length="for good")
    assert "all results count again" in do(admin, player, "lift", reason="a mistake")
    text = page(admin, player)
    assert "Lift ban" not in text and "ban lifted" in text and "a mistake" in text
    assert len(lines(nobody, f"challenges/{daily.pk}/")) == 1


@pytest.mark.parametrize(
    ("fields", "end"),
    [
        ({"length": "1 day"}, "2026-03-30T12:00:00"),
        ({"length": "for good", "until": "2026-04-01 10:00"}, "2026-04-01T10:00:00"),
        ({"until": "2026-04-01T10:00:00+02:00"}, "2026-04-01T08:00:00"),
        ({"length": "for good"}, None),
    ],
)
def test_how_long_a_ban_lasts(fields: dict[str, str], end: str | None) -> None:
    assert ban_end(fields, utc("2026-03-29T12:00:00")) == (None if end is None else utc(end))


@pytest.mark.parametrize("fields", [{}, {"length": "x"}, {"until": "2026-02-30 10:00"}, {"until": "x"}])
def test_a_ban_of_no_length_is_refused(fields: dict[str, str]) -> None:
    with pytest.raises(ModerationError):
        ban_end(fields, utc("2026-03-29T12:00:00"))


def test_a_player_is_renamed_and_named_back_from_the_page(admin: Client, alice: Api) -> None:
    player = Player.objects.get(name=alice.name)
    assert "3 to 20" in do(admin, player, "rename", name="x", reason="rude")
    assert "is now named Robin" in do(admin, player, "rename", name="Robin", reason="rude")
    text = page(admin, player)
    assert f"Name {alice.name} again" in text and "rude" in text
    act = ModerationAct.objects.get()
    assert f"is named {alice.name} again" in do(admin, player, "name_back", renaming=str(act.pk), reason="fine")
    assert "no such renaming" in do(admin, player, "name_back", renaming="x", reason="fine")


def test_a_submission_is_disqualified_and_restored_beside_its_replay(
    admin: Client, nobody: Api, game: Submission, daily: Challenge
) -> None:
    text = page(admin, game)
    assert replays(text) == [316] and "Disqualify" in text and "tests/1" in text
    assert "stands on no board" in do(admin, game, "disqualify", reason="a bot")
    assert lines(nobody, f"challenges/{daily.pk}/") == []
    assert "disqualified: a bot" in page(admin, game)
    assert "counts again" in do(admin, game, "restore", reason="it wasn't")
    assert len(lines(nobody, f"challenges/{daily.pk}/")) == 1
    assert "nothing that can be done" in do(admin, game, "explode")


def test_a_rejected_a_pending_and_a_failed_submission_have_pages_too(
    admin: Client, alice: Api, daily: Challenge
) -> None:
    alice.submit(alice.start(daily), "d d aa d")
    submission = Submission.objects.get()
    assert "no verdict yet" in page(admin, submission)
    verify_pending(clock=timezone.now)
    text = page(admin, submission)
    assert replays(text) == [3] and "qv-alert" in text
    Submission.objects.update(state="failed", traceback="Traceback: it broke")
    assert "it broke" in page(admin, submission)


def test_the_queue_shows_two_games_beside_each_other_and_takes_decisions(
    admin: Client, game: Submission, bob: Api, daily: Challenge, won_log: str, nobody: Api
) -> None:
    bob.submit(bob.start(daily), won_log)
    verify_pending(clock=timezone.now)
    review_submissions(now=timezone.now())
    queue = admin.get("/admin/games/reviewflag/?state__exact=open").content.decode()
    for words in ("faster than a hand can move", "the stored winning log", "claimed 5, the verdict gives 1230"):
        assert words in queue
    assert f"the log of submission {game.pk} as well" in queue
    assert "state__exact=open" in admin.get("/admin/").content.decode()
    for kind in ("same_log", "winning_log"):
        assert replays(page(admin, ReviewFlag.objects.filter(kind=kind).latest("id"))) == [316, 316]
    flag = ReviewFlag.objects.get(kind="same_log")
    text = page(admin, flag)
    assert "Next open flag" in text and "Other flags of this player" in text
    assert "Give a reason" in do(admin, flag, "disqualify")
    assert "is disqualified" in do(admin, flag, "disqualify", reason="a borrowed log")
    assert len(lines(nobody, f"challenges/{daily.pk}/")) == 1
    assert "disqualified by Ada" in page(admin, flag)
    assert "open again" in do(admin, flag, "reopen")
    assert len(lines(nobody, f"challenges/{daily.pk}/")) == 2
    assert "is banned" in do(admin, flag, "ban", reason="a bot", length="1 day")
    assert "open again" in do(admin, flag, "reopen")
    assert "Dismissed" in do(admin, flag, "dismiss")
    assert "disqualify" not in do(admin, flag, "explode")


def test_a_report_shows_what_was_said_and_escapes_it(admin: Client, alice: Api, bob: Api) -> None:
    alice.post(f"players/{bob.name}/report/", {"reason": "<script>alert(1)</script> rude"})
    flag = ReviewFlag.objects.get()
    text = page(admin, flag)
    assert "&lt;script&gt;alert(1)&lt;/script&gt; rude" in text and "<script>alert(1)" not in text
    assert alice.name in text and "Disqualify submission" not in text
    queue = admin.get("/admin/games/reviewflag/").content.decode()
    assert "rude" in queue and "<script>alert(1)" not in queue
    assert "not about a submission" in do(admin, flag, "disqualify", reason="x")


def test_a_club_is_renamed_and_named_back_from_the_page(admin: Client, alice: Api) -> None:
    code = alice.post("clubs/", {"name": "Rude Words"}).data["code"]
    club = Club.objects.get()
    assert "Give a reason" in do(admin, club, "rename", name="The Kings")
    assert "at least two letters" in do(admin, club, "rename", name="---", reason="rude")
    assert "is now named The Kings" in do(admin, club, "rename", name="The Kings", reason="rude")
    text = page(admin, club)
    assert "Rude Words → The Kings" in text and alice.name in text and code not in text
    renaming = club.renamings.get()
    assert "no such renaming" in do(admin, club, "undo", renaming="0")
    assert "named Rude Words" in do(admin, club, "undo", renaming=str(renaming.pk))
    assert "undone" in page(admin, club)


@pytest.mark.parametrize(
    "name", ["games/player", "games/submission", "games/reviewflag", "games/moderationact", "leaderboards/club"]
)
def test_lists_are_searched_and_are_for_staff_alone(admin: Client, alice: Api, game: Submission, name: str) -> None:
    alice.post("clubs/", {"name": "The Kings"})
    assert admin.get(f"/admin/{name}/?q=a").status_code == 200
    client = Client()
    assert client.get(f"/admin/{name}/").status_code == 302
    client.force_login(Player.objects.get(name=alice.name))
    assert client.get(f"/admin/{name}/").status_code == 302


def test_buttons_need_post_a_token_and_the_right(ada: Player, game: Submission) -> None:
    strict: Any = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    assert strict.get(f"{address(game)}do/?what=disqualify").status_code == 405
    assert strict.post(f"{address(game)}do/", {"what": "disqualify", "reason": "x"}).status_code == 403
    staff = Player.objects.create_user("Bert", is_staff=True)
    client = Client()
    client.force_login(staff)
    assert client.post(f"{address(game)}do/", {"what": "disqualify", "reason": "x"}).status_code == 403
    game.refresh_from_db()
    assert not game.is_disqualified
    assert Client().post("/admin/games/player/0/do/", {"what": "ban"}).status_code == 302
