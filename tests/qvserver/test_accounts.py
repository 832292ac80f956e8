"""Signing up and in: guests who stay the same players, e-mail, passwords, codes, rate limits, sessions."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any

import pytest
import time_machine
from allauth.account.models import EmailAddress
from allauth.core.context import request_context
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from allauth.socialaccount.models import SocialAccount, SocialLogin
from allauth.socialaccount.providers import registry
from allauth.socialaccount.providers.github.provider import GitHubProvider
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.core import mail
from django.test import Client, RequestFactory
from django.utils import timezone

from games import redis_client
from games.models import Challenge, Player
from games.services.verification import verify_pending
from leaderboards.models import Standing
from qvserver.accounts import SocialAccountAdapter
from tests.accounts import PASSWORD, an_admin, app_call, browser, browser_call, full_player, sign_in, sign_up
from tests.conftest import Api, ask_redis, utc
from tests.passkeys import Passkey

pytestmark = pytest.mark.django_db


def play(player: Api, challenge: Challenge, log: str = "d") -> None:
    player.submit(player.start(challenge), log)
    verify_pending(clock=timezone.now)


def test_a_guest_who_signs_up_keeps_row_token_and_results(alice: Api, daily: Challenge, won_log: str) -> None:
    """IronbaneServerLegacy #348: guest progress was gone after signing up."""
    play(alice, daily, won_log)
    before = Player.objects.get()
    answer = sign_up("Alice", guest=alice, email="alice@example.org")
    assert answer.status_code == 200, answer.data
    player = Player.objects.get()
    assert (player.pk, player.name, player.is_guest) == (before.pk, "Alice", False)
    assert player.check_password(PASSWORD) and player.email == "alice@example.org"
    for api in (alice, Api(answer.data["meta"]["access_token"])):
        me = api.get("players/me/").data
        assert (me["name"], me["is_guest"], me["submissions"], me["won"]) == ("Alice", False, 1, 1)
    lines = alice.get(f"leaderboards/challenges/{daily.pk}/").data["lines"]
    assert [(line["player"], line["is_guest"]) for line in lines] == [("Alice", False)]


def test_a_guest_who_signs_up_stands_on_first_as_what_counts_says(alice: Api, daily: Challenge) -> None:
    play(alice, daily)
    board = f"leaderboards/challenges/{daily.pk}/?board=first"
    assert alice.get(board).data["total"] == 0
    sign_up("Alice", guest=alice)
    assert [line["player"] for line in alice.get(board).data["lines"]] == ["Alice"]
    assert Standing.objects.filter(board="first").count() == 1


def test_a_guest_who_signs_up_without_a_name_keeps_the_made_up_one(alice: Api) -> None:
    assert sign_up(guest=alice).status_code == 200
    assert Player.objects.get().name == alice.name
    assert sign_in(username=alice.name.upper()).status_code == 200


def test_a_guest_may_keep_the_own_name_by_giving_it(alice: Api) -> None:
    assert sign_up(alice.name, guest=alice).status_code == 200
    assert Player.objects.count() == 1


def test_somebody_new_gets_a_row_and_a_token(nobody: Api) -> None:
    answer = sign_up("Alice")
    player = Player.objects.get()
    assert (answer.status_code, player.name, player.is_guest) == (200, "Alice", False)
    assert Api(answer.data["meta"]["access_token"]).get("players/me/").data["name"] == "Alice"
    made_up = sign_up()
    assert made_up.status_code == 200 and Player.objects.count() == 2


@pytest.mark.parametrize("name", ["BOB", "B0b", "ВОВ", "ad", "admin", "a/b", "x" * 21, "me@example.org"])
def test_names_that_cant_be_had_are_refused_and_the_guest_stays_one(alice: Api, name: str) -> None:
    full_player("Bob")
    answer = sign_up(name, guest=alice)
    assert (answer.status_code, answer.data["errors"][0]["param"]) == (400, "username")
    assert Player.objects.get(name=alice.name).is_guest


def test_signing_up_with_a_token_that_is_no_guests_is_refused(alice: Api) -> None:
    bob = full_player("Bob")
    assert sign_up("Bobby", guest=bob).status_code == 409
    assert sign_up("Bobby", guest=Api("nonsense")).status_code == 401
    sign_up("Alice", guest=alice)
    assert sign_up("Alicia", guest=alice).status_code == 409
    assert set(Player.objects.values_list("name", flat=True)) == {"Bob", "Alice"}


