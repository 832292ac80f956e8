"""Finding what a moderator should look at, and what they decide. Nothing is done to anybody by itself.

Each verified submission leaves a job (`ReviewJob`) in the transaction of its verdict; `review_submissions` looks at
them afterwards, away from the verdicts: each worker about once a second, and beat once a minute.
"""

from __future__ import annotations

import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection, transaction
from django.utils.translation import gettext

from games.engine import format_log, parse_log
from games.models import Challenge, ModerationAct, Player, ReviewFlag, Submission
from games.wakeups import wake

from . import moderation
from .intake import NotFound, Refused, check_not_banned
from .moderation import ModerationError

#: Submissions looked at in one transaction.
BATCH_SIZE = 200
#: After so many of them others get their turn with the worker.
BATCHES = 20
#: Shorter logs may well be alike, and soon played.
FEWEST_ACTIONS = 20
REPORT_MAX_LENGTH = 500

# One process at a time looks: of two equal logs that come in together, each would miss the other.
_REVIEW_LOCK = 0x51560003

Kind = ReviewFlag.Kind
Outcome = ReviewFlag.Outcome


class _Row(NamedTuple):
    """A submission to be looked at; ``elapsed`` in tenths of a second."""

    id: int
    player_id: int
    challenge_id: int
    elapsed: int
    claimed_score: int | None
    score: int
    ranked_score: int
    was_open: bool
    text: str

    @property
    def actions(self) -> int:
        return len(self.text.split())


def review_submissions(*, now: datetime.datetime) -> int:
    """Look at the submissions that wait for it; returns how many flags are new. Safe to repeat, and beside others.

    Of very many it leaves some for later, and says that there are.
    """
    found = 0
    for _ in range(BATCHES):
        if (some := _review_some(now)) is None:
            return found
        found += some
    wake("games.review")
    return found


def _review_some(now: datetime.datetime) -> int | None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [_REVIEW_LOCK])
        if not cursor.fetchone()[0]:
            return None
        arguments: dict[str, Any] = {"limit": BATCH_SIZE, "grace": settings.QV_GRACE}
        cursor.execute(_TAKE, arguments)
        rows = [_Row(*row) for row in cursor.fetchall()]
        if not rows:
            return None
        winning_logs = _winning_logs({row.challenge_id for row in rows if row.was_open})
        flags = [flag for row in rows for flag in _flags_of(row, winning_logs)]
        flags += _same_logs(cursor, [row for row in rows if row.actions >= FEWEST_ACTIONS])
        flags += _same_addresses(cursor, rows)
        for flag in flags:
            flag.found_at = now
        known = ReviewFlag.objects.filter(submission_id__in=[flag.submission_id for flag in flags])
        before = known.count()
        ReviewFlag.objects.bulk_create(flags, ignore_conflicts=True)
        return known.count() - before


# The winning log may be seen once the challenge is over: from then on it is anybody's. Jobs are found again by their
# places in the table, which stay while they are locked: PostgreSQL takes a table that is mostly empty for one of a
# single row, and would compare each job with each.
_TAKE = """
WITH taken AS (
    DELETE FROM games_reviewjob WHERE ctid = ANY(ARRAY(
        SELECT ctid FROM games_reviewjob ORDER BY submission_id LIMIT %(limit)s FOR UPDATE SKIP LOCKED
    )) RETURNING submission_id
)
SELECT submission.id, player_id, challenge_id, elapsed, claimed_score, score, ranked_score,
    received_at < challenge.closes_at + %(grace)s, log.text
FROM taken JOIN games_submission submission ON submission.id = taken.submission_id
JOIN games_challenge challenge ON challenge.id = challenge_id
JOIN games_submissionlog log ON log.submission_id = submission.id
ORDER BY submission.id
"""


def _flags_of(row: _Row, winning_logs: dict[int, str]) -> list[ReviewFlag]:
    """What a submission shows by itself."""
    found: list[tuple[str, dict[str, Any]]] = []
    fastest = row.actions * settings.QV_HAND_MS
    if row.actions >= FEWEST_ACTIONS and row.elapsed * 100 < fastest:
        found.append((Kind.TOO_FAST, {"actions": row.actions, "seconds": row.elapsed / 10}))
    if row.was_open and row.text and row.text == winning_logs.get(row.challenge_id):
        found.append((Kind.WINNING_LOG, {}))
    if row.claimed_score is not None and row.claimed_score not in (row.score, row.ranked_score):
        found.append((Kind.OTHER_SCORE, {"claimed": row.claimed_score, "score": row.score}))
    return [
        ReviewFlag(kind=kind, player_id=row.player_id, submission_id=row.id, details=details) for kind, details in found
    ]


