"""Attempts and submissions coming in.

Each call is one statement; a second one only answers a repeated or refused call.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils.translation import gettext as _

from games.engine import format_log, parse_log
from games.metrics import RECEIVED
from games.models import Player, Submission
from games.models.submission import MAX_REJECTED
from games.statements import one_row
from games.wakeups import wake

from .players import CALLER, Credential, renew_token
from .sightings import address_digest


class IntakeError(Exception):
    """A call that can't be done. ``code`` is a word for machines, the message a sentence for people."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Unauthenticated(IntakeError):
    """Nothing shows who calls, or a token that isn't good."""

    def __init__(self) -> None:
        super().__init__("not_authenticated", "This call needs a token.")


class NotFound(IntakeError):
    """What was asked for isn't there, or isn't the caller's."""


class Refused(IntakeError):
    """What was sent doesn't fit together."""


class Conflict(IntakeError):
    """What was asked for contradicts what is there."""


class Banned(IntakeError):
    """The caller is banned; ``until`` None is for good."""

    def __init__(self, reason: str, until: datetime.datetime | None) -> None:
        if until is None:
            message = _("You are banned for good: {reason}").format(reason=reason)
        else:
            message = _("You are banned until {until} UTC: {reason}").format(
                until=f"{until:%Y-%m-%d %H:%M}", reason=reason
            )
        super().__init__("banned", message)
        self.reason = reason
        self.until = until


def check_not_banned(*, player_id: int, now: datetime.datetime) -> None:
    """Raises `Banned`. Starting and submitting ask that in their own statements."""
    player = Player.objects.get(pk=player_id)
    if player.is_banned_at(now):
        raise Banned(player.ban_reason, player.banned_until)


@dataclass(frozen=True, slots=True)
class StartedAttempt:
    """An attempt just handed out, or still open.

    ``counts_first`` is true of one that may stand on the `first` board.
    """

    id: int
    number: int
    started_at: datetime.datetime
    draft: str
    is_new: bool
    counts_first: bool
    challenge_id: int
    mode: str
    deal_number: int
    closes_at: datetime.datetime


def start_attempt(
    *, credential: Credential, challenge_id: int, now: datetime.datetime, address: str = ""
) -> StartedAttempt:
    """The caller's open attempt at a challenge, begun if there is none. Asking again changes nothing.

    That the player was seen at the address is noted, for moderators (`games.services.sightings`).

    Raises `Unauthenticated`, `NotFound` where the challenge isn't there, hasn't opened or was cancelled, `Conflict`
    where it has closed, `Banned`.
    """
    arguments = {**credential.arguments(now), "challenge": challenge_id, "address": address_digest(address)}
    while True:
        row = _row(_START_ATTEMPT, arguments, credential, now)
        is_banned, reason, until, is_guest, is_closed, mode, deal_number, closes_at, *attempt = row
        if mode is None:
            raise NotFound("not_found", "There is no such challenge.")
        if is_banned:
            raise Banned(reason, until)
        attempt_id, number, started_at, draft, is_new = attempt
        if attempt_id is not None:
            counts_first = number == 1 and not is_guest
            return StartedAttempt(
                attempt_id, number, started_at, draft, is_new, counts_first, challenge_id, mode, deal_number, closes_at
            )
        if is_closed:
            raise Conflict("challenge_closed", "The challenge has closed: its deal can be played as practice soon.")
        # The same player asked twice at once and the other call made the attempt: now it can be seen.


def _row(statement: str, arguments: dict[str, Any], credential: Credential, now: datetime.datetime) -> list[Any]:
    """What a statement says to its caller. Raises `Unauthenticated`."""
    row = one_row(statement, arguments)
    if row is None:
        raise Unauthenticated
    renew_token(digest=credential.digest, expiry=row[0], now=now)
    return list(row[1:])


#: Who calls, and whether a ban is in force; one that has ended isn't, though its flag still stands.
_CALLER = f"""
caller AS (
    SELECT who.id, who.expiry, player.is_banned AND (player.banned_until IS NULL OR player.banned_until > %(now)s)
        AS is_banned, player.banned_at, player.ban_reason, player.banned_until, player.is_guest
    FROM ({CALLER}) who JOIN games_player player ON player.id = who.id
)
"""

_START_ATTEMPT = f"""
WITH {_CALLER}, challenge AS (
    SELECT id, mode, number, closes_at, closes_at <= %(now)s AS is_closed
    FROM games_challenge
    WHERE id = %(challenge)s AND opens_at <= %(now)s AND published_at IS NOT NULL AND cancelled_at IS NULL
), open AS (
    SELECT attempt.id, attempt.number, attempt.started_at, attempt.draft, false AS is_new
    FROM games_attempt attempt JOIN caller ON caller.id = attempt.player_id
    WHERE challenge_id = %(challenge)s AND ended_at IS NULL
), made AS (
    INSERT INTO games_attempt (challenge_id, player_id, number, started_at)
    SELECT challenge.id, caller.id, 1 + coalesce((
        SELECT max(number) FROM games_attempt WHERE challenge_id = %(challenge)s AND player_id = caller.id
    ), 0), %(now)s
    FROM challenge, caller WHERE NOT is_closed AND NOT is_banned AND NOT EXISTS (SELECT FROM open)
    ON CONFLICT DO NOTHING
    RETURNING id, number, started_at, draft, true AS is_new
), seen AS (
    INSERT INTO games_addresssighting (digest, player_id, seen_at)
    SELECT %(address)s::uuid, caller.id, %(now)s FROM made, caller WHERE %(address)s::uuid IS NOT NULL
    ON CONFLICT (digest, player_id) DO UPDATE SET seen_at = excluded.seen_at
    WHERE games_addresssighting.seen_at < excluded.seen_at - interval '1 day'
)
SELECT caller.expiry, caller.is_banned, caller.ban_reason, caller.banned_until, caller.is_guest,
    challenge.is_closed, challenge.mode, challenge.number, challenge.closes_at, attempt.*
FROM caller LEFT JOIN challenge ON true LEFT JOIN (SELECT * FROM open UNION ALL SELECT * FROM made) attempt ON true
"""