@pytest.mark.parametrize("password", ["short", "password123", ""])
def test_weak_passwords_are_refused(alice: Api, password: str) -> None:
    assert sign_up("Alice", guest=alice, password=password).status_code == 400
    assert Player.objects.get().is_guest


def test_an_address_that_is_taken_makes_nobody(alice: Api, bob: Api) -> None:
    sign_up("Alice", guest=alice, email="alice@example.org")
    answer = sign_up("Bob", guest=bob, email="Alice@Example.org")
    assert (answer.status_code, answer.data["errors"][0]["code"]) == (400, "email_taken")
    assert Player.objects.get(name=bob.name).is_guest


def test_signing_in_by_name_or_address_gives_a_token(nobody: Api) -> None:
    sign_up("Alice", email="alice@example.org")
    for who in ({"username": "aLICE"}, {"email": "ALICE@example.org"}):
        answer = sign_in(**who)
        assert answer.status_code == 200
        assert Api(answer.data["meta"]["access_token"]).get("players/me/").data["name"] == "Alice"
        assert sign_in(**who, password="wrong").status_code == 400


def test_guesses_of_a_password_are_limited_also_across_processes(nobody: Api) -> None:
    sign_up("Alice")
    answers = [sign_in(username="Alice", password=f"guess {n}") for n in range(5)]
    assert {answer.status_code for answer in answers} == {400}
    refused = sign_in(username="Alice")
    assert refused.data["errors"][0]["code"] == "too_many_login_attempts"
    assert any(b"qv:cache" in key for key in ask_redis(lambda redis: redis.keys("*")))


def test_signing_up_is_limited_by_address(nobody: Api) -> None:
    with time_machine.travel(utc("2026-03-29T12:00:20"), tick=False) as clock:
        answers = [app_call("POST", "auth/signup", {"password": ""}) for _ in range(20)]
        assert {answer.status_code for answer in answers} == {400}
        clock.shift(datetime.timedelta(seconds=15))
        refused = app_call("POST", "auth/signup", {"password": ""})
        assert (refused.status_code, refused.data, refused["Retry-After"]) == (429, {"status": 429}, "45")
        clock.shift(datetime.timedelta(seconds=46))
        assert app_call("POST", "auth/signup", {"password": ""}).status_code == 400


