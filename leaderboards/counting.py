"""Which submissions count, in one place: for boards, sums, streaks, statistics and medals alike.

A submission counts when it was verified and is ranked, isn't disqualified, its player isn't banned, and its challenge
isn't cancelled. All of that is stored: a ban that has ended counts until its flag is turned, and the boards with it
(`games.services.moderation.end_bans`). The fragments stand in statements that know the tables as ``submission``,
``challenge`` and ``player``.
"""

from __future__ import annotations

from games.engine import MODES

from .models.standing import Board

#: Taken by whoever changes who stands where (`leaderboards.services.placing`).
COUNTING_LOCK = 0x51560002

COUNTS = (
    "submission.state = 'verified' AND submission.ranked AND NOT submission.is_disqualified"
    " AND NOT player.is_banned AND challenge.cancelled_at IS NULL"
)

#: The tables that `COUNTS` asks.
COUNTED_SUBMISSIONS = """games_submission submission
    JOIN games_challenge challenge ON challenge.id = submission.challenge_id
    JOIN games_player player ON player.id = submission.player_id"""

#: Whether a submission competes for a place on the board named ``board.name``: `best` takes any attempt; `first` only
#: the first, and no guests: anybody can be a new guest.
COMPETES = (
    f"(board.name = '{Board.BEST.value}'"
    f" OR board.name = '{Board.FIRST.value}' AND submission.attempt_number = 1 AND NOT player.is_guest)"
)

BOARD_NAMES = f"(VALUES {', '.join(f'({board!r})' for board in Board.values)}) AS board (name)"

_STAKES = {key: -mode.game.start_score for key, mode in MODES.items() if mode.game.start_score}

#: What a played daily adds to a period's sum beside its ranked score: the stake of Vegas modes, so that playing never
#: costs.
STAKE = f"CASE challenge.mode {' '.join(f'WHEN {mode!r} THEN {stake}' for mode, stake in _STAKES.items())} ELSE 0 END"
