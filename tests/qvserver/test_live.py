"""The live service: a process of its own beside real workers, PostgreSQL and Redis."""

from __future__ import annotations

import datetime
import http.client
import json
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import psutil
import pytest
import time_machine
from django.conf import settings
from django.db import connection
from django.test import Client
from django.utils import timezone

from games import announcements, redis_keys
from games.announcements import BoardNews, ChallengeNews, entry
from games.engine import Code
from games.models import Challenge, Player
from games.services import moderation, publishing
from games.services.tickets import make_ticket
from games.services.verification import verify_pending
from qvserver.management.commands.up import live_command
from tests.accounts import an_admin
from tests.conftest import WON_CODE, Api, Process, ask_redis, wait_for
from tests.dailies import publish
from tests.qvserver.test_up import free_port
from tests.services import POSTGRES, REDIS

pytestmark = pytest.mark.django_db(transaction=True)


class Event(NamedTuple):
    name: str
    data: Any
    at: float


class Listener:
    """A client of an event stream, which reads in a thread."""

    def __init__(self, port: int, query: str = "", **headers: str) -> None:
        self.events: list[Event] = []
        self.raw = bytearray()
        self.last_id = ""
        self.has_ended = False
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._connection.request("GET", f"/live/events/?{query}", headers=headers)
        self.answer = self._connection.getresponse()
        assert self.answer.status == 200, self.answer.read()
        self._socket = self._connection.sock
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        name, data = "", ""
        try:
            while line := self.answer.readline():
                self.raw += line
                field, _, value = line.decode().rstrip("\n").partition(": ")
                if field == "event":
                    name = value
                elif field == "data":
                    data = value
                elif field == "id":
                    self.last_id = value
                elif not line.strip() and name:
                    self.events.append(Event(name, json.loads(data), time.monotonic()))
                    name = data = ""
            self.has_ended = True
        except (OSError, ValueError, http.client.HTTPException):
            pass  # cut off
        finally:
            self._connection.close()

    def named(self, name: str) -> list[Any]:
        """The data of all events of that name so far."""
        return [event.data for event in self.events if event.name == name]

    def first(self, name: str) -> Any:
        """The data of the first event of that name, waited for."""
        return wait_for(lambda: self.named(name), what=f"an event {name!r}")[0]

    def drop(self) -> None:
        """Lose the connection."""
        self._socket.shutdown(socket.SHUT_RDWR)


def _judged(answer: tuple[int, Any]) -> Any:
    status, shown = answer
    assert status == 200, shown
    return None if shown["state"] == "pending" else shown


