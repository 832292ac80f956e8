"""Names on boards are kept by each process, and change everywhere at once all the same."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from typing import Any

import msgspec
import psycopg
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from games.models import Challenge, NameChange, Player, Submission
from games.services import moderation, profiles
from games.services.deletion import delete_player
from games.services.merging import finish_merges, take_over_guest
from games.services.players import NAMES_SIGN, make_full_player
from leaderboards.boards import Slice
from leaderboards.layouts import Entry
from leaderboards.services import lines
from qvserver.throwaway import free_port
from tests.conftest import Api, Process, ask_redis, wait_for

from .stage import place

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def ada() -> Player:
    return Player.objects.create_superuser("ada", "seven black kings")


@pytest.fixture
def bob() -> Player:
    return Player.objects.create_user("bob", "seven black kings")


def shown(api: Api, challenge: Challenge) -> list[tuple[str, bool]]:
    """Names on the board, and whether they are guests', as this process knows them."""
    page = api.get(f"leaderboards/challenges/{challenge.pk}/").data
    return [(line["player"], line["is_guest"]) for line in page["lines"]]


def number(name: str) -> int:
    return int(Player.objects.get(name=name).pk)


def sign(cursor: Any) -> str:
    return str(cursor.execute(f"SELECT {NAMES_SIGN}").fetchone()[0])


@contextlib.contextmanager
def another_process() -> Iterator[psycopg.Connection]:
    """Somebody else at the same database."""
    with psycopg.connect(**{**connection.get_connection_params(), "cursor_factory": psycopg.Cursor}) as other:
        yield other


def test_names_are_asked_for_once(nobody: Api, daily: Challenge) -> None:
    place(daily, "alice", score=5)
    shown(nobody, daily)
    with CaptureQueriesContext(connection) as asked:
        assert shown(nobody, daily) == [("alice", False)]
    assert len(asked) == 1