def test_with_redis_away_people_still_sign_in(nobody: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    sign_up("Alice")
    monkeypatch.setattr(redis_client, "_away_until", float("inf"))
    assert sign_in(username="Alice").status_code == 200


def test_an_inactive_player_doesnt_get_in(nobody: Api) -> None:
    sign_up("Alice")
    Player.objects.update(is_active=False)
    answer = sign_in(username="Alice")
    assert answer.status_code >= 400 and "access_token" not in (answer.data.get("meta") or {})


def test_an_address_is_confirmed_by_the_link_in_the_mail_at_the_press_of_a_button(nobody: Api) -> None:
    sign_up("Alice", email="alice@example.org")
    [message] = mail.outbox
    [path] = re.findall(r"http://testserver(/accounts/confirm-email/\S+)", message.body)
    page = Client().get(path)
    assert b"alice@example.org" in page.content and not EmailAddress.objects.get().verified
    Client().post(path)
    assert EmailAddress.objects.get().verified
    for gone in (path, "/accounts/confirm-email/nonsense/"):
        assert b"expired or is invalid" in Client().get(gone).content


def test_a_password_is_reset_by_a_code_and_ends_all_tokens(nobody: Api) -> None:
    old = Api(sign_up("Alice", email="alice@example.org").data["meta"]["access_token"])
    mail.outbox.clear()
    asked = app_call("POST", "auth/password/request", {"email": "alice@example.org"})
    session = {"X-Session-Token": asked.data["meta"]["session_token"]}
    [message] = mail.outbox
    [code] = re.findall(r"^([A-Z0-9-]{7,})$", message.body, re.MULTILINE)
    body = {"key": code, "password": "eight red queens"}
    wrong = app_call("POST", "auth/password/reset", {**body, "key": "XXXX-XXXX"}, **session)
    assert wrong.status_code == 400
    assert app_call("POST", "auth/password/reset", body, **session).status_code in (200, 401)
    assert sign_in(username="Alice").status_code == 400
    assert sign_in(username="Alice", password="eight red queens").status_code == 200
    assert old.get("players/me/").status_code == 401


def test_nobody_gets_mail_for_an_address_that_is_no_players(nobody: Api) -> None:
    assert app_call("POST", "auth/password/request", {"email": "x@example.org"}).status_code in (200, 401)
    assert not mail.outbox


def test_codes_of_an_app_are_asked_for_at_the_next_sign_in(nobody: Api) -> None:
    made = sign_up("Alice")
    session = {"X-Session-Token": made.data["meta"]["session_token"]}
    offered = app_call("GET", "account/authenticators/totp", **session)
    secret = offered.data["meta"]["secret"]

    def code() -> str:
        counter = next(iter(yield_hotp_counters_from_time()))
        return format_hotp_value(hotp_value(secret, counter))

    refused = app_call("POST", "account/authenticators/totp", {"code": code()}, **session)
    assert refused.status_code == 401
    assert app_call("POST", "auth/reauthenticate", {"password": PASSWORD}, **session).status_code == 200
    added = app_call("POST", "account/authenticators/totp", {"code": code()}, **session)
    assert added.status_code == 200, added.data
    first = sign_in(username="Alice")
    assert first.status_code == 401 and "access_token" not in first.data["meta"]
    pending = {"X-Session-Token": first.data["meta"]["session_token"]}
    with time_machine.travel(timezone.now() + timezone.timedelta(seconds=60)):
        second = app_call("POST", "auth/2fa/authenticate", {"code": code()}, **pending)
    assert second.status_code == 200, second.data
    assert Api(second.data["meta"]["access_token"]).get("players/me/").data["name"] == "Alice"


class TestSessionsOfGuests:
    """`POST players/me/session/`."""

    def test_an_app_guest_sets_a_password_on_the_same_row(self, alice: Api) -> None:
        answer = alice.post("players/me/session/", {"client": "app"})
        assert answer.status_code == 200 and not answer.cookies
        session = {"X-Session-Token": answer.data["session_token"]}
        assert app_call("GET", "auth/session", **session).data["data"]["user"]["username"] == alice.name
        changed = app_call("POST", "account/password/change", {"new_password": PASSWORD}, **session)
        assert changed.status_code == 200, changed.data
        assert not Player.objects.get().is_guest
        assert sign_in(username=alice.name).status_code == 200

    def test_a_guest_adds_a_passkey_to_the_same_row_and_signs_in_with_it(self, alice: Api, daily: Challenge) -> None:
        play(alice, daily)
        session = {"X-Session-Token": alice.post("players/me/session/", {"client": "app"}).data["session_token"]}
        passkey = Passkey(origin="https://testserver")
        offered = app_call("GET", "account/authenticators/webauthn?passwordless", **session)
        assert offered.status_code == 200, offered.data
        answer = passkey.register(offered.data["data"]["creation_options"])
        body = {"name": "my phone", "credential": answer}
        added = app_call("POST", "account/authenticators/webauthn", body, **session)
        assert added.status_code == 200, added.data
        player = Player.objects.get()
        assert (player.name, player.is_guest, player.has_usable_password()) == (alice.name, False, False)
        asked = app_call("GET", "auth/webauthn/login")
        credential = passkey.sign_in(asked.data["data"]["request_options"])
        pending = {"X-Session-Token": asked.data["meta"]["session_token"]}
        answer = app_call("POST", "auth/webauthn/login", {"credential": credential}, **pending)
        assert answer.status_code == 200, answer.data
        me = Api(answer.data["meta"]["access_token"]).get("players/me/").data
        assert (me["name"], me["submissions"]) == (alice.name, 1)
        again = app_call("POST", "auth/webauthn/login", {"credential": credential}, **pending)
        assert again.status_code >= 400

    def test_codes_of_an_app_alone_make_no_full_player(self, alice: Api) -> None:
        from allauth.mfa.signals import authenticator_added

        player = Player.objects.get()
        codes = Authenticator(user=player, type=Authenticator.Type.TOTP, data={})
        authenticator_added.send(sender=Authenticator, request=None, user=player, authenticator=codes)
        assert Player.objects.get().is_guest

    def test_a_guest_with_a_confirmed_address_is_a_guest_no_more(self, alice: Api) -> None:
        session = {"X-Session-Token": alice.post("players/me/session/", {"client": "app"}).data["session_token"]}
        assert app_call("POST", "account/email", {"email": "alice@example.org"}, **session).status_code == 200
        assert Player.objects.get().is_guest
        [path] = re.findall(r"http://testserver(/accounts/confirm-email/\S+)", mail.outbox[-1].body)
        Client().post(path)
        assert not Player.objects.get().is_guest

    def test_a_guest_with_an_unconfirmed_address_may_still_sign_up_with_another(self, alice: Api) -> None:
        session = {"X-Session-Token": alice.post("players/me/session/", {"client": "app"}).data["session_token"]}
        app_call("POST", "account/email", {"email": "typo@example.org"}, **session)
        assert sign_up("Alice", guest=alice, email="alice@example.org").status_code == 200
        assert [address.email for address in EmailAddress.objects.all()] == ["alice@example.org"]

    def test_a_browser_gets_a_cookie_that_scripts_cant_read(self, alice: Api) -> None:
        answer = alice.post("players/me/session/", {})
        assert answer.data == {"session_token": None, "player": Player.objects.get().pk}
        assert answer.cookies["sessionid"]["httponly"]

    def test_it_is_for_guests_only(self, nobody: Api) -> None:
        for api, status in ((full_player("Bob"), 409), (an_admin(), 409), (nobody, 401), (Api("nonsense"), 401)):
            assert api.post("players/me/session/", {"client": "app"}).status_code == status


class TestSessionsAtTheApi:
    """A browser that has signed in calls the API without a token."""

    @pytest.fixture
    def client(self, nobody: Api) -> Client:
        full_player("Alice")
        client = browser()
        body = {"username": "Alice", "password": PASSWORD}
        assert browser_call(client, "POST", "/_allauth/browser/v1/auth/login", body).status_code == 200
        return client

    def test_reads_and_plays(self, client: Client, daily: Challenge) -> None:
        assert browser_call(client, "GET", "/api/v1/players/me/").data["name"] == "Alice"
        attempt = browser_call(client, "POST", f"/api/v1/challenges/{daily.pk}/attempts/").data
        path = f"/api/v1/attempts/{attempt['id']}/submission/"
        sent = browser_call(client, "PUT", path, {"log": "d"})
        assert sent.status_code == 202
        verify_pending(clock=timezone.now)
        assert browser_call(client, "GET", sent.data["url"]).data["best"]["rank"] == 1
        board = browser_call(client, "GET", f"/api/v1/leaderboards/challenges/{daily.pk}/around/").data
        assert board["own"]["player"] == "Alice"
        today = browser_call(client, "GET", "/api/v1/challenges/today/").data
        assert [item["own"]["attempts"] for item in today["items"]] == [1]

    def test_a_change_that_another_site_may_have_sent_is_refused(self, client: Client, daily: Challenge) -> None:
        for method, path in (
            ("POST", f"/api/v1/challenges/{daily.pk}/attempts/"),
            ("PATCH", "/api/v1/players/me/"),
            ("DELETE", "/api/v1/players/me/"),
            ("POST", "/api/v1/players/me/tokens/"),
            ("DELETE", "/api/v1/players/me/tokens/"),
            ("POST", "/api/v1/players/me/merge/"),
            ("POST", "/api/v1/clubs/"),
        ):
            answer = browser_call(client, method, path, {}, csrf=False)
            assert (answer.status_code, answer.data["error"]["code"]) == (403, "csrf_failed"), path

    def test_a_token_needs_no_csrf(self, client: Client, alice: Api) -> None:
        headers = {"Authorization": f"Token {alice.token}"}
        answer = browser_call(client, "POST", "/api/v1/players/me/tokens/", {}, csrf=False, **headers)
        assert answer.status_code == 201

    def test_lives_90_days_from_its_last_use(self, nobody: Api) -> None:
        full_player("Alice")
        with time_machine.travel(utc("2026-01-01T00:00:00"), tick=False) as clock:
            client = browser()
            body = {"username": "Alice", "password": PASSWORD}
            browser_call(client, "POST", "/_allauth/browser/v1/auth/login", body)
            for moment, status in (("2026-03-30", 200), ("2026-06-20", 200), ("2026-10-01", 401)):
                clock.move_to(utc(f"{moment}T00:00:00"))
                assert client.get("/api/v1/players/me/").status_code == status

    def test_logging_out_ends_it(self, client: Client) -> None:
        browser_call(client, "DELETE", "/_allauth/browser/v1/auth/session")
        assert client.get("/api/v1/players/me/").status_code == 401

    def test_an_inactive_player_is_nobody(self, client: Client, daily: Challenge) -> None:
        Player.objects.update(is_active=False)
        assert client.get("/api/v1/players/me/").status_code == 401


def test_other_origins_may_call_only_where_the_settings_say_so(nobody: Api, settings: Any) -> None:
    preflight = {"Origin": "https://play.example", "Access-Control-Request-Method": "PUT"}
    preflight["Access-Control-Request-Headers"] = "authorization, x-session-token"
    answer = nobody.call("OPTIONS", "players/me/", **preflight)
    assert "Access-Control-Allow-Origin" not in answer
    settings.CORS_ALLOWED_ORIGINS = ["https://play.example"]
    answer = nobody.call("OPTIONS", "players/me/", **preflight)
    assert answer["Access-Control-Allow-Origin"] == "https://play.example"
    assert "authorization" in answer["Access-Control-Allow-Headers"]
    assert "x-session-token" in answer["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in answer
    assert "Access-Control-Allow-Origin" not in nobody.call(
        "OPTIONS", "players/me/", **{**preflight, "Origin": "https://x"}
    )
    read = nobody.get("challenges/today/", Origin="https://play.example")
    assert "ETag" in read["Access-Control-Expose-Headers"]


def test_credentials_are_not_for_the_admin_to_edit(client: Client) -> None:
    admin = Player.objects.get(name=an_admin().name)
    sign_up("Alice", email="alice@example.org")
    client.force_login(admin)
    for app in ("account", "mfa", "socialaccount", "usersessions", "knox"):
        assert client.get(f"/admin/{app}/").status_code == 404
    for player in Player.objects.all():
        page = client.get(f"/admin/games/player/{player.pk}/change/")
        assert page.status_code == 200 and player.password not in page.content.decode()


def test_social_logins_come_from_the_settings_alone(nobody: Api) -> None:
    config = app_call("GET", "config").data["data"]
    assert config["socialaccount"]["providers"] == []


def test_a_guest_who_comes_with_a_social_login_keeps_the_row(
    alice: Api, rf: RequestFactory, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = {"client_id": "x", "secret": "y", "key": ""}
    settings.SOCIALACCOUNT_PROVIDERS = {"github": {"APPS": [app]}}
    monkeypatch.setattr(registry, "provider_map", {"github": GitHubProvider})
    request = rf.post("/", headers={"Authorization": f"Token {alice.token}"})
    request.session = SessionStore()
    request.user = AnonymousUser()
    login = SocialLogin(user=Player(), account=SocialAccount(provider="github", uid="77"))
    with request_context(request):
        SocialAccountAdapter(request).pre_social_login(request, login)
    [player] = Player.objects.all()
    assert (player.name, player.is_guest) == (alice.name, False)
    assert SocialAccount.objects.get(uid="77").user_id == player.pk


@pytest.mark.parametrize(("suggested", "name"), [("octocat", "octocat"), ("bob", ""), ("a b!", ""), ("admin", "")])
def test_a_provider_only_suggests_a_name(nobody: Api, rf: RequestFactory, suggested: str, name: str) -> None:
    full_player("Bob")
    request = rf.get("/")
    login = SocialLogin(user=Player(), account=SocialAccount(provider="github", uid="77"))
    adapter = SocialAccountAdapter(request)
    assert adapter.populate_user(request, login, {"username": suggested, "email": "x@example.org"}).name == name


def test_reading_renews_a_token_once_a_day(new_guest: Callable[[], Api], daily: Challenge) -> None:
    from tests.games.test_api import statements

    player = new_guest()
    play(player, daily)
    number = player.get("players/me/submissions/").data["items"][0]["id"]
    for address in (f"submissions/{number}/", f"leaderboards/challenges/{daily.pk}/"):
        player.get(address)
        usual = statements(lambda address=address: player.get(address))  # type: ignore[misc]
        with time_machine.travel(timezone.now() + timezone.timedelta(days=2)):
            later = [statements(lambda address=address: player.get(address)) for _ in range(2)]  # type: ignore[misc]
        assert later == [usual + 1, usual]
        Player.objects.get().auth_token_set.update(expiry=timezone.now() + timezone.timedelta(days=90))  # type: ignore[attr-defined]


@pytest.mark.parametrize("text", ["a\x00b", "\ud800lice", "x" * 100_000, "\u202e", "💥", "a'; --"])
def test_odd_text_is_refused_and_breaks_nothing(nobody: Api, text: str) -> None:
    for body in ({"username": text, "password": PASSWORD}, {"username": "Alice", "password": text}, {"email": text}):
        for address in ("auth/login", "auth/signup", "auth/password/request"):
            assert app_call("POST", address, body).status_code < 500
    for body in ([], "x", None, {"username": 5, "password": [1]}):
        assert 400 <= app_call("POST", "auth/login", body).status_code < 500
    token = {"X-Session-Token": text.encode("ascii", "replace").decode().replace("\x00", "?")[:200]}
    assert app_call("GET", "auth/session", **token).status_code in (401, 410)
