"""What the API of `games` takes and gives. Times are ISO 8601 in UTC; scores are points (Vegas: dollars)."""

from __future__ import annotations

import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from games.services.review import REPORT_MAX_LENGTH

Int32 = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Milliseconds = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class Info(Struct):
    """What this server plays. ``live_url`` is the origin of the live service: its calls are at ``{live_url}/live/``."""

    name: str
    api: str
    rules_version: int
    modes: list[str]
    daily_modes: list[str]
    grace_seconds: int
    max_log_bytes: int
    max_log_actions: int
    live_url: str
    server_time: datetime.datetime


class PlayerOut(Struct):
    """A player as others see them."""

    name: str
    is_guest: bool


class NewGuest(Struct):
    """A new guest and the token to call with: it is shown this once."""

    player: PlayerOut
    token: str


class BanOut(Struct):
    """A ban: its player can read, not play, and stands on no board. ``until`` null is for good."""

    reason: str
    since: datetime.datetime
    until: datetime.datetime | None


class ReportIn(Struct):
    """What is wrong with a player."""

    reason: Annotated[str, Meta(min_length=1, max_length=REPORT_MAX_LENGTH)]


class ReportOut(Struct):
    """A report was taken in; moderators will look at it."""

    player: str
    state: str


class DisputeOut(Struct):
    """A verdict that its player doubts; moderators will look at it."""

    submission: int
    state: str


class Profile(Struct):
    """A player as everybody may see them."""

    name: str
    is_guest: bool
    joined_at: datetime.datetime
    submissions: int
    verified: int
    won: int


class TicketOut(Struct):
    """A word that stands for the caller's token in the address of an event stream, until ``expires_at``."""

    ticket: str
    expires_at: datetime.datetime


class Me(Profile):
    """The caller's own profile, with the settings that a client keeps there."""

    ban: BanOut | None
    settings: dict[str, Any]


class MeIn(Struct):
    """What to change of one's profile: what is left out stays. ``settings`` replaces all that was there."""

    name: str | UnsetType = UNSET
    settings: dict[str, Any] | UnsetType = UNSET


class DeleteIn(Struct):
    """``confirm`` is the player's own name: deleting can't be taken back."""

    confirm: str


class MergeIn(Struct):
    """The token of the guest whose results move to the caller."""

    guest_token: str


class TokenIn(Struct):
    """What to call a new token."""

    name: Annotated[str, Meta(max_length=64)] = ""


class TokenOut(Struct):
    """A token. ``id`` is the start of its digest; ``last_used`` is right to the day."""

    id: str
    name: str
    created: datetime.datetime
    last_used: datetime.datetime
    expires: datetime.datetime
    is_current: bool


class TokenList(Struct):
    """The caller's tokens, the latest used first."""

    items: list[TokenOut]


class NewTokenOut(Struct):
    """A token just made: it is shown this once."""

    id: str
    name: str
    token: str
    expires: datetime.datetime


class OwnSubmission(Struct):
    """A submission in the caller's history. Scores and moves are there once it has a verdict."""

    id: int
    url: str
    challenge: int
    mode: str
    date: datetime.date | None
    attempt_number: int
    state: str
    ranked: bool
    received_at: datetime.datetime
    elapsed: float
    won: bool | None
    ranked_score: int | None
    moves: int | None


class SubmissionPage(Struct):
    """Some of the caller's submissions, the latest first, and the cursor of the next page if there is one."""

    items: list[OwnSubmission]
    next_cursor: str | None


class ExportOut(Struct):
    """Everything the server holds on the caller: the profile, and a list for each kind of thing."""

    profile: dict[str, Any]
    tokens: list[dict[str, Any]]
    attempts: list[dict[str, Any]]
    submissions: list[dict[str, Any]]
    moderation: list[dict[str, Any]]
    reports: list[dict[str, Any]]
    address_sightings: list[dict[str, Any]]
    standings: list[dict[str, Any]]
    period_standings: list[dict[str, Any]]
    final_ranks: list[dict[str, Any]]
    clubs: list[dict[str, Any]]
    email_addresses: list[dict[str, Any]]
    authenticators: list[dict[str, Any]]
    social_logins: list[dict[str, Any]]
    sessions: list[dict[str, Any]]


