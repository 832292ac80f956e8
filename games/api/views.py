"""The API of what is played: guests, challenges, attempts, submissions, practice."""

from __future__ import annotations

import datetime
import secrets
from functools import lru_cache
from typing import Any

import msgspec
from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter

from games.engine import MODES, RULES_VERSION, Code, parse_log, verify, winning_moves
from games.engine.deals import DEALS_PER_GAME, Deal
from games.engine.movelog import MAX_ACTIONS, MAX_BYTES
from games.models import Attempt, Challenge
from games.services import calendar, challenges, intake, secrecy, watching

from . import shapes
from .addresses import client_address
from .cursors import from_microseconds, microseconds, pack_cursor, read_cursor
from .errors import ApiError, not_found, unauthenticated
from .lean import (
    Answer,
    LeanView,
    caller_if_any,
    caller_of,
    choice_parameter,
    credential_of,
    date_parameter,
    describe,
    json_response,
    read_body,
)
from .live_views import live_url

PAGE = 50


class Root(LeanView):
    """What this server plays."""

    public = True

    @describe("What this server plays: rules version, modes, limits", answers={200: shapes.Info})
    def get(self, request: HttpRequest) -> Answer:
        return 200, shapes.Info(
            name="qvserver",
            api="v1",
            rules_version=RULES_VERSION,
            modes=list(MODES),
            daily_modes=settings.DAILY_MODES,
            grace_seconds=int(settings.QV_GRACE.total_seconds()),
            max_log_bytes=MAX_BYTES,
            max_log_actions=MAX_ACTIONS,
            live_url=live_url(request),
            server_time=timezone.now(),
        )


class Today(LeanView):
    """Today's dailies."""

    public = True

    @describe(
        "Today's dailies (UTC) and the open events, with the caller's own state",
        answers={200: shapes.TodayOut},
        errors=[401],
    )
    def get(self, request: HttpRequest) -> Answer:
        now = timezone.now()
        items = _challenge_outs(request, challenges.list_today(now=now), now)
        missing = calendar.missing_dailies(today=now.date(), days=1)
        return 200, shapes.TodayOut(items, [slot.mode for slot in missing], now)


class ChallengeList(LeanView):
    """Challenges past and present."""

    public = True

    @describe(
        "Challenges, the latest first",
        answers={200: shapes.ChallengePage},
        errors=[400, 401],
        parameters=[
            OpenApiParameter("date", datetime.date, description="the UTC date of dailies"),
            OpenApiParameter("mode", str, enum=list(MODES)),
            OpenApiParameter("cursor", str, description="the `next_cursor` of the page before"),
        ],
    )
    def get(self, request: HttpRequest) -> Answer:
        now = timezone.now()
        mode = choice_parameter(request, "mode", list(MODES), default=None) if "mode" in request.GET else None
        cursor = read_cursor(request)
        before = None if cursor is None else (from_microseconds(cursor[0]), cursor[1])
        found = challenges.list_challenges(
            now=now, date=date_parameter(request), mode=mode, before=before, limit=PAGE + 1
        )
        last = found[PAGE - 1] if len(found) > PAGE else None
        next_cursor = None if last is None else pack_cursor(microseconds(last.opens_at), last.pk)
        return 200, shapes.ChallengePage(_challenge_outs(request, found[:PAGE], now), next_cursor, now)


class ChallengeDetail(LeanView):
    """One challenge."""

    public = True

    @describe(
        "A challenge; code, deal and winning log once it is over",
        answers={200: shapes.ChallengeOut},
        errors=[401, 404],
    )
    def get(self, request: HttpRequest, challenge_id: int) -> Answer:
        now = timezone.now()
        challenge = Challenge.objects.visible(now).filter(pk=challenge_id).first()
        if challenge is None:
            raise not_found("There is no such challenge.")
        [shown] = _challenge_outs(request, [challenge], now)
        if (log := secrecy.challenge_proof(challenge=challenge, now=now)) is not None:
            moves = winning_moves(Deal.parse(challenge.code), log)
            shown.proof = shapes.Proof(log, moves, challenge.solver_version)
        return 200, shown