CHANGES: dict[str, tuple[Callable[[Player], Any], list[tuple[str, bool]]]] = {
    "a rename": (lambda ada: profiles.rename_player(player_id=number("alice"), name="Alicia"), [("Alicia", False)]),
    "a moderator's rename": (
        lambda ada: moderation.rename_player(
            player_id=number("alice"), name="Player", reason="rude", now=timezone.now(), by=ada
        ),
        [("Player", False)],
    ),
    "a deletion": (
        lambda ada: delete_player(player_id=number("alice"), now=timezone.now()),
        [(Player.DELETED_NAME, False)],
    ),
    "a ban": (
        lambda ada: moderation.ban_player(
            player_id=number("alice"), until=None, reason="bot", now=timezone.now(), by=ada
        ),
        [],
    ),
}
OF_GUESTS: dict[str, tuple[Callable[[], Any], list[tuple[str, bool]]]] = {
    "signing up": (lambda: make_full_player(player_id=number("gus")), [("gus", False)]),
    "a merge": (
        lambda: take_over_guest(player_id=number("bob"), guest_id=number("gus"), now=timezone.now()),
        [("bob", False)],
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_happens_to_a_player_shows_at_once(what: str, ada: Player, nobody: Api, daily: Challenge) -> None:
    """A shadow ban stayed invisible for the ten minutes a cache lived (hackatime PR 1340); osu-web #10224."""
    happens, then = CHANGES[what]
    place(daily, "alice", score=5)
    assert shown(nobody, daily) == [("alice", False)]
    happens(ada)
    assert shown(nobody, daily) == then


@pytest.mark.parametrize("what", OF_GUESTS)
def test_what_happens_to_a_guest_shows_at_once(what: str, bob: Player, nobody: Api, daily: Challenge) -> None:
    happens, then = OF_GUESTS[what]
    place(daily, "gus", score=5, guest=True)
    assert shown(nobody, daily) == [("gus", True)]
    happens()
    assert shown(nobody, daily) == then


def test_what_came_in_for_a_merged_guest_gets_its_new_name(bob: Player, nobody: Api, daily: Challenge) -> None:
    late = place(daily, "gus", score=5, guest=True)
    take_over_guest(player_id=bob.pk, guest_id=number("gus"), now=timezone.now())
    guest = Player.objects.get(merged_into=bob)
    for rows in (Submission.objects.filter(pk=late.pk), type(late.attempt).objects.filter(pk=late.attempt_id)):
        rows.update(player=guest)
    before = NameChange.objects.get()
    assert finish_merges(now=timezone.now()) == 1
    assert NameChange.objects.get() != before
    assert shown(nobody, daily) == [("bob", False)]


@pytest.mark.parametrize("redis", ["as it was", "emptied"])
def test_a_rename_by_another_process_shows_at_once(redis: str, nobody: Api, daily: Challenge) -> None:
    place(daily, "alice", score=5)
    with another_process() as other:
        assert shown(nobody, daily) == [("alice", False)]
        other.execute("UPDATE games_player SET name = 'Alicia' WHERE name = 'alice'")
        assert shown(nobody, daily) == [("alice", False)], "it isn't committed"
        if redis == "emptied":
            ask_redis(lambda redis: redis.flushall())
        other.commit()
        assert shown(nobody, daily) == [("Alicia", False)]


def test_a_rename_shows_at_once_in_another_web_process(nobody: Api, daily: Challenge) -> None:
    place(daily, "alice", score=5)
    port = free_port()
    web = Process(["-m", "granian", "--interface", "wsgi", "--port", str(port), "qvserver.wsgi:application"])
    web.start()

    def theirs() -> list[str]:
        with contextlib.suppress(ConnectionError):
            there = HTTPConnection("127.0.0.1", port)
            there.request("GET", f"/api/v1/leaderboards/challenges/{daily.pk}/")
            return [line["player"] for line in msgspec.json.decode(there.getresponse().read())["lines"]]
        return []

    try:
        assert wait_for(theirs) == ["alice"]
        profiles.rename_player(player_id=number("alice"), name="Alicia")
        assert theirs() == ["Alicia"]
        assert shown(nobody, daily) == [("Alicia", False)]
    finally:
        web.kill()


def test_the_sign_is_another_one_after_each_commit_and_nobody_waits(nobody: Api, daily: Challenge) -> None:
    for name in ("alice", "bob", "charlie"):
        place(daily, name, score=5)
    rename = "UPDATE games_player SET name = upper(name) WHERE name = %s"
    with another_process() as first, another_process() as second, another_process() as reader:
        reader.autocommit = True
        seen = [sign(reader.cursor())]
        first.execute(rename, ["alice"])
        second.execute(rename, ["bob"])
        assert sign(reader.cursor()) == seen[0]
        for one in (second, first):
            one.commit()
            seen.append(sign(reader.cursor()))
        reader.execute(rename, ["charlie"])
        seen.append(sign(reader.cursor()))
    assert all(one != other for one, other in itertools.combinations(seen, 2))
    assert NameChange.objects.count() == 1


def test_who_still_adds_names_of_an_older_sign_does_no_harm() -> None:
    old = lines._known_under("old")
    new = lines._known_under("new")
    old.names[1] = ("alice", False, 1)
    assert lines._known_under("new") is new and not new.names
    assert not lines._known_under("old").names


def test_names_are_not_kept_without_a_sign_nor_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    assert lines._known_under(None) is not lines._known_under(None)
    monkeypatch.setattr(lines, "KEPT_NAMES", 1)
    lines._known_under("sign").names.update({1: ("alice", False, 1), 2: ("bob", False, 1)})
    assert not lines._known_under("sign").names


def test_lines_are_not_kept_while_one_lacks_its_player(
    nobody: Api, daily: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    place(daily, "alice", score=5)
    monkeypatch.setattr(lines, "_ask", lambda *_: [])
    assert shown(nobody, daily) == []
    monkeypatch.undo()
    assert shown(nobody, daily) == [("alice", False)]


def test_kept_lines_are_made_anew_where_rank_or_key_is_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    known = lines._Known.nothing("sign")
    known.names.update({number: (f"player {number}", False, 1) for number in range(1, 5)})

    def read(*entries: tuple[int, int], first: int = 0) -> tuple[lines.Line, ...]:
        part = Slice(tuple(Entry(*entry) for entry in entries), first, first + 1, 10)
        found = lines._kept_lines(part, known)
        assert found == lines._lines(part, known.names)
        return found

    before = read((1, 10), (2, 20), (3, 20))
    assert read((4, 5), (2, 20), (3, 20))[1] is before[1]
    assert [line.rank for line in read((4, 5), (1, 10), (2, 20), (3, 20))] == [1, 2, 3, 3]
    assert [line.key for line in read((2, 20), (3, 20), (1, 30), first=3)] == [20, 20, 30]
    assert read((1, 12), (2, 20), (3, 20))[0].key == 12
    monkeypatch.setattr(lines, "KEPT_LINES", 1)
    assert read((1, 7)) and len(known.lines) == 1


def test_who_reads_without_a_sign_takes_no_names_from_others() -> None:
    known = lines._known_under("a sign")
    known.names[1] = ("alice", False, 1)
    assert lines._known_under(None).names == {}
    assert lines._known_under("a sign").names == {1: ("alice", False, 1)}