def _winning_logs(challenge_ids: set[int]) -> dict[int, str]:
    """The stored winning logs of challenges, where they have one."""
    found = Challenge.objects.filter(pk__in=challenge_ids, winning_log__isnull=False)
    return {challenge_id: _canonical(log) for challenge_id, log in found.values_list("pk", "winning_log")}


@lru_cache(maxsize=64)
def _canonical(log: str) -> str:
    return format_log(parse_log(log))


def _same_logs(cursor: Any, rows: list[_Row]) -> list[ReviewFlag]:
    """Of two players with the same log in a challenge the later one is flagged."""
    cursor.execute(
        """
        INSERT INTO games_reviewedlog (submission_id, challenge_id, player_id, digest)
        SELECT id, challenge_id, player_id, md5(text)::uuid
        FROM unnest(%s::bigint[], %s::bigint[], %s::bigint[], %s::text[]) AS log (id, challenge_id, player_id, text)
        ON CONFLICT DO NOTHING
        """,
        [
            [row.id for row in rows],
            [row.challenge_id for row in rows],
            [row.player_id for row in rows],
            [row.text for row in rows],
        ],
    )
    cursor.execute(
        """
        SELECT mine.submission_id, mine.player_id, other.submission_id, other.player_id
        FROM games_reviewedlog mine CROSS JOIN LATERAL (
            SELECT submission_id, player_id FROM games_reviewedlog log
            WHERE log.challenge_id = mine.challenge_id AND log.digest = mine.digest AND log.player_id <> mine.player_id
            ORDER BY submission_id LIMIT 1
        ) other
        WHERE mine.submission_id = ANY(%s)
        """,
        [[row.id for row in rows]],
    )
    flags = []
    for mine, player, other, other_player in cursor.fetchall():
        (first, _), (later, later_player) = sorted([(mine, player), (other, other_player)])
        flags.append(
            ReviewFlag(kind=Kind.SAME_LOG, player_id=later_player, submission_id=later, other_id=first, details={})
        )
    return flags


def _same_addresses(cursor: Any, rows: list[_Row]) -> list[ReviewFlag]:
    """The players among these who share an address with many others."""
    latest = {row.player_id: row.id for row in rows}
    cursor.execute(
        """
        WITH crowd AS (
            SELECT digest, count(*) AS players FROM games_addresssighting WHERE digest IN (
                SELECT digest FROM games_addresssighting WHERE player_id = ANY(%(players)s)
            ) GROUP BY digest HAVING count(*) >= %(many)s
        )
        SELECT player_id, max(players) FROM games_addresssighting JOIN crowd USING (digest)
        WHERE player_id = ANY(%(players)s) GROUP BY player_id ORDER BY player_id
        """,
        {"players": list(latest), "many": settings.QV_ACCOUNTS_AN_ADDRESS},
    )
    return [
        ReviewFlag(
            kind=Kind.SAME_ADDRESS, player_id=player, submission_id=latest[player], details={"accounts": accounts}
        )
        for player, accounts in cursor.fetchall()
    ]


def report_player(*, reporter_id: int, name: str, reason: str, now: datetime.datetime) -> Player:
    """Put a player before the moderators. One open report of the same reporter is enough: another changes nothing.

    Raises `NotFound`, `Refused`, `Banned`.
    """
    text = " ".join(reason.split())
    if not text or len(text) > REPORT_MAX_LENGTH or "\x00" in text:
        raise Refused(
            "bad_reason",
            gettext("Say in 1 to {limit} characters what is wrong with the player.").format(limit=REPORT_MAX_LENGTH),
        )
    check_not_banned(player_id=reporter_id, now=now)
    player = Player.objects.named(name).filter(is_banned=False).first()
    if player is None:
        raise NotFound("not_found", gettext("There is no player of that name."))
    if player.pk == reporter_id:
        raise Refused("own_report", gettext("That is you."))
    flag = ReviewFlag(
        kind=Kind.REPORTED, player=player, reporter_id=reporter_id, details={"reason": text}, found_at=now
    )
    ReviewFlag.objects.bulk_create([flag], ignore_conflicts=True)
    return player