def _challenge_outs(request: HttpRequest, found: list[Challenge], now: datetime.datetime) -> list[shapes.ChallengeOut]:
    own = {}
    if (caller := caller_if_any(request)) is not None:
        own = challenges.own_states(player_id=caller.id, challenges=found)
        own = {challenge.pk: own.get(challenge.pk, challenges.Own()) for challenge in found}
    return [_challenge_out(challenge, own.get(challenge.pk), now) for challenge in found]


def _challenge_out(challenge: Challenge, own: challenges.Own | None, now: datetime.datetime) -> shapes.ChallengeOut:
    deal = secrecy.challenge_deal(challenge=challenge, now=now)
    return shapes.ChallengeOut(
        id=challenge.pk,
        mode=challenge.mode,
        date=challenge.date,
        title=challenge.title,
        opens_at=challenge.opens_at,
        closes_at=challenge.closes_at,
        over_at=challenge.closes_at + settings.QV_GRACE,
        is_open=challenge.is_open(now),
        is_over=challenge.is_over(now),
        is_featured=challenge.is_featured,
        difficulty=challenge.difficulty,
        par=secrecy.challenge_par(challenge=challenge, now=now),
        code=None if deal is None else deal["code"],
        deal=None if deal is None else shapes.DealOut(**deal),
        proof=None,
        own=None if own is None else shapes.OwnState(own.attempts, own.open_attempt, own.won, own.best_score),
    )


class Attempts(LeanView):
    """Starting attempts."""

    scope = "play"

    @describe(
        "Start an attempt, or get the open one again",
        description="The deal is handed out and the clock starts. Asking again returns the same open attempt.",
        answers={201: shapes.AttemptOut, 200: shapes.AttemptOut},
        errors=[401, 403, 404, 409],
    )
    def post(self, request: HttpRequest, challenge_id: int) -> Answer:
        now = timezone.now()
        attempt = intake.start_attempt(
            credential=credential_of(request), challenge_id=challenge_id, now=now, address=client_address(request)
        )
        return (201 if attempt.is_new else 200), {
            "id": attempt.id,
            "challenge": attempt.challenge_id,
            "number": attempt.number,
            "started_at": attempt.started_at,
            "ended_at": None,
            "draft": attempt.draft,
            "counts_first": attempt.counts_first,
            "submission": None,
            **_attempt_deal(attempt.mode, attempt.deal_number),
            **_times(attempt.closes_at, now),
        }


class AttemptDetail(LeanView):
    """One attempt of the caller's."""

    @describe("An attempt of the caller's own, with its deal", answers={200: shapes.AttemptOut}, errors=[401, 404])
    def get(self, request: HttpRequest, attempt_id: int) -> Answer:
        now = timezone.now()
        caller = caller_of(request)
        found = Attempt.objects.select_related("challenge").filter(pk=attempt_id, player_id=caller.id)
        attempt = found.first()
        if attempt is None:
            raise not_found("There is no such attempt of yours.")
        latest = attempt.submissions.order_by("-id").values_list("id", flat=True).first()
        return 200, {
            "id": attempt.pk,
            "challenge": attempt.challenge_id,
            "number": attempt.number,
            "started_at": attempt.started_at,
            "ended_at": attempt.ended_at,
            "draft": attempt.draft,
            "counts_first": attempt.number == 1 and not caller.is_guest,
            "submission": None if latest is None else submission_url(latest),
            **_attempt_deal(attempt.challenge.mode, attempt.challenge.number),
            **_times(attempt.challenge.closes_at, now),
        }


@lru_cache(maxsize=512)
def _attempt_deal(mode: str, number: int) -> dict[str, Any]:
    """What an attempt shows of its deal, packed once."""
    deal = secrecy.attempt_deal(mode=mode, number=number)
    return {"mode": mode, "code": deal["code"], "deal": msgspec.Raw(msgspec.json.encode(deal))}


def _times(closes_at: datetime.datetime, now: datetime.datetime) -> dict[str, datetime.datetime]:
    return {"closes_at": closes_at, "over_at": closes_at + settings.QV_GRACE, "server_time": now}


class Draft(LeanView):
    """The log so far."""

    @describe(
        "Keep the log so far, for going on elsewhere",
        body=shapes.DraftIn,
        answers={200: shapes.DraftIn},
        errors=[400, 401, 404],
    )
    def put(self, request: HttpRequest, attempt_id: int) -> Answer:
        caller = caller_of(request)
        draft = read_body(request, shapes.DraftIn)
        intake.keep_draft(player_id=caller.id, attempt_id=attempt_id, text=draft.log)
        return 200, draft


