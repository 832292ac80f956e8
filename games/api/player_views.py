"""The API of players: guests, profiles, what is theirs, and leaving."""

from __future__ import annotations

import msgspec
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter

from games.models import Player, Submission
from games.services import deletion, export, merging, players, profiles

from . import shapes
from .cursors import from_microseconds, microseconds, pack_cursor, read_cursor
from .errors import ApiError, not_found
from .lean import Answer, LeanView, caller_of, describe, int_parameter, read_body
from .views import submission_url

PAGE = 50


class Guest(LeanView):
    """New guests."""

    public = True
    scope = "guest"

    @describe("A new guest: play at once, without signing up", answers={201: shapes.NewGuest})
    def post(self, request: HttpRequest) -> Answer:
        caller, token = players.create_guest(now=timezone.now())
        return 201, shapes.NewGuest(shapes.PlayerOut(caller.name, caller.is_guest), token)


class MeView(LeanView):
    """The caller."""

    @describe("The caller's own profile", answers={200: shapes.Me}, errors=[401])
    def get(self, request: HttpRequest) -> Answer:
        return 200, _me(caller_of(request).id)

    @describe(
        "Change one's name or settings",
        description="A name has 3 to 20 letters and digits, with single spaces, hyphens, dots or underscores between"
        " them. It is refused where another player's name is the same but for case, or passes for it, or where it"
        " would pass for the server's own. settings are JSON of at most 8 KiB, for the client to keep there.",
        body=shapes.MeIn,
        answers={200: shapes.Me},
        errors=[400, 401, 403, 409],
    )
    def patch(self, request: HttpRequest) -> Answer:
        caller = caller_of(request)
        change = read_body(request, shapes.MeIn)
        if change.name is not msgspec.UNSET:
            profiles.rename_player(player_id=caller.id, name=change.name)
        if change.settings is not msgspec.UNSET:
            profiles.change_settings(player_id=caller.id, settings=change.settings)
        return 200, _me(caller.id)

    @describe(
        "Delete the caller's account, for good",
        description="Name, e-mail addresses, passwords, passkeys, social logins, tokens, sessions, settings and logs"
        " without a place are gone at once. What was verified keeps its place under 'deleted player'.",
        body=shapes.DeleteIn,
        answers={200: shapes.Nothing},
        errors=[400, 401, 403, 409],
    )
    def delete(self, request: HttpRequest) -> Answer:
        caller = caller_of(request)
        if read_body(request, shapes.DeleteIn).confirm != caller.name:
            raise ApiError(400, "not_confirmed", "confirm must be your name as it is written: nothing was deleted.")
        deletion.delete_player(player_id=caller.id, now=timezone.now())
        return 200, shapes.Nothing()


def _me(player_id: int) -> shapes.Me:
    player = Player.objects.get(pk=player_id)
    counts = profiles.count_submissions(player_id=player_id)
    return shapes.Me(
        player.name,
        player.is_guest,
        player.joined_at,
        counts.submissions,
        counts.verified,
        counts.won,
        _ban_out(player),
        player.settings,
    )


def _ban_out(player: Player) -> shapes.BanOut | None:
    if player.banned_at is None or not player.is_banned_at(timezone.now()):
        return None
    return shapes.BanOut(player.ban_reason, player.banned_at, player.banned_until)


class PlayerDetail(LeanView):
    """A player as others see them."""

    public = True

    @describe("The public profile of a player", answers={200: shapes.Profile}, errors=[404])
    def get(self, request: HttpRequest, name: str) -> Answer:
        player = profiles.find_player(name=name)
        if player is None:
            raise not_found("There is no player of that name.")
        counts = profiles.count_submissions(player_id=player.pk)
        return 200, shapes.Profile(
            player.name, player.is_guest, player.joined_at, counts.submissions, counts.verified, counts.won
        )


class History(LeanView):
    """The caller's submissions."""

    @describe(
        "The caller's submissions, the latest first",
        answers={200: shapes.SubmissionPage},
        errors=[400, 401],
        parameters=[
            OpenApiParameter("limit", int, default=PAGE, description="1 to 100"),
            OpenApiParameter("cursor", str, description="the `next_cursor` of the page before"),
        ],
    )
    def get(self, request: HttpRequest) -> Answer:
        submissions = Submission.objects.filter(player_id=caller_of(request).id).select_related("challenge")
        limit = int_parameter(request, "limit", default=PAGE, minimum=1, maximum=100)
        if (cursor := read_cursor(request)) is not None:
            moment = from_microseconds(cursor[0])
            submissions = submissions.filter(received_at__lte=moment).exclude(received_at=moment, id__gte=cursor[1])
        found = list(
            submissions.order_by("-received_at", "-id").defer("traceback", "challenge__winning_log")[: limit + 1]
        )
        last = found[limit - 1] if len(found) > limit else None
        next_cursor = None if last is None else pack_cursor(microseconds(last.received_at), last.pk)
        return 200, shapes.SubmissionPage([_own_submission(row) for row in found[:limit]], next_cursor)


def _own_submission(row: Submission) -> shapes.OwnSubmission:
    return shapes.OwnSubmission(
        id=row.pk,
        url=submission_url(row.pk),
        challenge=row.challenge_id,
        mode=row.challenge.mode,
        date=row.challenge.date,
        attempt_number=row.attempt_number,
        state=row.state,
        ranked=row.ranked,
        received_at=row.received_at,
        elapsed=row.elapsed / 10,
        won=row.won,
        ranked_score=row.ranked_score,
        moves=row.moves,
    )


class Export(LeanView):
    """Everything the server holds on the caller."""

    @describe("Everything the server holds on the caller", answers={200: shapes.ExportOut}, errors=[401])
    def get(self, request: HttpRequest) -> Answer:
        pieces = export.export_player(player_id=caller_of(request).id, now=timezone.now())
        response = StreamingHttpResponse(pieces, content_type="application/json")
        response["Content-Disposition"] = 'attachment; filename="qvserver.json"'
        response["Cache-Control"] = "no-store"
        return response


class Merge(LeanView):
    """Taking over what was played as a guest."""

    @describe(
        "Move a guest's results to the caller's account",
        description="For who signed in to an account while playing as a guest. Each challenge keeps the better"
        " standing; the guest's attempts follow the account's own in number. The guest is closed. Safe to repeat.",
        body=shapes.MergeIn,
        answers={200: shapes.Me},
        errors=[400, 401, 403, 404, 409],
    )
    def post(self, request: HttpRequest) -> Answer:
        caller = caller_of(request)
        body = read_body(request, shapes.MergeIn)
        merging.merge_guest(player_id=caller.id, guest_token=body.guest_token, now=timezone.now())
        return 200, _me(caller.id)