class Live(Process):
    """The live service."""

    def __init__(self, **environment: str) -> None:
        self.port = free_port()
        super().__init__(live_command("127.0.0.1", self.port)[1:], **environment)

    def start(self) -> None:
        super().start()
        wait_for(self._answers, what="the live service")

    def _answers(self) -> bool:
        try:
            return bool(self.call("/healthz")[0] == 200)
        except OSError:
            return False

    def call(self, path: str, token: str | None = None, method: str = "GET") -> tuple[int, Any]:
        """Status and JSON of a call."""
        answer = self.ask(path, token, method)
        content = answer.read()
        is_json = answer.headers["content-type"] == "application/json"
        return answer.status, json.loads(content) if is_json else content

    def begin(self, path: str, token: str | None = None, method: str = "GET", **headers: str) -> Any:
        """A connection on which a call was sent."""
        asking = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        if token is not None:
            headers["Authorization"] = f"Token {token}"
        asking.request(method, path, headers={"Connection": "close", **headers})
        return asking

    def ask(self, path: str, token: str | None = None, method: str = "GET", **headers: str) -> Any:
        """The answer to a call; its connection stays open until all of it was read."""
        return self.begin(path, token, method, **headers).getresponse()

    def verdict(self, submission: int, player: Api) -> Any:
        """The JSON of a submission with its verdict; a worker may still be starting."""
        path = f"/live/submissions/{submission}/?wait=30"
        return wait_for(lambda: _judged(self.call(path, player.token)), what="a verdict")

    def listen(self, player: Api | None = None, query: str = "", **headers: str) -> Listener:
        """A stream that has begun."""
        if player is not None:
            headers["Authorization"] = f"Token {player.token}"
        listener = Listener(self.port, query, **headers)
        wait_for(lambda: listener.events, what="the beginning of the stream")
        return listener

    def resume(self, player: Api, last_id: str, query: str = "") -> Listener:
        """A stream that goes on after an event."""
        return self.listen(player, query, **{"Last-Event-ID": last_id})

    def kill(self) -> None:
        """Kill it with the process that does the work."""
        assert self.process is not None
        parts = psutil.Process(self.process.pid).children(recursive=True)
        super().kill()
        for part in parts:
            part.kill()
        psutil.wait_procs(parts, timeout=10)

    def stop(self) -> int:
        """End it as a supervisor does; returns its exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(120)


@pytest.fixture
def live(transactional_db: None) -> Iterator[Live]:
    service = Live()
    service.start()
    yield service
    if service.is_running:
        service.stop()


@pytest.fixture
def frozen_redis() -> Iterator[Callable[[int], None]]:
    """Sends Redis a signal; thawed at the end."""
    process = REDIS.process
    assert process is not None
    yield process.send_signal
    process.send_signal(signal.SIGCONT)


def submit(player: Api, challenge: Challenge, log: str = "d") -> int:
    return int(player.submit(player.start(challenge), log).data["id"])


def play(player: Api, challenge: Challenge, log: str = "d") -> int:
    """Submit and verify here, without a worker."""
    submission = submit(player, challenge, log)
    verify_pending(clock=timezone.now)
    return submission


def event_challenge(opens_in: datetime.timedelta) -> Challenge:
    now = timezone.now()
    challenge = publishing.publish_event(
        title="An event", mode="ft-n", opens_at=now + opens_in, closes_at=now + datetime.timedelta(days=2), now=now
    )
    publishing.publish_unproven(challenge_id=challenge.pk, now=now)
    return challenge


def test_a_verdict_reaches_its_player_and_nobody_else(
    live: Live, worker: Process, alice: Api, bob: Api, daily: Challenge, won_log: str
) -> None:
    listeners = [live.listen(alice), live.listen(alice), live.listen(bob), live.listen()]
    submission = submit(alice, daily, won_log)
    assert listeners[0].first("verdict") == {
        "submission": submission,
        "challenge": daily.pk,
        "attempt_number": 1,
        "state": "verified",
        "ranked": True,
        "won": True,
        "ranked_score": 1230,
        "moves": 315,
    }
    assert listeners[1].first("verdict")["submission"] == submission
    bobs = submit(bob, daily, "wc")
    assert (listeners[2].first("verdict")["submission"], listeners[2].first("verdict")["state"]) == (bobs, "rejected")
    publishing.cancel(challenge_id=daily.pk, now=timezone.now())
    for listener in listeners:
        listener.first("cancelled")
    assert [len(listener.named("verdict")) for listener in listeners] == [1, 1, 1, 0]
    assert [listener.first("ready")["signed_in"] for listener in listeners] == [True, True, True, False]


def test_waiting_is_answered_when_the_verdict_is_there(
    live: Live, worker: Process, alice: Api, daily: Challenge
) -> None:
    submission = submit(alice, daily)
    shown = live.verdict(submission, alice)
    assert (shown["state"], shown["best"]["rank"]) == ("verified", 1)
    assert shown == alice.get(f"submissions/{submission}/").data
    assert live.call(f"/live/submissions/{submission}/", alice.token) == (200, shown)
    ticket = alice.post("live/ticket/").data["ticket"]
    assert live.call(f"/live/submissions/{submission}/?ticket={ticket}") == (200, shown)


def test_waiting_ends_with_pending_where_there_is_no_verdict(live: Live, alice: Api, daily: Challenge) -> None:
    submission = submit(alice, daily)
    for wait in (0, 1):
        status, shown = live.call(f"/live/submissions/{submission}/?wait={wait}", alice.token)
        assert (status, shown["state"], shown["verdict"]) == (200, "pending", None)


def test_who_may_not_wait_is_told_why(live: Live, alice: Api, bob: Api, daily: Challenge) -> None:
    submission = play(alice, daily)
    path = f"/live/submissions/{submission}/"
    for token, status, code in (
        (None, 401, "not_authenticated"),
        ("nonsense", 401, "not_authenticated"),
        (bob.token, 404, "not_found"),
    ):
        answered, body = live.call(path, token)
        assert (answered, body["error"]["code"]) == (status, code)
    bobs = bob.post("live/ticket/").data["ticket"]
    assert live.call(f"{path}?ticket={bobs}")[0] == 404
    assert live.call(f"{path}?ticket=made-up")[1]["error"]["code"] == "bad_ticket"
    for address, status, code in (
        ("/live/submissions/999999/", 404, "not_found"),
        (f"{path}?wait=31", 400, "bad_parameter"),
        (f"{path}?wait=-1", 400, "bad_parameter"),
        (f"{path}?wait=%C2%B2", 400, "bad_parameter"),
        ("/live/events/?watch=x", 400, "bad_parameter"),
        ("/live/events/?watch=1&board=worst", 400, "bad_parameter"),
        ("/live/nothing/", 404, "not_found"),
    ):
        answered, body = live.call(address, alice.token)
        assert (answered, body["error"]["code"]) == (status, code), address
    assert live.call("/live/events/", "nonsense")[0] == 401
    assert live.call("/live/events/", alice.token, "POST")[1]["error"]["code"] == "method_not_allowed"


def test_whoever_waits_holds_no_connection(live: Live, new_guest: Callable[[], Api], daily: Challenge) -> None:
    players = [new_guest() for _ in range(20)]
    answers: list[Any] = []

    def wait(player: Api, submission: int) -> None:
        answers.append(live.call(f"/live/submissions/{submission}/?wait=30", player.token)[1]["state"])

    waiting = [
        threading.Thread(target=wait, args=(player, submit(player, daily, "d " * n)))
        for n, player in enumerate(players, start=1)
    ]
    listeners = [live.listen(player) for player in players]
    for thread in waiting:
        thread.start()

    def held() -> int:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            return int(cursor.fetchone()[0])

    wait_for(lambda: held() == 0, what="a moment without connections to PostgreSQL")
    assert answers == []
    clients: Any = ask_redis(lambda redis: redis.client_list())
    assert len(clients) < 10
    verify_pending(clock=timezone.now)
    for thread in waiting:
        thread.join()
    assert answers == ["verified"] * 20
    assert all(listener.first("verdict")["state"] == "verified" for listener in listeners)


def test_changes_of_a_watched_board_come_together(
    live: Live, new_guest: Callable[[], Api], bob: Api, daily: Challenge
) -> None:
    watching = live.listen(None, f"watch={daily.pk}")
    first = live.listen(bob, f"watch={daily.pk}&board=first")
    other = live.listen(bob, f"watch={daily.pk + 1}")
    began = time.monotonic()
    for n in range(1, 4):
        play(new_guest(), daily, "d " * n)
    for _ in range(20):
        announcements.announce_boards([BoardNews(daily.pk, "best", "ft-n", None, [])])
        time.sleep(0.05)
    wait_for(lambda: len(_changes()) == 23, what="all changes")
    wait_for(lambda: watching.named("board")[-1:] and watching.named("board")[-1]["version"] == _changes()[-1])
    boards = [event for event in watching.events if event.name == "board"]
    assert 2 <= len(boards) <= 1 + boards[-1].at - began, "at most one a second"
    assert {(event.data["challenge"], event.data["board"]) for event in boards} == {(daily.pk, "best")}
    assert first.named("board") == [] == other.named("board"), "guests aren't on the board of first attempts"


def test_period_and_club_boards_are_watched_too(
    live: Live, alice: Api, bob: Api, charlie: Api, daily: Challenge
) -> None:
    club = alice.post("clubs/", {"name": "The Kings"}).data
    bob.post(f"clubs/join/{club['code']}/")
    assert daily.date is not None
    long_ago = daily.date - datetime.timedelta(days=400)
    listeners = {
        query: live.listen(alice, query)
        for query in (
            "watch=ft-n/week",
            f"watch=ft-n/month&date={daily.date}",
            "watch=ft-n/all",
            f"watch={daily.pk}&club={club['id']}",
            f"watch=ft-n/week&club={club['id']}",
            "watch=kl-d1n/week",
            f"watch=ft-n/month&date={long_ago}",
        )
    }
    week, month, ever, ours, our_week, *others = listeners.values()
    play(charlie, daily)
    assert week.first("board")["mode"] == "ft-n" and week.first("board")["period"] == "week"
    assert month.first("board")["first_day"] == f"{daily.date:%Y-%m}-01"
    assert ever.first("board")["first_day"] is None
    assert not ours.named("board") and not our_week.named("board"), "who is in no club changes no club's board"
    play(bob, daily, "d d")
    assert ours.first("board")["club"] == our_week.first("board")["club"] == club["id"]
    assert not any(listener.named("board") for listener in others)


def test_a_clubs_boards_are_watched_by_its_members_as_long_as_they_are(
    live: Live, alice: Api, bob: Api, charlie: Api, daily: Challenge
) -> None:
    club = alice.post("clubs/", {"name": "The Kings"}).data
    query = f"watch={daily.pk}&club={club['id']}"
    assert live.call(f"/live/events/?{query}")[0] == 401
    assert live.call(f"/live/events/?{query}", bob.token)[1]["error"]["code"] == "not_found"
    owner = live.listen(alice, query)
    bob.post(f"clubs/join/{club['code']}/")
    owner.first("board")
    member = live.listen(bob, query)
    other = live.listen(bob, f"watch={daily.pk}")
    alice.call("DELETE", f"clubs/{club['id']}/members/{bob.name}/")
    member.first("bye")
    wait_for(lambda: member.has_ended, what="the end of the stream")
    wait_for(lambda: len(owner.named("board")) == 2, what="the change by who left")
    alice.call("DELETE", f"clubs/{club['id']}/", {"confirm": "The Kings"})
    owner.first("bye")
    play(charlie, daily)
    other.first("board")
    assert not other.named("bye")


def test_pages_of_other_origins_may_listen_with_tokens(alice: Api, daily: Challenge) -> None:
    live = Live(CORS_ALLOWED_ORIGINS="https://play.example.org")
    live.start()
    try:
        friend, stranger = {"Origin": "https://play.example.org"}, {"Origin": "https://evil.example.org"}
        asks = {"Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "authorization,last-event-id"}
        preflight = live.ask("/live/events/", method="OPTIONS", **friend, **asks)
        assert preflight.status == 200
        assert preflight.headers["Access-Control-Allow-Origin"] == "https://play.example.org"
        assert {"authorization", "last-event-id"} <= {*preflight.headers["Access-Control-Allow-Headers"].split(", ")}
        submission = submit(alice, daily)
        for path in ("/live/events/", f"/live/submissions/{submission}/?wait=0", "/live/submissions/999999/"):
            answer = live.ask(path, alice.token, **friend)
            assert answer.headers["Access-Control-Allow-Origin"] == "https://play.example.org", path
            assert "Access-Control-Allow-Credentials" not in answer.headers and "origin" in answer.headers["Vary"]
            assert "Retry-After" in answer.headers["Access-Control-Expose-Headers"]
            assert "Access-Control-Allow-Origin" not in live.ask(path, alice.token, **stranger).headers
        own = "http://127.0.0.1:1"
        assert live.ask("/live/events/", Origin=own).headers["Access-Control-Allow-Origin"] == own
        refused = live.ask("/live/events/", method="OPTIONS", **stranger, **asks)
        assert "Access-Control-Allow-Origin" not in refused.headers
    finally:
        live.stop()


def test_a_session_is_not_a_way_in(live: Live, alice: Api, daily: Challenge) -> None:
    """Browsers would send a cookie along for whichever page asks."""
    visitor = Client()
    visitor.force_login(Player.objects.get(name=alice.name))
    cookie = {"Cookie": f"sessionid={visitor.cookies['sessionid'].value}"}
    assert visitor.get("/api/v1/players/me/").status_code == 200
    assert live.listen(None, **cookie).first("ready") == {"signed_in": False}
    assert live.ask(f"/live/submissions/{submit(alice, daily)}/", **cookie).status == 401


def accepted(answer: Any) -> Any:
    return answer if answer.status == 200 else None


def test_streams_are_limited_and_freed_when_they_close(
    alice: Api, bob: Api, charlie: Api, frozen_redis: Callable[[int], None]
) -> None:
    live = Live(
        QV_RATE_EXEMPT="",
        QV_RATES="live:6/day:-",
        QV_STREAMS_A_PLAYER="2",
        QV_STREAMS_AN_ADDRESS="3",
    )
    live.start()
    try:
        mine = [live.listen(alice), live.listen(alice)]
        third = live.ask("/live/events/", alice.token)
        assert (third.status, third.headers["Retry-After"]) == (429, "60")
        assert json.load(third)["error"]["code"] == "too_many_streams"
        live.listen(bob)
        assert live.call("/live/events/", charlie.token)[1]["error"]["code"] == "too_many_streams", "of this address"
        mine[0].drop()
        last = wait_for(lambda: accepted(live.ask("/live/events/")), what="room for another stream")
        refused = [live.ask("/live/events/", alice.token) for _ in range(4)]
        codes = [json.load(answer)["error"]["code"] for answer in refused]
        assert codes == ["too_many_streams"] * 3 + ["too_many_calls"]
        assert refused[-1].headers["Retry-After"] == refused[-1].headers["RateLimit"].partition("t=")[2]
        frozen_redis(signal.SIGSTOP)
        assert live.call("/live/events/", alice.token)[1]["error"]["code"] == "too_many_streams", "nobody counts calls"
        last.close()
    finally:
        frozen_redis(signal.SIGCONT)
        live.stop()


def _changes() -> list[str]:
    return [entry_id.decode() for entry_id, fields in _stream() if fields[b"kind"] == b"boards"]


def _stream() -> list[Any]:
    found: list[Any] = ask_redis(lambda redis: redis.xrange(redis_keys.live_stream()))  # type: ignore[assignment]
    return found


def test_a_quiet_stream_beats(live: Live, alice: Api) -> None:
    listener = live.listen(alice)
    wait_for(lambda: b": heartbeat\n" in listener.raw, what="a heartbeat")
    assert [event.name for event in listener.events] == ["ready"]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_dropped_connection_resumes_without_loss(live: Live, alice: Api, daily: Challenge, restarted: bool) -> None:
    listener = live.listen(alice, f"watch={daily.pk}")
    first = play(alice, daily)
    assert listener.first("verdict")["submission"] == first
    last_id = listener.last_id
    listener.drop()
    missed = [play(alice, daily, log) for log in ("d d", "d d d")]
    publishing.cancel(challenge_id=daily.pk, now=timezone.now())
    if restarted:
        live.kill()
        live.start()
    again = live.resume(alice, last_id, f"watch={daily.pk}")
    again.first("cancelled")
    later = play(alice, publish("kl-d1n", timezone.now().date()))
    wait_for(lambda: len(again.named("verdict")) >= 3, what="the later verdict")
    assert [data["submission"] for data in again.named("verdict")] == [*missed, later]
    assert again.named("board") and not again.named("reset")
    by_query = live.listen(alice, f"last_event_id={last_id}")
    wait_for(lambda: len(by_query.named("verdict")) == 3, what="all verdicts")


@pytest.mark.parametrize("last_id", ["1-1", "nonsense", "99999999999999-0", "-", "\u00b2-1".encode().decode("latin-1")])
def test_an_id_that_is_too_old_or_unknown_has_the_client_reload(live: Live, alice: Api, last_id: str) -> None:
    listener = live.resume(alice, last_id)
    assert listener.first("reset") == {}


def test_a_frozen_redis_degrades_the_stream_and_loses_nothing(
    live: Live, worker: Process, frozen_redis: Callable[[int], None], alice: Api, daily: Challenge
) -> None:
    listener = live.listen(alice)
    frozen_redis(signal.SIGSTOP)
    listener.first("degraded")
    submission = submit(alice, daily)
    assert live.verdict(submission, alice)["state"] == "verified"
    newcomer = live.listen(alice)
    assert newcomer.events[0].name == "degraded" and not newcomer.named("ready")
    frozen_redis(signal.SIGCONT)
    assert listener.first("verdict")["submission"] == submission
    wait_for(lambda: len(listener.named("ready")) == 2, what="the recovery")
    assert not listener.has_ended


def test_an_emptied_redis_has_clients_reload_and_goes_on(live: Live, alice: Api, daily: Challenge) -> None:
    listener = live.listen(alice)
    ask_redis(lambda redis: redis.flushall())
    assert listener.first("reset") == {}
    submission = play(alice, daily)
    assert listener.first("verdict")["submission"] == submission


def test_a_restarted_redis_has_clients_reload_and_goes_on(
    live: Live, worker: Process, alice: Api, daily: Challenge
) -> None:
    listener = live.listen(alice)
    REDIS.stop()
    try:
        listener.first("degraded")
        before = submit(alice, daily)
        assert live.verdict(before, alice)["state"] == "verified"
    finally:
        REDIS.start()
    assert listener.first("reset") == {}
    after = submit(alice, daily, "d d")
    wait_for(lambda: after in [data["submission"] for data in listener.named("verdict")], what="the verdict")


def test_more_news_than_a_process_keeps_has_clients_reload(
    live: Live, frozen_redis: Callable[[int], None], alice: Api, daily: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(announcements, "KEPT", 10)
    listener = live.listen(alice)
    frozen_redis(signal.SIGSTOP)
    listener.first("degraded")
    for _ in range(30):
        announcements.announce_boards([BoardNews(daily.pk, "best", "ft-n", None, [])])
    submission = play(alice, daily)
    frozen_redis(signal.SIGCONT)
    assert listener.first("reset") == {}
    assert listener.first("verdict")["submission"] == submission


def test_a_verdict_whose_announcement_got_lost_ends_the_wait(
    live: Live, alice: Api, daily: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker may die between the commit and the announcement."""
    monkeypatch.setattr("games.services.verification.announce_verdicts", lambda news: None)
    submission = submit(alice, daily)
    answers: list[Any] = []
    path = f"/live/submissions/{submission}/?wait=30"
    thread = threading.Thread(target=lambda: answers.append(live.call(path, alice.token)))
    began = time.monotonic()
    thread.start()
    time.sleep(0.5)
    verify_pending(clock=timezone.now)
    thread.join()
    assert answers[0][1]["state"] == "verified"
    assert time.monotonic() - began < 25, "it didn't wait for its end"


