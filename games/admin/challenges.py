"""The admin of challenges: the calendar, each challenge with its deal and proof, and what can be done with it.

Nothing is written here: every button calls a service, and each has one that undoes it.
"""

from __future__ import annotations

import calendar
import datetime
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from simple_history.admin import SimpleHistoryAdmin

from games.engine import BadCode, Code
from games.models import Challenge, Player, Search
from games.services import publishing
from games.services.calendar import DAYS_AHEAD, missing_dailies, read_days
from games.services.publishing import PublishingError

from .acting import ButtonsAdmin
from .forms import ChallengeForm, EventForm
from .replays import replay_of


class ChallengeAdmin(ButtonsAdmin, SimpleHistoryAdmin):  # type: ignore[misc]
    """Challenges. Whoever ranks adds the board to the page (`board_of`) and registers this."""

    list_display = ("__str__", "code", "opens_at", "closes_at", "state", "difficulty", "par", "is_featured")
    list_filter = ("mode", "difficulty", "is_featured")
    list_display_links = ("__str__",)
    date_hierarchy = "opens_at"
    ordering = ("-opens_at", "id")
    change_form_template = "admin/games/challenge/change_form.html"
    change_list_template = "admin/games/challenge/change_list.html"
    form = ChallengeForm
    refusals = (PublishingError, BadCode)

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).prefetch_related("searches")

    def state(self, challenge: Challenge) -> str:
        """How a challenge stands, in words."""
        return state_of(challenge, timezone.now())

    def has_delete_permission(self, request: HttpRequest, obj: Challenge | None = None) -> bool:
        return False

    def add_view(self, request: HttpRequest, *args: Any, **options: Any) -> HttpResponse:
        """A new event, published by its service."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = EventForm(request.POST or None)
        if request.method == "POST" and form.is_valid():
            try:
                event = publishing.publish_event(**form.cleaned_data, now=timezone.now(), by=request.user)  # type: ignore[arg-type]
            except PublishingError as error:
                form.add_error(None, str(error))
            else:
                self.message_user(request, "Players see the event once its deal is proven.")
                return HttpResponseRedirect(reverse(self.named("change"), args=[event.pk]))
        context = {**self.admin_site.each_context(request), "title": "New event", "opts": self.opts, "form": form}
        return TemplateResponse(
            request, "admin/games/challenge/event_form.html", {**context, "media": self.media + form.media}
        )

    def board_of(self, challenge: Challenge) -> list[Any]:
        """The first lines of the challenge's board."""
        return []

    def render_change_form(self, request: HttpRequest, context: Any, *args: Any, **options: Any) -> HttpResponseBase:
        if (challenge := options.get("obj")) is not None:
            context.update(self._page(challenge, timezone.now()), show_save_and_add_another=False)
        page: HttpResponseBase = super().render_change_form(request, context, *args, **options)
        return page

    def _page(self, challenge: Challenge, now: datetime.datetime) -> dict[str, Any]:
        search = challenge.searches.order_by("-id").first()
        return {
            "challenge": challenge,
            "state": state_of(challenge, now),
            "replay": replay_of(challenge, challenge.winning_log or ""),
            "search": search,
            "is_proving": search is not None and search.state == Search.State.PROVING,
            "can_swap": challenge.published_at is None or now <= challenge.opens_at - publishing.SWAP_MARGIN,
            "is_unproven": challenge.published_at is None,
            "board": self.board_of(challenge),
            "past": challenge.history.select_related("history_user").order_by("-history_id")[:20],
        }

    def get_urls(self) -> list[Any]:
        return [
            path("calendar/", self.admin_site.admin_view(self.calendar_view), name="games_challenge_calendar"),
            *super().get_urls(),
        ]

    def calendar_view(self, request: HttpRequest) -> HttpResponse:
        """A month of dailies and events; what is missing of the days to come stands out."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        now = timezone.now()
        month = _month(request.GET.get("month", ""), now.date())
        weeks = calendar.Calendar().monthdatescalendar(month.year, month.month)
        days = read_days(first=weeks[0][0], days=7 * len(weeks), today=now.date())
        for day in days:
            for challenge in day.challenges:
                challenge.state = state_of(challenge, now)  # type: ignore[attr-defined]
        context = {
            **self.admin_site.each_context(request),
            "title": f"Calendar, {month:%B %Y}",
            "opts": self.opts,
            "weeks": [days[i : i + 7] for i in range(0, len(days), 7)],
            "month": month,
            "before": month - datetime.timedelta(days=1),
            "after": month + datetime.timedelta(days=31),
            "today": now.date(),
            "missing": missing_dailies(today=now.date()),
            "days_ahead": DAYS_AHEAD,
            "searches": Search.objects.filter(state=Search.State.PROVING).select_related("challenge"),
            "media": self.media,
        }
        return TemplateResponse(request, "admin/games/challenge/calendar.html", context)

    def do(self, what: str, row: Challenge, fields: dict[str, str], now: datetime.datetime, by: Player) -> str:
        who: Any = {"challenge_id": row.pk, "by": by}
        match what:
            case "swap":
                text = fields.get("code", "").strip()
                publishing.swap_deal(**who, code=Code.parse(text) if text else None, now=now)
                return "Another deal is being proven; the present one stays until then."
            case "drop_search":
                publishing.drop_search(challenge_id=row.pk, now=now)
                return "The solver was told to leave it."
            case "publish_unproven":
                publishing.publish_unproven(**who, now=now)
                return "Published without a proof."
            case "cancel":
                publishing.cancel(**who, now=now)
                return "Cancelled: the challenge and its boards are out of sight. It can be brought back."
            case "bring_back":
                publishing.bring_back(**who)
                return "The challenge and its boards are back."
            case "feature" | "unfeature":
                publishing.set_featured(**who, is_featured=what == "feature")
                return "It stands before the others." if what == "feature" else "It stands among the others."
        raise PublishingError(f"{what!r} is nothing that can be done with a challenge.")


def state_of(challenge: Challenge, now: datetime.datetime) -> str:
    """How a challenge stands: cancelled, proving..., not proven, coming, open, closed or over."""
    if challenge.cancelled_at is not None:
        return "cancelled"
    if challenge.published_at is None:
        searches = sorted(challenge.searches.all(), key=lambda search: -search.pk)
        return searches[0].get_state_display() if searches else "not proven"
    if now < challenge.opens_at:
        return "coming"
    if challenge.is_open(now):
        return "open"
    return "over" if challenge.is_over(now) else "closed"


def _month(text: str, today: datetime.date) -> datetime.date:
    """The first day of the month that a text like 2026-01 names, else of this month."""
    try:
        return datetime.datetime.strptime(text, "%Y-%m").date()
    except ValueError:
        return today.replace(day=1)