class SubmissionIntake(LeanView):
    """The log of an attempt."""

    scope = "play"

    @describe(
        "Submit the log of an attempt",
        description="Safe to repeat: the same log again answers with the same submission. Another log is a conflict,"
        " unless the one before was rejected. An unfinished log is a submission too: that is giving up.",
        body=shapes.SubmissionIn,
        answers={202: shapes.Received, 200: shapes.Received},
        errors=[400, 401, 403, 404, 409],
    )
    def put(self, request: HttpRequest, attempt_id: int) -> Answer:
        if not (credential := credential_of(request)):
            raise unauthenticated()
        body = read_body(request, shapes.SubmissionIn)
        log = intake.Log(body.log, tuple(body.times), body.claimed_score, _client_name(body.client))
        receipt = intake.submit_log(credential=credential, attempt_id=attempt_id, log=log, now=timezone.now())
        status = 202 if receipt.state == "pending" else 200
        url = submission_url(receipt.submission_id)
        response = json_response(status, shapes.Received(receipt.submission_id, receipt.state, url))
        response["Location"] = url
        return response


def _client_name(text: str) -> str:
    if not text.isprintable():
        raise ApiError(400, "bad_request", "client must be a name of printable characters, like myclient/1.0.")
    return text


class Replay(LeanView):
    """A submitted game."""

    @describe(
        "The game of a submission: one's own always, others' once the challenge is over",
        answers={200: shapes.ReplayOut},
        errors=[401, 404],
    )
    def get(self, request: HttpRequest, submission_id: int) -> Answer:
        submission = watching.find_game(
            submission_id=submission_id, player_id=caller_of(request).id, now=timezone.now()
        )
        if submission is None:
            raise not_found("There is no such game to be watched, or not before its challenge is over.")
        challenge = submission.challenge
        deal = secrecy.attempt_deal(mode=challenge.mode, number=challenge.number)
        return 200, shapes.ReplayOut(
            submission.pk, deal["code"], shapes.DealOut(**deal), submission.log.text, submission.log.times
        )


class DealDetail(LeanView):
    """A deal for practice."""

    public = True
    scope = "practice"

    @describe("A deal by its code, for practice", answers={200: shapes.DealOut}, errors=[400, 404])
    def get(self, request: HttpRequest, code: str) -> Answer:
        return 200, secrecy.deal_json(*_practice_code(code))


class RandomDeal(LeanView):
    """A random deal for practice."""

    public = True
    scope = "practice"

    @describe(
        "A new random deal, for practice",
        answers={200: shapes.DealOut},
        errors=[400],
        parameters=[OpenApiParameter("mode", str, enum=list(MODES), required=True)],
    )
    def get(self, request: HttpRequest) -> Answer:
        mode = choice_parameter(request, "mode", list(MODES), default=None)
        now = timezone.now()
        while True:
            code = Code(mode, secrets.randbelow(DEALS_PER_GAME))
            if not secrecy.is_secret(code=code, now=now):
                return 200, Deal.parse(code).to_dict()


class PracticeVerify(LeanView):
    """A verdict for practice."""

    public = True
    scope = "practice"

    @describe(
        "The verdict on any log, stored nowhere",
        body=shapes.LogIn,
        answers={200: shapes.VerdictOut},
        errors=[400, 404],
    )
    def post(self, request: HttpRequest, code: str) -> Answer:
        mode, number = _practice_code(code)
        log = read_body(request, shapes.LogIn).log
        parse_log(log)
        verdict = verify(Deal.parse(Code(mode, number)), log).to_dict()
        return 200, {**verdict, "rules_version": RULES_VERSION}


def _practice_code(text: str) -> tuple[str, int]:
    code = Code.parse(text)
    if secrecy.is_secret(code=code, now=timezone.now()):
        raise not_found("This deal can't be had as practice now.")
    return code.mode, code.number


def submission_url(submission_id: int) -> str:
    """Where a submission's verdict will be."""
    return f"/api/v1/submissions/{submission_id}/"