def test_a_ticket_stands_for_the_token(live: Live, alice: Api, nobody: Api, daily: Challenge) -> None:
    assert nobody.post("live/ticket/").status_code == 401
    given = alice.post("live/ticket/")
    assert given.status_code == 201
    assert alice.token is not None and alice.token not in given.data["ticket"]
    listener = live.listen(None, f"ticket={given.data['ticket']}")
    ignored = live.listen(None, f"token={alice.token}")
    submission = play(alice, daily)
    assert listener.first("verdict")["submission"] == submission
    assert ignored.first("ready") == {"signed_in": False}


def test_a_bad_ticket_is_refused(live: Live, alice: Api) -> None:
    player = Player.objects.get()
    with time_machine.travel(timezone.now() - datetime.timedelta(seconds=62)):
        old = make_ticket(player_id=player.pk)
    good = make_ticket(player_id=player.pk)
    for ticket in (old, "nonsense", good[:-1], ""):
        status, body = live.call(f"/live/events/?ticket={ticket}")
        assert (status, body["error"]["code"]) == (401, "bad_ticket")
    Player.objects.update(is_active=False)
    assert live.call(f"/live/events/?ticket={good}")[0] == 401
    assert live.call("/live/events/", alice.token)[0] == 401


def test_a_cancelled_daily_is_announced_and_a_coming_one_is_not(live: Live, daily: Challenge) -> None:
    listener = live.listen()
    coming = publish("ft-n", timezone.now().date() + datetime.timedelta(days=1))
    for challenge in (coming, daily):
        publishing.cancel(challenge_id=challenge.pk, now=timezone.now())
        publishing.bring_back(challenge_id=challenge.pk)
    assert listener.first("brought_back")["challenge"] == daily.pk
    [cancelled] = listener.named("cancelled")
    assert (cancelled["challenge"], cancelled["mode"], cancelled["date"]) == (daily.pk, "ft-n", str(daily.date))


