"""Bans, disqualifications and renamings: what they take away, who sees what, and that they can be undone."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from games.models import Challenge, ModerationAct, Player, Submission
from games.services import moderation
from games.services.moderation import ModerationError
from games.services.verification import verify_pending
from games.tasks import end_bans
from leaderboards.addresses import ChallengeBoard, PeriodBoard
from leaderboards.models import FinalRank
from leaderboards.periods import first_day
from leaderboards.services.closing import close_dailies
from leaderboards.services.standings import push_all_unpushed
from qvserver.audit import audit
from tests.conftest import Api, Process, utc, wait_for
from tests.leaderboards.stage import make_daily, place
from tests.leaderboards.test_placing import in_redis, lines

pytestmark = pytest.mark.django_db(transaction=True)

NOON = utc("2026-03-29T12:00:00")
HOUR = datetime.timedelta(hours=1)
SUNDAY = datetime.date(2026, 3, 29)


@pytest.fixture
def ada(db: None) -> Player:
    return Player.objects.create_superuser("Ada")


@pytest.fixture
def noon() -> Iterator[Any]:
    """It is noon of a Sunday, until the clock is moved."""
    with time_machine.travel(NOON, tick=False) as clock:
        yield clock


def row(api: Api) -> Player:
    return Player.objects.get(name=api.name)


def ban(who: Api | str, by: Player, until: datetime.datetime | None = None, reason: str = "a bot") -> ModerationAct:
    player = Player.objects.get(name=who if isinstance(who, str) else who.name)
    return moderation.ban_player(player_id=player.pk, reason=reason, until=until, now=timezone.now(), by=by)


def lift(who: Api | str, by: Player) -> ModerationAct:
    player = Player.objects.get(name=who if isinstance(who, str) else who.name)
    return moderation.lift_ban(player_id=player.pk, reason="a mistake", now=timezone.now(), by=by)


def everywhere(nobody: Api, daily: Challenge) -> Any:
    """All places that show who stands where, as a reader gets them."""
    address = f"challenges/{daily.pk}/"
    today = daily.date
    assert today is not None
    return (
        [lines(nobody, f"{address}?board={board}") for board in ("best", "first")],
        [lines(nobody, f"ft-n/{period}/?date={today}") for period in ("week", "month", "all")],
        nobody.get(f"leaderboards/{address}distribution/").data["played"],
        in_redis(ChallengeBoard(daily.pk, "best")),
        in_redis(PeriodBoard("ft-n", "week", first_day("week", today))),
        sorted(FinalRank.objects.values_list("player__name", "rank")),
    )


def test_a_ban_leaves_every_board_at_once_and_its_lifting_brings_all_back(ada: Player, nobody: Api, alice: Api) -> None:
    """hackatime PR 1340: a shadow ban stayed visible for the ten minutes that a cache lived."""
    daily = make_daily("ft-n", SUNDAY)
    place(daily, "bob", score=50)
    place(daily, "charlie", score=40)
    close_dailies(now=timezone.now())
    push_all_unpushed()
    before = everywhere(nobody, daily)
    ban("bob", ada)
    boards, periods, played, challenge_redis, period_redis, ranks = everywhere(nobody, daily)
    assert boards == [[(1, "charlie", 40)]] * 2 and periods == [[(1, "charlie", 40)]] * 3
    assert (played, len(challenge_redis), len(period_redis), ranks) == (1, 1, 1, [("charlie", 1)])
    lift("bob", ada)
    assert everywhere(nobody, daily) == before
    assert list(ModerationAct.objects.order_by("id").values_list("kind", "reason", "by__name")) == [
        ("ban", "a bot", "Ada"),
        ("lift", "a mistake", "Ada"),
    ]


def test_a_banned_club_member_leaves_the_clubs_boards_too(ada: Player, alice: Api, bob: Api) -> None:
    daily = make_daily("ft-n", SUNDAY)
    club = alice.post("clubs/", {"name": "The Kings"}).data
    bob.post(f"clubs/join/{club['code']}/")
    place(daily, alice.name, score=1)
    place(daily, bob.name, score=2)
    address = f"challenges/{daily.pk}/?club={club['id']}"
    assert lines(alice, address) == [(1, bob.name, 2), (2, alice.name, 1)]
    ban(bob, ada)
    assert lines(alice, address) == [(1, alice.name, 1)]
    lift(bob, ada)
    assert lines(alice, address) == [(1, bob.name, 2), (2, alice.name, 1)]


def test_removing_number_one_leaves_boards_and_neighbours_that_can_be_read(ada: Player, nobody: Api) -> None:
    """osu #29857: removing number 1 left a client loading for ever."""
    daily = make_daily("ft-n", SUNDAY)
    for name, score in (("bob", 50), ("charlie", 40), ("dora", 40), ("emil", 3)):
        place(daily, name, score=score)
    push_all_unpushed()
    address = f"challenges/{daily.pk}/"
    first = nobody.get(f"leaderboards/{address}?limit=1").data
    ban("bob", ada)
    expected = [(1, "charlie", 40), (1, "dora", 40), (3, "emil", 3)]
    assert lines(nobody, address) == expected
    rest = nobody.get(f"leaderboards/{address}?cursor={first['next_cursor']}").data
    assert [(line["rank"], line["player"]) for line in rest["lines"]] == [line[:2] for line in expected]
    assert lines(nobody, f"{address}around/?player=dora&span=5") == expected
    assert nobody.get(f"leaderboards/{address}around/?player=bob").status_code == 404
    for name in ("charlie", "dora", "emil"):
        ban(name, ada)
    assert lines(nobody, address) == [] and lines(nobody, f"ft-n/week/?date={SUNDAY}") == []
    lift("bob", ada)
    assert lines(nobody, address) == [(1, "bob", 50)]


