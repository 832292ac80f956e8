"""The live service: a process of its own beside real workers, PostgreSQL and Redis."""

from __future__ import annotations

import datetime
import http.client
import itertools
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
from django.utils import timezone

from games import announcements, redis_client, redis_keys
from games.announcements import ChallengeNews, close_streams, entry
from games.engine import Code
from games.models import Challenge, Player
from games.services import publishing
from games.services.tickets import make_ticket
from games.services.verification import verify_pending
from qvserver.management.commands.up import live_command
from tests.conftest import WON_CODE, Api, Process, wait_for
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


class Live(Process):
    """The live service."""

    def __init__(self) -> None:
        self.port = free_port()
        super().__init__(live_command("127.0.0.1", self.port)[1:])

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
        asking = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        asking.request(method, path, headers={} if token is None else {"Authorization": f"Token {token}"})
        answer = asking.getresponse()
        content = answer.read()
        asking.close()
        is_json = answer.headers["content-type"] == "application/json"
        return answer.status, json.loads(content) if is_json else content

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
        return self.process.wait(30)


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
    status, shown = live.call(f"/live/submissions/{submission}/?wait=30", alice.token)
    assert (status, shown["state"], shown["best"]["rank"]) == (200, "verified", 1)
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
        ("/live/events/?board=worst", 400, "bad_parameter"),
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
    clients: Any = redis_client.ask(lambda redis: redis.client_list())
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
    for n in range(1, 13):
        play(new_guest(), daily, "d " * n)
        time.sleep(0.2)
    wait_for(lambda: len(_changes()) == 12, what="all changes")
    wait_for(lambda: watching.named("board")[-1]["version"] == _changes()[-1], what="the last change")
    boards = [event for event in watching.events if event.name == "board"]
    assert 2 <= len(boards) <= 6
    assert all(b.at - a.at > 0.9 for a, b in itertools.pairwise(boards))
    assert {(event.data["challenge"], event.data["board"]) for event in boards} == {(daily.pk, "best")}
    assert first.named("board") == [] == other.named("board"), "guests aren't on the board of first attempts"


def _changes() -> list[str]:
    return [entry_id.decode() for entry_id, fields in _stream() if fields[b"kind"] == b"boards"]


def _stream() -> list[Any]:
    found: list[Any] = redis_client.ask(lambda redis: redis.xrange(redis_keys.live_stream()))  # type: ignore[assignment]
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
    status, shown = live.call(f"/live/submissions/{submission}/?wait=30", alice.token)
    assert (status, shown["state"]) == (200, "verified")
    newcomer = live.listen(alice)
    assert newcomer.events[0].name == "degraded" and not newcomer.named("ready")
    frozen_redis(signal.SIGCONT)
    assert listener.first("verdict")["submission"] == submission
    wait_for(lambda: len(listener.named("ready")) == 2, what="the recovery")
    assert not listener.has_ended


def test_an_emptied_redis_has_clients_reload_and_goes_on(live: Live, alice: Api, daily: Challenge) -> None:
    listener = live.listen(alice)
    redis_client.ask(lambda redis: redis.flushall())
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
        assert live.call(f"/live/submissions/{before}/?wait=30", alice.token)[1]["state"] == "verified"
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
        announcements.announce_boards([(daily.pk, "best")])
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


def test_the_streams_of_a_banned_player_can_be_ended(live: Live, alice: Api, bob: Api, daily: Challenge) -> None:
    listeners = [live.listen(alice), live.listen(alice), live.listen(bob)]
    last_id = listeners[0].last_id
    close_streams(player_id=Player.objects.get(name=alice.name).pk)
    for listener in listeners[:2]:
        listener.first("bye")
        wait_for(lambda listener=listener: listener.has_ended, what="the end of the stream")  # type: ignore[misc]
    let_in_again = live.resume(alice, last_id)
    submission = play(bob, daily)
    assert listeners[2].first("verdict")["submission"] == submission
    assert not listeners[2].named("bye") and not let_in_again.named("bye")


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
        redis_client.ask(lambda redis: redis.xadd(redis_keys.live_stream(), entry("cancelled", news)))
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
    states: list[Any] = []
    path = f"/live/submissions/{submission}/?wait=30"
    thread = threading.Thread(target=lambda: states.append(live.call(path, alice.token)[1]["state"]))
    thread.start()
    time.sleep(0.5)
    assert live.stop() == 0
    thread.join()
    assert states == ["pending"]
    wait_for(lambda: listener.has_ended, what="the end of the stream")


def test_the_root_tells_where_the_live_service_is(nobody: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    for setting, told in (
        (":8301", "http://localhost:8301"),
        ("https://live.example.org/", "https://live.example.org"),
        ("", "http://localhost:8300"),
    ):
        monkeypatch.setattr(settings, "QV_LIVE_URL", setting)
        assert nobody.get("", Host="localhost:8300").data["live_url"] == told
