"""The pages of the account: guests who sign up there, games that move, names, tokens, settings, leaving."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.models import Challenge, Player, Submission
from games.services.verification import verify_pending
from tests.accounts import PASSWORD, full_player
from tests.conftest import Api

pytestmark = pytest.mark.django_db

PAGES = ("/account/", "/account/tokens/", "/account/delete/", "/account/settings/", "/about/", "/privacy/")
ALLAUTH_PAGES = (
    "/accounts/email/",
    "/accounts/2fa/",
    "/accounts/2fa/webauthn/",
    "/accounts/2fa/totp/activate/",
    "/accounts/sessions/",
    "/accounts/logout/",
    "/accounts/password/change/",
)


@pytest.fixture
def browser() -> Client:
    return Client()


@pytest.fixture
def guest(browser: Client, alice: Api) -> Player:
    """Alice as a guest, with a session in the browser."""
    answer = browser.post(
        "/api/v1/players/me/session/",
        {"client": "browser"},
        content_type="application/json",
        headers={"authorization": f"Token {alice.token}"},
    )
    assert answer.status_code == 200
    return Player.objects.get()


def signed_in(name: str) -> Client:
    full_player(name)
    client = Client()
    assert client.post("/accounts/login/", {"login": name, "password": PASSWORD}).status_code == 302
    return client


def text(answer: Any) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


@pytest.mark.parametrize("path", PAGES)
def test_pages_have_one_heading_and_keep_out_who_isnt_signed_in(path: str) -> None:
    for client in (Client(), signed_in("Bob")):
        answer = client.get(path)
        if answer.status_code == 302:
            assert answer.headers["Location"].startswith("/accounts/login/?next=/account/")
        else:
            assert answer.content.count(b"<h1") == 1


@pytest.mark.parametrize("path", ALLAUTH_PAGES)
def test_allauths_pages_look_like_ours(path: str) -> None:
    answer = signed_in("Bob").get(path)
    if answer.status_code == 302:
        assert "reauthenticate" in answer.headers["Location"]
    else:
        assert b'class="site-header"' in answer.content and answer.content.count(b"<h1") == 1


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"])
def test_guests_and_visitors_get_to_the_ways_in(path: str, browser: Client, guest: Player) -> None:
    for client in (Client(), browser):
        answer = client.get(path)
        assert answer.status_code == 200
        assert b'class="field' in answer.content


def test_search_engines_are_kept_out_of_what_is_nobodys_business() -> None:
    answer = Client().get("/robots.txt")
    assert answer.headers["Content-Type"].startswith("text/plain")
    assert "Disallow: /account/" in answer.content.decode()


def test_a_guest_signs_up_on_the_page_and_stays_the_same_player(browser: Client, guest: Player) -> None:
    """IronbaneServerLegacy #348: guest progress was gone after signing up."""
    answer = browser.post("/accounts/signup/", {"username": "Alice", "email": "", "password1": PASSWORD})
    assert answer.status_code == 302
    player = Player.objects.get()
    assert (player.pk, player.name, player.is_guest) == (guest.pk, "Alice", False)
    assert "Alice" in text(browser.get("/account/"))


def test_a_name_that_passes_for_anothers_is_refused_with_the_reason(browser: Client, guest: Player) -> None:
    full_player("Bob")
    answer = browser.post("/accounts/signup/", {"username": "B0b", "password1": PASSWORD})
    assert answer.status_code == 200
    assert "passes for another player" in text(answer)
    assert Player.objects.get(pk=guest.pk).is_guest


class TestAGuestWhoSignsInToAnAccount:
    @pytest.fixture
    def played(self, alice: Api, guest: Player, daily: Challenge) -> Player:
        alice.submit(alice.start(daily), "d")
        verify_pending(clock=timezone.now)
        return guest

    @pytest.fixture
    def bob(self, browser: Client, played: Player) -> Player:
        full_player("Bob")
        answer = browser.post("/accounts/login/", {"login": "Bob", "password": PASSWORD})
        assert answer.headers["Location"] == "/account/take-over/"
        return Player.objects.get(name="Bob")

    def test_is_asked_and_takes_the_games_along(self, browser: Client, bob: Player) -> None:
        assert "You have sent 1 game as the guest" in text(browser.get("/account/take-over/"))
        browser.post("/account/take-over/", {"move": ""})
        assert Submission.objects.get().player_id == bob.pk

    def test_may_leave_them(self, browser: Client, bob: Player, played: Player) -> None:
        browser.post("/account/take-over/", {"leave": ""})
        assert Submission.objects.get().player_id == played.pk
        assert browser.get("/account/take-over/").status_code == 302

    def test_cant_take_anybody_elses(self, bob: Player, played: Player) -> None:
        other = signed_in("Charlie")
        assert other.post("/account/take-over/", {"move": "", "guest": played.pk}).status_code == 302
        assert Submission.objects.get().player_id == played.pk