def test_the_rank_is_the_same_everywhere_before_and_after(ada: Player, alice: Api, bob: Api, daily: Challenge) -> None:
    """ForFunLabs/webapi #7: the profile's rank differed from the board's."""
    bob.submit(bob.start(daily), "d")
    number = alice.submit(alice.start(daily), "d d").data["id"]
    verify_pending(clock=timezone.now)
    for act, rank in ((None, 2), (ban, 1), (lift, 2)):
        if act is not None:
            act(bob, ada)
        page = alice.get(f"leaderboards/challenges/{daily.pk}/").data
        around = alice.get(f"leaderboards/challenges/{daily.pk}/around/").data
        shown = {line["rank"] for part in (page, around) for line in part["lines"] if line["player"] == alice.name}
        assert shown == {rank} == {page["own"]["rank"], alice.get(f"submissions/{number}/").data["best"]["rank"]}
        assert page["total"] == rank


def test_a_ban_ends_by_itself_without_anybody_logging_in(ada: Player, nobody: Api, alice: Api, noon: Any) -> None:
    """FAForever/website #167: an expired ban still hid the player."""
    daily = make_daily("ft-n", SUNDAY)
    place(daily, alice.name, score=5)
    push_all_unpushed()
    before = everywhere(nobody, daily)
    ban(alice, ada, until=NOON + HOUR)
    end_bans()
    assert lines(nobody, f"challenges/{daily.pk}/") == []
    noon.move_to(NOON + HOUR)
    end_bans()
    end_bans()
    assert everywhere(nobody, daily) == before
    assert nobody.get(f"players/{alice.name}/statistics/").status_code == 200
    assert list(ModerationAct.objects.order_by("id").values_list("kind", "by__name", "reason")) == [
        ("ban", "Ada", "a bot"),
        ("end", None, "a bot"),
    ]


