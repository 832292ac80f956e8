"""How django-allauth meets players: whoever signs up while playing as a guest stays the same player.

A guest who signs up shows the guest's token in the Authorization header of that call, or has a session
(`players/me/session/`) and signs up on the page. There a guest can also add a password, a passkey, an e-mail address
or a social login. Either way the credential is added to the guest's own row, and with the first one the guest is a
guest no more.
"""

from __future__ import annotations

from typing import Any

import msgspec
from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.internal.flows.reauthentication import get_reauthentication_flows
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.headless.tokens.strategies.sessions import SessionTokenStrategy
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone

from games.api.errors import ApiError
from games.api.lean import caller_of
from games.models import Player
from games.names import BadName, clean_name, skeleton
from games.services.players import made_up_name, make_full_player
from games.services.tokens import make_token

#: In a session: the guest as whom its player played until then.
GUEST_LEFT = "guest_left"


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Names as `games.names` has them, and guests who sign up without becoming somebody else."""

    def new_user(self, request: HttpRequest) -> Player:
        """The guest whose token the call shows, else somebody new."""
        return calling_guest(request) or Player()

    def save_user(self, request: HttpRequest, user: Player, form: Any, commit: bool = True) -> Player:
        """Store who signs up. A guest keeps the row, and the name if no other is given."""
        chosen = form.cleaned_data.get("username") or user.name
        form.cleaned_data["username"] = chosen
        try:
            with transaction.atomic():
                if user.pk is not None:
                    _check_still_guest(user)
                saved: Player = super().save_user(request, user, form, commit)
                if user.pk is not None and commit:
                    make_full_player(player_id=user.pk)
                    user.is_guest = False
        except IntegrityError:
            raise refusal(409, "name_taken", "That name has just been taken: choose another one.") from None
        return saved

    def login(self, request: HttpRequest, user: Player) -> None:
        """Begin a session. Whoever played as a guest before is asked what to do with the results."""
        guest = session_guest(request)
        super().login(request, user)
        if guest is not None and guest.pk != user.pk:
            request.session[GUEST_LEFT] = guest.pk

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """Where one goes after signing in."""
        return reverse("take-over") if GUEST_LEFT in request.session else str(super().get_login_redirect_url(request))

    def populate_username(self, request: HttpRequest, user: Player) -> None:
        """A made-up name for who gives none."""
        user.name = user.name or made_up_name()

    def is_reauthentication_required(self, app: str | None = None) -> bool:
        """Changing how one signs in takes the password again, or whatever the player has: a guest has nothing yet."""
        player: Any = self.request.user
        if player.is_guest or not get_reauthentication_flows(player):
            return False
        return bool(super().is_reauthentication_required(app=app))

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """The name as it is stored. Raises a ValidationError for one that can't be had."""
        try:
            name = clean_name(username)
        except BadName as error:
            raise ValidationError(str(error), code="bad_name") from None
        if not shallow:
            guest = calling_guest(self.request)
            others = Player.objects.exclude(pk=guest.pk) if guest else Player.objects.all()
            if others.filter(skeleton=skeleton(name)).exists() or others.filter(name__iexact=name).exists():
                raise ValidationError("That name is taken, or passes for another player's.", code="username_taken")
        return name


class SocialAccountAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """Social logins: a guest who comes with one keeps the row."""

    def new_user(self, request: HttpRequest, sociallogin: Any) -> Player:
        """Somebody new: a guest is connected before (`pre_social_login`)."""
        return Player()

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Connect an unknown social login to the guest whose token the call shows."""
        if not sociallogin.is_existing and (guest := calling_guest(request)) is not None:
            sociallogin.connect(request, guest)

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> Player:
        """The provider's word for a name is a suggestion, taken where it can be had."""
        user: Player = super().populate_user(request, sociallogin, data)
        try:
            user.name = clean_name(user.name)
        except BadName:
            user.name = ""
        if Player.objects.filter(skeleton=skeleton(user.name)).exists():
            user.name = ""
        return user


class TokenStrategy(SessionTokenStrategy):  # type: ignore[misc]
    """App clients get a token for the API with their login."""

    def create_access_token(self, request: HttpRequest) -> str:
        """A new token, named after the client."""
        name = request.headers.get("User-Agent", "")[:64]
        player: Any = request.user
        return make_token(player_id=player.pk, name=name if name.isprintable() else "", now=timezone.now()).token


def calling_guest(request: HttpRequest) -> Player | None:
    """The guest whose token the call shows, or whose session it is. Raises the answer for somebody else's token."""
    if not request.headers.get("Authorization"):
        return session_guest(request)
    try:
        caller = caller_of(request)
    except ApiError as error:
        raise refusal(error.status, error.code, error.message) from None
    if not caller.is_guest:
        raise refusal(409, "no_guest", "This token is of a player who has signed up already: sign in.")
    return Player.objects.get(pk=caller.id)


def session_guest(request: HttpRequest) -> Player | None:
    """The guest whose session it is."""
    player = request.user
    return player if isinstance(player, Player) and player.is_guest else None


def refusal(status: int, code: str, message: str) -> ImmediateHttpResponse:
    """An answer in the shape of allauth's errors."""
    body = {"status": status, "errors": [{"code": code, "message": message}]}
    return ImmediateHttpResponse(
        HttpResponse(msgspec.json.encode(body), status=status, content_type="application/json")
    )


def _check_still_guest(guest: Player) -> None:
    if not Player.objects.select_for_update(no_key=True).filter(pk=guest.pk, is_guest=True, is_active=True).exists():
        raise refusal(409, "no_guest", "This guest has signed up meanwhile: sign in.")
    # Addresses that were never confirmed; signing up names the one that shall be.
    guest.emailaddress_set.all().delete()  # type: ignore[attr-defined]
