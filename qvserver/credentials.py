"""Credentials come and go: what follows for the player, and what the server holds of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed, password_changed, password_reset, password_set
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.signals import social_account_added
from allauth.usersessions.models import UserSession
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.models import Session
from django.dispatch import receiver
from django.http import HttpRequest

from games.models import Player
from games.services.players import make_full_player
from games.services.tokens import revoke_tokens
from games.signals import export_asked, guest_merged, player_deleted, sessions_ended


@receiver(user_logged_in)
def list_session(sender: Any, request: HttpRequest, user: Player, **_: Any) -> None:
    """Sessions that begin without allauth's doing, as the admin's, are listed too."""
    if request.META.get("REMOTE_ADDR"):
        UserSession.objects.create_from_request(request, user=user)


@receiver([password_set, password_changed])
def on_password(sender: Any, user: Player, **_: Any) -> None:
    """A guest with a password is no guest any more."""
    make_full_player(player_id=user.pk)


@receiver(password_reset)
def on_password_reset(sender: Any, user: Player, **_: Any) -> None:
    """Whoever had to reset a password may have lost more: all tokens and sessions end."""
    make_full_player(player_id=user.pk)
    revoke_tokens(player_id=user.pk)


@receiver(authenticator_added)
def on_authenticator(sender: Any, user: Player, authenticator: Authenticator, **_: Any) -> None:
    """A passkey is a way to sign in; codes from an app are none by themselves."""
    if authenticator.type == Authenticator.Type.WEBAUTHN:
        make_full_player(player_id=user.pk)


@receiver(social_account_added)
def on_social_account(sender: Any, sociallogin: Any, **_: Any) -> None:
    """Nor is one with a social login."""
    make_full_player(player_id=sociallogin.user.pk)


@receiver(email_confirmed)
def on_email(sender: Any, email_address: EmailAddress, **_: Any) -> None:
    """Nor is one with an address, by which a password can be set."""
    make_full_player(player_id=email_address.user_id)


@receiver(sessions_ended)
def end_sessions(sender: Any, player_id: int, **_: Any) -> None:
    """End all sessions of a player."""
    sessions = UserSession.objects.filter(user_id=player_id)
    Session.objects.filter(session_key__in=sessions.values("session_key")).delete()
    sessions.delete()


@receiver(player_deleted)
def forget(sender: Any, player_id: int, **_: Any) -> None:
    """Delete addresses, passkeys, codes, social logins and sessions of a player."""
    for model in (EmailAddress, Authenticator, SocialAccount):
        model.objects.filter(user_id=player_id).delete()
    end_sessions(sender, player_id)


@receiver(guest_merged)
def forget_guest(sender: Any, guest_id: int, **_: Any) -> None:
    """A guest who was taken over has no credentials, but may have a session."""
    forget(sender, guest_id)


@receiver(export_asked)
def export(sender: Any, player_id: int, **_: Any) -> dict[str, Iterable[Any]]:
    """What is held of a player's credentials; secrets are left out."""
    return {
        "email_addresses": EmailAddress.objects.filter(user_id=player_id).values("email", "verified", "primary"),
        "authenticators": Authenticator.objects.filter(user_id=player_id).values("type", "created_at", "last_used_at"),
        "social_logins": SocialAccount.objects.filter(user_id=player_id).values(
            "provider", "uid", "extra_data", "date_joined", "last_login"
        ),
        "sessions": UserSession.objects.filter(user_id=player_id).values(
            "created_at", "last_seen_at", "ip", "user_agent"
        ),
    }