def test_a_challenge_that_opens_is_announced_once(live: Live) -> None:
    second = Live()
    second.start()
    try:
        listeners = [live.listen(), second.listen()]
        challenge = event_challenge(opens_in=datetime.timedelta(seconds=2))
        late = publish("ft-n", timezone.now().date())
        for listener in listeners:
            wait_for(lambda listener=listener: len(listener.named("opened")) >= 2, what="both openings")  # type: ignore[misc]
        play_id = event_challenge(opens_in=datetime.timedelta(seconds=-1)).pk
        for listener in listeners:
            wait_for(lambda listener=listener: len(listener.named("opened")) >= 3, what="the third")  # type: ignore[misc]
            opened = sorted(data["challenge"] for data in listener.named("opened"))
            assert opened == sorted([challenge.pk, late.pk, play_id])
    finally:
        second.stop()


def test_a_ban_a_deletion_and_a_logout_end_the_streams_of_that_player_alone(
    live: Live, alice: Api, bob: Api, charlie: Api, new_guest: Callable[[], Api], daily: Challenge
) -> None:
    dora, erin = new_guest(), new_guest()
    staying = live.listen(dora)
    ending = [live.listen(player) for player in (alice, alice, bob, charlie, erin)]
    last_id = ending[0].last_id
    banned, boss = Player.objects.get(name=alice.name), Player.objects.get(name=an_admin().name)
    moderation.ban_player(player_id=banned.pk, reason="cheating", until=None, now=timezone.now(), by=boss)
    assert bob.call("DELETE", "players/me/", {"confirm": bob.name}).status_code in (200, 204)
    assert charlie.call("DELETE", "players/me/tokens/").status_code in (200, 204)
    [token] = erin.get("players/me/tokens/").data["items"]
    assert erin.call("DELETE", f"players/me/tokens/{token['id']}/").status_code in (200, 204)
    for listener in ending:
        listener.first("bye")
        wait_for(lambda listener=listener: listener.has_ended, what="the end of the stream")  # type: ignore[misc]
    for player in (bob, charlie, erin):
        assert live.call("/live/events/", player.token)[0] == 401
    # Who is banned may still read.
    again = live.resume(alice, last_id)
    submission = play(dora, daily)
    assert staying.first("verdict")["submission"] == submission
    assert not staying.named("bye") and not again.named("bye")