class Nothing(Struct):
    """There is nothing more to say."""


class DealOut(Struct):
    """A deal: columns left to right, the last card on top; ``stock[0]`` is drawn first.

    The first ``face_down[i]`` cards of column i lie face down.
    """

    code: str | None
    mode: str
    columns: list[list[str]]
    face_down: list[int]
    stock: list[str]


class AttemptOut(Struct):
    """An attempt with its deal. It ends by its submission, and counts if that arrives before the challenge is over.

    ``counts_first``: whether it can stand on the `first` board, which has attempt 1 of players who are no guests.
    """

    id: int
    challenge: int
    number: int
    mode: str
    code: str
    deal: DealOut
    started_at: datetime.datetime
    closes_at: datetime.datetime
    over_at: datetime.datetime
    ended_at: datetime.datetime | None
    draft: str
    counts_first: bool
    submission: str | None
    server_time: datetime.datetime


class DraftIn(Struct):
    """The log so far."""

    log: str


class SubmissionIn(Struct):
    """A move log. ``claimed_score`` is compared with the verdict and never used; ``times`` has one number an action."""

    log: str
    claimed_score: Int32 | None = None
    client: Annotated[str, Meta(max_length=64)] = ""
    times: list[Milliseconds] = []


class Received(Struct):
    """A log was taken in; its verdict will be at ``url``."""

    id: int
    state: str
    url: str


class VerdictError(Struct):
    """The first action that the rules refuse."""

    index: int | None
    action: str | None
    reason: str
    message: str


class VerdictOut(Struct):
    """What the server's own replay of a log gives."""

    code: str
    valid: bool
    error: VerdictError | None
    won: bool
    score: int
    ranked_score: int
    moves: int
    draws: int
    undos: int
    recycles: int
    foundation_cards: int
    waste_to_column: int
    taken_back: int
    rules_version: int


class LogIn(Struct):
    """A log to judge."""

    log: str


class OwnState(Struct):
    """What the caller has done in a challenge."""

    attempts: int
    open_attempt: int | None
    won: bool
    best_score: int | None


class Proof(Struct):
    """The solver's winning log. Only in the answer of the challenge's own address, once it is over."""

    log: str
    moves: int
    solver_version: int | None


class ChallengeOut(Struct):
    """A challenge. Code, deal and proof appear once it is over; until then only inside the caller's own attempt.

    ``par`` is the fewest moves of any known win: a record, not a minimum. It may be kept back while the challenge is
    open. ``difficulty`` is easy, medium or hard, by how long the solver had to look for its first win.
    """

    id: int
    mode: str
    date: datetime.date | None
    title: str
    opens_at: datetime.datetime
    closes_at: datetime.datetime
    over_at: datetime.datetime
    is_open: bool
    is_over: bool
    is_featured: bool
    difficulty: str | None
    par: int | None
    code: str | None
    deal: DealOut | None
    proof: Proof | None
    own: OwnState | None


class ChallengePage(Struct):
    """Some challenges, and the cursor of the next page if there is one."""

    items: list[ChallengeOut]
    next_cursor: str | None
    server_time: datetime.datetime


class TodayOut(Struct):
    """Today's dailies. ``missing`` are the modes whose daily isn't there yet: a deal is still to be proven winnable."""

    items: list[ChallengeOut]
    missing: list[str]
    server_time: datetime.datetime


class ReplayOut(Struct):
    """A submitted game, to be watched."""

    id: int
    code: str
    deal: DealOut
    log: str
    times: list[int]