def dispute_verdict(*, player_id: int, submission_id: int, now: datetime.datetime) -> None:
    """Put a rejected submission before the moderators at its player's wish. Asking again changes nothing.

    Raises `NotFound`, `Banned`.
    """
    check_not_banned(player_id=player_id, now=now)
    rejected = Submission.objects.filter(state=Submission.State.REJECTED, player_id=player_id)
    submission = rejected.filter(pk=submission_id).only("rejection").first()
    if submission is None:
        raise NotFound("not_found", "There is no such rejected submission of yours.")
    flag = ReviewFlag(
        kind=Kind.DISPUTED,
        player_id=player_id,
        submission=submission,
        details={"message": (submission.rejection or {}).get("message", "")},
        found_at=now,
    )
    ReviewFlag.objects.bulk_create([flag], ignore_conflicts=True)


def dismiss(*, flag_id: int, now: datetime.datetime, by: Player) -> None:
    """Decide that nothing is wrong. Raises `ModerationError`."""
    with transaction.atomic():
        _settle(_locked(flag_id), Outcome.DISMISSED, None, now, by)


def disqualify(*, flag_id: int, reason: str, now: datetime.datetime, by: Player) -> None:
    """Disqualify the submission that is flagged. Raises `ModerationError`."""
    with transaction.atomic():
        flag = _locked(flag_id)
        if flag.submission_id is None:
            raise ModerationError("This is about a player, not about a submission.")
        act = moderation.disqualify(submission_id=flag.submission_id, reason=reason, now=now, by=by)
        _settle(flag, Outcome.DISQUALIFIED, act, now, by)


def ban(*, flag_id: int, reason: str, until: datetime.datetime | None, now: datetime.datetime, by: Player) -> None:
    """Ban the player who is flagged. Raises `ModerationError`."""
    with transaction.atomic():
        flag = _locked(flag_id)
        act = moderation.ban_player(player_id=flag.player_id, reason=reason, until=until, now=now, by=by)
        _settle(flag, Outcome.BANNED, act, now, by)


def reopen(*, flag_id: int, now: datetime.datetime, by: Player) -> None:
    """Undo what was decided on a flag, and what was done then. Raises `ModerationError`."""
    with transaction.atomic():
        flag = ReviewFlag.objects.select_for_update(of=("self",)).select_related("act").filter(pk=flag_id).first()
        if flag is None or flag.is_open:
            raise ModerationError("Nothing has been decided on it.")
        if flag.kind == Kind.REPORTED and _open_reports(flag):
            raise ModerationError("The same player has reported this one again: see there.")
        _undo(flag, now, by)
        flag.state, flag.outcome, flag.act, flag.settled_by, flag.settled_at = "open", "", None, None, None
        flag.save()


def _open_reports(flag: ReviewFlag) -> bool:
    return ReviewFlag.objects.filter(
        kind=Kind.REPORTED, state="open", reporter_id=flag.reporter_id, player_id=flag.player_id
    ).exists()


def _undo(flag: ReviewFlag, now: datetime.datetime, by: Player) -> None:
    """Undo the act of a flag, unless somebody has done so already."""
    if flag.act is None:
        return
    later = ModerationAct.objects.filter(player_id=flag.player_id, pk__gt=flag.act.pk)
    reason = f"undone: {flag.act.reason}"[: ModerationAct._meta.get_field("reason").max_length]
    if flag.outcome == Outcome.BANNED and not later.filter(kind__in=["ban", "lift", "end"]).exists():
        moderation.lift_ban(player_id=flag.player_id, reason=reason, now=now, by=by)
    if flag.act.submission_id is not None and not later.filter(submission_id=flag.act.submission_id).exists():
        moderation.restore(submission_id=flag.act.submission_id, reason=reason, now=now, by=by)


def _locked(flag_id: int) -> ReviewFlag:
    flag = ReviewFlag.objects.select_for_update().filter(pk=flag_id).first()
    if flag is None:
        raise ModerationError(f"There is no flag {flag_id}.")
    if not flag.is_open:
        raise ModerationError("Somebody has decided on it already.")
    return flag


def _settle(flag: ReviewFlag, outcome: str, act: ModerationAct | None, now: datetime.datetime, by: Player) -> None:
    flag.state, flag.outcome, flag.act, flag.settled_by, flag.settled_at = "settled", outcome, act, by, now
    flag.save()