def test_a_name_is_changed_or_refused_with_the_reason() -> None:
    client = signed_in("Bob")
    assert "You are called Robert now." in text(client.post("/account/name/", {"name": "Robert"}, follow=True))
    assert "at least one letter" in text(client.post("/account/name/", {"name": "12345"}, follow=True))
    assert Player.objects.get().name == "Robert"


def test_a_token_is_shown_once_works_and_is_revoked() -> None:
    client = signed_in("Bob")
    answer = client.post("/account/tokens/", {"name": "my bot"})
    found = re.search(r'<code class="secret">(\w+)</code>', answer.content.decode())
    assert found
    api = Api(found[1])
    assert api.get("players/me/").data["name"] == "Bob"
    page = client.get("/account/tokens/").content.decode()
    assert found[1] not in page and "my bot" in page
    for path in set(re.findall(r'action="(/account/tokens/\w+/)"', page)):
        client.post(path)
    assert api.get("players/me/").status_code == 401


def test_anothers_token_cant_be_revoked() -> None:
    bob, charlie = signed_in("Bob"), signed_in("Charlie")
    page = bob.get("/account/tokens/").content.decode()
    paths = set(re.findall(r'action="(/account/tokens/\w+/)"', page))
    assert paths
    for path in paths:
        assert "no such token" in text(charlie.post(path, follow=True))
    assert bob.get("/account/tokens/").content.decode().count("/account/tokens/") == page.count("/account/tokens/")


def test_signing_out_everywhere_ends_sessions_and_tokens() -> None:
    client, elsewhere = signed_in("Bob"), Client()
    elsewhere.post("/accounts/login/", {"login": "Bob", "password": PASSWORD})
    client.post("/account/everywhere/")
    for browser in (client, elsewhere):
        assert browser.get("/account/tokens/").status_code == 302


def test_an_account_is_deleted_by_the_own_name_alone() -> None:
    client = signed_in("Bob")
    assert client.post("/account/delete/", {"confirm": "bob"}).status_code == 400
    assert Player.objects.get().deleted_at is None
    client.post("/account/delete/", {"confirm": "Bob"})
    assert Player.objects.get().deleted_at is not None
    assert "Sign up" in text(client.get("/account/"))


def test_settings_are_kept_with_the_account_beside_what_else_is_there() -> None:
    client = signed_in("Bob")
    Player.objects.update(settings={"language": "fi"})
    answer = client.post("/account/settings/", {"fourColours": "on", "theme": "dark", "cardBack": "plaid"})
    kept = Player.objects.get().settings
    assert kept.pop("language") == "fi"
    board = kept.pop("board")
    assert kept == {}
    assert (board["fourColours"], board["doubleTap"], board["theme"], board["cardBack"]) == (
        True,
        False,
        "dark",
        "blue",
    )
    assert answer.cookies["qv-theme"].value == "dark"
    assert b'data-theme="dark"' in client.get("/account/settings/").content


def test_letters_are_chosen_where_the_language_has_its_own_and_kept_elsewhere() -> None:
    client = signed_in("Bob")
    for language, is_asked in (("en", False), ("fr", True)):
        page = client.get("/account/settings/", headers={"accept-language": language}).content
        assert (b'name="rankLetters"' in page) is is_asked
    client.post("/account/settings/", {"rankLetters": "international"})
    client.post("/account/settings/", {"theme": "dark"})
    assert Player.objects.get().settings["board"]["rankLetters"] == "international"


def test_who_has_no_account_keeps_settings_in_the_browser(browser: Client) -> None:
    answer = browser.post("/account/settings/", {"theme": "light"})
    assert (answer.status_code, answer.cookies["qv-theme"].value) == (302, "light")


def test_a_banned_player_reads_why(new_guest: Callable[[], Api]) -> None:
    client = signed_in("Bob")
    Player.objects.update(is_banned=True, banned_at=timezone.now(), ban_reason="two accounts")
    assert "You are banned for good: two accounts" in text(client.get("/account/"))
