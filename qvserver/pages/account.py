"""The account: who one is here, how one signs in, what one's clients may do, and leaving.

Names, passwords, addresses, passkeys, second factors, social logins and sessions have pages of allauth's; what is here
calls the same services as the API.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from games.models import Player
from games.services import deletion, merging, profiles
from games.services import tokens as token_service
from games.services.intake import Conflict, NotFound, Refused
from qvserver.accounts import GUEST_LEFT
from qvserver.site import THEME_COOKIE, remember

from .choices import chosen, clean_choices

TOKEN_NAME_MAX_LENGTH = 64


@never_cache
@require_safe
def overview(request: HttpRequest) -> HttpResponse:
    """Who the visitor is, and the ways to all that can be changed about it."""
    player = request.user
    if not isinstance(player, Player):
        return render(request, "pages/account_visitor.html")
    context = {
        "player": player,
        "counts": profiles.count_submissions(player_id=player.pk),
        "is_banned": player.is_banned_at(timezone.now()),
        "has_social_logins": bool(settings.QV_SOCIAL_PROVIDERS),
    }
    return render(request, "pages/account.html", context)


@login_required
@require_POST
def rename(request: HttpRequest) -> HttpResponse:
    """Another name."""

    def change(player: Player) -> str:
        name = profiles.rename_player(player_id=player.pk, name=request.POST.get("name", ""))
        return _("You are called {name} now.").format(name=name)

    return _act(request, change, "account")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def take_over(request: HttpRequest) -> HttpResponse:
    """Whether what was played as a guest moves to the account."""
    guest = Player.objects.filter(pk=request.session.get(GUEST_LEFT, 0), is_guest=True).first()
    if guest is None:
        request.session.pop(GUEST_LEFT, None)
        return redirect("/")
    if request.method != "POST":
        counts = profiles.count_submissions(player_id=guest.pk)
        return render(request, "pages/take_over.html", {"guest": guest, "counts": counts})
    del request.session[GUEST_LEFT]
    if "move" not in request.POST:
        return redirect("/")

    def move(player: Player) -> str:
        merging.take_over_guest(player_id=player.pk, guest_id=guest.pk, now=timezone.now())
        return _("The games of {guest} are yours now.").format(guest=guest.name)

    return _act(request, move, "account")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def tokens(request: HttpRequest) -> HttpResponse:
    """The tokens of one's clients, and a new one, shown once."""
    player = _player(request)
    context: dict[str, Any] = {"name_max_length": TOKEN_NAME_MAX_LENGTH}
    if request.method == "POST":
        name = request.POST.get("name", "").strip()[:TOKEN_NAME_MAX_LENGTH]
        try:
            context["made"] = token_service.make_token(
                player_id=player.pk, name=name if name.isprintable() else "", now=timezone.now()
            )
        except Conflict as error:
            context["problem"] = str(error)
    context["tokens"] = token_service.list_tokens(player_id=player.pk, now=timezone.now())
    return render(request, "pages/tokens.html", context)


@login_required
@require_POST
def revoke(request: HttpRequest, token_id: str) -> HttpResponse:
    """End one token."""

    def end(player: Player) -> str:
        token_service.revoke_token(player_id=player.pk, token_id=token_id)
        return _("The token is revoked.")

    return _act(request, end, "tokens")


@login_required
@require_POST
def leave_everywhere(request: HttpRequest) -> HttpResponse:
    """End all sessions and tokens, this session too."""
    token_service.revoke_tokens(player_id=_player(request).pk)
    logout(request)
    messages.success(request, _("You are signed out everywhere."))
    return redirect("account")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    """Leave for good, once the own name is typed."""
    player = _player(request)
    if request.method != "POST":
        return render(request, "pages/delete_account.html", {"player": player})
    problem = _("That isn't your name as it is written: nothing was deleted.")
    if request.POST.get("confirm") == player.name:
        try:
            deletion.delete_player(player_id=player.pk, now=timezone.now())
        except Conflict as error:
            problem = str(error)
        else:
            logout(request)
            messages.success(request, _("Your account is deleted. You can play as a guest at any time."))
            return redirect("/")
    return render(request, "pages/delete_account.html", {"player": player, "problem": problem}, status=400)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def settings_page(request: HttpRequest) -> HttpResponse:
    """The look of the board and of the pages; kept with the account, or by the browser of who has none."""
    player = request.user if isinstance(request.user, Player) else None
    kept = {} if player is None else player.settings
    board = kept.get("board", {})
    if request.method != "POST":
        return render(request, "pages/settings.html", {"groups": chosen(board)})
    choices = clean_choices(request.POST)
    if player is not None:
        profiles.change_settings(player_id=player.pk, settings={**kept, "board": {**board, **choices}})
    messages.success(request, _("Your settings are kept."))
    response = redirect("settings")
    remember(response, THEME_COOKIE, choices.get("theme", ""))
    return response


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """What the server holds of people, and for how long."""
    context = {"guest_days": settings.QV_GUEST_DAYS, "address_days": settings.QV_ADDRESS_RETENTION.days}
    return render(request, "pages/privacy.html", context)


def _player(request: HttpRequest) -> Player:
    assert isinstance(request.user, Player)
    return request.user


def _act(request: HttpRequest, act: Callable[[Player], str], page: str) -> HttpResponse:
    """Do what was asked, say on the page how it went."""
    try:
        messages.success(request, act(_player(request)))
    except (Refused, Conflict, NotFound) as error:
        messages.error(request, str(error))
    return redirect(page)