def test_the_end_of_a_ban_is_on_the_beat_and_on_the_queue_of_the_workers() -> None:
    from qvserver.celery import app

    assert "games.end_bans" in {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert app.amqp.router.route({}, "games.end_bans")["queue"].name == "verdicts"


def test_many_bans_end_together(ada: Player, noon: Any) -> None:
    players = [Player(name=f"player{n}") for n in range(230)]
    for player in players:
        player.is_banned, player.banned_at, player.banned_until, player.ban_reason = True, NOON, NOON + HOUR, "spam"
    Player.objects.bulk_create(players)
    assert moderation.end_bans(now=NOON) == []
    assert len(moderation.end_bans(now=NOON + HOUR)) == 230
    assert not Player.objects.filter(is_banned=True).exists()


def test_a_banned_player_reads_and_sees_why_but_starts_nothing(ada: Player, alice: Api, daily: Challenge) -> None:
    until = timezone.now() + HOUR
    attempt = alice.start(daily)
    ban(alice, ada, until=until)
    shown = alice.get("players/me/").data["ban"]
    assert shown["reason"] == "a bot" and datetime.datetime.fromisoformat(shown["until"]) == until
    assert alice.get("challenges/today/").status_code == alice.get(f"attempts/{attempt['id']}/").status_code == 200
    assert alice.get("players/me/statistics/").status_code == 200
    for answer in (
        alice.post(f"challenges/{daily.pk}/attempts/"),
        alice.post("clubs/", {"name": "The Kings"}),
        alice.post("clubs/join/ABC/"),
    ):
        assert answer.status_code == 403
        error = answer.data["error"]
        assert (error["code"], error["details"]["reason"]) == ("banned", "a bot")
        assert datetime.datetime.fromisoformat(error["details"]["until"]) == until
    lift(alice, ada)
    assert alice.get("players/me/").data["ban"] is None
    assert alice.start(daily)["id"] == attempt["id"]


def test_a_ban_for_good_names_no_end(ada: Player, alice: Api, daily: Challenge) -> None:
    ban(alice, ada)
    error = alice.post(f"challenges/{daily.pk}/attempts/").data["error"]
    assert error["details"]["until"] is None and "for good" in error["message"]
    assert moderation.end_bans(now=timezone.now() + 10_000 * HOUR) == []


def test_the_log_of_an_attempt_begun_before_the_ban_is_kept_and_counts_after_it(
    ada: Player, nobody: Api, alice: Api, daily: Challenge
) -> None:
    attempt = alice.start(daily)
    ban(alice, ada)
    answer = alice.submit(attempt, "d d")
    assert answer.status_code == 202
    assert alice.submit(attempt, "d d").data == answer.data
    verify_pending(clock=timezone.now)
    shown = alice.get(f"submissions/{answer.data['id']}/").data
    assert (shown["state"], shown["best"]) == ("verified", None)
    assert lines(nobody, f"challenges/{daily.pk}/") == []
    lift(alice, ada)
    assert lines(nobody, f"challenges/{daily.pk}/") == [(1, alice.name, 0)]


def test_an_attempt_that_slipped_in_during_the_ban_takes_no_log(ada: Player, alice: Api, daily: Challenge) -> None:
    attempt = alice.start(daily)
    ban(alice, ada)
    Player.objects.filter(name=alice.name).update(banned_at=timezone.now() - HOUR)
    answer = alice.submit(attempt, "d d")
    assert (answer.status_code, answer.data["error"]["code"]) == (403, "banned")
    assert not Submission.objects.exists()


def test_a_ban_that_has_ended_holds_nobody_up_though_its_flag_still_stands(
    ada: Player, alice: Api, daily: Challenge
) -> None:
    ban(alice, ada, until=timezone.now() + HOUR)
    Player.objects.filter(name=alice.name).update(banned_until=timezone.now())
    assert alice.get("players/me/").data["ban"] is None
    assert alice.submit(alice.start(daily), "d").status_code == 202


def test_profile_and_replays_of_a_banned_player_are_hidden_from_others(
    ada: Player, nobody: Api, alice: Api, bob: Api, daily: Challenge
) -> None:
    number = alice.submit(alice.start(daily), "d").data["id"]
    verify_pending(clock=timezone.now)
    with time_machine.travel(timezone.now() + 48 * HOUR):
        addresses = [f"players/{alice.name}/statistics/", f"submissions/{number}/replay/"]
        assert [bob.get(address).status_code for address in addresses] == [200, 200]
        ban(alice, ada)
        assert [bob.get(address).status_code for address in addresses] == [404, 404]
        assert nobody.get(addresses[0]).status_code == 404
        assert [alice.get(address).status_code for address in addresses] == [200, 200]
        lift(alice, ada)
        assert [bob.get(address).status_code for address in addresses] == [200, 200]


def test_banning_again_changes_reason_and_end(ada: Player, alice: Api, noon: Any) -> None:
    ban(alice, ada, until=NOON + HOUR)
    noon.move_to(NOON + HOUR / 2)
    ban(alice, ada, reason="a farm of bots")
    player = row(alice)
    assert (player.ban_reason, player.banned_until, player.banned_at) == ("a farm of bots", None, NOON)
    noon.move_to(NOON + 2 * HOUR)
    assert moderation.end_bans(now=timezone.now()) == []


def test_a_disqualified_submission_leaves_its_place_to_the_next_best_and_comes_back(
    ada: Player, nobody: Api, alice: Api, daily: Challenge
) -> None:
    number = alice.submit(alice.start(daily), "d").data["id"]
    alice.submit(alice.start(daily), "d d")
    verify_pending(clock=timezone.now)
    push_all_unpushed()
    before = everywhere(nobody, daily)
    moderation.disqualify(submission_id=number, reason="a borrowed log", now=timezone.now(), by=ada)
    [line] = nobody.get(f"leaderboards/challenges/{daily.pk}/").data["lines"]
    assert (line["moves"], line["rank"]) == (2, 1)
    shown = alice.get(f"submissions/{number}/").data
    assert (shown["state"], shown["disqualified"], shown["best"]) == ("verified", "a borrowed log", None)
    assert not audit(challenge_id=daily.pk).differences
    with pytest.raises(ModerationError, match="is disqualified"):
        moderation.disqualify(submission_id=number, reason="again", now=timezone.now(), by=ada)
    moderation.restore(submission_id=number, reason="it wasn't", now=timezone.now(), by=ada)
    assert everywhere(nobody, daily) == before
    assert alice.get(f"submissions/{number}/").data["disqualified"] is None
    kinds = ModerationAct.objects.filter(submission_id=number).order_by("id").values_list("kind", flat=True)
    assert list(kinds) == ["disqualify", "restore"]


def test_a_disqualified_day_breaks_the_streak_and_takes_the_medal(ada: Player, alice: Api) -> None:
    days = [make_daily("ft-n", SUNDAY - datetime.timedelta(days=n)) for n in (0, 1)]
    submissions = [place(day, alice.name, score=5) for day in days]
    close_dailies(now=timezone.now())
    with time_machine.travel(NOON, tick=False):
        before = alice.get("players/me/statistics/").data
        assert (before["streaks"]["current_days"], before["medals"]["top_1_percent"]) == (2, 2)
        moderation.disqualify(submission_id=submissions[0].pk, reason="a bot", now=NOON, by=ada)
        after = alice.get("players/me/statistics/").data
        assert (after["streaks"]["current_days"], after["medals"]["top_1_percent"]) == (1, 1)


def test_a_pending_submission_can_be_disqualified_and_is_never_placed(
    ada: Player, nobody: Api, alice: Api, daily: Challenge
) -> None:
    number = alice.submit(alice.start(daily), "d").data["id"]
    moderation.disqualify(submission_id=number, reason="a bot", now=timezone.now(), by=ada)
    verify_pending(clock=timezone.now)
    assert alice.get(f"submissions/{number}/").data["state"] == "verified"
    assert lines(nobody, f"challenges/{daily.pk}/") == []


def test_a_renamed_player_is_renamed_everywhere_at_once_and_can_be_named_back(ada: Player, nobody: Api) -> None:
    daily = make_daily("ft-n", SUNDAY)
    player = place(daily, "RudeWord", score=5).player
    push_all_unpushed()
    act = moderation.rename_player(player_id=player.pk, name="Robin", reason="rude", now=timezone.now(), by=ada)
    assert lines(nobody, f"challenges/{daily.pk}/") == lines(nobody, "ft-n/all/") == [(1, "Robin", 5)]
    assert nobody.get("players/RudeWord/statistics/").status_code == 404
    moderation.undo_renaming(act_id=act.pk, reason="it was a surname", now=timezone.now(), by=ada)
    assert lines(nobody, f"challenges/{daily.pk}/") == [(1, "RudeWord", 5)]
    with pytest.raises(ModerationError, match="any more"):
        moderation.undo_renaming(act_id=act.pk, reason="again", now=timezone.now(), by=ada)
    assert list(player.acts.order_by("id").values_list("old_name", "new_name", "reason")) == [
        ("RudeWord", "Robin", "rude"),
        ("Robin", "RudeWord", "it was a surname"),
    ]


def test_what_can_not_be_done_says_why_and_changes_nothing(ada: Player, alice: Api, bob: Api) -> None:
    now, number = timezone.now(), row(alice).pk
    for words, call in (
        ("reason", lambda: ban(alice, ada, reason=" ")),
        ("at most 300", lambda: ban(alice, ada, reason="x" * 301)),
        ("after now", lambda: ban(alice, ada, until=now - HOUR)),
        ("administrator", lambda: ban("Ada", ada)),
        ("isn't banned", lambda: lift(alice, ada)),
        ("no player", lambda: moderation.ban_player(player_id=0, reason="x", until=None, now=now, by=ada)),
        ("no submission", lambda: moderation.disqualify(submission_id=0, reason="x", now=now, by=ada)),
        ("no such renaming", lambda: moderation.undo_renaming(act_id=0, reason="x", now=now, by=ada)),
        ("already", lambda: moderation.rename_player(player_id=number, name=alice.name, reason="x", now=now, by=ada)),
        (
            "is called",
            lambda: moderation.rename_player(player_id=number, name=bob.name.upper(), reason="x", now=now, by=ada),
        ),
        ("3 to 20", lambda: moderation.rename_player(player_id=number, name="x", reason="x", now=now, by=ada)),
        (
            "letters and digits",
            lambda: moderation.rename_player(player_id=number, name="a\u200bbc", reason="x", now=now, by=ada),
        ),
    ):
        with pytest.raises(ModerationError, match=words):
            call()
    assert not ModerationAct.objects.exists() and not Player.objects.filter(is_banned=True).exists()


def test_bans_beside_workers_that_give_verdicts_leave_no_ghost_and_no_gap(
    ada: Player, worker: Process, alice: Api, bob: Api, daily: Challenge
) -> None:
    """Whatever comes first, the ban or the verdict: what is shown is what counts."""
    errors: list[Exception] = []

    def play() -> None:
        try:
            for _ in range(15):
                attempt = alice.start(daily)
                assert alice.submit(attempt, "d").status_code == 202
                started = bob.post(f"challenges/{daily.pk}/attempts/")
                if started.status_code != 403:
                    bob.submit(started.data, "d d")
        except Exception as error:
            errors.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=play)
    thread.start()
    while thread.is_alive():
        ban(bob, ada)
        lift(bob, ada)
        thread.join(timeout=0.02)
    assert not errors
    ban(alice, ada)
    wait_for(lambda: not Submission.objects.filter(state="pending").exists())
    push_all_unpushed()
    assert not audit().differences
    lift(alice, ada)
    assert not audit().differences