@dataclass(frozen=True, slots=True)
class Log:
    """What a client submits. ``times`` are milliseconds since the start, one for each action, or empty."""

    text: str
    times: tuple[int, ...] = ()
    claimed_score: int | None = None
    client: str = ""


@dataclass(frozen=True, slots=True)
class Receipt:
    """What became of a submitted log: a new pending submission, or the one that the same log made before."""

    submission_id: int
    state: str


def submit_log(*, credential: Credential, attempt_id: int, log: Log, now: datetime.datetime) -> Receipt:
    """Take the log of an attempt in, once: it is stored, and verified whatever happens from here on.

    A banned player's log of an attempt begun before the ban is taken, so that nothing is lost; it counts once the ban
    ends. Raises a `BadLog` where it can't be read, `Unauthenticated`, `NotFound` where the attempt isn't the caller's,
    `Conflict` where it has another log already that isn't rejected, or too many rejected ones, `Banned`.
    """
    actions = parse_log(log.text)
    if log.times and len(log.times) != len(actions):
        raise Refused("bad_times", f"times has {len(log.times)} numbers for {len(actions)} actions: send one for each.")
    text = format_log(actions)
    arguments = {
        **credential.arguments(now),
        "attempt": attempt_id,
        "grace": settings.QV_GRACE,
        "text": text,
        "times": list(log.times),
        "claimed_score": log.claimed_score,
        "client": log.client,
        "max_rejected": MAX_REJECTED,
    }
    found, submission_id, is_banned, reason, until = _row(_SUBMIT_LOG, arguments, credential, now)
    if found is None:
        raise NotFound("not_found", "There is no such attempt of yours.")
    if submission_id is not None:
        RECEIVED.inc()
        wake("games.verify")
        return Receipt(submission_id, Submission.State.PENDING)
    if is_banned:
        raise Banned(reason, until)
    return _submitted_before(attempt_id, text)


_SUBMIT_LOG = f"""
WITH {_CALLER}, attempt AS (
    SELECT attempt.id, attempt.challenge_id, attempt.player_id, attempt.number, attempt.started_at,
        %(now)s < challenge.closes_at + %(grace)s AS ranked,
        is_banned AND attempt.started_at >= banned_at AS is_banned, ban_reason, banned_until
    FROM games_attempt attempt JOIN caller ON caller.id = attempt.player_id
    JOIN games_challenge challenge ON challenge.id = attempt.challenge_id
    WHERE attempt.id = %(attempt)s
), made AS (
    INSERT INTO games_submission (attempt_id, challenge_id, player_id, attempt_number, state, ranked, claimed_score,
        client, received_at, elapsed)
    SELECT id, challenge_id, player_id, number, 'pending', ranked, %(claimed_score)s,
        %(client)s, %(now)s, greatest(0, floor(extract(epoch FROM %(now)s - started_at) * 10))
    FROM attempt
    WHERE NOT is_banned AND NOT EXISTS (
        SELECT FROM games_submission earlier JOIN games_submissionlog log ON log.submission_id = earlier.id
        WHERE earlier.attempt_id = attempt.id AND log.text = %(text)s
    ) AND %(max_rejected)s > (
        SELECT count(*) FROM games_submission earlier WHERE earlier.attempt_id = attempt.id AND state = 'rejected'
    )
    ON CONFLICT (attempt_id) WHERE NOT state = 'rejected' DO NOTHING
    RETURNING id, attempt_id
), logged AS (
    INSERT INTO games_submissionlog (submission_id, text, times) SELECT id, %(text)s, %(times)s FROM made
), ended AS (
    UPDATE games_attempt SET ended_at = coalesce(ended_at, %(now)s), draft = '' FROM made
    WHERE games_attempt.id = made.attempt_id
)
SELECT caller.expiry, attempt.id, made.id, attempt.is_banned, attempt.ban_reason, attempt.banned_until
FROM caller LEFT JOIN attempt ON true LEFT JOIN made ON true
"""


def _submitted_before(attempt_id: int, text: str) -> Receipt:
    """The earlier submission of the same log. Raises `Conflict` where there is none."""
    submissions = Submission.objects.filter(attempt_id=attempt_id)
    same = submissions.filter(log__text=text).order_by("-id").values_list("id", "state").first()
    if same is not None:
        return Receipt(*same)
    if submissions.exclude(state=Submission.State.REJECTED).exists():
        raise Conflict("already_submitted", "This attempt has another log already: start a new attempt to play again.")
    raise Conflict(
        "too_many_rejected", f"{MAX_REJECTED} logs of this attempt were rejected: start a new attempt to play again."
    )


def keep_draft(*, player_id: int, attempt_id: int, text: str) -> None:
    """Keep the log so far, for going on elsewhere. Raises a `BadLog`, or `NotFound` where no such attempt is open."""
    canonical = format_log(parse_log(text))
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE games_attempt SET draft = %s WHERE id = %s AND player_id = %s AND ended_at IS NULL",
            [canonical, attempt_id, player_id],
        )
        if not cursor.rowcount:
            raise NotFound("not_found", "There is no such open attempt of yours.")
