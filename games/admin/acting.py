"""The base of admin pages that show what only services change, with buttons that call them."""

from __future__ import annotations

import datetime
from typing import Any, ClassVar

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import path, reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_POST
from unfold.admin import ModelAdmin

from games.models import Player
from games.services.intake import IntakeError
from games.services.moderation import ModerationError

#: How long a ban lasts, by the words of the choice; days, None for good.
BAN_LENGTHS = {"1 day": 1, "7 days": 7, "30 days": 30, "365 days": 365, "for good": None}


class ReadOnlyAdmin(ModelAdmin):  # type: ignore[misc]
    """Shows rows that only the server itself writes."""

    def has_add_permission(self, request: HttpRequest, *_: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ButtonsAdmin(ModelAdmin):  # type: ignore[misc]
    """A page whose buttons call services (`do`), for those who may change such rows."""

    show_full_result_count = False
    #: What `do` raises where a service refuses; the moderator is shown the message.
    refusals: ClassVar[tuple[type[Exception], ...]] = (ModerationError, IntakeError)

    class Media:
        css: ClassVar = {"all": ["games/admin/challenge.css"]}
        js: ClassVar = ["games/admin/replay.js"]

    def do(self, what: str, row: Any, fields: dict[str, str], now: datetime.datetime, by: Player) -> str:
        """What a button asks for; returns a sentence about it. Raises one of `refusals`."""
        raise NotImplementedError

    def may_act(self, request: HttpRequest) -> bool:
        """Whether the buttons are for this moderator."""
        user: Any = request.user
        return bool(user.has_perm(f"{self.opts.app_label}.change_{self.opts.model_name}"))

    def get_urls(self) -> list[Any]:
        view = self.admin_site.admin_view(require_POST(self.do_view))
        return [path("<int:pk>/do/", view, name=self.named("do").removeprefix("admin:")), *super().get_urls()]

    def do_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """A button was pressed."""
        if not self.may_act(request):
            raise PermissionDenied
        row = self.get_object(request, str(pk))
        if row is None:
            return HttpResponseRedirect(reverse(self.named("changelist")))
        fields = {name: value for name, value in request.POST.items() if isinstance(value, str)}
        by: Any = request.user
        try:
            self.message_user(request, self.do(fields.get("what", ""), row, fields, timezone.now(), by))
        except self.refusals as error:
            self.message_user(request, str(error), messages.ERROR)
        return HttpResponseRedirect(reverse(self.named("change"), args=[pk]))

    def named(self, page: str) -> str:
        """The name of one of its addresses, as ``admin:games_player_change``."""
        return f"admin:{self.opts.app_label}_{self.opts.model_name}_{page}"


class ActingAdmin(ButtonsAdmin, ReadOnlyAdmin):
    """A page with buttons for rows that only the server writes; below what `page` says the ``fields``, if any."""

    def page(self, row: Any, now: datetime.datetime) -> dict[str, Any]:
        """What the template of the page knows beside the row."""
        raise NotImplementedError

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        # Where the page shows all there is, no fields are repeated below it.
        return super().get_fieldsets(request, obj) if self.fields else []

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **options: Any) -> HttpResponseBase:
        if (row := options.get("obj")) is not None:
            act = reverse(self.named("do"), args=[row.pk])
            lengths, can_act = list(BAN_LENGTHS), self.may_act(request)
            context.update(self.page(row, timezone.now()), row=row, act=act, ban_lengths=lengths, can_act=can_act)
        page: HttpResponseBase = super().render_change_form(request, context, *args, **options)
        return page


def ban_end(fields: dict[str, str], now: datetime.datetime) -> datetime.datetime | None:
    """Until when the form's ban lasts: a moment (UTC) comes before the choice. Raises `ModerationError`."""
    if text := fields.get("until", "").strip():
        try:
            moment = parse_datetime(text)
        except ValueError:
            moment = None
        if moment is None:
            raise ModerationError(f"{text} is no moment like 2026-01-31 12:00.")
        return moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
    length = fields.get("length", "")
    if length not in BAN_LENGTHS:
        raise ModerationError(f"A ban lasts {', '.join(BAN_LENGTHS)}, or until a moment.")
    days = BAN_LENGTHS[length]
    return None if days is None else now + datetime.timedelta(days=days)


def unknown(what: str) -> ModerationError:
    """For a button that isn't there."""
    return ModerationError(f"{what!r} is nothing that can be done here.")