def test_no_event_tells_of_a_deal(live: Live, alice: Api, bob: Api, won_log: str) -> None:
    listener = live.listen(alice)
    challenge = publish("ft-n", timezone.now().date(), Code.parse(WON_CODE))
    watching = live.listen(None, f"watch={challenge.pk}")
    submission = play(alice, challenge, won_log)
    play(bob, challenge, "d d")
    publishing.cancel(challenge_id=challenge.pk, now=timezone.now())
    publishing.bring_back(challenge_id=challenge.pk)
    for name in ("opened", "verdict", "cancelled", "brought_back"):
        listener.first(name)
    watching.first("board")
    stored = b"".join(b"".join(fields.values()) for _, fields in _stream())
    for text in (listener.raw, watching.raw, stored):
        for secret in (WON_CODE, WON_CODE[-7:], won_log[:20], "stock", "columns"):
            assert secret.encode() not in text
    assert listener.first("verdict")["submission"] == submission


def test_a_client_that_does_not_read_is_dropped_and_the_others_go_on(live: Live, alice: Api, daily: Challenge) -> None:
    slow = socket.create_connection(("127.0.0.1", live.port))
    slow.sendall(b"GET /live/events/ HTTP/1.1\r\nHost: live\r\n\r\n")
    time.sleep(0.5)
    quick = live.listen(alice)
    news = ChallengeNews(daily.pk, "ft-n", None, "x" * 50_000, "2026-01-01T00:00:00+00:00", "2026-01-02T00:00:00+00:00")
    for sent in range(1, 501):
        ask_redis(lambda redis: redis.xadd(redis_keys.live_stream(), entry("cancelled", news)))
        if sent % 50 == 0:
            wait_for(lambda sent=sent: len(quick.named("cancelled")) == sent, what="the others' events")  # type: ignore[misc]
    slow.settimeout(30)
    received = 0
    while chunk := slow.recv(1 << 20):
        received += len(chunk)
    slow.close()
    assert received < 400 * 50_000, "the stream has ended before all was sent"
    submission = play(alice, daily)
    assert quick.first("verdict")["submission"] == submission


def test_a_restart_of_postgresql_is_survived(live: Live, alice: Api, daily: Challenge) -> None:
    listener = live.listen(alice)
    submission = submit(alice, daily)
    path = f"/live/submissions/{submission}/?wait=0"
    assert live.call(path, alice.token)[1]["state"] == "pending"
    connection.close()
    POSTGRES.stop()
    try:
        status, body = live.call(path, alice.token)
        assert (status, body["error"]["code"]) == (503, "database_away")
        assert live.call("/live/events/", alice.token)[0] == 503
    finally:
        POSTGRES.start()
    verify_pending(clock=timezone.now)
    assert listener.first("verdict")["submission"] == submission
    # The first question may still go to the server that is gone.
    wait_for(lambda: live.call(path, alice.token)[1].get("state") == "verified", what="the verdict")


def test_a_stop_ends_the_streams(live: Live, alice: Api, daily: Challenge) -> None:
    submission = submit(alice, daily)
    listener = live.listen(alice)
    path = f"/live/submissions/{submission}/?wait="
    asking = live.begin(f"{path}30", alice.token)
    for _ in range(3):
        # By then the one that waits is waiting.
        live.call(f"{path}0", alice.token)
    assert live.stop() == 0
    assert json.load(asking.getresponse())["state"] == "pending"
    wait_for(lambda: listener.has_ended, what="the end of the stream")


def test_the_root_tells_where_the_live_service_is(nobody: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for setting, told in (
        (":8301", "http://localhost:8301"),
        ("https://live.example.org/", "https://live.example.org"),
        ("", "http://localhost:8300"),
    ):
        monkeypatch.setattr(settings, "QV_LIVE_URL", setting)
        assert nobody.get("", Host="localhost:8300").data["live_url"] == told
